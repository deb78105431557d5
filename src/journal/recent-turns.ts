import type { AsOfMoment } from '../contract/as-of-source.js';
import type { JournalMoment } from '../contract/journal-source.js';
import type { Timers } from '../contract/timers.js';

/** The journal whose files are read. */
export interface FlushedJournal {
  /** Resolves with whether the newest file has all turns so far. */
  flush(): Promise<boolean>;
  readStats(): { readonly newest: JournalMoment | null };
}

/** The newest moments wait in the encoder, of which only a flush makes bytes: sees to it that they are in the files. */
export class RecentTurns {
  readonly #journal: FlushedJournal;
  readonly #timers: Timers;
  #flushing: Promise<number> | null = null;
  #nextFlush: Promise<number> | null = null;

  constructor(journal: FlushedJournal, timers: Timers) {
    this.#journal = journal;
    this.#timers = timers;
  }

  /** Flushes where the moment may need it. Returns the unix ms up to which the newest file has all turns; 0 where no flush was needed, or it failed. */
  async flushFor({ by, value }: AsOfMoment): Promise<number> {
    const { newest } = this.#journal.readStats();
    if (by !== 'seq' && newest !== null && value < newest[by]) return 0;
    return this.flushAll();
  }

  /** Writes all turns so far, once for all that ask meanwhile. Resolves as {@link RecentTurns.flushFor}. */
  flushAll(): Promise<number> {
    // A flush that runs already may have begun before the moment.
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

  /** What comes while it is under way may be missing, so the time before it counts. */
  async #flush(): Promise<number> {
    const nowMs = this.#timers.unixMs();
    return (await this.#journal.flush()) ? nowMs : 0;
  }
}
