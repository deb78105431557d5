/** /market/{symbol}/candles/{resolution}: candles in the format of the Drift v2 data API. */
import { type Static, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { CandlesQuery } from '../../contract/history-queries.js';
import { rows, secondsOrMs, symbol } from '../api/param-parts.js';
import { candlePrices, envelope, oraclePrices } from '../api/record-parts.js';
import { type ParseContext, secondsOf } from '../api/request-params.js';
import { count, decimal } from '../api/schema-parts.js';
import { ServerError } from '../transport/errors.js';
import { candlesOf, resolution } from './candles.js';
import { ofHistory, queryBy } from './history-paths.js';
import type { Path } from './path.js';

const candleRecordsParams = Type.Object({
  symbol,
  resolution,
  limit: rows('Candles', { max: LIMITS.candlesMax, byDefault: LIMITS.candleRecordsDefault }),
  startTs: Type.Optional(
    secondsOrMs('The newer bound of a candle in unix seconds, inclusive; not given means now.'),
  ),
  endTs: Type.Optional(
    secondsOrMs('The older bound in unix seconds, inclusive; ignored without startTs.'),
  ),
});

const candleRecord = Type.Object({
  ts: count('Start, unix time in seconds.'),
  ...candlePrices,
  ...oraclePrices,
  quoteVolume: decimal('Quote that was paid.'),
  baseVolume: decimal('Base that was traded.'),
});

/** The path. */
export const marketCandles = {
  ...ofHistory,
  summary: 'The candles of a market, newest first; startTs is the newer bound, endTs the older',
  ...queryBy(candleRecordsParams, candleRecordsOf),
  body: {
    name: 'CandleRecords',
    schema: envelope(candleRecord),
  },
} as const satisfies Path;

/**
 * Returns the query of the parameters: `startTs` is the newer bound and `endTs` the older bound;
 * `endTs` without `startTs` is ignored. Throws a ServerError that names the wrong parameter.
 */
function candleRecordsOf(
  params: Static<typeof candleRecordsParams>,
  { markets, nowSeconds, wallSeconds }: ParseContext,
): CandlesQuery {
  const startTs = secondsOf(params.startTs);
  const endTs = secondsOf(params.endTs);
  for (const [name, ts] of [['startTs', startTs] as const, ['endTs', endTs] as const]) {
    // The later of chain time and wall clock counts, because a client's time may be right when one
    // clock is wrong.
    if (ts !== undefined) requirePast(name, ts, Math.max(nowSeconds, wallSeconds));
  }
  const query = { ...candlesOf(params, { markets, nowSeconds }), limit: params.limit };
  if (startTs === undefined) return { ...query, form: 'records' };
  if (endTs === undefined) return { ...query, to: startTs, form: 'records' };
  if (startTs <= endTs) {
    const message = `startTs was ${startTs}, must be after endTs, ${endTs}: it is the newer bound`;
    throw new ServerError('INVALID_PARAM', message, 'startTs');
  }
  return { ...query, from: endTs, to: startTs, form: 'records' };
}

function requirePast(name: string, ts: number, nowSeconds: number): void {
  const min = LIMITS.candleRecordsTsMin;
  const max = nowSeconds + LIMITS.clientAheadSecondsMax;
  if (ts >= min && ts <= max) return;
  const rule = ts < min ? `at least ${min}` : `at most ${nowSeconds}: it is in the future`;
  throw new ServerError('OUT_OF_RANGE', `${name} was ${ts}, must be ${rule}`, name);
}
