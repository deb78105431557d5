import type { FeedEngine } from '../../contract/feed-engine.js';
import type { AuditOutcome } from '../../contract/feed-status.js';
import type { ChainProgram } from '../../contract/program.js';
import type { Timers } from '../../contract/timers.js';
import type { Log } from '../../rpc/log.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import type { ChainClock } from '../model/chain-clock.js';
import type { ClockSkew } from '../model/clock-skew.js';
import type { TransientErrorLog } from '../model/error-logs.js';
import type { UpdateStream } from '../model/feed-source.js';
import type { FeedCounters } from '../model/feed-stats.js';
import type { RecentKeys } from '../model/recent-keys.js';
import type { Turns } from '../model/turns.js';
import type { ScanNode } from './scan-node.js';

/** The newest believed slot of this chain. */
export interface NewestSlot {
  /** The slot; 0 before the first slot, and after the slot was found wrong. */
  readonly slot: number;
  readonly node: string;
  /** The monotonic milliseconds; `unixSeconds` is the chain's time at that moment. */
  readonly atMs: number;
  readonly unixSeconds: number;
}

/** The state before the very first slot, in which any slot is accepted. */
export const NO_SLOT: NewestSlot = { slot: 0, node: '', atMs: 0, unixSeconds: 0 };

/** State that outlives a connection. */
interface FeedMemory {
  /**
   * The number of users in the last accepted snapshot; 0 before the first snapshot, and on another
   * chain.
   */
  users: number;
  /**
   * Market and State accounts of the last snapshot; an account that the next two snapshots lack was
   * closed.
   */
  markets: ReadonlySet<string>;
  /** The program's State account; null when the book has none. */
  state: string | null;
  /** The data of each market, State and oracle in the book. */
  readonly texts: Map<string, string>;
  /** The most recently notified users: a probe reads them, even on the next connection. */
  readonly recentUsers: RecentKeys;
  genesisHash: string | null;
  newest: NewestSlot;
  lastAudit: AuditOutcome | null;
  /**
   * The number of consecutive scans rejected for too few positions, and the number of users in the
   * last of them.
   */
  fewPositions: { readonly refusals: number; readonly users: number };
}

/** Dependencies shared by the parts of the feed. */
export interface FeedParts extends ChainProgram {
  /** The current node, which is the same for the whole connection: its name, client and updates. */
  readonly node: string;
  readonly rpc: NodeRpc;
  readonly updates: UpdateStream;
  /** The clients of the other nodes, which scan when the node in use is silent. */
  readonly otherRpcs: readonly NodeRpc[];
  readonly scanNode: ScanNode;
  readonly engine: FeedEngine;
  readonly timers: Timers;
  readonly random: () => number;
  readonly clock: ChainClock;
  readonly clockSkew: ClockSkew;
  readonly turns: Turns;
  readonly log: Log;
  readonly transientErrors: TransientErrorLog;
  readonly counters: FeedCounters;
  readonly memory: FeedMemory;
  readonly replayUpdatesMax: number;
  /** How long a read book waits for the first slot of its connection, milliseconds. */
  readonly firstSlotWaitMs: number;
  /** Interval of audits; 0 for none. */
  readonly auditIntervalMs: number;
  /** Interval of probes; 0 for none. */
  readonly probeIntervalMs: number;
}
