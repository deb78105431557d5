/**
 * The paths of TradingView's UDF that need no candles: what its chart library asks of a server before it
 * asks for bars. They stand under one base path, the library's `datafeedUrl`, because names as /time and
 * /search say nothing at the root.
 */

import { QUOTE_PLACES } from '../../amounts/decimals.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { throwUnknownMarket } from '../api/book-params.js';
import { checkParams, compileParamSchemas, splitQuery, type Texts } from '../api/param-check.js';
import {
  UDF_EXCHANGE,
  UDF_RESOLUTIONS_LISTED,
  udfMarketName,
  udfSearchParams,
  udfSymbolParams,
} from '../api/udf-schemas.js';
import type { ServerError } from '../transport/errors.js';
import {
  commonHeaders,
  errorReply,
  type HttpRequest,
  jsonReply,
  type Reply,
} from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import { chainSeconds, type HistoryRouteOptions } from './history-routes.js';
import { sortedMarkets } from './service-routes.js';
import { baseAssetOf, quoteAssetOf } from './stats-records.js';

type UdfPathName = '/udf/config' | '/udf/symbols' | '/udf/search' | '/udf/time';

/** Handles one of these paths. */
type UdfRoute = (request: HttpRequest) => Reply;

/** The routes of these paths. */
export function udfRoutes(options: HistoryRouteOptions): Readonly<Record<UdfPathName, UdfRoute>> {
  compileParamSchemas([udfSymbolParams, udfSearchParams]);
  return {
    '/udf/config': () => jsonReply(configText),
    '/udf/symbols': (request) => symbolReply(request, options),
    '/udf/search': (request) => searchReply(request, options),
    '/udf/time': () => timeReply(options),
  };
}

/** An error as the library reads it: with `s` and `errmsg`, beside what all errors here have. */
export function udfErrorReply(error: ServerError): Reply {
  const { error: shape } = JSON.parse(error.toBody());
  const body = JSON.stringify({ s: 'error', errmsg: error.message, error: shape });
  return { ...errorReply(error), body };
}

const configText = JSON.stringify({
  ...{ supports_search: true, supports_group_request: false, supports_marks: false },
  ...{ supports_timescale_marks: false, supports_time: true },
  supported_resolutions: UDF_RESOLUTIONS_LISTED,
  exchanges: [{ value: '', name: UDF_EXCHANGE, desc: UDF_EXCHANGE }],
  symbols_types: [
    { value: '', name: 'All' },
    { value: 'perp', name: 'Perpetual' },
    { value: 'spot', name: 'Spot' },
  ],
});

function symbolReply(request: HttpRequest, { directory, readiness }: HistoryRouteOptions): Reply {
  requireFirstBook(readiness());
  const { symbol } = checkParams(udfSymbolParams, textsOf(request, udfSymbolParams.properties));
  const name = udfMarketName(symbol);
  const market = directory.findMarket(name) ?? throwUnknownMarket(name, 'symbol');
  return jsonReply(JSON.stringify(symbolBody(market, directory)));
}

function symbolBody(market: MarketInfo, directory: MarketDirectory) {
  const { symbol, marketType, stepSize, decimals } = market;
  const quote = quoteAssetOf(directory.markets());
  return {
    ...{ name: symbol, ticker: symbol, description: pairOf(market, quote), type: marketType },
    ...{
      session: '24x7',
      timezone: 'Etc/UTC',
      exchange: UDF_EXCHANGE,
      listed_exchange: UDF_EXCHANGE,
    },
    ...{ 'exchange-traded': UDF_EXCHANGE, 'exchange-listed': UDF_EXCHANGE },
    ...{ currency_code: quote, format: 'price' },
    ...priceScaleOf(market),
    volume_precision: Math.max(0, decimals - trailingZeroes(stepSize)),
    ...{ has_intraday: true, has_daily: true, has_weekly_and_monthly: true },
    intraday_multipliers: UDF_RESOLUTIONS_LISTED.filter((name) => /^\d+$/.test(name)),
    supported_resolutions: UDF_RESOLUTIONS_LISTED,
    data_status: 'streaming',
  };
}

/** A price step as `minmov` over `pricescale`, a power of ten: as many places are shown. */
function priceScaleOf({ tickSize }: MarketInfo) {
  const zeroes = Math.min(QUOTE_PLACES, trailingZeroes(tickSize));
  const minmov = Math.max(1, Number(tickSize / 10n ** BigInt(zeroes)));
  return { minmov, minmov2: 0, pricescale: 10 ** (QUOTE_PLACES - zeroes) };
}

function trailingZeroes(value: bigint): number {
  return /0*$/.exec(value === 0n ? '' : value.toString())?.[0].length ?? 0;
}

function searchReply(request: HttpRequest, { directory, readiness }: HistoryRouteOptions): Reply {
  requireFirstBook(readiness());
  const texts = textsOf(request, udfSearchParams.properties);
  const { query, type, limit } = checkParams(udfSearchParams, texts);
  const part = query.toUpperCase();
  const found = sortedMarkets(directory)
    .map((market) => ({ market, at: market.symbol.toUpperCase().indexOf(part) }))
    .filter(({ market, at }) => at >= 0 && (type === '' || market.marketType === type));
  // Sorting keeps the order of the markets among equals.
  found.sort((left, right) => Math.min(left.at, 1) - Math.min(right.at, 1));
  const quote = quoteAssetOf(directory.markets());
  const rows = found.slice(0, limit).map(({ market }) => searchRow(market, quote));
  return jsonReply(JSON.stringify(rows));
}

function searchRow(market: MarketInfo, quote: string) {
  const { symbol, marketType } = market;
  return {
    ...{ symbol, full_name: `${UDF_EXCHANGE}:${symbol}`, description: pairOf(market, quote) },
    ...{ exchange: UDF_EXCHANGE, ticker: symbol, type: marketType },
  };
}

function pairOf(market: MarketInfo, quote: string): string {
  return `${baseAssetOf(market)} / ${quote}`;
}

/** The chain's time, from which bars are counted; before it is known that of the machine. */
function timeReply({ history, timers }: HistoryRouteOptions): Reply {
  const seconds = chainSeconds(history) || Math.floor(timers.unixMs() / 1_000);
  const headers = [['Content-Type', 'text/plain; charset=utf-8'] as const, ...commonHeaders];
  return { status: 200, headers, body: String(seconds) };
}

function textsOf(request: HttpRequest, known: Readonly<Record<string, unknown>>): Texts {
  return splitQuery(request.query, known);
}
