/**
 * The statistics of all markets. /stats/markets is made at most twice a second for all clients and tagged
 * by its content; the volumes of a time range are read at most once a second.
 */
import type { Static } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { VolumesQuery } from '../../contract/history-queries.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import type { Timers } from '../../contract/timers.js';
import { secondsOf } from '../api/history-params.js';
import { checkParams, compileParamSchemas, splitQuery, type Texts } from '../api/param-check.js';
import { type VOLUME_PERIODS, volumeParams, volumePeriodParams } from '../api/param-schemas.js';
import type { SummarySource } from '../sockets/summary-topics.js';
import { ServerError } from '../transport/errors.js';
import type { HttpRequest, Reply } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import { ContentResponder, contentTag } from './content-responder.js';
import type { HistoryRoute, HistoryRouteOptions } from './history-routes.js';
import { sortedMarkets } from './service-routes.js';
import {
  contractRecordsText,
  marketListText,
  marketRecordsText,
  perpContractRecordsText,
  priceRecordsText,
  pricingText,
  tickersText,
} from './stats-records.js';
import { type MarketStatistics, statsText, type TopOfBook } from './stats-text.js';
import {
  bodyReply,
  GzipCache,
  notModifiedReply,
  requestAcceptsGzip,
  type VersionTag,
} from './versioned-reply.js';

/** The sources of the statistics. */
interface StatsSources {
  readonly book: Pick<BookSource, 'readChainStats' | 'epoch' | 'l2'>;
  readonly directory: Pick<MarketDirectory, 'markets'>;
  /** Without it there is no volume, and no price of a trade. */
  readonly history?: MarketDataSource;
  /** Their wall clock says how old a cached body is. */
  readonly timers: Pick<Timers, 'unixMs'>;
}

/** The sources of the paths. */
export interface StatsOptions extends StatsSources {
  readonly readiness: () => Readiness;
}

interface CachedStats {
  readonly epoch: string;
  readonly atMs: number;
  readonly body: Uint8Array;
  readonly tag: VersionTag;
}

const writers = {
  '/stats/markets': statsText,
  '/data/stats/markets': marketRecordsText,
  '/stats/markets/prices': priceRecordsText,
  '/contracts': contractRecordsText,
  '/external/coingecko/contracts': perpContractRecordsText,
  '/tickers': tickersText,
} as const satisfies Readonly<Record<string, StatsWriter>>;

/** The name of a path of the present statistics of all markets. */
export type StatsPathName = keyof typeof writers;

/** Handles one of these paths. */
export type StatsRoute = (request: HttpRequest) => Reply | Promise<Reply>;

/** The routes of the present statistics, each with a body of its own. */
export function statsRoutes(options: StatsOptions): Readonly<Record<StatsPathName, StatsRoute>> {
  return {
    '/stats/markets': statsRoute(options, writers['/stats/markets']),
    '/data/stats/markets': statsRoute(options, writers['/data/stats/markets']),
    '/stats/markets/prices': statsRoute(options, writers['/stats/markets/prices']),
    '/contracts': statsRoute(options, writers['/contracts']),
    '/external/coingecko/contracts': statsRoute(options, writers['/external/coingecko/contracts']),
    '/tickers': statsRoute(options, writers['/tickers']),
  };
}

type StatsWriter = (markets: readonly MarketStatistics[]) => string;

function statsRoute(options: StatsOptions, write: StatsWriter): StatsRoute {
  const gzips = new GzipCache();
  const readStats = cachedStats(options, write);
  return (request) => {
    requireFirstBook(options.readiness());
    const { tag, body } = readStats();
    const isZipped = requestAcceptsGzip(request);
    return (
      notModifiedReply(request, tag) ??
      bodyReply(tag, { body, identity: body, isZipped, gzips, key: 'stats' })
    );
  };
}

/** The statistics as the channels of all markets have them. */
export function summarySource(options: StatsSources): SummarySource {
  const markets = cachedStats(options, marketListText);
  const pricing = cachedStats(options, pricingText);
  return {
    markets: () => Buffer.from(markets().body).toString(),
    pricing: () => Buffer.from(pricing().body).toString(),
  };
}

function cachedStats(options: StatsSources, write: StatsWriter): () => CachedStats {
  let made: CachedStats | undefined;
  return () => {
    if (made === undefined || isExpired(made, options)) made = makeStats(options, write);
    return made;
  };
}

/** A clock that was set back makes it expire as well. */
function isExpired({ epoch, atMs }: CachedStats, { book, timers }: StatsSources): boolean {
  const age = timers.unixMs() - atMs;
  return epoch !== book.epoch || age < 0 || age >= LIMITS.statisticsKeptMs;
}

function makeStats(
  { book, directory, history, timers }: StatsSources,
  write: StatsWriter,
): CachedStats {
  const chain = book.readChainStats();
  const stats = history?.readMarketStats();
  const markets = sortedMarkets(directory).flatMap((info) => {
    const ofChain = chain[info.id];
    if (ofChain === undefined) return [];
    const key = `${info.marketType}_${info.marketIndex}` as const;
    const readTop = (): TopOfBook => topOf(book, info.id);
    return [{ info, chain: ofChain, history: stats?.get(key), readTop }];
  });
  const body = Buffer.from(write(markets));
  const state = history?.readStats().state ?? 'off';
  const tag = contentTag(book.epoch, { body, state });
  return { epoch: book.epoch, atMs: timers.unixMs(), body, tag };
}

/** The prices in the shortest body of the book, which the core makes once a version. */
function topOf(book: Pick<BookSource, 'l2'>, market: number): TopOfBook {
  const body = book.l2({ market, depth: 1, vamm: true });
  const text = JSON.parse(Buffer.from(body).toString()) as Readonly<Record<string, string>>;
  const price = (name: string) => (text[name] === undefined ? undefined : BigInt(text[name]));
  return { mark: price('markPrice'), bid: price('bestBidPrice'), ask: price('bestAskPrice') };
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

const periodSeconds: Readonly<Record<(typeof VOLUME_PERIODS)[number], number>> = {
  '1h': HOUR_SECONDS,
  '24h': 24 * HOUR_SECONDS,
  '30d': 30 * 24 * HOUR_SECONDS,
};

/** The names of the paths of what all markets did over a time. */
type SummaryPathName =
  | '/stats/markets/volume'
  | '/stats/markets/volume/{period}'
  | '/stats/fundingRates';

/** The routes of these paths, which share their limits. */
export function summaryRoutes(
  options: HistoryRouteOptions,
): Readonly<Record<SummaryPathName, HistoryRoute>> {
  compileParamSchemas([volumeParams, volumePeriodParams]);
  const responder = new ContentResponder(options);
  return {
    '/stats/markets/volume': (request) =>
      responder.replyTo(request, () => hoursOf(checkParams(volumeParams, textsOf(request)))),
    '/stats/markets/volume/{period}': (request, texts) =>
      responder.replyTo(request, (ts) => periodOf(checkParams(volumePeriodParams, texts), ts)),
    '/stats/fundingRates': (request) =>
      responder.replyTo(request, (ts) => ({
        kind: 'fundingMeans',
        now: floorTo(ts, MINUTE_SECONDS),
      })),
  };
}

function textsOf(request: HttpRequest): Texts {
  return splitQuery(request.query, volumeParams.properties);
}

/** From a whole minute, as the 24 hours of /stats/markets; trades are newer than the finalised slot. */
function periodOf({ period }: Static<typeof volumePeriodParams>, chainTs: number): VolumesQuery {
  const from = floorTo(Math.max(0, chainTs - periodSeconds[period]), MINUTE_SECONDS);
  return { kind: 'volumes', from, to: floorTo(chainTs, HOUR_SECONDS) + 2 * HOUR_SECONDS };
}

/** Both times down to the hour, and one to 24 hours between them. */
function hoursOf({ startTs, endTs }: Static<typeof volumeParams>): VolumesQuery {
  const from = floorTo(secondsOf(startTs), HOUR_SECONDS);
  const to = floorTo(secondsOf(endTs), HOUR_SECONDS);
  const hours = (to - from) / HOUR_SECONDS;
  if (hours >= 1 && hours <= LIMITS.volumeHoursMax) return { kind: 'volumes', from, to };
  const message = `endTs was ${hours} whole hours after startTs, must be 1 to ${LIMITS.volumeHoursMax}`;
  throw new ServerError('OUT_OF_RANGE', message, 'endTs');
}

function floorTo(seconds: number, step: number): number {
  return seconds - (seconds % step);
}
