import type { BookLevel, BookLevels } from '../contract/book-levels.js';

const WORD_BYTES = 8;
const LEVEL_BYTES = 3 * WORD_BYTES;
const WORD_BITS = 64n;

/** Reads the words of the core's `levels`. */
export function readLevels(bytes: Uint8Array): BookLevels {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const bids = Number(view.getBigUint64(0, true));
  const levels: BookLevel[] = [];
  for (let at = WORD_BYTES; at < bytes.length; at += LEVEL_BYTES) {
    const high = view.getBigUint64(at + 2 * WORD_BYTES, true);
    const low = view.getBigUint64(at + WORD_BYTES, true);
    levels.push({
      price: view.getBigUint64(at, true),
      size: high === 0n ? low : (high << WORD_BITS) | low,
    });
  }
  return { bids: levels.slice(0, bids), asks: levels.slice(bids) };
}
