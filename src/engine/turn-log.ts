import type { Core } from '@slotbook/core/native';
import type { PublishMark } from '../contract/publish-mark.js';
import { EngineError } from './errors.js';
import type { JournalReader } from './journal-reader.js';
import { packMark } from './packed-mark.js';

/** The value that the core returns when waiting turns were lost because the log was full. */
const JOURNAL_LOST = -(2 ** 31);

/** The number of bytes taken at a time: another thread needs a few milliseconds for them. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Bytes of the slot before the entries of a leaf. */
const SLOT_BYTES = 8;

/**
 * The log of one core's turns, for the journal. It starts with a checkpoint. Its format depends on
 * the core's version: only a {@link JournalWriter} turns it into a format for storage.
 */
export class TurnLog {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Starts the log before the core has any accounts. */
  start(): void {
    if (this.#core.startJournal()) return;
    throw new Error('Invariant: the journal begins before the first account');
  }

  /**
   * Starts the log of a core whose book was read from a journal. The first checkpoint contains the
   * reader's accounts. All turns must have been applied.
   */
  continueFrom(reader: JournalReader): void {
    if (reader.continueIn(this.#core)) return;
    throw new Error('Invariant: a journal goes on between two turns');
  }

  /** Stops the log and drops waiting turns. */
  stop(): void {
    this.#core.stopJournal();
  }

  /** Ends the next turn with a checkpoint, which starts a new segment. */
  markCheckpoint(): void {
    this.#core.markCheckpoint();
  }

  /** Records which changes of the last turn are published. Call it before any further update. */
  markPublished(mark: PublishMark): void {
    if (mark.length > 0) this.#core.markPublished(packMark(mark));
  }

  /**
   * The time of the last turn, unix milliseconds, when it ended with a hash in the journal, so that
   * a leaf is due; else null. Call it before {@link TurnLog.waitingBytes} and {@link TurnLog.take}.
   */
  leafDueMs(): number | null {
    return this.#core.leafDueMs();
  }

  /**
   * The slot, and the entries of the markets that changed since the last call, ordered by type and
   * index; of all markets at the first call. Reads all orders.
   */
  takeLeaf(): { readonly slot: number; readonly entries: Uint8Array } {
    const taken = this.#core.takeLeaf();
    return { slot: Number(taken.readBigUInt64BE()), entries: taken.subarray(SLOT_BYTES) };
  }

  /** Bytes of the complete turns that wait. */
  waitingBytes(): number {
    return this.#core.journalBytes();
  }

  /**
   * Takes waiting complete turns, a few MiB or one larger turn; null without any. Throws
   * `JOURNAL_BYTES_EXCEEDED` when turns were lost.
   */
  take(): Uint8Array<ArrayBuffer> | null {
    // The buffer is not from the pool because it is transferred to another thread. It is
    // overwritten completely, so it needs no zeros.
    let out = Buffer.allocUnsafeSlow(Math.min(this.waitingBytes(), PIECE_BYTES));
    let length = this.#core.takeJournal(out);
    if (length < 0 && length !== JOURNAL_LOST) {
      out = Buffer.allocUnsafeSlow(-length);
      length = this.#core.takeJournal(out);
    }
    if (length === JOURNAL_LOST) {
      const message = 'more turns waited for the journal than the core holds';
      throw new EngineError('JOURNAL_BYTES_EXCEEDED', message);
    }
    return length <= 0 ? null : out.subarray(0, length);
  }
}
