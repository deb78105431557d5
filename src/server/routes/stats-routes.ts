/**
 * The statistics of all markets. /stats/markets is made at most twice a second for all clients and tagged
 * by its content; the volumes of a time range are read at most once a second.
 */
import { createHash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { HistoryBody, VolumesQuery } from '../../contract/history-queries.js';
import type { MarketDataSource, MarketStats } from '../../contract/history-source.js';
import type { ChainStats, MarketInfo, PerpStats } from '../../contract/markets.js';
import { secondsOf } from '../api/history-params.js';
import { checkParams, compileParamSchemas, splitQuery, type Texts } from '../api/param-check.js';
import { type VOLUME_PERIODS, volumeParams, volumePeriodParams } from '../api/param-schemas.js';
import { ServerError } from '../transport/errors.js';
import { type Header, type HttpRequest, jsonHeaders, type Reply } from '../transport/reply.js';
import { BodyCache } from './body-cache.js';
import { requireFirstBook } from './book-routes.js';
import { HistoryQueue } from './history-queue.js';
import {
  chainSeconds,
  type HistoryRoute,
  type HistoryRouteOptions,
  requireHistory,
} from './history-routes.js';
import { sortedMarkets } from './service-routes.js';
import {
  bodyReply,
  GzipCache,
  notModifiedReply,
  requestAcceptsGzip,
  type VersionTag,
} from './versioned-reply.js';

/** The sources of the statistics. */
export interface StatsOptions {
  readonly book: Pick<BookSource, 'readChainStats' | 'epoch'>;
  readonly directory: Pick<MarketDirectory, 'markets'>;
  readonly readiness: () => Readiness;
  /** Without it there is no volume, and no price of a trade. */
  readonly history?: MarketDataSource;
  /** The wall clock, unix milliseconds: how old a cached body is. */
  readonly nowMs?: () => number;
}

interface CachedStats {
  readonly epoch: string;
  readonly atMs: number;
  readonly body: Uint8Array;
  readonly tag: VersionTag;
}

/** The route of /stats/markets. */
export function statsRoute(
  options: StatsOptions,
): (request: HttpRequest) => Reply | Promise<Reply> {
  const gzips = new GzipCache();
  let made: CachedStats | undefined;
  return (request) => {
    requireFirstBook(options.readiness());
    if (made === undefined || isExpired(made, options)) made = makeStats(options);
    const { tag, body } = made;
    const isZipped = requestAcceptsGzip(request);
    return (
      notModifiedReply(request, tag) ??
      bodyReply(tag, { body, identity: body, isZipped, gzips, key: 'stats' })
    );
  };
}

/** A clock that was set back makes it expire as well. */
function isExpired(
  { epoch, atMs }: CachedStats,
  { book, nowMs = Date.now }: StatsOptions,
): boolean {
  const age = nowMs() - atMs;
  return epoch !== book.epoch || age < 0 || age >= LIMITS.statisticsKeptMs;
}

function makeStats({ book, directory, history, nowMs = Date.now }: StatsOptions): CachedStats {
  const chain = book.readChainStats();
  const stats = history?.readMarketStats();
  const markets = sortedMarkets(directory).flatMap((row) => {
    const ofChain = chain[row.id];
    if (ofChain === undefined) return [];
    const key = `${row.marketType}_${row.marketIndex}` as const;
    return [{ row, chain: ofChain, history: stats?.get(key) }];
  });
  const body = Buffer.from(statsText(markets));
  const state = history?.readStats().state ?? 'off';
  return { epoch: book.epoch, atMs: nowMs(), body, tag: contentTag(book.epoch, { body, state }) };
}

/** The tag and the headers of a body whose tag is the hash of its content. */
export function contentTag(
  epoch: string,
  { body, state }: { readonly body: Uint8Array; readonly state: string },
): VersionTag {
  const etag = `"${epoch}.${createHash('sha1').update(body).digest('base64url')}"`;
  const headers: Header[] = [
    ...jsonHeaders,
    ['Cache-Control', `public, max-age=${LIMITS.historyFreshSeconds}`],
    ['Vary', 'Accept-Encoding'],
    ['ETag', etag],
    ['X-State', state],
  ];
  return { etag, headers };
}

/* Bodies are JSON whose numbers are decimals, written from integers digit by digit. */

/** Raw units: prices and quote amounts, base amounts, and funding rates as fractions of the price. */
const PRICE_PLACES = 6;
const BASE_PLACES = 9;
const RATE_PLACES = 9;
const FRACTION_PLACES = 18;

/** A market with its data from the chain and from the history. */
export interface MarketStatistics {
  readonly row: MarketInfo;
  readonly chain: ChainStats;
  /** Absent while the history has no trade of the market, or there is no history. */
  readonly history: MarketStats | undefined;
}

/** The body of /stats/markets. */
export function statsText(markets: readonly MarketStatistics[]): string {
  return `[${markets.map(marketText).join(',')}]`;
}

function marketText({ row, chain, history }: MarketStatistics): string {
  const { perp } = chain;
  const long = perp?.baseLong ?? 0n;
  const funding = perp === null ? noFunding : fundingOf(perp, history);
  return (
    `{"marketIndex":${row.marketIndex},"symbol":${JSON.stringify(row.symbol)},` +
    `"marketType":"${row.marketType}","oraclePrice":${priceText(chain.oraclePrice)},` +
    `"volume24h":${priceText(history?.quoteVolume24h ?? 0n)},` +
    `"openInterest":${priceText(divideToNearest(long * chain.oraclePrice, 10n ** BigInt(BASE_PLACES)))},` +
    `"fundingRate":${decimalText(funding.rate, FRACTION_PLACES)},` +
    `"fundingRate24hAvg":${decimalText(funding.average, FRACTION_PLACES)},` +
    `"status":${JSON.stringify(row.status)},` +
    `"longOpenInterest":${decimalText(long, BASE_PLACES)},` +
    `"shortOpenInterest":${decimalText(perp?.baseShort ?? 0n, BASE_PLACES)},` +
    `"fundingRateTs":${funding.ts},` +
    `"baseVolume24h":${decimalText(history?.baseVolume24h ?? 0n, BASE_PLACES)},` +
    `"price":${priceOrNull(history?.price)},"price24hAgo":${priceOrNull(history?.price24hAgo)},` +
    `"high24h":${priceOrNull(history?.high24h)},"low24h":${priceOrNull(history?.low24h)}}`
  );
}

interface Funding {
  /** Fractions an hour, at 1e18. */
  readonly rate: bigint;
  readonly average: bigint;
  /** Of the last rate, unix seconds; `null` before the first. */
  readonly ts: string;
}

const noFunding: Funding = { rate: 0n, average: 0n, ts: 'null' };

/**
 * The last rate is in the market's account and in the history; the newer one is taken, as either may be
 * behind the other. The average is that of the history's rates of 24 hours, and without any the one
 * that the program itself stores.
 */
function fundingOf(perp: PerpStats, history: MarketStats | undefined): Funding {
  const fraction = (rate: bigint): bigint => fundingFraction(rate, perp.fundingOracleTwap);
  const average = history?.fundingRate24hAvg ?? fraction(perp.fundingRate24h);
  const stored = history?.fundingRate ?? null;
  const storedTs = BigInt(history?.fundingRateTs ?? 0);
  if (stored !== null && storedTs >= perp.fundingTs)
    return { rate: stored, average, ts: `${storedTs}` };
  const ts = perp.fundingTs > 0n ? `${perp.fundingTs}` : 'null';
  return { rate: fraction(perp.fundingRate), average, ts };
}

/** A raw rate over a raw price, at 1e18; 0 where the oracle had no price. */
function fundingFraction(rate: bigint, oraclePrice: bigint): bigint {
  if (oraclePrice <= 0n) return 0n;
  const scale = 10n ** BigInt(FRACTION_PLACES + PRICE_PLACES - RATE_PLACES);
  return divideToNearest(rate * scale, oraclePrice);
}

/** A quotient to the nearest, halves away from zero. The divisor is positive. */
function divideToNearest(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n);
  return dividend < 0n ? -rounded : rounded;
}

function priceText(value: bigint): string {
  return decimalText(value, PRICE_PLACES);
}

function priceOrNull(value: bigint | null | undefined): string {
  return value === null || value === undefined ? 'null' : priceText(value);
}

/** `value` divided by ten to the power of `places`, with as many digits as it needs. */
function decimalText(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const point = digits.length - places;
  const text = `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, '');
  return value < 0n ? `-${text}` : text;
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

const periodSeconds: Readonly<Record<(typeof VOLUME_PERIODS)[number], number>> = {
  '1h': HOUR_SECONDS,
  '24h': 24 * HOUR_SECONDS,
  '30d': 30 * 24 * HOUR_SECONDS,
};

/** The names of the volume paths. */
type VolumePathName = '/stats/markets/volume' | '/stats/markets/volume/{period}';

/** The routes of both volume paths, which share their limits. */
export function volumeRoutes(
  options: HistoryRouteOptions,
): Readonly<Record<VolumePathName, HistoryRoute>> {
  compileParamSchemas([volumeParams, volumePeriodParams]);
  const responder = new VolumeResponder(options);
  return {
    '/stats/markets/volume': (request) =>
      responder.replyTo(request, () => hoursOf(checkParams(volumeParams, textsOf(request)))),
    '/stats/markets/volume/{period}': (request, texts) =>
      responder.replyTo(request, (ts) => periodOf(checkParams(volumePeriodParams, texts), ts)),
  };
}

class VolumeResponder {
  readonly #queue: HistoryQueue;
  readonly #cache = new BodyCache<HistoryBody>(LIMITS.historyCacheBytesMax);
  readonly #gzips = new GzipCache();

  readonly #options: HistoryRouteOptions;

  constructor(options: HistoryRouteOptions) {
    this.#options = options;
    this.#queue = new HistoryQueue(options.history);
  }

  replyTo(request: HttpRequest, parse: (chainTs: number) => VolumesQuery): Reply | Promise<Reply> {
    const { book, history, readiness, nowMs = Date.now } = this.#options;
    requireFirstBook(readiness());
    requireHistory(history);
    const query = parse(chainSeconds(history));
    const key = `${book.epoch} ${query.from} ${query.to}`;
    const version = String(Math.floor(nowMs() / 1_000));
    // Read now, because the transport's request is valid only within this call.
    const client = {
      ifNoneMatch: request.getHeader('if-none-match'),
      isZipped: requestAcceptsGzip(request),
    };
    const cached = this.#cache.findBody(key, version);
    if (cached !== undefined) return this.#replyWith(client, cached, key);
    const queued = { name: `${version} ${key}`, query, isGone: () => request.isGone };
    return this.#queue.runQuery(queued).then((found) => {
      this.#cache.cacheBody(key, { version, body: found, bytes: found.body.length });
      return this.#replyWith(client, found, key);
    });
  }

  #replyWith(client: Client, { body }: HistoryBody, key: string): Reply | Promise<Reply> {
    const { book, history } = this.#options;
    const tag = contentTag(book.epoch, { body, state: history.readStats().state });
    const { ifNoneMatch, isZipped } = client;
    const unchanged = notModifiedReply({ getHeader: () => ifNoneMatch }, tag);
    if (unchanged !== undefined) return unchanged;
    return bodyReply(tag, { body, identity: body, isZipped, gzips: this.#gzips, key });
  }
}

/** The headers of a request that decide its reply. */
interface Client {
  readonly ifNoneMatch: string;
  readonly isZipped: boolean;
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
