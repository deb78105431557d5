/** The states of a book, by their codes in the core and in binary frames. */
export const FEED_STATES = ['rebuilding', 'live', 'lagging', 'stale'] as const;

/** How fresh the book is; every body carries it. */
export type FeedState = (typeof FEED_STATES)[number];

/** The states of a service: `starting` until its book is live for the first time. */
export const READINESS_STATES = ['starting', ...FEED_STATES] as const;

/** Which of two states is less fresh: a book is live, lagging, stale, or rebuilding. */
export function lessFresh(one: FeedState, other: FeedState): FeedState {
  return freshnessOf(other) > freshnessOf(one) ? other : one;
}

/** From 0 for a live book up to 3 for one that is rebuilding. */
function freshnessOf(state: FeedState): number {
  const { length } = FEED_STATES;
  return (FEED_STATES.indexOf(state) + length - 1) % length;
}

/** The readiness of the feed, for /ready and for requests before the first book. */
export interface Readiness {
  /** Whether any book has been live since the start, or the book is a fixed past one. */
  readonly everLive: boolean;
  readonly state: (typeof READINESS_STATES)[number];
  /** Why it is not live; null when it is. */
  readonly reason: string | null;
  readonly slot: number;
  /** Whether it is a fixed past book, served regardless of its state. */
  readonly standsStill?: boolean;
  /** For a core: whether it writes the log or waits for failover. */
  readonly role?: 'core' | 'standby';
}

/** Counters and measurements of the feed, for /metrics and /status. A replay has only the first two. */
export interface FeedMetrics {
  readonly slotAgeMs: number;
  /** Counts since the start, by event. */
  readonly events: Readonly<Record<string, number>>;
  /** Slots between the book and the newest notified slot. */
  readonly slotLag?: number;
  /** Identifies the chain; null until a node has named it. */
  readonly genesisHash?: string | null;
  /** Host and port of the RPC node in use, without any path or key. */
  readonly node?: string | null;
  /** Milliseconds that this machine's clock is ahead of the chain's; null until known. */
  readonly clockSkewMs?: number | null;
  /** Why the skew is too large; null when it is not. */
  readonly clockReason?: string | null;
  /** The merged streams; absent where one node's subscriptions are followed. */
  readonly sources?: readonly SourceStatus[];
  /** The last audit of the whole book; null before the first. */
  readonly lastAudit?: AuditOutcome | null;
}

/** One of the merged streams. */
export interface SourceStatus {
  /** Its kind, host and port, without any path, key or token. */
  readonly name: string;
  /**
   * `trusted` contributes to the book, `distrusted` is only compared, `joining` has not yet
   * reported everything since the last snapshot, `interrupted` reconnects without loss, `closed`
   * reconnects with a gap.
   */
  readonly state: 'closed' | 'joining' | 'interrupted' | 'trusted' | 'distrusted';
  /** Why it is distrusted or closed; null otherwise. */
  readonly reason: string | null;
  /** Its newest slot; 0 before the first. */
  readonly slot: number;
  /** Lag in slots compared with the newest source. */
  readonly slotLag: number;
  /** Distinct states that it reported. */
  readonly states: number;
  /** The fraction of them that it reported first, 0 to 1; null before the first. */
  readonly wonShare: number | null;
  /** Mean lead over the others in milliseconds, negative for a lag; null while it is alone. */
  readonly leadMs: number | null;
  /** States that others reported and it did not. */
  readonly misses: number;
  /** States that contradict other streams, or that no other stream reported. */
  readonly disagreements: number;
}

/** The result of an audit. */
export interface AuditOutcome {
  /** Unix milliseconds of this machine. */
  readonly ts: number;
  /** Whether the chain could be read. */
  readonly ok: boolean;
  /** User accounts, markets and oracles that the audit added or changed; 0 after a failure. */
  readonly differences: number;
}
