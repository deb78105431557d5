import type { Core } from '@slotbook/core';
import type { PublishMark } from '../contract/publish-mark.js';
import { EngineError } from './errors.js';
import type { JournalReader } from './journal-reader.js';
import { packMark } from './packed-mark.js';

/** What the core returns when more waited than it holds. */
const JOURNAL_LOST = -(2 ** 31);

/** Bytes that are taken at once: a message to another thread of a few milliseconds of work. */
const PIECE_BYTES = 4 * 1024 * 1024;

/**
 * What moves the book of one core, turn by turn, for the journal. It begins with a checkpoint, and its bytes are of one
 * version of the core: only a {@link JournalWriter} makes something of them that may be stored.
 */
export class TurnLog {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Begins the log, before the core has any account. */
  start(): void {
    if (this.#core.startJournal()) return;
    throw new Error('Invariant: the journal begins before the first account');
  }

  /** Begins the log of a book that this reader has made, all of whose turns were applied: the first checkpoint has its accounts. */
  continueFrom(reader: JournalReader): void {
    if (reader.continueIn(this.#core)) return;
    throw new Error('Invariant: a journal goes on between two turns');
  }

  /** Ends the log and forgets what waits. */
  stop(): void {
    this.#core.stopJournal();
  }

  /** The next turn ends with a checkpoint, with which a new segment begins. */
  markCheckpoint(): void {
    this.#core.markCheckpoint();
  }

  /** What the last turn publishes; nothing came in since it ended. */
  markPublished(mark: PublishMark): void {
    if (mark.length > 0) this.#core.markPublished(packMark(mark));
  }

  /** Bytes of whole turns that wait. */
  waitingBytes(): number {
    return this.#core.journalBytes();
  }

  /**
   * Takes whole turns that wait, some MiB of them, or one that is larger; null without any. Throws `JOURNAL_BYTES_EXCEEDED`
   * when some were lost.
   */
  take(): Uint8Array<ArrayBuffer> | null {
    // A buffer of its own, because it changes hands; all of it is written, so it need not be zeros before.
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
