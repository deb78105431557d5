import type { FeedEngine } from '../../contract/feed-engine.js';
import type { AuditOutcome } from '../../contract/feed-status.js';
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

/** The newest slot that was believed on this chain. */
export interface NewestSlot {
  /** 0 before the first, and after it was found wrong. */
  readonly slot: number;
  /** Which node was at it. */
  readonly node: string;
  /** When, in monotonic milliseconds, and the chain's time then. */
  readonly atMs: number;
  readonly unixSeconds: number;
}

/** Before the first slot of all: any slot is believed. */
export const NO_SLOT: NewestSlot = { slot: 0, node: '', atMs: 0, unixSeconds: 0 };

/** What outlives a connection. */
export interface FeedMemory {
  /** Users of the last accepted snapshot; 0 before it and on another chain. */
  users: number;
  /** Market and State accounts of the last snapshot: one missing from the next two was closed. */
  markets: ReadonlySet<string>;
  /** The program's State account; null where the book has none. */
  state: string | null;
  /** The data of each market, State and oracle as the book has it. */
  readonly texts: Map<string, string>;
  /** The users that were notified last: a probe reads them, on the next connection as well. */
  readonly recentUsers: RecentKeys;
  genesisHash: string | null;
  newest: NewestSlot;
  lastAudit: AuditOutcome | null;
  /** Scans refused in a row for their few positions, and the users of the last of them. */
  fewPositions: { readonly refusals: number; readonly users: number };
}

/** What the parts of the feed share. */
export interface FeedParts {
  /** The node in use by its name, client and updates: one node for the whole of a connection. */
  readonly node: string;
  readonly rpc: NodeRpc;
  readonly updates: UpdateStream;
  /** The clients of the other nodes, which scan when the node in use is silent. */
  readonly otherRpcs: readonly NodeRpc[];
  readonly scanNode: ScanNode;
  readonly engine: FeedEngine;
  readonly programId: string;
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
  /** Longest wait of a book that was read for the first slot of its connection. */
  readonly firstSlotWaitMs: number;
  /** Time between two audits; 0 for none. */
  readonly auditIntervalMs: number;
  /** Time between two probes; 0 for none. */
  readonly probeIntervalMs: number;
}
