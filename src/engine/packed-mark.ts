/**
 * Encodes publish marks for the core: the id of each market in two bytes, little-endian, and its
 * classes in one byte.
 */
import type { PublishMark } from '../contract/publish-mark.js';

const ENTRY_BYTES = 3;

/** Encodes a mark. */
export function packMark(mark: PublishMark): Uint8Array {
  const bytes = Buffer.alloc(mark.length * ENTRY_BYTES);
  for (const [index, { market, classes }] of mark.entries()) {
    bytes.writeUInt16LE(market, index * ENTRY_BYTES);
    bytes.writeUInt8(classes, index * ENTRY_BYTES + 2);
  }
  return bytes;
}

/** Decodes a mark. */
export function unpackMark(bytes: Buffer): PublishMark {
  return Array.from({ length: Math.floor(bytes.length / ENTRY_BYTES) }, (_, index) => ({
    market: bytes.readUInt16LE(index * ENTRY_BYTES),
    classes: bytes.readUInt8(index * ENTRY_BYTES + 2),
  }));
}
