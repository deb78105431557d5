/**
 * The parameters of the history's paths, from the texts of a request to a query of the history.
 *
 * This file does not know what the history holds; of the book it uses only the list of markets. Times
 * are rounded down to the minute or the hour, so that equal requests within it are one query.
 */
import type { Static, TObject } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type {
  ArchiveQuery,
  CandlesQuery,
  FundingRatesQuery,
  TradesQuery,
} from '../../contract/history-queries.js';
import type { MarketKey } from '../../contract/markets.js';
import { resolutionOf } from '../../contract/resolutions.js';
import { ServerError } from '../transport/errors.js';
import { missingParamError, selectMarket, throwUnknownMarket } from './book-params.js';
import { checkParams, compileParamSchemas, splitQuery, type Texts } from './param-check.js';
import {
  archiveParams,
  candleRecordsParams,
  candlesParams,
  fundingRateRecordsParams,
  fundingRatesParams,
  ruleOf,
  tradeRecordsParams,
  tradesParams,
} from './param-schemas.js';

/** The texts of one request. */
export interface RequestTexts {
  /** The raw query without `?`. */
  readonly query: string;
  /** The texts of the names that the path has in braces, decoded. */
  readonly pathTexts: Texts;
}

/** The markets and the times against which a request is checked. */
export interface ParseContext {
  readonly markets: MarketDirectory;
  /** The chain's time, unix seconds; 0 before it is known. */
  readonly nowSeconds: number;
  /** The wall clock, unix seconds. */
  readonly wallSeconds: number;
}

/** Compiles the schemas of these paths. */
export function compileHistoryParams(): void {
  compileParamSchemas([tradesParams, fundingRatesParams, tradeRecordsParams]);
  compileParamSchemas([fundingRateRecordsParams, candlesParams, candleRecordsParams]);
  compileParamSchemas([archiveParams]);
}

/** Reads the parameters of /trades. Throws a ServerError that names the wrong one. */
export function parseTrades(request: RequestTexts, { markets }: ParseContext): TradesQuery {
  const params = checkRequest(tradesParams, request);
  return { kind: 'trades', ...namedMarket(params, markets), ...placeOf(params) };
}

/** Reads the parameters of /fundingRates. Throws a ServerError that names the wrong one. */
export function parseFundingRates(request: RequestTexts, of: ParseContext): FundingRatesQuery {
  const params = checkRequest(fundingRatesParams, request);
  const since = sinceOf(of.nowSeconds);
  return { kind: 'fundingRates', ...namedMarket(params, of.markets), ...placeOf(params), since };
}

/** Reads the parameters of /market/{symbol}/trades. Throws a ServerError that names the wrong one. */
export function parseTradeRecords(request: RequestTexts, { markets }: ParseContext): TradesQuery {
  const params = checkRequest(tradeRecordsParams, request);
  const market = marketOf(params.symbol, markets);
  return { kind: 'trades', market, ...pageOf(params), form: 'records' };
}

/** Reads the parameters of /market/{symbol}/fundingRates. Throws a ServerError that names the wrong one. */
export function parseFundingRateRecords(
  request: RequestTexts,
  of: ParseContext,
): FundingRatesQuery {
  const params = checkRequest(fundingRateRecordsParams, request);
  const market = marketOf(params.symbol, of.markets);
  const since = sinceOf(of.nowSeconds);
  return { kind: 'fundingRates', market, ...pageOf(params), since, form: 'records' };
}

/** Reads the parameters of a market's archive of trades. Throws a ServerError that names the wrong one. */
export function parseTradeArchive(request: RequestTexts, of: ParseContext): ArchiveQuery {
  return { kind: 'archive', records: 'trades', ...dayOf(request, of) };
}

/** Reads the parameters of its archive of funding rates, likewise. */
export function parseFundingRateArchive(request: RequestTexts, of: ParseContext): ArchiveQuery {
  return { kind: 'archive', records: 'fundingRates', ...dayOf(request, of) };
}

/** Reads the parameters of /candles. Throws a ServerError that names the wrong one. */
export function parseCandles(
  request: RequestTexts,
  { markets, nowSeconds }: ParseContext,
): CandlesQuery {
  const { symbol, resolution, from, to, limit } = checkRequest(candlesParams, request);
  if (from !== undefined && to !== undefined && from > to) {
    throw new ServerError('INVALID_PARAM', `from was ${from}, must be at most to, ${to}`, 'from');
  }
  return {
    ...candlesOf({ symbol, resolution }, { markets, nowSeconds }),
    limit,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    form: 'spec',
  };
}

/**
 * Reads the parameters of /market/{symbol}/candles/{resolution}, where `startTs` is the newer bound and
 * `endTs` the older one, and is ignored without the other. Throws a ServerError that names the wrong one.
 */
export function parseCandleRecords(
  request: RequestTexts,
  { markets, nowSeconds, wallSeconds }: ParseContext,
): CandlesQuery {
  const params = checkRequest(candleRecordsParams, request);
  const { symbol, resolution, limit } = params;
  const [startTs, endTs] = [secondsOf(params.startTs), secondsOf(params.endTs)];
  for (const [name, ts] of [['startTs', startTs] as const, ['endTs', endTs] as const]) {
    // Of two clocks the later one, because a client has the right time when one of them has not.
    if (ts !== undefined) requirePast(name, ts, Math.max(nowSeconds, wallSeconds));
  }
  const query = { ...candlesOf({ symbol, resolution }, { markets, nowSeconds }), limit };
  if (startTs === undefined) return { ...query, form: 'records' };
  if (endTs === undefined) return { ...query, to: startTs, form: 'records' };
  if (startTs <= endTs) {
    const message = `startTs was ${startTs}, must be after endTs, ${endTs}: it is the newer bound`;
    throw new ServerError('INVALID_PARAM', message, 'startTs');
  }
  return { ...query, from: endTs, to: startTs, form: 'records' };
}

/** The checked parameters of a request, of its path and its query. Throws a ServerError that names the wrong one. */
export function checkRequest<Schema extends TObject>(
  schema: Schema,
  { query, pathTexts }: RequestTexts,
) {
  const inQuery = Object.entries(schema.properties).filter(([name]) => !pathTexts.has(name));
  const texts = new Map([...splitQuery(query, Object.fromEntries(inQuery)), ...pathTexts]);
  return checkParams(schema, texts);
}

/** The market of a name. Throws UNKNOWN_MARKET. */
export function marketOf(symbol: string, markets: MarketDirectory): MarketKey {
  const { marketType, marketIndex } =
    markets.findMarket(symbol) ?? throwUnknownMarket(symbol, 'symbol');
  return `${marketType}_${marketIndex}`;
}

/** A market by `symbol`, which returns slotbook's own form, or by a name of the Drift v2 data API, which returns its form. */
function namedMarket(
  { symbol, ...named }: Static<typeof tradesParams>,
  markets: MarketDirectory,
): Pick<TradesQuery, 'market' | 'form'> {
  if (symbol !== undefined) return { market: marketOf(symbol, markets), form: 'spec' };
  if (named.marketName === undefined && named.marketIndex === undefined) {
    const rule = ruleOf(tradesParams.properties.symbol);
    throw missingParamError('symbol', `symbol must ${rule}, but is missing`);
  }
  const { marketType, marketIndex } = selectMarket(named, markets);
  return { market: `${marketType}_${marketIndex}`, form: 'named' };
}

/** A time in unix seconds, of one that may be in milliseconds. */
export function secondsOf<Ts extends number | undefined>(ts: Ts): Ts | number {
  return ts !== undefined && ts > LIMITS.unixSecondsMax ? Math.floor(ts / 1_000) : ts;
}

type Paged = Static<typeof tradesParams>;

function placeOf({ limit, pageIndex, before }: Paged) {
  if (before !== undefined) {
    if (pageIndex === undefined) return { limit, before };
    throw new ServerError('INVALID_PARAM', 'pageIndex cannot be given with before', 'pageIndex');
  }
  if (pageIndex === undefined || pageIndex === 0) return { limit };
  if (pageIndex * limit <= LIMITS.pagedRowsMax) return { limit, pageIndex };
  const message =
    `pageIndex was ${pageIndex}, must be at most ${Math.floor(LIMITS.pagedRowsMax / limit)} with ` +
    `a limit of ${limit}; for older rows send the header X-Next-Cursor of a page as before`;
  throw new ServerError('OUT_OF_RANGE', message, 'pageIndex');
}

function pageOf({ limit, page }: Static<typeof tradeRecordsParams>) {
  return page === undefined ? { limit } : { limit, before: page };
}

/** A day of the calendar, which no schema can say of three numbers. */
function dayOf(request: RequestTexts, { markets }: ParseContext) {
  const params = checkRequest(archiveParams, request);
  const { symbol, year, month, day, page, format } = params;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1) {
    const message = `day was ${day}, must be a day of month ${month} of ${year}`;
    throw new ServerError('INVALID_PARAM', message, 'day');
  }
  const from = date.getTime() / 1_000;
  const form: ArchiveQuery['form'] = format === 'csv' ? 'csv' : 'records';
  return { market: marketOf(symbol, markets), from, to: from + DAY_SECONDS, page, form };
}

const DAY_SECONDS = 86_400;

function sinceOf(nowSeconds: number): number {
  return floorTo(Math.max(0, nowSeconds - LIMITS.fundingRatesSeconds), 3_600);
}

/** The candles of a market up to a time. Throws UNKNOWN_MARKET. */
export function candlesOf(
  { symbol, resolution }: Pick<Static<typeof candlesParams>, 'symbol' | 'resolution'>,
  { markets, nowSeconds }: Pick<ParseContext, 'markets' | 'nowSeconds'>,
) {
  const market = marketOf(symbol, markets);
  return {
    kind: 'candles',
    market,
    resolution: resolutionOf(resolution),
    now: floorTo(nowSeconds, 60),
  } as const;
}

function requirePast(name: string, ts: number, nowSeconds: number): void {
  const [min, max] = [LIMITS.candleRecordsTsMin, nowSeconds + LIMITS.clientAheadSecondsMax];
  if (ts >= min && ts <= max) return;
  const rule = ts < min ? `at least ${min}` : `at most ${nowSeconds}: it is in the future`;
  throw new ServerError('OUT_OF_RANGE', `${name} was ${ts}, must be ${rule}`, name);
}

function floorTo(seconds: number, step: number): number {
  return seconds - (seconds % step);
}
