/** What the parts of ingestion share. */

import type { Timers } from '../../contract/timers.js';
import type { FundingRateEvent, LogEvents } from '../../engine/events.js';
import type { Log } from '../../rpc/log.js';
import type { Fill, TransactionRecords } from '../model/records.js';
import type { HistoryStore } from '../store/store.js';
import type { UngivenItems } from './ungiven-items.js';

/** The part of the store that is used here; all of it is synchronous. */
export type IngestStore = Pick<
  HistoryStore,
  | 'writeBatch'
  | 'finaliseTransactions'
  | 'removeTransactions'
  | 'findStored'
  | 'findTruncated'
  | 'readUnfinalised'
  | 'readProgress'
>;

/** What a log held. */
export interface DecodedLog extends Omit<LogEvents, 'fills' | 'fundingRates'> {
  readonly fills: readonly Fill[];
  readonly fundingRates: readonly FundingRateEvent[];
}

/** Reads the lines of one transaction's log. */
export type DecodeLog = (lines: readonly string[]) => DecodedLog;

/** The counters of the worker, all 0, for metrics. */
export function newCounters() {
  return {
    /** Notifications of transactions, and those of failed ones among them. */
    notifications: 0,
    notificationsFailed: 0,
    malformedNotifications: 0,
    /** Notifications that were left out because the store could not take them. */
    notificationsDropped: 0,
    /** Transactions read from the node. */
    fetched: 0,
    /** Transactions that the finalised listing has and the socket did not deliver. */
    missed: 0,
    /** Transactions that a fork reverted. */
    reverted: 0,
    /** Listed transactions that no node gave, and those of them that one gave later. */
    unavailable: 0,
    recovered: 0,
    /** Logs that came cut, with events that cannot be read, or not at all. */
    truncated: 0,
    unreadableEvents: 0,
    /** Transactions checked against the finalised listing. */
    settled: 0,
    settlePasses: 0,
    readingFailures: 0,
    /** Finalised slots of which the node gave no block time, so that the history's time stood still. */
    blockTimesUnknown: 0,
    storeFailures: 0,
    /** Rows of the file that were compared with their checksums, damaged ones, and checks of the whole file. */
    rowsChecked: 0,
    rowsDamaged: 0,
    fileChecks: 0,
    /** Failures of neither node nor store: mistakes of this program. */
    faults: 0,
    connects: 0,
    failovers: 0,
    /** Connections to a node that does not know where the history ends. */
    edgeUnknown: 0,
  };
}

/** Counts since the worker began, for metrics. */
export type IngestCounters = ReturnType<typeof newCounters>;

/** Makes the records of a transaction of its log, and counts what is odd about it. */
export function decodeRecords(
  decode: DecodeLog,
  counters: IngestCounters,
  transaction: {
    readonly signature: string;
    readonly slot: number;
    readonly place: number;
    readonly isFinal: boolean;
    readonly lines: readonly string[] | null;
  },
): TransactionRecords {
  const { signature, slot, place, isFinal, lines } = transaction;
  const log = decode(lines ?? []);
  // An event that cannot be read is as good as cut out: it may be whole when it is fetched.
  const isTruncated = lines === null || log.isTruncated || log.unreadable > 0;
  counters.unreadableEvents += log.unreadable;
  if (isTruncated) counters.truncated += 1;
  return {
    ...{ signature, slot, place, isFinal, isTruncated },
    ...(log.unreadable > 0 && { unreadableEvents: log.unreadable }),
    fills: log.fills,
    fundingRates: log.fundingRates,
    otherEvents: log.events - log.fills.length - log.fundingRates.length,
  };
}

/** What the parts of ingestion are given. */
export interface IngestParts {
  readonly programId: string;
  readonly decode: DecodeLog;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
  readonly counters: IngestCounters;
  /** Transactions by their signature. */
  readonly ungiven: UngivenItems;
  /** Rows of lists that cannot be read, by their text. */
  readonly unreadable: UngivenItems;
}
