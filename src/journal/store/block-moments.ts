/** The moments of a segment, by the heads of its blocks, without unpacking any. */
import { crc32 } from 'node:zlib';
import type { JournalMoment } from '../../contract/journal-source.js';

/** Magic and version of a file. */
export const PREAMBLE_BYTES = 20;
/** What stands before the packed bytes of a block: length, CRC-32, slot, time. */
export const BLOCK_HEAD_BYTES = 24;
/** Where the CRC-32 of a block is, and where what it is of begins. */
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
  /** Reads those from a place on into a buffer, which they fill. */
  readonly read: (at: number, into: Buffer) => void;
}

/** A block, by its head. */
interface Block {
  readonly at: number;
  readonly bytes: number;
  /** The last moment that is whole with it; null within a checkpoint. */
  readonly moment: JournalMoment | null;
}

/** The moments of a file, up to where it was torn; null when none is whole. */
export function momentsOfFile(file: BlockBytes): BlockMoments | null {
  const blocks = listBlocks(file, PREAMBLE_BYTES);
  // What a loss of power leaves may look like a block, or more of them.
  for (let last = blocks.at(-1); last !== undefined && !checks(file, last); last = blocks.at(-1)) {
    blocks.pop();
  }
  return momentsOf(blocks);
}

/** Of a piece of a segment, which is whole blocks; the first one begins with the file's preamble. */
export function momentsOfPiece(piece: Uint8Array, isFirst: boolean): BlockMoments | null {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  const read = (at: number, into: Buffer): void => void bytes.copy(into, 0, at);
  return momentsOf(listBlocks({ size: bytes.length, read }, isFirst ? PREAMBLE_BYTES : 0));
}

/** Goes from block to block up to the end, or to where the last one is cut. */
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

/** Null before a run knows the chain's slot. */
export function momentOf(slot: number, ts: number): JournalMoment | null {
  return slot > 0 && ts > 0 ? { slot, ts } : null;
}
