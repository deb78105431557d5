/** The state of the journal; `stopped` means that it does not write, for a reason. */
export type JournalState = 'starting' | 'writing' | 'stopped';

/** A moment of the book: the end of a turn. */
export interface JournalMoment {
  /** The chain's slot. */
  readonly slot: number;
  /** Unix milliseconds, the same as in the bodies of that turn. */
  readonly ts: number;
}

/** A contiguous stored range of one epoch of the book. */
export interface JournalRange {
  readonly epoch: string;
  readonly first: JournalMoment;
  readonly last: JournalMoment;
  /** Its files, and their bytes. */
  readonly segments: number;
  readonly bytes: number;
  /**
   * Sequence numbers at the first and at the newest checkpoint of the range, which continues after
   * it, by the market ids of this epoch.
   */
  readonly firstSeqs: readonly number[];
  readonly lastSeqs: readonly number[];
}

/** A time without data, between two ranges. */
export interface JournalGap {
  readonly from: JournalMoment;
  readonly to: JournalMoment;
  /**
   * `restart`: another epoch of the book began. `stopped`: the epoch continued, but the journal had
   * stopped.
   */
  readonly reason: 'restart' | 'stopped';
}

/** An unusable file in the folder of the journal. The journal never deletes it. */
export interface JournalSkippedFile {
  readonly name: string;
  readonly reason: string;
}

/** The stored ranges, oldest first. */
export interface JournalListing {
  readonly ranges: readonly JournalRange[];
  readonly gaps: readonly JournalGap[];
  readonly skipped: readonly JournalSkippedFile[];
}

/** Statistics of the journal, for /status and /metrics. */
export interface JournalStats {
  readonly state: JournalState;
  /** The reason why the journal does not write; null when it does. */
  readonly reason: string | null;
  /** Files, and their total bytes. */
  readonly segments: number;
  readonly bytes: number;
  /** Gaps between stored ranges. */
  readonly gaps: number;
  /** The oldest and the newest stored moment; null when nothing is stored. */
  readonly oldest: JournalMoment | null;
  readonly newest: JournalMoment | null;
  /** Bytes of turns that wait for the journal's thread or for NATS. */
  readonly queuedBytes: number;
  /** Events of this run, by name. */
  readonly events: Readonly<Record<string, number>>;
}

/** The server's view of the journal. */
export interface JournalSource {
  readStats(): JournalStats;
  readListing(): JournalListing;
}
