/** How fresh the book is; every body carries it. */
export type FeedState = 'rebuilding' | 'live' | 'lagging' | 'stale';

/** How far the feed is, for /ready and for requests before the first book. */
export interface Readiness {
  /** Whether any book has been live since the start, or the book stands still. */
  readonly everLive: boolean;
  readonly state: FeedState | 'starting';
  /** Why it is not live; null when it is. */
  readonly reason: string | null;
  readonly slot: number;
  /** Whether it is a past book that is served as it was, whatever its state: nothing comes after it. */
  readonly standsStill?: boolean;
  /** Of a core: whether it writes the log, or stands by until another one is gone. */
  readonly role?: 'core' | 'standby';
}

/** What the feed counts and measures, for /metrics and /status. A replay has only the first two. */
export interface FeedMetrics {
  readonly slotAgeMs: number;
  /** Counts since the start, by what happened. */
  readonly events: Readonly<Record<string, number>>;
  /** Slots that the book is behind the newest slot that a node notified. */
  readonly slotLag?: number;
  /** Names the chain; null until a node has returned it. */
  readonly genesisHash?: string | null;
  /** Host and port of the RPC node in use, without any path or key. */
  readonly node?: string | null;
  /** Milliseconds that this machine's clock is ahead of the chain's; null before the chain's is known. */
  readonly clockSkewMs?: number | null;
  /** Why that is too much; null when it is not. */
  readonly clockReason?: string | null;
  /** The streams that are merged; absent where the subscriptions of one node are followed. */
  readonly sources?: readonly SourceStatus[];
  /** The last comparison of the whole book with the chain; null before the first. */
  readonly lastAudit?: AuditOutcome | null;
}

/** One stream of those that are merged. */
export interface SourceStatus {
  /** Its kind, host and port, without any path, key or token. */
  readonly name: string;
  /**
   * `trusted` keeps the book, `distrusted` is compared alone, `joining` has not notified all since the book was read,
   * `interrupted` is made again and loses nothing, `closed` is made again with a gap.
   */
  readonly state: 'closed' | 'joining' | 'interrupted' | 'trusted' | 'distrusted';
  /** Why it is distrusted, or closed; null when it is neither. */
  readonly reason: string | null;
  /** The newest slot that it notified; 0 before the first. */
  readonly slot: number;
  /** Slots behind the newest of all. */
  readonly slotLag: number;
  /** States that it notified, once each. */
  readonly states: number;
  /** The part of them that it notified before all others, 0 to 1; null before the first. */
  readonly wonShare: number | null;
  /** Milliseconds that it is ahead of the others in the mean, negative behind; null while it is alone. */
  readonly leadMs: number | null;
  /** States that it did not tell, and others did. */
  readonly misses: number;
  /** States that it notified otherwise than others, or that no other notified. */
  readonly disagreements: number;
}

/** How an audit ended. */
export interface AuditOutcome {
  /** Unix milliseconds of this machine. */
  readonly ts: number;
  /** Whether the chain could be read. */
  readonly ok: boolean;
  /** User accounts, markets and oracles that the audit added or changed; 0 when it failed. */
  readonly differences: number;
}
