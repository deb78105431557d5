/** /udf/history: the bars of a market for TradingView's chart library. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { symbol, wholeSchema, wordSchema } from '../api/param-parts.js';
import { floorTo } from '../api/request-params.js';
import { count, decimal } from '../api/schema-parts.js';
import { ofUdf, UDF_RESOLUTION_NAMES, udfMarketName, udfResolutionOf } from '../api/udf-parts.js';
import { candlesOf } from './candles.js';
import { queryBy } from './history-paths.js';
import type { Path } from './path.js';

/** Libraries that want all there is ask up to times far away, such as 9999999999. */
const { MAX_SAFE_INTEGER: farthest } = Number;

const time = (description: string) =>
  Type.Optional(Type.Integer({ minimum: -farthest, maximum: farthest, description }));

const udfHistoryParams = Type.Object({
  symbol,
  resolution: wordSchema(UDF_RESOLUTION_NAMES, {
    description: 'Length of a bar in minutes, or D, W, M, with or without a 1 before it.',
  }),
  from: time('The oldest start of a bar, unix seconds, inclusive; ignored with countback.'),
  to: time('The end of the range, unix seconds, exclusive; not given means now.'),
  countback: Type.Optional(
    wholeSchema(
      { min: 0, max: LIMITS.udfCountbackMax },
      `Bars before to. At most ${LIMITS.candlesMax} are returned, the newest.`,
    ),
  ),
});

const seconds = (description: string) => Type.Array(count('Unix seconds.'), { description });
const numbers = (description: string) => Type.Array(decimal('A number.'), { description });

/** The path. */
export const udfHistory = {
  ...ofUdf,
  summary: 'The bars of a market, oldest first, for the chart library',
  // The last `countback` bars before `to`, or else all bars from `from` on. The library may ask for
  // times in the future and before 1970.
  ...queryBy(udfHistoryParams, (params, of) => {
    const symbol = udfMarketName(params.symbol);
    const { from = 0, to = Number.POSITIVE_INFINITY, countback = 0 } = params;
    const resolution = udfResolutionOf(params.resolution);
    const newest = Math.max(of.nowSeconds, of.wallSeconds);
    const limit = Math.min(countback === 0 ? LIMITS.candlesMax : countback, LIMITS.candlesMax);
    return {
      ...candlesOf({ symbol, resolution }, of),
      limit,
      ...(countback > 0 ? {} : { from: Math.min(Math.max(0, from), LIMITS.unixSecondsMax) }),
      // All charts that end at the newest bar share one query; bars begin with minutes, and the newest
      // may be later than the finalised time.
      ...(to > newest ? {} : { to: floorTo(Math.max(0, to - 1), 60) }),
      form: 'udf',
    };
  }),
  body: {
    name: 'UdfHistory',
    schema: Type.Union([
      Type.Object({
        s: Type.Literal('ok'),
        t: seconds('Starts of the bars, oldest first.'),
        o: numbers('Opens.'),
        h: numbers('Highs.'),
        l: numbers('Lows.'),
        c: numbers('Closes.'),
        v: numbers('Base that was traded.'),
      }),
      Type.Object({
        s: Type.Literal('no_data'),
        nextTime: Type.Optional(count('Start of the last bar before the range, unix seconds.')),
      }),
    ]),
  },
  tagged: true,
  errors: [
    'MISSING_PARAM',
    'INVALID_PARAM',
    'OUT_OF_RANGE',
    'UNKNOWN_MARKET',
    'NOT_READY',
    'LIMIT_EXCEEDED',
  ],
} as const satisfies Path;
