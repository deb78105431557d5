import type {
  AuditOutcome,
  FeedMetrics,
  FeedState,
  SourceStatus,
} from '../../contract/feed-status.js';
import type { RpcSocketStats } from '../../rpc/socket.js';
import type { ClockSkewStats } from './clock-skew.js';
import { SLOT_MS } from './limits.js';

/** The counters of a feed, all 0, for metrics. */
export function newCounters() {
  return {
    notifications: 0,
    malformedNotifications: 0,
    replayed: 0,
    /** Updates left out of a replay because the snapshot was newer. */
    replayedTooOld: 0,
    rebuilds: 0,
    rebuildFailures: 0,
    /** Full snapshots that an unreadable message, malformed accounts or a gap in the slots caused. */
    resyncs: 0,
    clockPolls: 0,
    clockPollFailures: 0,
    /** Slots of notifications and readings that a node cannot be at. */
    slotsRefused: 0,
    /** States of the Clock whose time or slot cannot be. */
    clocksRefused: 0,
    /** Moves from one node to the next. */
    failovers: 0,
    /** Scans that another node was asked for as well, because one failed or was silent. */
    scanFallbacks: 0,
    /** Audits that went through while the book was live. */
    audits: 0,
    auditFailures: 0,
    /** Users, markets and oracles that audits added or changed: 0 when nothing was missed. */
    auditDifferences: 0,
    /** Accounts that audits took out: closed ones and idle users, of which no node notifies. */
    auditRemovals: 0,
    /** Reads of a few accounts that were compared with the book. */
    probes: 0,
    probeFailures: 0,
    /** Users that probes repaired after a fork. */
    probeRepairs: 0,
    /** Accounts that left the book because two readings did not have them. */
    absences: 0,
    /** Connections that were found to lose messages, by probes or audits. */
    losses: 0,
    /** Users that all full snapshots and audits found to differ, the first snapshot not counted. */
    usersAdded: 0,
    usersChanged: 0,
    usersRemoved: 0,
  };
}

/** Counts since the start, for metrics. */
export type FeedCounters = ReturnType<typeof newCounters>;

/** What the feed did, for metrics. */
export interface FeedStats extends Readonly<FeedCounters>, ClockSkewStats {
  readonly slot: number;
  readonly slotAgeMs: number;
  /** How many slots the book is behind the newest that a node notified on this chain. */
  readonly slotLag: number;
  readonly unixSeconds: number;
  readonly genesisHash: string | null;
  /** Host and port of the node in use, or of the one that is tried. */
  readonly node: string;
  readonly lastAudit: AuditOutcome | null;
  /** The streams that are merged; undefined where one node is followed. */
  readonly sources: readonly SourceStatus[] | undefined;
}

/** The metrics of the feed and of the sockets of all its nodes. */
export function feedMetrics(stats: FeedStats, sockets: readonly RpcSocketStats[]): FeedMetrics {
  const { slot: _slot, unixSeconds: _unix, ...rest } = stats;
  const { slotAgeMs, slotLag, genesisHash, node, lastAudit, sources, ...others } = rest;
  const { clockSkewMs, clockReason, ...counters } = others;
  const events = { ...(counters satisfies FeedCounters), ...socketEvents(sockets) };
  const clock = { clockSkewMs, clockReason };
  const merged = sources === undefined ? {} : { sources };
  return { slotAgeMs, slotLag, genesisHash, node, lastAudit, ...clock, ...merged, events };
}

function socketEvents(sockets: readonly RpcSocketStats[]): Readonly<Record<string, number>> {
  const sum = (pick: (stats: RpcSocketStats) => number): number =>
    sockets.reduce((total, stats) => total + pick(stats), 0);
  return {
    socketConnects: sum(({ connects }) => connects),
    socketCloses: sum(({ closes }) => closes),
    socketMessages: sum(({ messages }) => messages),
    socketMalformed: sum(({ malformed }) => malformed),
    socketUnknown: sum(({ unknown }) => unknown),
  };
}

/** After how many milliseconds without a slot the book is called what it is. */
export interface FeedTiming {
  readonly laggingAfterMs: number;
  readonly staleAfterMs: number;
}

/** The state of a complete book whose last slot arrived this long ago. */
export function freshnessOf(sinceSlotMs: number, timing: FeedTiming): FeedState {
  if (sinceSlotMs >= timing.staleAfterMs) return 'stale';
  return sinceSlotMs >= timing.laggingAfterMs ? 'lagging' : 'live';
}

/** What makes a complete book not `live`. */
export interface BookAge {
  readonly sinceMs: number;
  readonly ageMs: number;
  readonly lag: number;
  readonly isInDoubt: boolean;
  /** Why its sources cannot be believed; null when they can. */
  readonly dispute: string | null;
}

/** The state of a complete book: as old as the worst of it says, and lagging while it is in doubt. */
export function stateOf(age: BookAge, timing: FeedTiming): FeedState {
  const { ageMs, lag, isInDoubt, dispute } = age;
  const doubtMs = isInDoubt || dispute !== null ? timing.laggingAfterMs : 0;
  return freshnessOf(Math.max(ageMs, lag * SLOT_MS, doubtMs), timing);
}

/**
 * Why a complete book is not `live`: slots behind another node, the age of a gap, no slot for so long, or a gap of which it is
 * not known what was lost.
 */
export function staleReasonOf(age: BookAge, { laggingAfterMs }: FeedTiming): string {
  const { sinceMs, ageMs, lag, isInDoubt, dispute } = age;
  if (dispute !== null) return dispute;
  if (lag * SLOT_MS > ageMs) return `the node is ${lag} slots behind the one before`;
  if (ageMs > sinceMs) return 'slots after a gap do not come evenly spaced yet';
  if (isInDoubt && sinceMs < laggingAfterMs) return 'no read has agreed since slots were missing';
  return `no slot for ${Math.round(sinceMs)} ms`;
}
