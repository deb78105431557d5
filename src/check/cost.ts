/** What a node costs a day: measured bytes and rates, times the service's own intervals. */

import { SLOT_MS } from '../contract/program.js';
import { probesPerInterval } from '../feed/connection/probed-keys.js';
import { ACCOUNTS_PER_READ } from '../feed/model/limits.js';
import { MARKET_KINDS } from '../feed/model/queries.js';
import { FINALISED_CHECK_MS } from '../history/model/limits.js';
import { CREDITS, CREDITS_PER_100_KB } from './limits.js';

const DAY_MS = 86_400_000;
/** Scans of an audit: users and each kind of market accounts. */
const SCANS_AN_AUDIT = 1 + MARKET_KINDS.length;

/** The figures that a check measures; streams are in bytes a second. */
export interface Measured {
  /** Perp and spot market accounts of the program. */
  readonly markets: number;
  readonly userScanBytes: number;
  /** Bytes of the scans of all markets and of the State. */
  readonly marketScanBytes: number;
  /** Bytes of one account in a read of many. */
  readonly accountBytes: number;
  /** Bytes of one row of the list of signatures. */
  readonly signatureBytes: number;
  readonly transactionsPerSecond: number;
  readonly streams: {
    readonly users: number;
    /** Of all markets together. */
    readonly markets: number;
    /** Of one oracle. */
    readonly oracle: number;
    readonly clock: number;
    readonly slots: number;
    readonly logs: number;
  };
}

/** The intervals of a service, milliseconds; 0 for none. */
export interface Intervals {
  readonly probeIntervalMs: number;
  readonly auditIntervalMs: number;
  /** Whether the service keeps a history. */
  readonly hasHistory: boolean;
}

/** A day of a service at so many markets. */
export interface Day {
  readonly markets: number;
  readonly requests: number;
  readonly subscriptions: number;
  readonly bytes: number;
  /** Credits of the calls. */
  readonly credits: number;
  /** Credits of the calls and of all streamed bytes, where a provider meters these. */
  readonly meteredCredits: number;
}

/**
 * Reckons a day. Users, Clock, slots and logs are read whatever the number of markets is; markets
 * and their oracles are in proportion to it.
 */
export function reckonDay(measured: Measured, markets: number, intervals: Intervals): Day {
  const { userScanBytes, marketScanBytes, accountBytes } = measured;
  const { probeIntervalMs, auditIntervalMs, hasHistory } = intervals;
  const share = measured.markets === 0 ? 0 : markets / measured.markets;
  const probes = timesADay(probeIntervalMs) * probesPerInterval(2 * markets + 1);
  const audits = timesADay(auditIntervalMs);
  const scans = audits * SCANS_AN_AUDIT;
  const clockReads = audits * Math.ceil((markets + 1) / ACCOUNTS_PER_READ);
  const checks = hasHistory ? timesADay(FINALISED_CHECK_MS) : 0;
  const streamed = streamedBytes(measured, markets, hasHistory);
  const called =
    probes * ACCOUNTS_PER_READ * accountBytes +
    audits * (userScanBytes + marketScanBytes * share + (markets + 1) * accountBytes) +
    listedBytes(measured, checks);
  const credits =
    (probes + clockReads + checks) * CREDITS.call + scans * CREDITS.scan + checks * CREDITS.past;
  return {
    markets,
    requests: Math.round(probes + clockReads + scans + 2 * checks),
    subscriptions: 2 + 1 + MARKET_KINDS.length + markets + (hasHistory ? 1 : 0),
    bytes: Math.round(called + streamed),
    credits: Math.round(credits),
    meteredCredits: Math.round(credits + (streamed / 100_000) * CREDITS_PER_100_KB),
  };
}

/** Each check of a history asks for the finalised slot, and lists finalised signatures. */
function listedBytes({ transactionsPerSecond, signatureBytes }: Measured, checks: number): number {
  return (checks * transactionsPerSecond * FINALISED_CHECK_MS * signatureBytes) / 1_000;
}

function streamedBytes(
  { markets: measured, streams }: Measured,
  markets: number,
  hasHistory: boolean,
): number {
  const share = measured === 0 ? 0 : markets / measured;
  const ofMarkets = streams.markets * share + streams.oracle * markets;
  const logs = hasHistory ? streams.logs : 0;
  return ((streams.users + ofMarkets + streams.clock + streams.slots + logs) * DAY_MS) / 1_000;
}

function timesADay(intervalMs: number): number {
  return intervalMs === 0 ? 0 : DAY_MS / intervalMs;
}

/** Converts slots to hours, at their nominal duration. */
export function hoursOfSlots(slots: number): number {
  return (slots * SLOT_MS) / 3_600_000;
}
