import type {
  AuditOutcome,
  FeedMetrics,
  FeedState,
  SourceStatus,
} from '../../contract/feed-status.js';
import { SLOT_MS } from '../../contract/program.js';
import type { RpcSocketStats } from '../../rpc/socket.js';
import type { ClockSkewStats } from './clock-skew.js';

/** Creates a feed's counters, all 0, for metrics. */
export function newCounters() {
  return {
    notifications: 0,
    malformedNotifications: 0,
    replayed: 0,
    /** Updates that a replay skipped because the snapshot was newer. */
    replayedTooOld: 0,
    rebuilds: 0,
    rebuildFailures: 0,
    /** Full snapshots that a malformed message, malformed accounts or a gap in the slots caused. */
    resyncs: 0,
    clockPolls: 0,
    clockPollFailures: 0,
    /** Notified or read slots that were implausible for the node. */
    slotsRefused: 0,
    clocksRefused: 0,
    /** Switches to the next node. */
    failovers: 0,
    /** Scans that were also requested from another node, after a failure or silence. */
    scanFallbacks: 0,
    /** Completed audits of a live book. */
    audits: 0,
    auditFailures: 0,
    /**
     * Users, markets and oracles that audits added or changed; 0 means that no update was missed.
     */
    auditDifferences: 0,
    /**
     * Accounts that audits removed: closed accounts and idle users, for which nodes send no
     * notification.
     */
    auditRemovals: 0,
    /** Reads of a few accounts that were compared with the book. */
    probes: 0,
    probeFailures: 0,
    probeRepairs: 0,
    /**
     * Reads of accounts that logs named without a notification, and accounts that these reads
     * repaired.
     */
    loggedReads: 0,
    loggedRepairs: 0,
    /** Transactions that were read because their logs were truncated or missing. */
    loggedTransactions: 0,
    /** Accounts removed because two readings lacked them. */
    absences: 0,
    /** Connections that probes or audits found to lose messages. */
    losses: 0,
    /** Users that differed in full snapshots and audits, except in the first snapshot. */
    usersAdded: 0,
    usersChanged: 0,
    usersRemoved: 0,
  };
}

/** Counts since the start, for metrics. */
export type FeedCounters = ReturnType<typeof newCounters>;

/** Statistics of the feed, for metrics. */
export interface FeedStats extends Readonly<FeedCounters>, ClockSkewStats {
  readonly slot: number;
  readonly slotAgeMs: number;
  /** The number of slots by which the book is behind the newest notified slot of this chain. */
  readonly slotLag: number;
  readonly unixSeconds: number;
  readonly genesisHash: string | null;
  /** Host and port of the node in use, or of the node that is being tried. */
  readonly node: string;
  readonly lastAudit: AuditOutcome | null;
  /** The merged streams; undefined when one node is followed. */
  readonly sources: readonly SourceStatus[] | undefined;
}

/** The metrics of the feed and of all its nodes' sockets. */
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

/** Time without a slot after which the book is lagging or stale, milliseconds. */
export interface FeedTiming {
  readonly laggingAfterMs: number;
  readonly staleAfterMs: number;
}

/** Returns the state of a complete book by the time since its last slot. */
export function freshnessOf(sinceSlotMs: number, timing: FeedTiming): FeedState {
  if (sinceSlotMs >= timing.staleAfterMs) return 'stale';
  return sinceSlotMs >= timing.laggingAfterMs ? 'lagging' : 'live';
}

/** The conditions under which a complete book is not `live`. */
interface BookAge {
  readonly sinceMs: number;
  readonly ageMs: number;
  readonly lag: number;
  readonly isInDoubt: boolean;
  /** The reason why the book's sources are not trusted; null when they are. */
  readonly dispute: string | null;
}

/**
 * Returns the state of a complete book: the worst of its conditions; at best lagging while it is in
 * doubt.
 */
export function stateOf(age: BookAge, timing: FeedTiming): FeedState {
  const { ageMs, lag, isInDoubt, dispute } = age;
  const doubtMs = isInDoubt || dispute !== null ? timing.laggingAfterMs : 0;
  return freshnessOf(Math.max(ageMs, lag * SLOT_MS, doubtMs), timing);
}

/**
 * Returns the reason why a complete book is not `live`: slots behind another node, the age of a
 * gap, no slot for too long, or an unverified gap.
 */
export function staleReasonOf(age: BookAge, { laggingAfterMs }: FeedTiming): string {
  const { sinceMs, ageMs, lag, isInDoubt, dispute } = age;
  if (dispute !== null) return dispute;
  if (lag * SLOT_MS > ageMs) return `the node is ${lag} slots behind the one before`;
  if (ageMs > sinceMs) return 'slots after a gap do not come evenly spaced yet';
  if (isInDoubt && sinceMs < laggingAfterMs)
    return 'no read has agreed since messages may be missing';
  return `no slot for ${Math.round(sinceMs)} ms`;
}
