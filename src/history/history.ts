/** The history on the main thread: a handle for its worker, which it restarts after a failure. */

import type { RefusedQuery } from '../contract/as-of-source.js';
import { Deferred } from '../contract/deferred.js';
import type { HistoryBody, HistoryQuery } from '../contract/history-queries.js';
import type { HistoryStats, MarketFrame, MarketStats } from '../contract/history-source.js';
import type { LoggedWrites } from '../contract/logged-writes.js';
import type { MarketKey } from '../contract/markets.js';
import type { Timer, Timers } from '../contract/timers.js';
import { withoutPaths } from '../contract/without-paths.js';
import { Backoff } from '../rpc/backoff.js';
import { loggedFailure, shownFailure } from '../rpc/error.js';
import type { Log } from '../rpc/log.js';
import { HistoryError, type HistoryErrorCode } from './model/error.js';
import {
  QUERIES_MAX,
  QUERY_MS_MAX,
  RESTART_CAP_MS,
  RESTART_FIRST_MS,
  STABLE_AFTER_MS,
  STOP_MS_MAX,
  WORKER_SILENCE_MS_MAX,
  WORKER_WATCH_MS,
} from './model/limits.js';
import type { FromWorker, ToWorker, WorkerSetup } from './model/messages.js';
import { newNonce } from './model/nonce.js';
import type { HistoryBook } from './model/records.js';
import { startingStats } from './model/starting-stats.js';
import { type StartWorker, startThread, type WorkerLink } from './worker-link.js';

/** The dependencies of a history, which a test may replace. */
interface HistoryOptions {
  readonly setup: WorkerSetup;
  readonly log: Log;
  readonly timers: Timers;
  readonly random?: () => number;
  readonly startWorker?: StartWorker;
}

interface PendingQuery {
  readonly timer: Timer;
  resolve(body: HistoryBody): void;
  reject(error: HistoryError): void;
}

/** Trades, funding rates and candles, queried from the main thread. */
export class History {
  readonly #options: HistoryOptions;
  readonly #timers: Timers;
  readonly #backoff: Backoff;
  /** Makes the versions of this run unique. */
  readonly #nonce: string;
  readonly #pending = new Map<number, PendingQuery>();
  readonly #versions = new Map<MarketKey, string>();
  readonly #marketStats = new Map<MarketKey, MarketStats>();
  readonly #topics = new Set<string>();
  #onFrames: (frames: readonly MarketFrame[]) => void = () => undefined;
  /** Called with the writes that logs report. */
  onLogged: (writes: readonly LoggedWrites[]) => void = () => undefined;
  #book: HistoryBook = { markets: [], genesisHash: null };
  #stats: HistoryStats = startingStats(null);
  #worker: WorkerLink | null = null;
  #watch: Timer | null = null;
  #restart: Timer | null = null;
  #startedAtMs = 0;
  #lastMessageAtMs = 0;
  #nextId = 1;
  #restarts = 0;
  #stopped: Deferred<void> | null = null;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#timers = options.timers;
    const random = options.random ?? Math.random;
    this.#nonce = newNonce(random);
    this.#backoff = new Backoff({ firstMs: RESTART_FIRST_MS, capMs: RESTART_CAP_MS, random });
  }

  start(): void {
    this.#startWorker();
  }

  /** Stops the history after the worker's last write; resolves when the worker has ended. */
  async stop(): Promise<void> {
    this.#restart?.cancel();
    this.#watch?.cancel();
    const worker = this.#worker;
    if (worker === null) return;
    this.#stopped = new Deferred();
    worker.sendMessage({ kind: 'stop' });
    const limit = this.#timers.after(STOP_MS_MAX, () => void worker.terminate());
    await this.#stopped.promise;
    limit.cancel();
  }

  /** Sets the markets and the chain; call this again after each change. */
  setBook(book: HistoryBook): void {
    this.#book = book;
    this.#sendMessage({ kind: 'book', book });
  }

  /**
   * Renders a body. Rejects with a HistoryError: NOT_READY while the worker is not ready.
   */
  query(query: HistoryQuery): Promise<HistoryBody> {
    const worker = this.#worker;
    if (worker === null) return Promise.reject(notReady('the history is starting again'));
    if (this.#pending.size >= QUERIES_MAX) {
      return Promise.reject(notReady(`${QUERIES_MAX} queries are waiting, which is the limit`));
    }
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      const timer = this.#timers.after(QUERY_MS_MAX, () => {
        this.#removePending(id)?.reject(
          notReady(`the history took longer than ${QUERY_MS_MAX} ms`),
        );
      });
      this.#pending.set(id, { timer, resolve, reject });
      worker.sendMessage({ kind: 'query', id, query });
    });
  }

  /** Returns a text that changes whenever a body of that market may change. */
  version(market: MarketKey): string {
    return this.#versions.get(market) ?? `${this.#nonce}.${this.#restarts}.0`;
  }

  /** Returns the history's part of the statistics; markets without statistics are omitted. */
  readMarketStats(): ReadonlyMap<MarketKey, MarketStats> {
    return this.#marketStats;
  }

  readStats(): HistoryStats {
    return this.#stats;
  }

  /** Subscribes to the frames of a topic; the first frame confirms or rejects it. */
  join(topic: string): void {
    this.#topics.add(topic);
    this.#sendMessage({ kind: 'join', topic });
  }

  leave(topic: string): void {
    this.#topics.delete(topic);
    this.#sendMessage({ kind: 'leave', topic });
  }

  /** Sets the only frame handler. */
  onFrames(take: (frames: readonly MarketFrame[]) => void): void {
    this.#onFrames = take;
  }

  #startWorker(): void {
    const { setup, startWorker = startThread } = this.#options;
    this.#startedAtMs = this.#timers.nowMs();
    this.#lastMessageAtMs = this.#startedAtMs;
    try {
      const worker: WorkerLink = startWorker(setup, {
        onMessage: (message) => {
          if (this.#worker === worker) this.#receiveMessage(message);
        },
        onEnd: (cause) => {
          if (this.#worker === worker) this.#restartAfter(cause);
        },
      });
      this.#worker = worker;
      this.#sendState(worker);
      this.#planWatch();
    } catch (error) {
      this.#restartAfter(error);
    }
  }

  #sendState(worker: WorkerLink): void {
    worker.sendMessage({ kind: 'book', book: this.#book });
    for (const topic of this.#topics) worker.sendMessage({ kind: 'join', topic });
  }

  /** A worker posts its stats every second, so a silent worker hangs. */
  #planWatch(): void {
    this.#watch = this.#timers.after(WORKER_WATCH_MS, () => {
      const silentMs = this.#timers.nowMs() - this.#lastMessageAtMs;
      if (silentMs <= WORKER_SILENCE_MS_MAX) {
        this.#planWatch();
        if (silentMs > QUERY_MS_MAX)
          this.#stats = { ...this.#stats, state: 'failing', reason: SILENT_REASON };
        return;
      }
      // A thread in native code that never returns cannot be stopped, so it is abandoned.
      const worker = this.#worker;
      this.#restartAfter(notReady(`it sent nothing for ${Math.round(silentMs)} ms`));
      void worker?.terminate();
    });
  }

  #restartAfter(cause: unknown): void {
    this.#worker = null;
    this.#watch?.cancel();
    for (const id of [...this.#pending.keys()]) {
      this.#removePending(id)?.reject(notReady('the history is starting again'));
    }
    if (this.#stopped !== null) {
      this.#stopped.resolve();
      return;
    }
    this.#options.log.warn({ reason: loggedFailure(cause) }, 'the worker of the history ended');
    const { counts, chainTs } = this.#stats;
    this.#restarts += 1;
    this.#stats = {
      ...startingStats(this.#publicReason(`the worker ended: ${shownFailure(cause)}`)),
      state: 'failing',
      counts,
      chainTs,
    };
    if (this.#timers.nowMs() - this.#startedAtMs > STABLE_AFTER_MS) this.#backoff.reset();
    this.#restart = this.#timers.after(this.#backoff.next(), () => this.#startWorker());
  }

  #sendMessage(message: ToWorker): void {
    this.#worker?.sendMessage(message);
  }

  #receiveMessage(message: FromWorker): void {
    this.#lastMessageAtMs = this.#timers.nowMs();
    switch (message.kind) {
      case 'reply':
        this.#removePending(message.id)?.resolve(message.reply);
        return;
      case 'refused':
        this.#removePending(message.id)?.reject(errorOf(message.error));
        return;
      case 'versions':
        for (const [market, version] of message.versions) this.#versions.set(market, version);
        return;
      case 'frames':
        this.#onFrames(message.frames);
        return;
      case 'stats':
        this.#stats = {
          ...message.stats,
          reason: this.#publicReason(message.stats.reason),
          counts: { ...message.stats.counts, workerRestarts: this.#restarts },
        };
        return;
      case 'logged':
        this.onLogged(message.writes);
        return;
      case 'marketStats':
        this.#marketStats.clear();
        for (const stats of message.markets) this.#marketStats.set(stats.market, stats);
        return;
      case 'log':
        this.#options.log[message.level](message.fields, message.message);
    }
  }

  #publicReason(reason: string | null): string | null {
    return reason === null ? null : withoutPaths(reason, this.#options.setup.dataDir);
  }

  #removePending(id: number): PendingQuery | undefined {
    const waiting = this.#pending.get(id);
    waiting?.timer.cancel();
    this.#pending.delete(id);
    return waiting;
  }
}

/** The reason of a silence in which queries take too long. */
const SILENT_REASON = `the history has not responded for ${QUERY_MS_MAX} ms`;

function notReady(message: string): HistoryError {
  return new HistoryError('NOT_READY', message);
}

function errorOf({ code, message, param }: RefusedQuery): HistoryError {
  return new HistoryError(code as HistoryErrorCode, message, param === null ? {} : { param });
}
