/** The moments of a segment, by the heads of its blocks, without unpacking any. */
import type { JournalMoment } from '../../contract/journal-source.js';

/** Magic and version of a file. */
export const PREAMBLE_BYTES = 20;
/** What stands before the packed bytes of a block: length, CRC-32, slot, time. */
export const BLOCK_HEAD_BYTES = 24;

/** The first and the last moment of some blocks. */
export interface BlockMoments {
  readonly first: JournalMoment;
  readonly last: JournalMoment;
}

/**
 * Goes from block to block up to the size, or to where the last one is torn; `readHead` reads the bytes at a place into a
 * buffer. Null when no moment is whole: blocks of a checkpoint have none.
 */
export function findMoments(
  size: number,
  from: number,
  readHead: (at: number, head: Buffer) => void,
): BlockMoments | null {
  const head = Buffer.alloc(BLOCK_HEAD_BYTES);
  let first: JournalMoment | null = null;
  let last: JournalMoment | null = null;
  for (let at = from; at + BLOCK_HEAD_BYTES <= size; ) {
    readHead(at, head);
    const packedBytes = head.readUInt32LE(0);
    at += BLOCK_HEAD_BYTES + packedBytes;
    if (at > size || packedBytes === 0) break;
    last = momentOf(Number(head.readBigUInt64LE(8)), Number(head.readBigUInt64LE(16))) ?? last;
    first ??= last;
  }
  return first === null || last === null ? null : { first, last };
}

/** Of a piece of a segment, which is whole blocks; the first one begins with the file's preamble. */
export function momentsOfPiece(piece: Uint8Array, isFirst: boolean): BlockMoments | null {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  return findMoments(bytes.length, isFirst ? PREAMBLE_BYTES : 0, (at, head) => {
    bytes.copy(head, 0, at);
  });
}

/** Null before a run knows the chain's slot. */
export function momentOf(slot: number, ts: number): JournalMoment | null {
  return slot > 0 && ts > 0 ? { slot, ts } : null;
}
