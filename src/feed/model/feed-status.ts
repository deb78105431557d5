import type { FeedCounters, LastAudit } from './counters.js';
import type { FeedState } from './feed-engine.js';

/** How far the feed is. */
export interface FeedStatus {
  readonly everLive: boolean;
  readonly state: FeedState | 'starting';
  /** Why it is not live; null when it is. */
  readonly reason: string | null;
  readonly slot: number;
}

/** What the feed did, for metrics. */
export interface FeedStats extends Readonly<FeedCounters> {
  readonly slot: number;
  readonly slotAgeMs: number;
  /** How many slots the book is behind the newest that a node told of on this chain. */
  readonly slotLag: number;
  readonly unixSeconds: number;
  readonly genesisHash: string | null;
  /** Host and port of the node in use, or of the one that is tried. */
  readonly node: string;
  readonly lastAudit: LastAudit | null;
}
