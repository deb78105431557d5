/** /candles: the candles of a market, oldest first. */
import { type Static, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { RESOLUTION_NAMES, resolutionOf } from '../../contract/resolutions.js';
import { marketOf } from '../api/market-params.js';
import { rows, seconds, symbol, wordSchema } from '../api/param-parts.js';
import { candlePrices, oraclePrices } from '../api/record-parts.js';
import { floorTo, type ParseContext } from '../api/request-params.js';
import { count, decimal, mayMiss } from '../api/schema-parts.js';
import { ServerError } from '../transport/errors.js';
import { ofHistory, queryBy } from './history-paths.js';
import type { Path } from './path.js';

/** The length of a candle. */
export const resolution = wordSchema(RESOLUTION_NAMES, {
  description: 'Length of a candle in minutes; D (or 1440) a day, W a week, M a month of UTC.',
});

const candlesParams = Type.Object({
  symbol,
  resolution,
  from: seconds('Oldest start of a candle in unix seconds, inclusive'),
  to: seconds('Newest start of a candle in unix seconds, inclusive; not given means now'),
  limit: rows('Candles, the newest of the range,', {
    max: LIMITS.candlesMax,
    byDefault: LIMITS.candlesMax,
  }),
});

const candle = Type.Object({
  ts: count('Start, unix time in seconds.'),
  ...candlePrices,
  baseVolume: decimal('Base that was traded.'),
  quoteVolume: mayMiss(decimal('Quote that was paid for it.')),
  ...oraclePrices,
});

/** The path. */
export const candles = {
  ...ofHistory,
  summary: 'The candles of a market, oldest first',
  ...queryBy(candlesParams, ({ from, to, limit, ...asked }, of) => {
    if (from !== undefined && to !== undefined && from > to) {
      throw new ServerError('INVALID_PARAM', `from was ${from}, must be at most to, ${to}`, 'from');
    }
    return {
      ...candlesOf(asked, of),
      limit,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      form: 'spec',
    };
  }),
  body: {
    name: 'Candles',
    schema: Type.Array(candle, { description: 'Oldest first, without gaps.' }),
  },
} as const satisfies Path;

/** Returns the query for the candles of a market up to a time. Throws UNKNOWN_MARKET. */
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
