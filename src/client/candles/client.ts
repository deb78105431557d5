/**
 * Fetches candles of any range, and follows live candles, as one series.
 *
 * ```ts
 * const candles = new CandleClient({ url: 'http://127.0.0.1:8080' });
 * const params = { marketId: 'SOL-PERP', resolution: '1' } as const;
 * candles.on('chart', 'candle-update', draw);
 * await candles.subscribe(params, 'chart');
 * ```
 */
import { abortedBy } from '../environment.js';
import { ClientError } from '../error.js';
import type { Candle } from '../generated/candles.js';
import type { Resolution } from '../generated/lists.js';
import type { CallOptions, ServiceOptions } from '../http/request.js';
import type { MarketId } from '../keys.js';
import { LatestValues } from '../listeners.js';
import { CandleFeed } from './feed.js';
import { type CandleEvents, CandleKey, closedKey } from './key.js';
import { fetchRange } from './pages.js';

/** How candles are reached. */
export interface CandleOptions extends Omit<ServiceOptions, 'url'> {
  /** The address of the service, or its address for each `env`. */
  readonly url: string | Readonly<Record<string, string>>;
}

/** One series. */
export interface CandleParams {
  /** Selects one of the addresses of {@link CandleOptions.url}; ignored for a single address. */
  readonly env?: string;
  /** A market as its id, its key (`perp_0`) or its symbol (`SOL-PERP`). */
  readonly marketId: MarketId | string;
  readonly resolution: Resolution;
}

/** A range of a series: the first and the last start of a candle, unix seconds, both inclusive. */
export interface CandleFetchParams extends CandleParams {
  readonly fromTs: number;
  readonly toTs: number;
}

/**
 * A client of candles, with its own connections and its own cache.
 *
 * @example
 * const candles = new CandleClient({ url: 'http://127.0.0.1:8080' });
 * const params = { marketId: 'SOL-PERP', resolution: '1' } as const;
 * for await (const { ts, fillClose } of candles.follow(params)) console.log(ts, fillClose);
 */
export class CandleClient {
  readonly #options: CandleOptions;
  readonly #feeds = new Map<string, CandleFeed>();
  readonly #keys = new Map<string, CandleKey>();
  #loops = 0;
  #isClosed = false;

  constructor(options: CandleOptions) {
    this.#options = options;
  }

  /**
   * Returns the candles of a range in order, complete and without duplicates. The part that a
   * subscription has cached is not fetched again.
   */
  async fetch(params: CandleFetchParams, { signal }: CallOptions = {}): Promise<Candle[]> {
    const { fromTs, toTs } = params;
    if (!(fromTs <= toTs)) {
      const message = `fromTs was ${fromTs}, must be at most toTs, ${toTs}`;
      throw new ClientError('INVALID_OPTION', message, {}, { param: 'fromTs' });
    }
    const { feed, name } = await this.#locateSeries(params, signal);
    const nowS = feed.nowS();
    const live = feed.findSeries(name);
    const first = live?.isWhole === true ? live.series.first?.ts : undefined;
    if (live !== undefined && first !== undefined && toTs >= first) {
      const before = { ...name, fromTs, toTs: first - 1 };
      const older =
        fromTs < first ? await fetchRange(feed.requester, before, { nowS, signal }) : [];
      // During the fetch the series may have been interrupted, or have evicted its oldest candles.
      if (live.isWhole && (live.series.first?.ts ?? first) <= first) {
        const newer = live.series.candlesBetween(Math.max(fromTs, first), toTs);
        live.addOlder(older);
        return [...older, ...newer];
      }
    }
    return fetchRange(feed.requester, { ...name, fromTs, toTs }, { nowS, signal });
  }

  /**
   * Follows a series under a key, which replaces the key's previous series. Resolves when the
   * service has accepted the subscription, and rejects with its error otherwise; the key's
   * listeners stay for a retry. Candles that arrive before the first listener are buffered for it.
   */
  async subscribe(params: CandleParams, key: string, { signal }: CallOptions = {}): Promise<void> {
    const entry = this.#entryOf(key);
    const turn = entry.beginTurn();
    const abort = (): void => {
      if (entry.isTurn(turn)) this.unsubscribe(key);
    };
    signal?.addEventListener('abort', abort, { once: true });
    entry.onStop(() => signal?.removeEventListener('abort', abort));
    try {
      if (signal?.aborted === true) throw abortedBy(signal);
      // The names of the markets may come late, or never.
      const located = this.#locateSeries(params, signal);
      const { feed, name } = await entry.untilStop(located);
      if (!entry.isTurn(turn)) throw closedKey();
      await entry.followSeries(feed, name);
    } catch (error) {
      if (signal?.aborted === true) abort();
      else if (entry.isTurn(turn)) entry.beginTurn();
      throw signal?.aborted === true ? abortedBy(signal) : error;
    }
  }

  /**
   * Registers a listener for an event of a key, which may not be subscribed yet; returns its
   * unsubscribe function. {@link CandleEvents} lists the events.
   */
  on<Event extends keyof CandleEvents>(
    key: string,
    event: Event,
    listener: (value: CandleEvents[Event]) => void,
  ): () => void {
    return this.#entryOf(key).on(event, listener);
  }

  /** Ends a key's subscription and its listeners. */
  unsubscribe(key: string): void {
    this.#keys.get(key)?.endAll();
    this.#keys.delete(key);
  }

  /** Ends everything. */
  unsubscribeAll(): void {
    for (const key of [...this.#keys.keys()]) this.unsubscribe(key);
  }

  /** Ends everything and the connections. */
  close(): void {
    this.#isClosed = true;
    this.unsubscribeAll();
    for (const feed of this.#feeds.values()) feed.close();
  }

  /**
   * Iterates over live candles. A slow loop gets the newest state of each candle; leaving the loop
   * ends the subscription, and closing the client ends the loop. Errors are thrown in the loop.
   */
  async *follow(params: CandleParams, { signal }: CallOptions = {}): AsyncGenerator<Candle, void> {
    const key = `loop ${this.#loops}`;
    this.#loops += 1;
    const entry = new CandleKey();
    this.#keys.set(key, entry);
    const values = new LatestValues<Candle>();
    entry.on('candle-update', (candle) => values.push(candle, candle.ts));
    entry.on('end', (error) => values.end({ error }));
    const abort = (): void => values.end({ error: abortedBy(signal) });
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const subscribed = this.subscribe(params, key, { signal });
      entry.onStop(() => values.end());
      await subscribed;
      yield* values;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.unsubscribe(key);
    }
  }

  async #locateSeries(
    { env, marketId, resolution }: CandleParams,
    signal: AbortSignal | undefined,
  ) {
    const feed = this.#feedOf(env);
    const market = typeof marketId === 'string' ? marketId : marketId.key;
    const isKey = /^(perp|spot)_\d+$/.test(market);
    const symbol = isKey ? await feed.symbolOf(market, signal) : market;
    return { feed, name: { symbol, resolution } };
  }

  #feedOf(env: string | undefined): CandleFeed {
    if (this.#isClosed) throw new ClientError('CLOSED', 'the client was closed');
    const { url: given } = this.#options;
    const url = typeof given === 'string' ? given : given[env ?? ''];
    if (url === undefined) {
      const message = `env was ${env}, must be one of ${Object.keys(given).join(', ')}`;
      throw new ClientError('INVALID_OPTION', message, {}, { param: 'env' });
    }
    const known = this.#feeds.get(url);
    if (known !== undefined) return known;
    const feed = new CandleFeed({ ...this.#options, url });
    this.#feeds.set(url, feed);
    return feed;
  }

  #entryOf(key: string): CandleKey {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const entry = new CandleKey();
    this.#keys.set(key, entry);
    return entry;
  }
}
