import type { AuditOutcome } from '../../contract/feed-status.js';
import type { FeedCounters } from './counters.js';

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
  readonly lastAudit: AuditOutcome | null;
}
