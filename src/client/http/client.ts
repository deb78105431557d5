/**
 * The paths of a service as functions, with typed queries and validated responses.
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
import { BATCH_ENTRIES_MAX } from '../limits.js';
import * as shapes from './book-shapes.js';
import * as marketShapes from './market-shapes.js';
import type {
  CandlesQuery,
  L2Query,
  L3Query,
  MarketName,
  MatchQuery,
  MomentQuery,
  Page,
  PageQuery,
  RecordsQuery,
  VolumeSpan,
} from './queries.js';
import * as recordShapes from './record-shapes.js';
import {
  type CallOptions,
  errorOf,
  type Query,
  Requester,
  type ServiceOptions,
} from './request.js';
import * as serviceShapes from './service-shapes.js';
import { TaggedResponses } from './tagged-responses.js';

const batch = (value: unknown, place: string): readonly (shapes.L2Book | ClientError)[] =>
  list<shapes.L2Book | ClientError>((entry, at) => {
    const error = errorOf(entry);
    if (error === undefined) return shapes.l2Book(entry, at);
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
  l2(query: L2Query & MomentQuery, options?: CallOptions): Promise<shapes.L2Book> {
    return this.#getBody('/l2', query, shapes.l2Book, options);
  }

  /** Many books in order; an entry that failed is its error. */
  async batchL2(
    queries: readonly L2Query[],
    options?: CallOptions,
  ): Promise<readonly (shapes.L2Book | ClientError)[]> {
    if (queries.length === 0) return [];
    if (queries.length > BATCH_ENTRIES_MAX) {
      const message = `${queries.length} books, must be at most ${BATCH_ENTRIES_MAX}`;
      throw new ClientError('INVALID_OPTION', message);
    }
    return this.#getBody('/batchL2', columnsOf(queries), batch, options);
  }

  /** The book by order. */
  l3(query: L3Query & MomentQuery, options?: CallOptions): Promise<shapes.L3Book> {
    return this.#getBody('/l3', query, shapes.l3Book, options);
  }

  /** The orders in auction. */
  auctions(query: MarketName & MomentQuery, options?: CallOptions): Promise<shapes.AuctionsBook> {
    return this.#getBody('/auctions', query, shapes.auctionsBook, options);
  }

  /** Simulates an order sent now. */
  match(
    { jit = [], ...query }: MatchQuery & MomentQuery,
    options?: CallOptions,
  ): Promise<shapes.MatchAnswer> {
    const offers = jit.map(({ price, size }) => `${price}:${size}`);
    return this.#getBody('/match', { ...query, jit: offers }, shapes.matchAnswer, options);
  }

  /** The user accounts with the best orders. */
  topMakers(
    query: MarketName & { readonly side: 'bid' | 'ask'; readonly limit?: number },
    options?: CallOptions,
  ): Promise<readonly string[]> {
    return this.#getBody('/topMakers', query, shapes.topMakers, options);
  }

  /** The same, with the bytes of their accounts. */
  topMakerAccounts(
    query: MarketName & { readonly side: 'bid' | 'ask'; readonly limit?: number },
    options?: CallOptions,
  ): Promise<readonly shapes.TopMakerAccount[]> {
    const whole = { ...query, includeAccounts: true };
    return this.#getBody('/topMakers', whole, shapes.topMakerAccounts, options);
  }

  /** The markets that are served. */
  markets(options?: CallOptions): Promise<readonly shapes.MarketInfo[]> {
    return this.#getBody('/markets', {}, shapes.markets, options);
  }

  /** The state of the feed and of every market. */
  status(options?: CallOptions): Promise<serviceShapes.ServiceStatus> {
    return this.#getBody('/status', {}, serviceShapes.serviceStatus, options);
  }

  /** The stored ranges of the journal. Throws NO_JOURNAL where there is none. */
  journal(options?: CallOptions): Promise<serviceShapes.JournalAnswer> {
    return this.#getBody('/journal', {}, serviceShapes.journal, options);
  }

  /** Throws NOT_READY, after all tries, while the book is not live. */
  ready(options?: CallOptions): Promise<serviceShapes.ReadyAnswer> {
    return this.#getBody('/ready', {}, serviceShapes.readyAnswer, options);
  }

  /** The process lives, whatever the book is. */
  health(options?: CallOptions): Promise<serviceShapes.HealthAnswer> {
    return this.#getBody('/health', {}, serviceShapes.healthAnswer, options);
  }

  /** The build of the service. */
  version(options?: CallOptions): Promise<serviceShapes.VersionAnswer> {
    return this.#getBody('/version', {}, serviceShapes.versionAnswer, options);
  }

  /** Statistics of all markets. */
  marketStats(options?: CallOptions): Promise<readonly marketShapes.MarketStats[]> {
    return this.#getBody('/stats/markets', {}, marketShapes.marketStats, options);
  }

  /** Funding rates of the last 30 days, newest first. */
  fundingRates(query: PageQuery, options?: CallOptions): Promise<Page<marketShapes.FundingRate>> {
    return this.#getPage('/fundingRates', query, marketShapes.fundingRates, options);
  }

  /** Trades, newest first. */
  trades(query: PageQuery, options?: CallOptions): Promise<Page<marketShapes.Trade>> {
    return this.#getPage('/trades', query, marketShapes.trades, options);
  }

  /** All trades, newest first, page by page; new trades do not shift the pages. */
  eachTrade(
    query: Omit<PageQuery, 'pageIndex'>,
    options?: CallOptions,
  ): AsyncGenerator<marketShapes.Trade, void, undefined> {
    return each((before = query.before) => {
      return this.trades(before === undefined ? query : { ...query, before }, options);
    });
  }

  /** The traded volumes of all markets in a time span. */
  volumes(span: VolumeSpan, options?: CallOptions): Promise<recordShapes.Volumes> {
    const [path, query] = typeof span === 'string' ? [`/${span}`, {}] : ['', { ...span }];
    return this.#getBody(`/stats/markets/volume${path}`, query, recordShapes.volumes, options);
  }

  /** Trades with all their fields, newest first. */
  tradeRecords(
    query: RecordsQuery,
    options?: CallOptions,
  ): Promise<Page<recordShapes.TradeRecord>> {
    return this.#getRecords('trades', query, recordShapes.tradeRecords, options);
  }

  /** All trade records, page by page. */
  eachTradeRecord(
    query: RecordsQuery,
    options?: CallOptions,
  ): AsyncGenerator<recordShapes.TradeRecord, void, undefined> {
    return each((page = query.page) => {
      return this.tradeRecords(page === undefined ? query : { ...query, page }, options);
    });
  }

  /** Funding rates of the last 30 days with all their fields, newest first. */
  fundingRateRecords(
    query: RecordsQuery,
    options?: CallOptions,
  ): Promise<Page<recordShapes.FundingRateRecord>> {
    return this.#getRecords('fundingRates', query, recordShapes.fundingRateRecords, options);
  }

  /** All funding rate records, page by page. */
  eachFundingRateRecord(
    query: RecordsQuery,
    options?: CallOptions,
  ): AsyncGenerator<recordShapes.FundingRateRecord, void, undefined> {
    return each((page = query.page) => {
      return this.fundingRateRecords(page === undefined ? query : { ...query, page }, options);
    });
  }

  /** Candles, oldest first; `CandleClient` pages, and follows them. */
  candles(query: CandlesQuery, options?: CallOptions): Promise<readonly Candle[]> {
    return this.#getBody('/candles', { ...query }, candles, options);
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
    read: Read<recordShapes.Records<T>>,
    options?: CallOptions,
  ): Promise<Page<T>> {
    const path = `/market/${encodeURIComponent(symbol)}/${name}`;
    const { records, meta } = await this.#getBody(path, { ...query }, read, options);
    return { records, nextCursor: meta.nextPage };
  }
}

/** The records of all pages; `read` gets no cursor for the first. */
async function* each<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { records, nextCursor } = await read(cursor);
    yield* records;
    cursor = nextCursor;
  }
}

/** Lists of equal length for each name that any of the queries has; an empty text is the default. */
function columnsOf(queries: readonly Query[]): Query {
  const names = new Set(queries.flatMap((query) => Object.keys(query)));
  const column = (name: string): string => queries.map((query) => query[name] ?? '').join(',');
  return Object.fromEntries([...names].map((name) => [name, column(name)]));
}
