import type { AsOfMoment } from '../contract/as-of-source.js';
import type { JournalMoment } from '../contract/journal-source.js';
import type { Timers } from '../contract/timers.js';

/** The journal whose files are read. */
export interface FlushedJournal {
  /** Resolves with whether the newest file has all turns so far. */
  flush(): Promise<boolean>;
  readStats(): { readonly newest: JournalMoment | null };
}

/** Flushes buffered turns before they are read. */
export class RecentTurns {
  readonly #journal: FlushedJournal;
  readonly #timers: Timers;
  #flushing: Promise<number> | null = null;
  #nextFlush: Promise<number> | null = null;

  constructor(journal: FlushedJournal, timers: Timers) {
    this.#journal = journal;
    this.#timers = timers;
  }

  /**
   * Flushes the journal if the moment may be among its newest turns. Returns the time up to which
   * the newest file is complete, unix ms; 0 when no flush was needed, or the flush failed.
   */
  async flushFor({ by, value }: AsOfMoment): Promise<number> {
    const { newest } = this.#journal.readStats();
    if (by !== 'seq' && newest !== null && value < newest[by]) return 0;
    return this.flushAll();
  }

  /**
   * Writes all turns so far, once for all concurrent callers. Resolves like {@link
   * RecentTurns.flushFor}.
   */
  flushAll(): Promise<number> {
    // A flush that is already running may have begun before the moment, so another one follows.
    this.#nextFlush ??= (this.#flushing ?? Promise.resolve()).then(() => {
      this.#nextFlush = null;
      const flushing = this.#flush().finally(() => {
        if (this.#flushing === flushing) this.#flushing = null;
      });
      this.#flushing = flushing;
      return flushing;
    });
    return this.#nextFlush;
  }

  /**
   * Flushes the journal and returns the time before the flush, because the file may lack turns that
   * arrived during it; 0 when the flush failed.
   */
  async #flush(): Promise<number> {
    const nowMs = this.#timers.unixMs();
    return (await this.#journal.flush()) ? nowMs : 0;
  }
}
