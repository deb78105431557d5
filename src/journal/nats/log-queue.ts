import type { JournalMoment } from '../../contract/journal-source.js';
import type { JournalPiece } from '../../engine/journal-writer.js';
import { LOG_MESSAGE_BYTES_MAX } from '../model/limits.js';
import { momentsOfPiece } from '../store/block-moments.js';

/** Bytes appended as one message. */
export interface LogBytes {
  readonly segment: number;
  readonly bytes: Uint8Array;
  /** The last moment that the bytes complete; null for none. */
  readonly last: JournalMoment | null;
}

/** Queued bytes, and their arrival: monotonic milliseconds. */
interface WaitingBytes extends LogBytes {
  readonly sinceMs: number;
}

/**
 * The queue of tail bytes for a log: the queued bytes of one segment become one message, up to the
 * message limit.
 */
export class LogQueue {
  #waiting: WaitingBytes[] = [];
  #bytes = 0;

  get waitingBytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the time for which the oldest bytes have waited, milliseconds; 0 for an empty queue.
   */
  waitedMs(nowMs: number): number {
    const first = this.#waiting[0];
    return first === undefined ? 0 : nowMs - first.sinceMs;
  }

  pushPiece({ segment, bytes }: Omit<JournalPiece, 'isTail'>, sinceMs: number): void {
    const last = momentsOfPiece(bytes, false)?.last ?? null;
    for (let from = 0; from < bytes.length; from += LOG_MESSAGE_BYTES_MAX) {
      const part = bytes.subarray(from, from + LOG_MESSAGE_BYTES_MAX);
      const isEnd = from + part.length === bytes.length;
      this.#waiting.push({ segment, bytes: part, last: isEnd ? last : null, sinceMs });
    }
    this.#bytes += bytes.length;
  }

  /** Takes the bytes of the next message from the queue; undefined when it is empty. */
  takeBytes(): LogBytes | undefined {
    const first = this.#waiting[0];
    if (first === undefined) return undefined;
    let count = 0;
    let length = 0;
    for (const { segment, bytes } of this.#waiting) {
      const isOver = length + bytes.length > LOG_MESSAGE_BYTES_MAX;
      if (segment !== first.segment || (isOver && count > 0)) break;
      count += 1;
      length += bytes.length;
    }
    const taken = this.#waiting.splice(0, count);
    this.#bytes -= length;
    const bytes = count === 1 ? first.bytes : Buffer.concat(taken.map((part) => part.bytes));
    const last = taken.findLast((part) => part.last !== null)?.last ?? null;
    return { segment: first.segment, bytes, last };
  }

  dropAll(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }
}
