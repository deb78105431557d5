/** How the journal does: `stopped` when nothing is written, which its reason explains. */
export type JournalState = 'starting' | 'writing' | 'stopped';

/** A moment of the book: the end of a turn. */
export interface JournalMoment {
  /** The chain's slot. */
  readonly slot: number;
  /** Unix milliseconds, as bodies of that turn carry them. */
  readonly ts: number;
}

/** What is kept without a hole, of one run of the book on one chain. */
export interface JournalRange {
  readonly epoch: string;
  readonly first: JournalMoment;
  readonly last: JournalMoment;
  /** Files that hold it, and their bytes. */
  readonly segments: number;
  readonly bytes: number;
  /**
   * Sequence numbers at the first checkpoint, and at the newest, behind which it goes on, by the ids that markets
   * have in this epoch.
   */
  readonly firstSeqs: readonly number[];
  readonly lastSeqs: readonly number[];
}

/** A time of which nothing is kept, between two ranges. */
export interface JournalGap {
  readonly from: JournalMoment;
  readonly to: JournalMoment;
  /** `restart`: another run of the book. `stopped`: the run went on, the journal did not. */
  readonly reason: 'restart' | 'stopped';
}

/** A file in the folder of the journal that cannot be used. It is never deleted. */
export interface JournalSkippedFile {
  readonly name: string;
  readonly reason: string;
}

/** What is kept, oldest first. */
export interface JournalListing {
  readonly ranges: readonly JournalRange[];
  readonly gaps: readonly JournalGap[];
  readonly skipped: readonly JournalSkippedFile[];
}

/** How the journal does, for /status and /metrics. */
export interface JournalStats {
  readonly state: JournalState;
  /** Why nothing is written; null while all is well. */
  readonly reason: string | null;
  /** Files, and the bytes of all of them. */
  readonly segments: number;
  readonly bytes: number;
  /** Times between two ranges of which nothing is kept. */
  readonly gaps: number;
  /** The oldest and the newest moment that is kept; null without any. */
  readonly oldest: JournalMoment | null;
  readonly newest: JournalMoment | null;
  /** Bytes of turns that wait for the thread of the journal, or for NATS. */
  readonly queuedBytes: number;
  /** Events of this run, by name. */
  readonly events: Readonly<Record<string, number>>;
}

/** The journal as the server reads it. */
export interface JournalSource {
  readStats(): JournalStats;
  readListing(): JournalListing;
}
