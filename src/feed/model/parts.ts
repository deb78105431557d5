import type { CallOptions } from '../../rpc/client.js';
import type { Log } from '../../rpc/log.js';
import type { RpcSocketListener, Subscription } from '../../rpc/socket.js';
import type { NotificationHandler } from '../../rpc/subscriptions.js';
import type { Timers } from '../../rpc/timers.js';
import type { ScanNode } from '../connection/scan-node.js';
import type { ChainClock } from './chain-clock.js';
import type { FeedEngine } from './feed-engine.js';
import type { TroubleLog } from './trouble-log.js';
import type { Turns } from './turns.js';

/** The part of an RpcClient that the feed uses. */
export interface FeedRpc {
  call<T>(
    method: string,
    params: readonly unknown[],
    parse: (result: unknown) => T,
    options?: CallOptions,
  ): Promise<T>;
  callRaw(method: string, params: readonly unknown[], options?: CallOptions): Promise<Uint8Array>;
}

/** The part of an RpcSocket that the feed uses. */
export interface FeedSocket {
  start(listener: RpcSocketListener): void;
  stop(): void;
  drop(reason: string): void;
  settled(): void;
  subscribe(
    method: string,
    params: readonly unknown[],
    handler: NotificationHandler,
  ): Promise<Subscription>;
  unsubscribe(subscription: Subscription): void;
}

/** Counts since the start, for metrics. */
export interface FeedCounters {
  notifications: number;
  malformedNotifications: number;
  replayed: number;
  /** Updates left out of a replay because the reading was newer. */
  replayedTooOld: number;
  rebuilds: number;
  rebuildFailures: number;
  /** Full readings that an unreadable message caused. */
  resyncs: number;
  clockPolls: number;
  clockPollFailures: number;
  /** Moves from one node to the next. */
  failovers: number;
  /** Scans that the snapshot node failed to give, so that the node in use was scanned. */
  scanFallbacks: number;
  /** Audits that went through while the book was live. */
  audits: number;
  auditFailures: number;
  /** Users, markets and oracles that audits added or changed: 0 when nothing was missed. */
  auditDifferences: number;
  /** Accounts that audits took out: closed ones and idle users, of which no node notifies. */
  auditRemovals: number;
  /** Users that all full readings and audits found to differ, the first reading not counted. */
  usersAdded: number;
  usersChanged: number;
  usersRemoved: number;
}

/** How the last audit ended. */
export interface LastAudit {
  /** Of this machine, in milliseconds since 1970. */
  readonly ts: number;
  readonly ok: boolean;
  /** As the counter of the same name; 0 when it failed. */
  readonly differences: number;
}

/** What outlives a connection. */
export interface Memory {
  /** Users of the last accepted reading; 0 before it and on another chain. */
  users: number;
  /** Market and State accounts of the last reading: one missing from the next two was closed. */
  markets: ReadonlySet<string>;
  /** The data of each market, State and oracle as the book has it. */
  readonly texts: Map<string, string>;
  genesisHash: string | null;
  /** The newest slot that a node told of on this chain, and which one. */
  newest: { readonly slot: number; readonly node: string };
  lastAudit: LastAudit | null;
}

/** What the parts of the feed share. */
export interface FeedParts {
  /** The node in use by name and by its two doors: one node for the whole of a connection. */
  readonly node: string;
  readonly rpc: FeedRpc;
  readonly socket: FeedSocket;
  readonly scanNode: ScanNode;
  readonly engine: FeedEngine;
  readonly programId: string;
  readonly timers: Timers;
  readonly random: () => number;
  readonly wallMs: () => number;
  readonly clock: ChainClock;
  readonly turns: Turns;
  readonly log: Log;
  readonly trouble: TroubleLog;
  readonly counters: FeedCounters;
  readonly memory: Memory;
  readonly replayUpdatesMax: number;
  /** Longest wait of a book that was read for the first slot of its connection. */
  readonly firstSlotWaitMs: number;
  /** Time between two audits; 0 for none. */
  readonly auditIntervalMs: number;
}

export function newCounters(): FeedCounters {
  return {
    notifications: 0,
    malformedNotifications: 0,
    replayed: 0,
    replayedTooOld: 0,
    rebuilds: 0,
    rebuildFailures: 0,
    resyncs: 0,
    clockPolls: 0,
    clockPollFailures: 0,
    failovers: 0,
    scanFallbacks: 0,
    audits: 0,
    auditFailures: 0,
    auditDifferences: 0,
    auditRemovals: 0,
    usersAdded: 0,
    usersChanged: 0,
    usersRemoved: 0,
  };
}
