/** The states of a book, ordered by their codes in the core and in binary frames. */
export const FEED_STATES = ['rebuilding', 'live', 'lagging', 'stale'] as const;

/** The freshness of the book; every body contains it. */
export type FeedState = (typeof FEED_STATES)[number];

/** The states of a service: `starting` until its book is live for the first time. */
export const READINESS_STATES = ['starting', ...FEED_STATES] as const;

/** Returns the less fresh of two states, in the order live, lagging, stale, rebuilding. */
export function lessFresh(one: FeedState, other: FeedState): FeedState {
  return freshnessOf(other) > freshnessOf(one) ? other : one;
}

/** Returns 0 for a live book, up to 3 for a book that is rebuilding. */
function freshnessOf(state: FeedState): number {
  const { length } = FEED_STATES;
  return (FEED_STATES.indexOf(state) + length - 1) % length;
}

/** The readiness of the feed, for /ready and for requests before the first book. */
export interface Readiness {
  /** Whether the book was live at any time since the start, or is a fixed past book. */
  readonly everLive: boolean;
  readonly state: (typeof READINESS_STATES)[number];
  /** The reason why the book is not live; null when it is. */
  readonly reason: string | null;
  readonly slot: number;
  /** Whether the book is a fixed past book, which is served in any state. */
  readonly standsStill?: boolean;
  /** The role of a core: `core` writes the log, `standby` waits for a failover. */
  readonly role?: 'core' | 'standby';
}

/**
 * Counters and measurements of the feed, for /metrics and /status. A replay has only the first two.
 */
export interface FeedMetrics {
  readonly slotAgeMs: number;
  /** Counts since the start, by event. */
  readonly events: Readonly<Record<string, number>>;
  /** The number of slots by which the book lags the newest notified slot. */
  readonly slotLag?: number;
  /** The genesis hash of the chain; null until a node has reported it. */
  readonly genesisHash?: string | null;
  /** Host and port of the RPC node in use, without any path or key. */
  readonly node?: string | null;
  /** Milliseconds by which this machine's clock is ahead of the chain's; null until known. */
  readonly clockSkewMs?: number | null;
  /** The reason why the clock skew is too large; null when it is not. */
  readonly clockReason?: string | null;
  /** The merged streams; absent when the subscriptions of one node are followed. */
  readonly sources?: readonly SourceStatus[];
  /** The last audit of the whole book; null before the first audit. */
  readonly lastAudit?: AuditOutcome | null;
}

/** One of the merged streams. */
export interface SourceStatus {
  /** Kind, host and port of the source, without any path, key or token. */
  readonly name: string;
  /**
   * `trusted`: contributes to the book. `distrusted`: is only compared. `joining`: has not yet
   * reported everything since the last snapshot. `interrupted`: reconnects without loss. `closed`:
   * reconnects with a gap.
   */
  readonly state: 'closed' | 'joining' | 'interrupted' | 'trusted' | 'distrusted';
  /** The reason why the source is distrusted or closed; null otherwise. */
  readonly reason: string | null;
  /** Its newest slot; 0 before the first. */
  readonly slot: number;
  /** The number of slots by which the source lags the newest source. */
  readonly slotLag: number;
  /** Distinct states that it reported. */
  readonly states: number;
  /**
   * The fraction of account states that the source reported first, 0 to 1; null before the first.
   */
  readonly wonShare: number | null;
  /**
   * Mean lead over the other sources, milliseconds; negative for a lag; null while it is the only
   * source.
   */
  readonly leadMs: number | null;
  /** The number of states that other sources reported and this source did not. */
  readonly misses: number;
  /** The number of states that contradict other sources, or that no other source reported. */
  readonly disagreements: number;
}

/** The result of an audit. */
export interface AuditOutcome {
  /** Unix milliseconds of this machine. */
  readonly ts: number;
  /** Whether the chain could be read. */
  readonly ok: boolean;
  /**
   * The number of users, markets and oracles that the audit added or changed; 0 after a failure.
   */
  readonly differences: number;
}
