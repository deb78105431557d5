import type { Timer } from '../../contract/timers.js';
import {
  ARRIVAL_SLOTS_MAX,
  LIVE_BATCH_MAX,
  LIVE_BATCH_MS,
  LIVE_QUEUE_MAX,
} from '../model/limits.js';
import type { TransactionRecords } from '../model/records.js';
import type { StoreChange } from '../store/types.js';
import type { LoggedUsersBatch } from './logged-users.js';
import { decodeRecords, type IngestParts, type IngestStore } from './parts.js';
import { isEmptyTransaction } from './reconciler.js';
import { type LogsNotification, parseLogsNotification } from './rpc-results.js';
import { type EmptyTransactions, writeRecords } from './store-records.js';

/** The dependencies of the queue. */
interface LiveQueueOptions {
  readonly parts: IngestParts;
  readonly emptyTransactions: EmptyTransactions;
  readonly logged: LoggedUsersBatch;
  readonly onChange: (change: StoreChange) => void;
  /** Called when the store refused a batch or the queue is full: the session must restart. */
  readonly onFailure: (error: unknown) => void;
  /** Called for a malformed notification, which may have been a transaction. */
  readonly onMalformed: () => void;
}

/**
 * Queues notifications for the store. Until the store is open they wait; then they are stored in
 * small batches. The store deduplicates by transaction, so repeated notifications and back-filled
 * transactions are stored once.
 */
export class LiveQueue {
  readonly #options: LiveQueueOptions;
  readonly #waiting: TransactionRecords[] = [];
  /** Transactions that have arrived, by slot. */
  readonly #arrived = new Map<number, number>();
  #store: IngestStore | null = null;
  #timer: Timer | null = null;
  #isClosed = false;

  constructor(options: LiveQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length;
  }

  addNotification(result: unknown): void {
    const { counters } = this.#options.parts;
    counters.notifications += 1;
    let notification: LogsNotification;
    try {
      notification = parseLogsNotification(result);
    } catch {
      counters.malformedNotifications += 1;
      this.#options.onMalformed();
      return;
    }
    if (notification.failed) counters.notificationsFailed += 1;
    else this.#addWaiting(notification);
  }

  /** Stores the queued transactions, and from then on new transactions as they arrive. */
  startWriting(store: IngestStore): void {
    this.#store = store;
    this.#writeAll();
  }

  /** Stores the queued transactions, but none that is queued during the call. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#timer = null;
    this.#writeAll();
    this.#store = null;
  }

  /** Drops the queue; the node returns its transactions again. */
  dropWaiting(): void {
    this.#options.parts.counters.notificationsDropped += this.#waiting.length;
    this.#waiting.length = 0;
    this.#timer?.cancel();
    this.#timer = null;
    this.#store = null;
  }

  #addWaiting(notification: LogsNotification): void {
    const records = this.#decode(notification);
    if (this.#isClosed) return;
    if (this.#waiting.length >= LIVE_QUEUE_MAX) {
      this.#options.onFailure(
        new Error(`${LIVE_QUEUE_MAX} notifications are waiting, which is the limit`),
      );
      return;
    }
    this.#waiting.push(records);
    if (this.#store === null) return;
    if (this.#waiting.length >= LIVE_BATCH_MAX) this.#writeBatch();
    else this.#timer ??= this.#options.parts.timers.after(LIVE_BATCH_MS, () => this.#writeBatch());
  }

  /** Decodes a log and passes its users on, even while nothing can be stored. */
  #decode(notification: LogsNotification): TransactionRecords {
    const { logged, parts } = this.#options;
    const { decode, counters } = parts;
    const place = this.#arrivalIndex(notification.slot);
    const decodeOnce: typeof decode = (lines) => {
      const log = decode(lines);
      logged.addTransaction(notification, log);
      return log;
    };
    return decodeRecords(decodeOnce, counters, { ...notification, place, isFinal: false });
  }

  /** The arrival order, as a provisional place. */
  #arrivalIndex(slot: number): number {
    const place = this.#arrived.get(slot) ?? 0;
    this.#arrived.set(slot, place + 1);
    if (this.#arrived.size > ARRIVAL_SLOTS_MAX) {
      const [oldest] = this.#arrived.keys();
      if (oldest !== undefined) this.#arrived.delete(oldest);
    }
    return place;
  }

  #writeAll(): void {
    while (this.#store !== null && this.#waiting.length > 0) this.#writeBatch();
  }

  #writeBatch(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const store = this.#store;
    if (store === null) return;
    const { parts, emptyTransactions, onChange, onFailure } = this.#options;
    const transactions = this.#waiting.slice(0, LIVE_BATCH_MAX);
    try {
      const kept = transactions.filter((one) => !isEmptyTransaction(one));
      const leftOut = writeRecords(kept, { parts, store, onChange });
      for (const { signature } of kept) emptyTransactions.delete(signature);
      for (const one of leftOut) emptyTransactions.add(one);
      for (const one of transactions) if (isEmptyTransaction(one)) emptyTransactions.add(one);
      this.#waiting.splice(0, transactions.length);
    } catch (error) {
      this.dropWaiting();
      onFailure(error);
    }
  }
}
