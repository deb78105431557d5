/**
 * Replies with trades, funding rates and candles: from a query to the finished bytes of the
 * history, or a 304.
 *
 * The history replies asynchronously, from its own thread. Bodies are cached by the version of
 * their market, so a request of a client that has the version, or that repeats another client's
 * request, does not reach the history.
 */
import { crc32 } from 'node:zlib';
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { Readiness } from '../../contract/feed-status.js';
import type {
  ArchiveQuery,
  CandlesQuery,
  FundingRatesQuery,
  HistoryBody,
  TradesQuery,
} from '../../contract/history-queries.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import { resolutionSecondsMax } from '../../contract/resolutions.js';
import type { Timers } from '../../contract/timers.js';
import type { Texts } from '../api/param-check.js';
import type { ParseContext, RequestTexts } from '../api/request-params.js';
import { queuedClient } from '../transport/client-address.js';
import { ServerError } from '../transport/errors.js';
import {
  csvHeaders,
  type Header,
  type HttpRequest,
  jsonHeaders,
  type Reply,
} from '../transport/reply.js';
import { BodyCache } from './body-cache.js';
import { requireFirstBook } from './book-routes.js';
import { HistoryQueue } from './history-queue.js';
import {
  bodyReply,
  GzipCache,
  notModifiedReply,
  requestAcceptsGzip,
  type VersionTag,
} from './versioned-reply.js';

/** The sources of these replies. */
export interface HistoryRouteOptions {
  readonly book: Pick<BookSource, 'epoch'>;
  readonly directory: MarketDirectory;
  readonly readiness: () => Readiness;
  readonly history: MarketDataSource;
  /** The wall clock tells the age of a cached body, and whether a request is of the future. */
  readonly timers: Timers;
}

/** A query of one market. */
export type MarketQuery = TradesQuery | FundingRatesQuery | CandlesQuery | ArchiveQuery;

type Parse = (request: RequestTexts, of: ParseContext) => MarketQuery;

/** Whether a body may change; decides how long clients may cache the body. */
type Age = 'fresh' | 'past' | 'final';

/** Replies to queries, from the cache while the version is current. */
export class HistoryResponder {
  readonly #queue: HistoryQueue;
  /** Archive pages have a queue of their own, because a page takes long. */
  readonly #archiveQueue: HistoryQueue;
  readonly #cache = new BodyCache<HistoryBody>(LIMITS.historyCacheBytesMax);
  readonly #gzips = new GzipCache();

  readonly #options: HistoryRouteOptions;

  constructor(options: HistoryRouteOptions) {
    this.#options = options;
    this.#queue = new HistoryQueue(options);
    const historyReadsMax = LIMITS.archiveReadsMax;
    this.#archiveQueue = new HistoryQueue(options, { ...LIMITS, historyReadsMax });
  }

  /** Returns the route of a path whose parameters `parse` reads. */
  routeOf(parse: Parse) {
    return (request: HttpRequest, pathTexts: Texts): Reply | Promise<Reply> =>
      this.#replyTo(request, (of) => parse({ query: request.query, pathTexts }, of));
  }

  #replyTo(request: HttpRequest, parse: (of: ParseContext) => MarketQuery): Reply | Promise<Reply> {
    const { book, directory, history, readiness, timers } = this.#options;
    requireFirstBook(readiness());
    requireHistory(history);
    const nowSeconds = chainSeconds(history);
    const wallSeconds = Math.floor(timers.unixMs() / 1_000);
    const query = parse({ markets: directory, nowSeconds, wallSeconds });
    const version = history.version(query.market);
    const name = `${query.market} ${symbolOf(query, this.#options)}`;
    const key = `${book.epoch} ${name} ${JSON.stringify(query)}`;
    // A back-fill may still add trades of any time, also while this query runs.
    const isSettled = history.readStats().state === 'live' && isPast(query, nowSeconds);
    const parsed: ParsedRequest = { request, query, name, key, version, isPast: isSettled };
    const cached = this.#cache.findBody(key, version);
    const unchanged = this.#checkUnchanged(parsed, cached);
    if (unchanged !== undefined) return unchanged;
    const isZipped = requestAcceptsGzip(request);
    if (cached !== undefined) return this.#replyWith(parsed, cached, isZipped);
    return this.#queryHistory(parsed).then((found) => this.#replyWith(parsed, found, isZipped));
  }

  /** Returns a 304 when the client has the body of this version, or the final body. */
  #checkUnchanged(parsed: ParsedRequest, cached: HistoryBody | undefined): Reply | undefined {
    const { request } = parsed;
    if (request.getHeader('if-none-match') === '') return undefined;
    const current = notModifiedReply(
      request,
      this.#tagOf(parsed, parsed.isPast ? 'past' : 'fresh', cached),
    );
    if (current !== undefined || !canBeFinal(parsed.query)) return current;
    return notModifiedReply(request, this.#tagOf(parsed, 'final', cached));
  }

  async #queryHistory({ request, query, key, version }: ParsedRequest): Promise<HistoryBody> {
    const name = `${version} ${key}`;
    const queue = query.kind === 'archive' ? this.#archiveQueue : this.#queue;
    const found = await queue.runQuery({ name, query, ...queuedClient(request) });
    const { body, isFinal } = found;
    // Archives are not cached, because a year of them would evict bodies that many clients read.
    if (query.kind === 'archive') return found;
    this.#cache.cacheBody(key, { version, body: found, bytes: body.length, isFinal });
    return found;
  }

  #replyWith(parsed: ParsedRequest, found: HistoryBody, isZipped: boolean): Reply | Promise<Reply> {
    const { body } = found;
    const age = found.isFinal === true ? 'final' : parsed.isPast ? 'past' : 'fresh';
    const versionTag = this.#tagOf(parsed, age, found);
    return bodyReply(versionTag, {
      body,
      identity: body,
      isZipped,
      gzips: this.#gzips,
      key: parsed.key,
    });
  }

  #tagOf(
    { query, version, name }: ParsedRequest,
    age: Age,
    found: HistoryBody | undefined,
  ): VersionTag {
    const { book, history } = this.#options;
    const time = 'now' in query ? `.${query.now}` : 'since' in query ? `.${query.since}` : '';
    const rest = age === 'final' ? `final.${crc32(name)}` : `${version}${time}`;
    // The epoch names one run of the service on one chain, so a tag of another run never matches.
    const etag = `"${book.epoch}.${rest}"`;
    const headers: Header[] = [
      ...(query.form === 'csv' ? csvHeaders(fileNameOf(query, this.#options)) : jsonHeaders),
      ['Cache-Control', `public, max-age=${SECONDS_OF[age]}`],
      ['Vary', 'Accept-Encoding'],
      ['ETag', etag],
      ['X-State', history.readStats().state],
    ];
    const next = found?.nextCursor ?? null;
    if (next !== null && query.form !== 'records') headers.push(['X-Next-Cursor', next]);
    return { etag, headers };
  }
}

/** One request after its parameters were checked. */
interface ParsedRequest {
  readonly request: HttpRequest;
  readonly query: MarketQuery;
  /** Key and symbol of the market, which may be renamed. */
  readonly name: string;
  /** Equal for equal queries of one chain, while the market keeps its symbol. */
  readonly key: string;
  readonly version: string;
  /** Whether the requested range lies in the past and the history was complete. */
  readonly isPast: boolean;
}

const SECONDS_OF: Readonly<Record<Age, number>> = {
  fresh: LIMITS.historyFreshSeconds,
  past: LIMITS.historyPastSeconds,
  final: LIMITS.historyFinalSeconds,
};

/** Returns whether the response can be final; other responses change with time. */
function canBeFinal(query: MarketQuery): boolean {
  return query.kind === 'trades' && query.before !== undefined;
}

/** Returns whether the last requested candle or day ended some time ago. */
function isPast(query: MarketQuery, nowSeconds: number): boolean {
  if (query.kind === 'archive') return query.to + LIMITS.historySettledSeconds < nowSeconds;
  if (query.kind !== 'candles' || query.to === undefined) return false;
  const { resolution, to } = query;
  return to + resolutionSecondsMax(resolution) + LIMITS.historySettledSeconds < nowSeconds;
}

/** Returns the file name that the Drift v2 data API gives to an archive. */
function fileNameOf(
  { market, records, from }: ArchiveQuery,
  options: Pick<HistoryRouteOptions, 'directory'>,
): string {
  const [day = ''] = new Date(from * 1_000).toISOString().split('T');
  // Characters are removed when they are invalid in a file name or would end the header.
  const symbol = symbolOf({ market }, options).replace(/[^\w.-]/g, '');
  return `market-${symbol}-${records}-${day.replace(/-0?/g, '-')}.csv`;
}

/** Returns the symbol of a query's market, or its key. */
function symbolOf(
  { market }: Pick<MarketQuery, 'market'>,
  { directory }: Pick<HistoryRouteOptions, 'directory'>,
): string {
  const row = directory.markets().find((one) => `${one.marketType}_${one.marketIndex}` === market);
  return row?.symbol ?? market;
}

/** Returns the chain's time, from which spans are counted, unix seconds; 0 before it is known. */
export function chainSeconds(history: Pick<MarketDataSource, 'readStats'>): number {
  return history.readStats().chainTs ?? 0;
}

/** Throws NOT_READY when there is no history. A history that fails or back-fills can be read. */
export function requireHistory(history: MarketDataSource): void {
  const { state, reason } = history.readStats();
  if (state !== 'starting' && state !== 'off') return;
  throw new ServerError('NOT_READY', reason ?? `the history is ${state}`);
}
