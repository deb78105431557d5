/**
 * Makes candles from the buckets of a market, each joined to the previous one. A candle opens at
 * the previous close, high and low include that open, and a bucket without trades is flat. The
 * first candle opens at the first trade; there is no candle before it.
 *
 * Only buckets are stored, so a late or reverted trade changes every later open and flat candle
 * without further work.
 */

import type { Resolution } from '../../contract/resolutions.js';
import { bucketAfter } from './resolution.js';
import { type Bucket, higherOf, lowerOf } from './rules.js';

/** A candle. Prices and quote at 1e6, base at 1e9. */
export interface Candle {
  /** The start of its bucket, unix seconds. */
  readonly ts: number;
  readonly fillOpen: bigint;
  readonly fillHigh: bigint;
  readonly fillLow: bigint;
  readonly fillClose: bigint;
  readonly oracleOpen: bigint;
  readonly oracleHigh: bigint;
  readonly oracleLow: bigint;
  readonly oracleClose: bigint;
  readonly baseVolume: bigint;
  readonly quoteVolume: bigint;
  readonly trades: number;
  /** Time (unix seconds) and number of the candle's last trade; null when it has none. */
  readonly lastTradeTs: number | null;
  readonly lastFillRecordId: bigint | null;
}

/** The prices at which the next candle opens, both at 1e6. */
export interface Close {
  readonly price: bigint;
  readonly oracle: bigint;
}

/** A run of buckets to join. */
interface CandleRun {
  readonly resolution: Resolution;
  /** Start of the first bucket; `to` is the start of the last bucket. */
  readonly from: number;
  readonly to: number;
  /** The last trade before `from`; null when there is none. */
  readonly before: Close | null;
  /** All buckets of the run that have trades, ascending. */
  readonly buckets: readonly Bucket[];
}

/** Returns the candles of a run, ascending and without a gap; none before the first trade. */
export function candlesOf({ resolution, from, to, before, buckets }: CandleRun): Candle[] {
  const candles: Candle[] = [];
  let previous = before;
  let next = 0;
  for (let ts = from; ts <= to; ts = bucketAfter(resolution, ts, 1)) {
    const bucket = buckets[next];
    if (bucket?.start === ts) {
      candles.push(candleOf(bucket, previous));
      previous = bucket.last;
      next += 1;
    } else if (previous !== null) {
      candles.push(flatCandle(ts, previous));
    }
  }
  return candles;
}

/** Returns the candle of a bucket, given the last trade before it; null when there is none. */
export function candleOf(bucket: Bucket, before: Close | null): Candle {
  const { first, last, high, low, oracleHigh, oracleLow } = bucket;
  const open = before ?? first;
  return {
    ts: bucket.start,
    fillOpen: open.price,
    fillHigh: higherOf(high, open.price),
    fillLow: lowerOf(low, open.price),
    fillClose: last.price,
    oracleOpen: open.oracle,
    oracleHigh: higherOf(oracleHigh, open.oracle),
    oracleLow: lowerOf(oracleLow, open.oracle),
    oracleClose: last.oracle,
    baseVolume: bucket.base,
    quoteVolume: bucket.quote,
    trades: bucket.count,
    lastTradeTs: last.ts,
    lastFillRecordId: last.fillRecordId,
  };
}

/** Returns the candle of a bucket without a trade. */
function flatCandle(ts: number, { price, oracle }: Close): Candle {
  return {
    ts,
    fillOpen: price,
    fillHigh: price,
    fillLow: price,
    fillClose: price,
    oracleOpen: oracle,
    oracleHigh: oracle,
    oracleLow: oracle,
    oracleClose: oracle,
    baseVolume: 0n,
    quoteVolume: 0n,
    trades: 0,
    lastTradeTs: null,
    lastFillRecordId: null,
  };
}
