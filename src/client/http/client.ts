/**
 * The paths of a service as methods, with typed queries and validated responses.
 *
 * ```ts
 * const service = new HttpClient({ url: 'http://127.0.0.1:8080' });
 * const { bids, bestAskPrice } = await service.l2({ marketName: 'SOL-PERP', depth: 20 });
 * ```
 *
 * Raw amounts are bigints. Every method takes `{ signal }` and rejects with a ClientError.
 */

import { ClientError } from '../error.js';
import { list, objectOf, type Read } from '../fields.js';
import * as books from '../generated/books.js';
import { type Candle, candle } from '../generated/candles.js';
import * as marketData from '../generated/market-data.js';
import type {
  CandlesQuery,
  L2Query,
  L3Query,
  LiquidityQuery,
  MarketName,
  MatchQuery,
  MomentQuery,
  PageQuery,
  RecordsQuery,
} from '../generated/queries.js';
import * as recordReaders from '../generated/records.js';
import * as service from '../generated/service.js';
import { BATCH_ENTRIES_MAX } from '../limits.js';
import type { Page, VolumeSpan } from './queries.js';
import {
  type CallOptions,
  errorOf,
  type Query,
  Requester,
  type ServiceOptions,
} from './request.js';
import { TaggedResponses } from './tagged-responses.js';

const batch = (value: unknown, place: string): readonly (books.L2Book | ClientError)[] =>
  list<books.L2Book | ClientError>((entry, at) => {
    const error = errorOf(entry);
    if (error === undefined) return books.l2Book(entry, at);
    return new ClientError(error.code, error.message, {}, { param: error.param });
  })(objectOf(value, place)['l2s'], `${place}.l2s`);

/**
 * A client of one service's paths.
 *
 * @example
 * const http = new HttpClient({ url: 'http://127.0.0.1:8080' });
 * const { bids, asks } = await http.l2({ marketName: 'SOL-PERP', depth: 20 });
 */
export class HttpClient {
  readonly #requester: Requester;

  constructor(options: ServiceOptions) {
    this.#requester = new Requester(options, new TaggedResponses());
  }

  /** The book by price level. */
  l2(query: L2Query & MomentQuery, options?: CallOptions): Promise<books.L2Book> {
    return this.#getBody('/l2', query, books.l2Book, options);
  }

  /** Returns several books in order; a failed entry is its error. */
  async batchL2(
    queries: readonly L2Query[],
    options?: CallOptions,
  ): Promise<readonly (books.L2Book | ClientError)[]> {
    if (queries.length === 0) return [];
    if (queries.length > BATCH_ENTRIES_MAX) {
      const message = `${queries.length} books, must be at most ${BATCH_ENTRIES_MAX}`;
      throw new ClientError('INVALID_OPTION', message);
    }
    return this.#getBody('/batchL2', columnsOf(queries), batch, options);
  }

  /** The book by order. */
  l3(query: L3Query & MomentQuery, options?: CallOptions): Promise<books.L3Book> {
    return this.#getBody('/l3', query, books.l3Book, options);
  }

  /** The orders in auction. */
  auctions(query: MarketName & MomentQuery, options?: CallOptions): Promise<books.AuctionsBook> {
    return this.#getBody('/auctions', query, books.auctionsBook, options);
  }

  /** Simulates an order sent now. */
  match(
    { jit = [], ...query }: MatchQuery & MomentQuery,
    options?: CallOptions,
  ): Promise<books.MatchAnswer> {
    const offers = jit.map(({ price, size }) => `${price}:${size}`);
    return this.#getBody('/match', { ...query, jit: offers }, books.matchAnswer, options);
  }

  /** The user accounts with the best orders. */
  topMakers(
    query: MarketName & { readonly side: 'bid' | 'ask'; readonly limit?: number },
    options?: CallOptions,
  ): Promise<readonly string[]> {
    return this.#getBody('/topMakers', query, books.topMakers, options);
  }

  /** Returns the best makers like `topMakers`, with the bytes of their accounts. */
  topMakerAccounts(
    query: MarketName & { readonly side: 'bid' | 'ask'; readonly limit?: number },
    options?: CallOptions,
  ): Promise<readonly books.TopMakerAccount[]> {
    const whole = { ...query, includeAccounts: true };
    return this.#getBody('/topMakers', whole, books.topMakerAccounts, options);
  }

  /** The markets that are served. */
  markets(options?: CallOptions): Promise<readonly books.MarketInfo[]> {
    return this.#getBody('/markets', {}, books.markets, options);
  }

  /** Returns the state of the feed and of every market. */
  status(options?: CallOptions): Promise<service.ServiceStatus> {
    return this.#getBody('/status', {}, service.serviceStatus, options);
  }

  /** Returns the time range of the journal. Rejects with NO_JOURNAL when no journal is kept. */
  journal(options?: CallOptions): Promise<service.JournalAnswer> {
    return this.#getBody('/journal', {}, service.journal, options);
  }

  /** Resolves when the book is live. Rejects with NOT_READY, after all attempts, otherwise. */
  ready(options?: CallOptions): Promise<service.ReadyAnswer> {
    return this.#getBody('/ready', {}, service.readyAnswer, options);
  }

  /** Returns whether the process runs, in any state of the book. */
  health(options?: CallOptions): Promise<service.HealthAnswer> {
    return this.#getBody('/health', {}, service.healthAnswer, options);
  }

  /** What was built. */
  version(options?: CallOptions): Promise<service.VersionAnswer> {
    return this.#getBody('/version', {}, service.versionAnswer, options);
  }

  /** Statistics of all markets. */
  marketStats(options?: CallOptions): Promise<readonly marketData.MarketStats[]> {
    return this.#getBody('/stats/markets', {}, marketData.marketStats, options);
  }

  /** Returns the spread of all markets, and their depth within 1 to 100 basis points. */
  liquidity(options?: CallOptions): Promise<readonly marketData.MarketLiquidity[]> {
    return this.#getBody('/liquidity', {}, marketData.liquidity, options);
  }

  /** Returns the liquidity of a market over time. Rejects with NO_JOURNAL when no journal is kept. */
  liquidityHistory(
    query: LiquidityQuery,
    options?: CallOptions,
  ): Promise<marketData.LiquidityHistory> {
    return this.#getBody('/liquidity/history', query, marketData.liquidityHistory, options);
  }

  /** Returns the funding rates of the last 30 days, newest first. */
  fundingRates(query: PageQuery, options?: CallOptions): Promise<Page<marketData.FundingRate>> {
    return this.#getPage('/fundingRates', query, marketData.fundingRates, options);
  }

  /** Trades, newest first. */
  trades(query: PageQuery, options?: CallOptions): Promise<Page<marketData.Trade>> {
    return this.#getPage('/trades', query, marketData.trades, options);
  }

  /** Iterates over all trades, newest first, page by page; new trades do not shift the pages. */
  eachTrade(
    query: Omit<PageQuery, 'pageIndex'>,
    options?: CallOptions,
  ): AsyncGenerator<marketData.Trade, void, undefined> {
    return each((before = query.before) => {
      return this.trades(before === undefined ? query : { ...query, before }, options);
    });
  }

  /** Returns the traded volume of all markets in a period. */
  volumes(span: VolumeSpan, options?: CallOptions): Promise<recordReaders.Volumes> {
    const [path, query] = typeof span === 'string' ? [`/${span}`, {}] : ['', { ...span }];
    return this.#getBody(`/stats/markets/volume${path}`, query, recordReaders.volumes, options);
  }

  /** Trades with all their fields, newest first. */
  tradeRecords(
    query: RecordsQuery,
    options?: CallOptions,
  ): Promise<Page<recordReaders.TradeRecord>> {
    return this.#getRecords('trades', query, recordReaders.tradeRecords, options);
  }

  /** All trade records, page by page. */
  eachTradeRecord(
    query: RecordsQuery,
    options?: CallOptions,
  ): AsyncGenerator<recordReaders.TradeRecord, void, undefined> {
    return each((page = query.page) => {
      return this.tradeRecords(page === undefined ? query : { ...query, page }, options);
    });
  }

  /** Returns the funding rates of the last 30 days with all their fields, newest first. */
  fundingRateRecords(
    query: RecordsQuery,
    options?: CallOptions,
  ): Promise<Page<recordReaders.FundingRateRecord>> {
    return this.#getRecords('fundingRates', query, recordReaders.fundingRateRecords, options);
  }

  /** All funding rate records, page by page. */
  eachFundingRateRecord(
    query: RecordsQuery,
    options?: CallOptions,
  ): AsyncGenerator<recordReaders.FundingRateRecord, void, undefined> {
    return each((page = query.page) => {
      return this.fundingRateRecords(page === undefined ? query : { ...query, page }, options);
    });
  }

  /** Returns candles, oldest first; `CandleClient` reads several pages and follows live candles. */
  candles(query: CandlesQuery, options?: CallOptions): Promise<readonly Candle[]> {
    return this.#getBody('/candles', { ...query }, list(candle), options);
  }

  async #getBody<T>(path: string, query: Query, read: Read<T>, options?: CallOptions): Promise<T> {
    return (await this.#requester.get({ path, query, read }, options)).value;
  }

  async #getPage<T>(
    path: string,
    query: PageQuery,
    read: Read<readonly T[]>,
    options?: CallOptions,
  ): Promise<Page<T>> {
    const question = { path, query: { ...query }, read };
    const { value, headers } = await this.#requester.get(question, options);
    return { records: value, nextCursor: headers.get('X-Next-Cursor') };
  }

  async #getRecords<T>(
    name: 'trades' | 'fundingRates',
    { symbol, ...query }: RecordsQuery,
    read: Read<Records<T>>,
    options?: CallOptions,
  ): Promise<Page<T>> {
    const path = `/market/${encodeURIComponent(symbol)}/${name}`;
    const { records, meta } = await this.#getBody(path, { ...query }, read, options);
    return { records, nextCursor: meta.nextPage };
  }
}

/** A page of records in the format of the records' paths. */
interface Records<T> {
  readonly records: readonly T[];
  readonly meta: { readonly nextPage: string | null };
}

/** Iterates over the records of all pages; `read` gets no cursor for the first page. */
async function* each<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { records, nextCursor } = await read(cursor);
    yield* records;
    cursor = nextCursor;
  }
}

/**
 * Returns a list for each name that any of the queries has, all of equal length; an empty text
 * means the default.
 */
function columnsOf(queries: readonly Query[]): Query {
  const names = new Set(queries.flatMap((query) => Object.keys(query)));
  const column = (name: string): string => queries.map((query) => query[name] ?? '').join(',');
  return Object.fromEntries([...names].map((name) => [name, column(name)]));
}
