/**
 * The paths of TradingView's UDF that need no candles; the chart library requests them before bars.
 * The paths share the base path /udf (`datafeedUrl` of the library), because names such as /time
 * and /search would be unclear at the root.
 */
import { Type } from '@sinclair/typebox';
import { QUOTE_PLACES } from '../../amounts/decimals.js';
import { LIMITS } from '../../config/limits.js';
import type { MarketInfo } from '../../contract/markets.js';
import { sortedMarkets } from '../api/market-directory.js';
import { throwUnknownMarket } from '../api/market-params.js';
import { readQuery } from '../api/param-check.js';
import { ANY_CASE, symbol as marketName, wholeSchema, wordSchema } from '../api/param-parts.js';
import { count, marketType, symbol, text } from '../api/schema-parts.js';
import { ofUdf, UDF_EXCHANGE, UDF_RESOLUTIONS_LISTED, udfMarketName } from '../api/udf-parts.js';
import { bodyOf } from '../api/written-body.js';
import type { ServerError } from '../transport/errors.js';
import {
  commonHeaders,
  errorReply,
  type HttpRequest,
  jsonReply,
  type Reply,
} from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import { chainSeconds } from './history-responder.js';
import type { HistoryService, Path } from './path.js';
import { baseAssetOf } from './stats-records.js';

const udfSymbolParams = Type.Object({ symbol: marketName });

const udfSearchParams = Type.Object({
  query: Type.String({
    maxLength: LIMITS.marketNameBytesMax,
    default: '',
    description: 'A part of the name in any case; all markets without it.',
  }),
  type: wordSchema(['', 'perp', 'spot'], {
    [ANY_CASE]: true,
    default: '',
    description: 'Only markets of this type.',
  }),
  limit: wholeSchema(
    { min: 1, max: LIMITS.udfSearchMax, byDefault: LIMITS.udfSearchDefault },
    'Markets at most.',
  ),
});

const resolutions = Type.Array(text('A resolution.'), { description: 'The lengths of bars.' });
const named = (what: string) =>
  Type.Array(Type.Object({ value: text('For search.'), name: text('As shown.') }), {
    description: what,
  });

const exchange = text('Always `Drift`.');

const configSchema = Type.Object({
  supports_search: Type.Literal(true),
  supports_group_request: Type.Literal(false),
  supports_marks: Type.Literal(false),
  supports_timescale_marks: Type.Literal(false),
  supports_time: Type.Literal(true),
  supported_resolutions: resolutions,
  exchanges: Type.Array(
    Type.Object({ value: text('For search.'), name: exchange, desc: text('Likewise.') }),
  ),
  symbols_types: named('The types of markets.'),
});

/** /udf/config. */
export const udfConfig = {
  ...ofUdf,
  summary: "What TradingView's chart library may ask here",
  body: {
    name: 'UdfConfig',
    schema: configSchema,
  },
  open: () => () => jsonReply(configText),
} as const satisfies Path;

const symbolSchema = Type.Object({
  name: symbol,
  ticker: symbol,
  description: text('The pair.'),
  type: marketType,
  session: Type.Literal('24x7'),
  timezone: Type.Literal('Etc/UTC'),
  exchange,
  listed_exchange: exchange,
  'exchange-traded': exchange,
  'exchange-listed': exchange,
  currency_code: text('The token that prices are in.'),
  format: Type.Literal('price'),
  minmov: count('A price step, in parts of `pricescale`.'),
  minmov2: Type.Literal(0),
  pricescale: count('Parts of a quote unit.'),
  volume_precision: count('Places of a volume.'),
  has_intraday: Type.Literal(true),
  has_daily: Type.Literal(true),
  has_weekly_and_monthly: Type.Literal(true),
  intraday_multipliers: resolutions,
  supported_resolutions: resolutions,
  data_status: Type.Literal('streaming'),
});

/** /udf/symbols. */
export const udfSymbols = {
  ...ofUdf,
  summary: 'A market, for the chart library',
  params: udfSymbolParams,
  body: {
    name: 'UdfSymbol',
    schema: symbolSchema,
  },
  errors: ['MISSING_PARAM', 'INVALID_PARAM', 'UNKNOWN_MARKET', 'NOT_READY'],
  open: (service: HistoryService) => (request: HttpRequest) => symbolReply(request, service),
} as const satisfies Path;

/** /udf/search. */
export const udfSearch = {
  ...ofUdf,
  summary: 'The markets whose names have a text in them, for the chart library',
  params: udfSearchParams,
  body: {
    name: 'UdfSearch',
    schema: Type.Array(
      Type.Object({
        symbol,
        full_name: text('Exchange and name.'),
        description: text('The pair.'),
        exchange,
        ticker: symbol,
        type: marketType,
      }),
      { description: 'Those whose name begins with the query come first.' },
    ),
  },
  errors: ['INVALID_PARAM', 'OUT_OF_RANGE', 'NOT_READY'],
  open: (service: HistoryService) => (request: HttpRequest) => searchReply(request, service),
} as const satisfies Path;

/** /udf/time. */
export const udfTime = {
  ...ofUdf,
  summary: "The chain's time in unix seconds, for the chart library",
  body: { contentType: 'text/plain' },
  open: (service: HistoryService) => () => timeReply(service),
} as const satisfies Path;

/**
 * Returns an error in the format of the library: `s` and `errmsg`, in addition to the members of
 * all errors.
 */
export function udfErrorReply(error: ServerError): Reply {
  const { error: shape } = JSON.parse(error.toBody());
  const body = JSON.stringify({ s: 'error', errmsg: error.message, error: shape });
  return { ...errorReply(error), body };
}

const configText = JSON.stringify(
  bodyOf(configSchema, {
    supported_resolutions: UDF_RESOLUTIONS_LISTED,
    exchanges: [{ value: '', name: UDF_EXCHANGE, desc: UDF_EXCHANGE }],
    symbols_types: [
      { value: '', name: 'All' },
      { value: 'perp', name: 'Perpetual' },
      { value: 'spot', name: 'Spot' },
    ],
  }),
);

function symbolReply(request: HttpRequest, { directory, readiness }: HistoryService): Reply {
  requireFirstBook(readiness());
  const { symbol } = readQuery(udfSymbolParams, request.query);
  const name = udfMarketName(symbol);
  const market = directory.findMarket(name) ?? throwUnknownMarket(name, 'symbol');
  return jsonReply(JSON.stringify(symbolBody(market)));
}

function symbolBody(market: MarketInfo): object {
  const { symbol, marketType, stepSize, decimals } = market;
  return bodyOf(symbolSchema, {
    name: symbol,
    ticker: symbol,
    description: pairOf(market),
    type: marketType,
    exchange: UDF_EXCHANGE,
    listed_exchange: UDF_EXCHANGE,
    'exchange-traded': UDF_EXCHANGE,
    'exchange-listed': UDF_EXCHANGE,
    currency_code: market.quoteAsset,
    ...priceScaleOf(market),
    volume_precision: Math.max(0, decimals - trailingZeroes(stepSize)),
    intraday_multipliers: UDF_RESOLUTIONS_LISTED.filter((name) => /^\d+$/.test(name)),
    supported_resolutions: UDF_RESOLUTIONS_LISTED,
  });
}

/**
 * Writes a price step as `minmov` over `pricescale`, a power of ten that sets the number of
 * displayed places.
 */
function priceScaleOf({ tickSize }: MarketInfo) {
  const zeroes = Math.min(QUOTE_PLACES, trailingZeroes(tickSize));
  const minmov = Math.max(1, Number(tickSize / 10n ** BigInt(zeroes)));
  return { minmov, pricescale: 10 ** (QUOTE_PLACES - zeroes) };
}

function trailingZeroes(value: bigint): number {
  return /0*$/.exec(value === 0n ? '' : value.toString())?.[0].length ?? 0;
}

function searchReply(request: HttpRequest, { directory, readiness }: HistoryService): Reply {
  requireFirstBook(readiness());
  const { query, type, limit } = readQuery(udfSearchParams, request.query);
  const part = query.toUpperCase();
  const found = sortedMarkets(directory)
    .map((market) => ({ market, at: market.symbol.toUpperCase().indexOf(part) }))
    .filter(({ market, at }) => at >= 0 && (type === '' || market.marketType === type));
  // The sort is stable, so equal matches keep the order of the markets.
  found.sort((left, right) => Math.min(left.at, 1) - Math.min(right.at, 1));
  const rows = found.slice(0, limit).map(({ market }) => searchRow(market));
  return jsonReply(JSON.stringify(rows));
}

function searchRow(market: MarketInfo) {
  const { symbol, marketType } = market;
  return {
    symbol,
    full_name: `${UDF_EXCHANGE}:${symbol}`,
    description: pairOf(market),
    exchange: UDF_EXCHANGE,
    ticker: symbol,
    type: marketType,
  };
}

function pairOf(market: MarketInfo): string {
  return `${baseAssetOf(market)} / ${market.quoteAsset}`;
}

/**
 * Replies with the chain's time, from which bars are counted, or with the machine's time until the
 * chain's time is known.
 */
function timeReply({ history, timers }: HistoryService): Reply {
  const seconds = chainSeconds(history) || Math.floor(timers.unixMs() / 1_000);
  const headers = [['Content-Type', 'text/plain; charset=utf-8'] as const, ...commonHeaders];
  return { status: 200, headers, body: String(seconds) };
}
