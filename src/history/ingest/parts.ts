/** What the parts of ingestion share. */

import type { FundingRateEvent } from '../../contract/log-events.js';
import type { Log } from '../../rpc/log.js';
import type { Timers } from '../../rpc/timers.js';
import type { Fill, TransactionRecords } from '../model/records.js';
import type {
  FinalPosition,
  StoreBatch,
  StoreChange,
  StoredTransaction,
  UnfinalisedQuery,
} from '../store/types.js';

/** The part of the store that is used here; all of it is synchronous. */
export interface IngestStore {
  writeBatch(batch: StoreBatch): StoreChange;
  finaliseTransactions(places: readonly FinalPosition[]): {
    readonly change: StoreChange;
    readonly elsewhere: readonly string[];
  };
  removeTransactions(signatures: readonly string[]): StoreChange;
  findStored(signatures: readonly string[]): ReadonlySet<string>;
  findTruncated(signatures: readonly string[]): ReadonlySet<string>;
  readUnfinalised(query: UnfinalisedQuery): readonly StoredTransaction[];
  readProgress(): ReadonlyMap<string, string>;
}

/** What a log held. */
export interface DecodedLog {
  readonly fills: readonly Fill[];
  readonly fundingRates: readonly FundingRateEvent[];
  /** All events of the program, those two kinds among them. */
  readonly events: number;
  readonly isTruncated: boolean;
  /** Events that could not be read. */
  readonly unreadable: number;
}

/** Reads the lines of one transaction's log. */
export type DecodeLog = (lines: readonly string[]) => DecodedLog;

/** Counts since the worker began, for metrics. */
export interface IngestCounters {
  /** Notifications of transactions, and those of failed ones among them. */
  notifications: number;
  notificationsFailed: number;
  malformedNotifications: number;
  /** Notifications that were left out because the store could not take them. */
  notificationsDropped: number;
  /** Transactions read from the node. */
  fetched: number;
  /** Transactions that the finalised listing has and the socket did not deliver. */
  missed: number;
  /** Transactions that a fork reverted. */
  reverted: number;
  /** Listed transactions that no node gave. */
  unavailable: number;
  /** Logs that came cut, or not at all. */
  truncated: number;
  unreadableEvents: number;
  /** Transactions checked against the finalised listing. */
  settled: number;
  settlePasses: number;
  readingFailures: number;
  storeFailures: number;
  /** Failures of neither node nor store: mistakes of this program. */
  faults: number;
  connects: number;
  failovers: number;
  /** Connections to a node that does not know where the history ends. */
  edgeUnknown: number;
}

/** Returns counters that all stand at zero. */
export function newCounters(): IngestCounters {
  return {
    notifications: 0,
    notificationsFailed: 0,
    malformedNotifications: 0,
    notificationsDropped: 0,
    fetched: 0,
    missed: 0,
    reverted: 0,
    unavailable: 0,
    truncated: 0,
    unreadableEvents: 0,
    settled: 0,
    settlePasses: 0,
    readingFailures: 0,
    storeFailures: 0,
    faults: 0,
    connects: 0,
    failovers: 0,
    edgeUnknown: 0,
  };
}

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
  const isTruncated = lines === null || log.isTruncated;
  counters.unreadableEvents += log.unreadable;
  if (isTruncated) counters.truncated += 1;
  return {
    ...{ signature, slot, place, isFinal, isTruncated },
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
  readonly wallMs: () => number;
  readonly log: Log;
  readonly counters: IngestCounters;
}
