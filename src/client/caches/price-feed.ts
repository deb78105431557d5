/**
 * Polls prices into the caches: one request for all markets in each round, with one level a side.
 *
 * ```ts
 * const feed = new PriceFeed({ http, marks, oracles, markets: [{ marketName: 'SOL-PERP' }] });
 * marks.onUpdate((changed) => console.log(changed.perp_0?.markPrice));
 * feed.start();
 * ```
 */

import { type Clock, systemClock } from '../environment.js';
import { ClientError } from '../error.js';
import type { L2Book } from '../generated/books.js';
import type { MarketName } from '../generated/queries.js';
import type { HttpClient } from '../http/client.js';
import { BATCH_ENTRIES_MAX, PRICE_POLL_MS } from '../limits.js';
import { Listeners } from '../listeners.js';
import type { MarkPriceCache, OraclePriceCache } from './prices.js';

/** The caches to update, and the source. */
export interface PriceFeedOptions {
  readonly http: HttpClient;
  readonly marks?: MarkPriceCache;
  readonly oracles?: OraclePriceCache;
  readonly markets: readonly MarketName[];
  /** Milliseconds from one turn to the next. */
  readonly intervalMs?: number;
  /** Whether the best prices include the AMM, true by default. */
  readonly includeVamm?: boolean;
  readonly clock?: Clock;
}

/**
 * Polls the service until it is stopped.
 *
 * @example
 * const feed = new PriceFeed({ http, marks, markets: [{ marketName: 'SOL-PERP' }] });
 * feed.onError(({ code }) => console.warn(code));
 * feed.start();
 */
export class PriceFeed {
  readonly #options: PriceFeedOptions;
  readonly #errors = new Listeners<ClientError>();
  readonly #clock: Clock;
  #markets: readonly MarketName[];
  #turn: AbortController | undefined;

  constructor(options: PriceFeedOptions) {
    this.#options = options;
    this.#markets = options.markets;
    this.#clock = options.clock ?? systemClock;
  }

  /** Sets the markets to request from the next round on. */
  setMarkets(markets: readonly MarketName[]): void {
    this.#markets = markets;
  }

  /** Registers a listener for failed rounds; polling continues. Returns its unsubscribe function. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  start(): void {
    if (this.#turn !== undefined) return;
    const turn = new AbortController();
    this.#turn = turn;
    void this.#pollOnce(turn.signal);
  }

  /** Stops polling: the caches are no longer updated. */
  stop(): void {
    this.#turn?.abort();
    this.#turn = undefined;
  }

  /** Rounds do not overlap. */
  async #pollOnce(signal: AbortSignal): Promise<void> {
    try {
      await this.#fetchAll(signal);
    } catch (error) {
      // Request errors always have a code.
      if (!signal.aborted && error instanceof ClientError) this.#errors.emit(error);
    }
    if (signal.aborted) return;
    const cancel = this.#clock.after(this.#options.intervalMs ?? PRICE_POLL_MS, () => {
      signal.removeEventListener('abort', cancel);
      void this.#pollOnce(signal);
    });
    signal.addEventListener('abort', cancel, { once: true });
  }

  async #fetchAll(signal: AbortSignal): Promise<void> {
    const { http, marks, oracles, includeVamm = true } = this.#options;
    const queries = this.#markets.map((market) => ({ ...market, depth: 1, includeVamm }));
    for (let at = 0; at < queries.length; at += BATCH_ENTRIES_MAX) {
      const part = queries.slice(at, at + BATCH_ENTRIES_MAX);
      const answers = await http.batchL2(part, { signal });
      if (signal.aborted) return;
      const books = answers.filter((one): one is L2Book => !(one instanceof ClientError));
      marks?.updateMarkPrices(books);
      oracles?.updateOraclePrices(books);
      for (const one of answers) if (one instanceof ClientError) this.#errors.emit(one);
    }
  }
}
