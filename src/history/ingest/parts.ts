/** Dependencies shared by the parts of ingestion. */

import type { Timers } from '../../contract/timers.js';
import type { LogEvents } from '../../engine/events.js';
import type { Log } from '../../rpc/log.js';
import type { TransactionRecords } from '../model/records.js';
import type { HistoryStore } from '../store/store.js';
import type { TransactionLog } from './rpc-results.js';
import type { UngivenItems } from './ungiven-items.js';

/** The synchronous part of the store that ingestion uses. */
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

/** Decodes the log lines of one transaction. */
type DecodeLog = (lines: readonly string[]) => LogEvents;

/** Creates the worker's counters, all 0, for metrics. */
export function newCounters() {
  return {
    /**
     * Number of notifications of transactions; the next counter counts failed transactions among
     * them.
     */
    notifications: 0,
    notificationsFailed: 0,
    malformedNotifications: 0,
    /** Notifications that were dropped because the store could not take them. */
    notificationsDropped: 0,
    /** Transactions fetched from nodes. */
    fetched: 0,
    /** Transactions of the finalised listing that the socket did not deliver. */
    missed: 0,
    /** Transactions reverted by a fork. */
    reverted: 0,
    /** Listed transactions that no node returned; the next counter counts those returned later. */
    unavailable: 0,
    recovered: 0,
    /** Logs that are truncated, contain unreadable events, or are missing. */
    truncated: 0,
    unreadableEvents: 0,
    /** Transactions checked against the finalised listing. */
    settled: 0,
    settlePasses: 0,
    readingFailures: 0,
    /**
     * Finalised slots whose block time the node did not know; the history's time stood still
     * meanwhile.
     */
    blockTimesUnknown: 0,
    storeFailures: 0,
    rowsChecked: 0,
    rowsDamaged: 0,
    fileChecks: 0,
    /** Faults outside of node and store, which are bugs of this program. */
    faults: 0,
    connects: 0,
    failovers: 0,
    /** Connections to nodes that do not know the end of the history. */
    edgeUnknown: 0,
  };
}

/** Counts since the worker began, for metrics. */
export type IngestCounters = ReturnType<typeof newCounters>;

/** Decodes a transaction's log into records, and counts anomalies. */
export function decodeRecords(
  decode: DecodeLog,
  counters: IngestCounters,
  transaction: Pick<TransactionRecords, 'signature' | 'slot' | 'place' | 'isFinal'> &
    Pick<TransactionLog, 'lines'>,
): TransactionRecords {
  const { signature, slot, place, isFinal, lines } = transaction;
  const log = decode(lines ?? []);
  // An unreadable event counts as a truncation, because a later fetch may return it intact.
  const isTruncated = lines === null || log.isPartial;
  counters.unreadableEvents += log.unreadable;
  if (isTruncated) counters.truncated += 1;
  return {
    signature,
    slot,
    place,
    isFinal,
    isTruncated,
    ...(log.unreadable > 0 && { unreadableEvents: log.unreadable }),
    records: log.records,
  };
}

/** The shared dependencies of ingestion. */
export interface IngestParts {
  readonly programId: string;
  readonly decode: DecodeLog;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: Log;
  readonly counters: IngestCounters;
  /** Transactions by signature. */
  readonly ungiven: UngivenItems;
  /** Unreadable rows of lists, by their text. */
  readonly unreadable: UngivenItems;
}
