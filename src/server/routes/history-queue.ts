/**
 * Limits access to the history. Equal pending queries share one result, and few queries run at a
 * time, for which clients take turns. A query whose clients have all disconnected is not started.
 */
import { LIMITS } from '../../config/limits.js';
import { Deferred } from '../../contract/deferred.js';
import type { ErrorCode } from '../../contract/error-codes.js';
import { ClientTurns, FairShare, type QueuedClient } from '../../contract/fair-share.js';
import type { HistoryBody, HistoryQuery } from '../../contract/history-queries.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { ServerError } from '../transport/errors.js';

/** One query and the client that waits for its result. */
interface QueuedQuery extends QueuedClient {
  /** Equal for equal queries of one version. */
  readonly name: string;
  readonly query: HistoryQuery;
}

/** The limits of the queue; tests use smaller limits. */
export type QueueLimits = Readonly<
  Record<'historyReadsMax' | 'historyReadsWaitingMax' | 'historyReadMsMax', number>
>;

/** The client is the one that asked first. */
interface WaitingQuery extends Omit<QueuedQuery, 'isGone'> {
  readonly clients: (() => boolean)[];
  readonly deferred: Deferred<HistoryBody>;
  readonly timer: Timer;
  isStarted: boolean;
}

/** What a queue works with. */
interface HistoryQueueParts {
  readonly history: Pick<MarketDataSource, 'query'>;
  readonly timers: Timers;
}

/** Bounded queries of the history. */
export class HistoryQueue {
  /** The waiting queries in their order, and the running queries. */
  readonly #queries = new Map<string, WaitingQuery>();
  readonly #turns = new ClientTurns();
  readonly #share: FairShare;
  #running = 0;

  readonly #history: Pick<MarketDataSource, 'query'>;
  readonly #timers: Timers;
  readonly #limits: QueueLimits;

  constructor({ history, timers }: HistoryQueueParts, limits: QueueLimits = LIMITS) {
    this.#history = history;
    this.#timers = timers;
    this.#limits = limits;
    this.#share = new FairShare(limits.historyReadsMax + limits.historyReadsWaitingMax);
  }

  /** Number of waiting and running queries. */
  get size(): number {
    return this.#queries.size;
  }

  /**
   * Returns the response, which all clients with the same pending query share. Throws
   * LIMIT_EXCEEDED when too many queries wait. Rejects with a ServerError for a client's error,
   * with NOT_READY when the history takes too long, and otherwise with the history's own error.
   */
  runQuery({ name, query, client, isGone }: QueuedQuery): Promise<HistoryBody> {
    const known = this.#queries.get(name);
    if (known !== undefined) {
      known.clients.push(isGone);
      return known.deferred.promise;
    }
    const { historyReadMsMax } = this.#limits;
    if (!this.#share.take(client)) {
      this.#dropAbandoned();
      if (!this.#share.take(client)) throw new ServerError('LIMIT_EXCEEDED', FULL_TEXT);
    }
    const timer = this.#timers.after(historyReadMsMax, () => {
      const message = `the history did not answer within ${historyReadMsMax} ms`;
      this.#settleQuery(name, () => read.deferred.reject(new ServerError('NOT_READY', message)));
    });
    const deferred = new Deferred<HistoryBody>();
    const read = { name, query, client, clients: [isGone], deferred, timer, isStarted: false };
    this.#queries.set(name, read);
    this.#startNext();
    return deferred.promise;
  }

  #startNext(): void {
    while (this.#running < this.#limits.historyReadsMax) {
      const waiting = [...this.#queries.values()].filter(({ isStarted }) => !isStarted);
      const read = this.#turns.takeNext(waiting);
      if (read === undefined) return;
      if (isAbandoned(read)) this.#dropQuery(read);
      else this.#startQuery(read);
    }
  }

  #startQuery(read: WaitingQuery): void {
    read.isStarted = true;
    this.#running += 1;
    const { name, deferred, query } = read;
    const isCurrent = (): boolean => this.#queries.get(name) === read;
    // A response that arrives after its deadline is dropped.
    this.#history.query(query).then(
      (found) => isCurrent() && this.#settleQuery(name, () => deferred.resolve(found)),
      (error: unknown) =>
        isCurrent() && this.#settleQuery(name, () => deferred.reject(toServerError(error))),
    );
  }

  #settleQuery(name: string, settle: () => void): void {
    const read = this.#queries.get(name);
    if (read === undefined) return;
    this.#dropQuery(read);
    if (read.isStarted) this.#running -= 1;
    settle();
    this.#startNext();
  }

  #dropAbandoned(): void {
    for (const read of this.#queries.values()) {
      if (!read.isStarted && isAbandoned(read)) this.#dropQuery(read);
    }
  }

  /**
   * The promise of a query that did not run stays pending, because all its clients have
   * disconnected.
   */
  #dropQuery({ name, client, timer }: WaitingQuery): void {
    timer.cancel();
    this.#queries.delete(name);
    this.#share.give(client);
  }
}

const FULL_TEXT = 'too many queries wait for the history, or for this address; retry later';

function isAbandoned({ clients }: WaitingQuery): boolean {
  return clients.every((isGone) => isGone());
}

/** The error codes of the history that are sent to a client with their message. */
const CLIENT_ERRORS: ReadonlySet<unknown> = new Set<ErrorCode>([
  'INVALID_PARAM',
  'OUT_OF_RANGE',
  'UNKNOWN_MARKET',
  'LIMIT_EXCEEDED',
  'NOT_READY',
]);

/**
 * Converts an error with a code of the list above; every other error is a fault and stays
 * unchanged.
 */
function toServerError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, context } = error as {
    readonly code?: unknown;
    readonly context?: { readonly param?: unknown };
  };
  if (!CLIENT_ERRORS.has(code)) return error;
  const param = context?.param;
  return new ServerError(
    code as ErrorCode,
    error.message,
    typeof param === 'string' ? param : null,
  );
}
