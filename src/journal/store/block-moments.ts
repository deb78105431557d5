/** Reads the moments of a segment from the heads of its blocks, without decompressing blocks. */
import { crc32 } from 'node:zlib';
import type { JournalMoment } from '../../contract/journal-source.js';

/** Magic and version of a file. */
export const PREAMBLE_BYTES = 20;
/** Bytes of a block's head: length, CRC-32, slot, time. */
export const BLOCK_HEAD_BYTES = 24;
/** Offsets of a block's CRC-32 and of the bytes that the CRC covers. */
const CRC_AT = 4;
const CHECKED_AT = 8;

/** The first and the last moment of some blocks. */
export interface BlockMoments {
  readonly first: JournalMoment;
  readonly last: JournalMoment;
}

/** The bytes of a file. */
export interface BlockBytes {
  readonly size: number;
  /** Reads from an offset into a buffer, which must be filled. */
  readonly read: (at: number, into: Buffer) => void;
}

interface Block {
  readonly at: number;
  readonly bytes: number;
  /** The last moment that the block completes; null within a checkpoint. */
  readonly moment: JournalMoment | null;
}

/** Returns the moments of a file up to its truncation; null when no block is complete. */
export function momentsOfFile(file: BlockBytes): BlockMoments | null {
  const blocks = listBlocks(file, PREAMBLE_BYTES);
  // After a power loss, the last bytes may look like blocks, so blocks with a wrong CRC are removed
  // from the end.
  for (let last = blocks.at(-1); last !== undefined && !checks(file, last); last = blocks.at(-1)) {
    blocks.pop();
  }
  return momentsOf(blocks);
}

/**
 * Returns the moments of a segment's piece, which consists of whole blocks; the first piece begins
 * with the preamble of the file.
 */
export function momentsOfPiece(piece: Uint8Array, isFirst: boolean): BlockMoments | null {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  const read = (at: number, into: Buffer): void => void bytes.copy(into, 0, at);
  return momentsOf(listBlocks({ size: bytes.length, read }, isFirst ? PREAMBLE_BYTES : 0));
}

/** The last bytes of a file that its writer closed: a block head of length 0, with its moment. */
export function endMark({ slot, ts }: JournalMoment): Buffer {
  const mark = Buffer.alloc(BLOCK_HEAD_BYTES);
  mark.writeBigUInt64LE(BigInt(slot), CHECKED_AT);
  mark.writeBigUInt64LE(BigInt(ts), CHECKED_AT + 8);
  mark.writeUInt32LE(crc32(mark.subarray(CHECKED_AT)), CRC_AT);
  return mark;
}

/** Returns whether a file ends with an end mark. */
export function isEnded({ size, read }: BlockBytes): boolean {
  if (size < PREAMBLE_BYTES + BLOCK_HEAD_BYTES) return false;
  const mark = Buffer.alloc(BLOCK_HEAD_BYTES);
  read(size - mark.length, mark);
  const isEmpty = mark.readUInt32LE(0) === 0;
  return isEmpty && crc32(mark.subarray(CHECKED_AT)) === mark.readUInt32LE(CRC_AT);
}

/** Reads each block in turn up to the end or the truncation. */
function listBlocks({ size, read }: BlockBytes, from: number): Block[] {
  const head = Buffer.alloc(BLOCK_HEAD_BYTES);
  const blocks: Block[] = [];
  for (let at = from; at + BLOCK_HEAD_BYTES <= size; ) {
    read(at, head);
    const packedBytes = head.readUInt32LE(0);
    const bytes = BLOCK_HEAD_BYTES + packedBytes;
    if (at + bytes > size || packedBytes === 0) break;
    const moment = momentOf(Number(head.readBigUInt64LE(8)), Number(head.readBigUInt64LE(16)));
    blocks.push({ at, bytes, moment });
    at += bytes;
  }
  return blocks;
}

function momentsOf(blocks: readonly Block[]): BlockMoments | null {
  const first = blocks.find(({ moment }) => moment !== null)?.moment ?? null;
  const last = blocks.findLast(({ moment }) => moment !== null)?.moment ?? null;
  return first === null || last === null ? null : { first, last };
}

/** Whether a block matches its CRC-32. */
function checks({ read }: BlockBytes, { at, bytes }: Block): boolean {
  const block = Buffer.allocUnsafe(bytes);
  read(at, block);
  return crc32(block.subarray(CHECKED_AT)) === block.readUInt32LE(CRC_AT);
}

/** Returns a moment; null when an epoch does not know the chain's slot yet. */
export function momentOf(slot: number, ts: number): JournalMoment | null {
  return slot > 0 && ts > 0 ? { slot, ts } : null;
}
