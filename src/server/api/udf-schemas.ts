/** Parameters and bodies of the paths of TradingView's UDF, the protocol of its chart library. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import {
  RESOLUTION_NAMES,
  RESOLUTIONS,
  type Resolution,
  type ResolutionName,
  resolutionOf,
} from '../../contract/resolutions.js';
import { ANY_CASE, symbol as marketName, wordSchema } from './param-schemas.js';
import { count, decimal, marketType, symbol, text } from './schema-parts.js';

/** The name of the exchange that charts show. */
export const UDF_EXCHANGE = 'Drift';

/** A market's name of one that may have the exchange before it, as charts that were saved have it. */
export function udfMarketName(name: string): string {
  const prefix = `${UDF_EXCHANGE}:`.toUpperCase();
  return name.toUpperCase().startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The resolution of a name that charts use: a name of the service, or with a 1 before a letter. */
export const udfResolutionOf = (name: string): Resolution =>
  resolutionOf(name.replace(/^1(?=[A-Z])/, '') as ResolutionName);

/** The names that /udf/config lists: those of the chart library. */
export const UDF_RESOLUTIONS_LISTED = RESOLUTIONS.map((name) =>
  /^[A-Z]/.test(name) ? `1${name}` : name,
);

const UDF_RESOLUTION_NAMES = [...new Set([...RESOLUTION_NAMES, ...UDF_RESOLUTIONS_LISTED])];

/** The parameters of /udf/symbols. */
export const udfSymbolParams = Type.Object({ symbol: marketName });

/** The parameters of /udf/search. */
export const udfSearchParams = Type.Object({
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
  limit: Type.Integer({
    minimum: 1,
    maximum: LIMITS.udfSearchMax,
    default: LIMITS.udfSearchDefault,
    description: 'Markets at most.',
  }),
});

const { unixSecondsMax } = LIMITS;

const time = (description: string) =>
  Type.Optional(Type.Integer({ minimum: -unixSecondsMax, maximum: unixSecondsMax, description }));

/** The parameters of /udf/history. */
export const udfHistoryParams = Type.Object({
  symbol: marketName,
  resolution: wordSchema(UDF_RESOLUTION_NAMES, {
    description: 'Length of a bar in minutes, or D, W, M, with or without a 1 before it.',
  }),
  from: time('The oldest start of a bar, unix seconds, inclusive; ignored with countback.'),
  to: time('The end of the range, unix seconds, exclusive; not given means now.'),
  countback: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.udfCountbackMax,
      description: `Bars before to. At most ${LIMITS.candlesMax} are returned, the newest.`,
    }),
  ),
});

const resolutions = Type.Array(text('A resolution.'), { description: 'The lengths of bars.' });
const named = (what: string) =>
  Type.Array(Type.Object({ value: text('For search.'), name: text('As shown.') }), {
    description: what,
  });
const seconds = (description: string) => Type.Array(count('Unix seconds.'), { description });
const numbers = (description: string) => Type.Array(decimal('A number.'), { description });
const exchange = text('Always `Drift`.');

/** Every body of these paths by its name in the API description. */
export const udfBodySchemas = {
  UdfConfig: Type.Object({
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
  }),
  UdfSymbol: Type.Object({
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
  }),
  UdfSearch: Type.Array(
    Type.Object({
      ...{ symbol, full_name: text('Exchange and name.'), description: text('The pair.') },
      ...{ exchange, ticker: symbol, type: marketType },
    }),
    { description: 'Those whose name begins with the query come first.' },
  ),
  UdfHistory: Type.Union([
    Type.Object({
      s: Type.Literal('ok'),
      t: seconds('Starts of the bars, oldest first.'),
      ...{ o: numbers('Opens.'), h: numbers('Highs.'), l: numbers('Lows.') },
      ...{ c: numbers('Closes.'), v: numbers('Base that was traded.') },
    }),
    Type.Object({
      s: Type.Literal('no_data'),
      nextTime: Type.Optional(count('Start of the last bar before the range, unix seconds.')),
    }),
  ]),
};
