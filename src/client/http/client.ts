/**
 * The paths of a service, each a function: what is asked is typed, and what comes is read.
 *
 * ```ts
 * const service = new HttpClient({ url: 'http://127.0.0.1:8080' });
 * const { bids, bestAskPrice } = await service.l2({ marketName: 'SOL-PERP', depth: 20 });
 * ```
 *
 * Raw amounts are bigints. Every call takes `{ signal }` and throws a ClientError.
 */

import { type Candle, candles } from '../candles/candle.js';
import { ClientError } from '../error.js';
import { list, objectOf, type Read } from '../fields.js';
import type { MarketType } from '../keys.js';
import { BATCH_ENTRIES_MAX } from '../limits.js';
import * as shapes from './book-shapes.js';
import * as marketShapes from './market-shapes.js';
import { errorOf } from './refusal.js';
import { type CallOptions, type Query, Requester, type ServiceOptions } from './request.js';

/** Names a market: by its name in any case, or by type and index. */
export type MarketName =
  | { readonly marketName: string }
  | { readonly marketType: MarketType; readonly marketIndex: number };

/** What a book shows beside resting orders, and how. */
export type BookOptions = {
  /** From 1 to 1,000. */
  readonly depth?: number;
  readonly includeVamm?: boolean;
  readonly includeIndicative?: boolean;
  readonly uncross?: boolean;
};

/** What is asked of /l2. */
export type L2Query = MarketName &
  BookOptions & { /** Ticks a group. */ readonly grouping?: number };
/** What is asked of /l3. */
export type L3Query = MarketName &
  Omit<BookOptions, 'includeVamm'> & { /** Only this user account's. */ readonly maker?: string };

/** An order that /match walks for; amounts are raw. Give `size` (base) or `quote`. */
export type MatchQuery = MarketName & {
  readonly side: 'buy' | 'sell';
  readonly size?: bigint;
  readonly quote?: bigint;
  readonly orderType?: 'market' | 'limit';
  readonly limitPrice?: bigint;
  readonly postOnly?: boolean;
  readonly reduceOnly?: boolean;
  readonly position?: bigint;
  readonly auctionStart?: bigint;
  readonly auctionEnd?: bigint;
  readonly auctionDuration?: number;
  readonly slotsElapsed?: number;
  /** What competing makers offer in the auction. */
  readonly jit?: readonly { readonly price: bigint; readonly size: bigint }[];
  readonly taker?: string;
  readonly feeTier?: number;
  readonly referred?: boolean;
  readonly model?: 'spec' | 'onchain';
  readonly includeVamm?: boolean;
  readonly includeIndicative?: boolean;
};

/** A page of a market's records. */
export interface PageQuery {
  readonly symbol: string;
  readonly limit?: number;
  /** 0 is the newest. */
  readonly pageIndex?: number;
  /** `nextCursor` of an earlier page. */
  readonly before?: string;
}

/** Records, newest first. */
export interface Page<T> {
  readonly records: readonly T[];
  /** Where the next page begins; null when this is the last. */
  readonly nextCursor: string | null;
}

/** What is asked of /candles: starts in unix seconds, both inclusive. */
export interface CandlesQuery {
  readonly symbol: string;
  readonly resolution: string;
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
}

const batch = (value: unknown, place: string): readonly (shapes.L2Book | ClientError)[] =>
  list<shapes.L2Book | ClientError>((entry, at) => {
    const error = errorOf(entry);
    if (error === undefined) return shapes.l2Book(entry, at);
    return new ClientError(error.code, error.message, {}, { param: error.param });
  })(objectOf(value, place)['l2s'], `${place}.l2s`);

/** The paths of one service. */
export class HttpClient {
  readonly #requester: Requester;

  constructor(options: ServiceOptions) {
    this.#requester = new Requester(options);
  }

  /** The book by price level. */
  l2(query: L2Query, options?: CallOptions): Promise<shapes.L2Book> {
    return this.#get('/l2', query, shapes.l2Book, options);
  }

  /** Many books in their order; what is wrong with one of them stands in its place. */
  async batchL2(
    queries: readonly L2Query[],
    options?: CallOptions,
  ): Promise<readonly (shapes.L2Book | ClientError)[]> {
    if (queries.length === 0) return [];
    if (queries.length > BATCH_ENTRIES_MAX) {
      const message = `${queries.length} books, must be at most ${BATCH_ENTRIES_MAX}`;
      throw new ClientError('INVALID_OPTION', message);
    }
    return this.#get('/batchL2', columnsOf(queries), batch, options);
  }

  /** The book by order. */
  l3(query: L3Query, options?: CallOptions): Promise<shapes.L3Book> {
    return this.#get('/l3', query, shapes.l3Book, options);
  }

  /** The orders in auction. */
  auctions(query: MarketName, options?: CallOptions): Promise<shapes.AuctionsBook> {
    return this.#get('/auctions', query, shapes.auctionsBook, options);
  }

  /** What an order that is sent now would get. */
  match({ jit = [], ...query }: MatchQuery, options?: CallOptions): Promise<shapes.MatchAnswer> {
    const offers = jit.map(({ price, size }) => `${price}:${size}`);
    return this.#get('/match', { ...query, jit: offers }, shapes.matchAnswer, options);
  }

  /** The user accounts whose orders stand best. */
  topMakers(
    query: MarketName & { readonly side: 'bid' | 'ask'; readonly limit?: number },
    options?: CallOptions,
  ): Promise<readonly string[]> {
    return this.#get('/topMakers', query, shapes.topMakers, options);
  }

  /** The same, with the bytes of their accounts. */
  topMakerAccounts(
    query: MarketName & { readonly side: 'bid' | 'ask'; readonly limit?: number },
    options?: CallOptions,
  ): Promise<readonly shapes.TopMakerAccount[]> {
    const whole = { ...query, includeAccounts: true };
    return this.#get('/topMakers', whole, shapes.topMakerAccounts, options);
  }

  /** The markets that are served. */
  markets(options?: CallOptions): Promise<readonly shapes.MarketInfo[]> {
    return this.#get('/markets', {}, shapes.markets, options);
  }

  /** The state of the feed and of every market. */
  status(options?: CallOptions): Promise<shapes.ServiceStatus> {
    return this.#get('/status', {}, shapes.serviceStatus, options);
  }

  /** Throws NOT_READY, after all tries, while the book is not live. */
  ready(options?: CallOptions): Promise<shapes.ReadyAnswer> {
    return this.#get('/ready', {}, shapes.readyAnswer, options);
  }

  /** What was built. */
  version(options?: CallOptions): Promise<shapes.VersionAnswer> {
    return this.#get('/version', {}, shapes.versionAnswer, options);
  }

  /** Statistics of all markets. */
  marketStats(options?: CallOptions): Promise<readonly marketShapes.MarketStats[]> {
    return this.#get('/stats/markets', {}, marketShapes.marketStats, options);
  }

  /** Funding rates of the last 30 days, newest first. */
  fundingRates(query: PageQuery, options?: CallOptions): Promise<Page<marketShapes.FundingRate>> {
    return this.#page('/fundingRates', query, marketShapes.fundingRates, options);
  }

  /** Trades, newest first. */
  trades(query: PageQuery, options?: CallOptions): Promise<Page<marketShapes.Trade>> {
    return this.#page('/trades', query, marketShapes.trades, options);
  }

  /** All trades, newest first, page by page; one that comes meanwhile shifts nothing. */
  async *eachTrade(
    query: Omit<PageQuery, 'pageIndex'>,
    options?: CallOptions,
  ): AsyncGenerator<marketShapes.Trade, void, undefined> {
    let { before } = query;
    for (;;) {
      const place = before === undefined ? {} : { before };
      const { records, nextCursor } = await this.trades({ ...query, ...place }, options);
      yield* records;
      if (nextCursor === null) return;
      before = nextCursor;
    }
  }

  /** Candles, oldest first; `CandleClient` pages, and follows them. */
  candles(query: CandlesQuery, options?: CallOptions): Promise<readonly Candle[]> {
    return this.#get('/candles', { ...query }, candles, options);
  }

  async #get<T>(path: string, query: Query, read: Read<T>, options?: CallOptions): Promise<T> {
    return (await this.#requester.get({ path, query, read }, options)).value;
  }

  async #page<T>(
    path: string,
    query: PageQuery,
    read: Read<readonly T[]>,
    options?: CallOptions,
  ): Promise<Page<T>> {
    const question = { path, query: { ...query }, read };
    const { value, headers } = await this.#requester.get(question, options);
    return { records: value, nextCursor: headers.get('X-Next-Cursor') };
  }
}

/** Lists of equal length for each name that any of the queries has; an empty text is the default. */
function columnsOf(queries: readonly Query[]): Query {
  const names = new Set(queries.flatMap((query) => Object.keys(query)));
  const column = (name: string): string => queries.map((query) => query[name] ?? '').join(',');
  return Object.fromEntries([...names].map((name) => [name, column(name)]));
}
