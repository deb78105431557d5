/** Reads candles from the store's buckets: the newest ones of a range, with a bounded number of reads. */

import type { MarketKey } from '../../contract/markets.js';
import { RESOLUTION_MINUTES, type Resolution } from '../../contract/resolutions.js';
import { TS_MAX } from '../model/limits.js';
import type {
  CandleMinutes,
  CandleQuery as StoreCandleQuery,
  StoredCandle,
} from '../store/types.js';
import { type Candle, candlesOf } from './candle.js';
import { bucketAfter, bucketStart } from './resolution.js';
import type { Bucket } from './rules.js';

/** The buckets of one market and resolution. */
export interface BucketSeries {
  readonly market: MarketKey;
  readonly resolution: Resolution;
}

/** The starts of the first and the last bucket, unix seconds, and the maximum number of buckets. */
interface BucketRange {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** The source of buckets. */
export interface BucketReader {
  /** Returns the buckets that start in the range, both ends included, ascending. */
  buckets(series: BucketSeries, range: BucketRange): readonly Bucket[];
  /** Returns the last bucket that starts before a time; null when there is none. */
  lastBucketBefore(series: BucketSeries, ts: number): Bucket | null;
}

/** A candle query; times are unix seconds, anywhere within a bucket, both ends included. */
export interface CandleQuery extends BucketSeries {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The time up to which flat candles are made, unless a trade is later; unix seconds. */
  readonly now: number;
  /** Maximum number of candles, taken from the newer end of the range. */
  readonly limit: number;
}

/**
 * Returns the newest candles of a range, ascending and without a gap. A candle is in the range when
 * its start `ts` is.
 */
export function readCandles(reader: BucketReader, query: CandleQuery): Candle[] {
  const { resolution, now, limit } = query;
  const newest = reader.lastBucketBefore(query, TS_MAX);
  if (newest === null) return [];
  const last = Math.max(bucketStart(resolution, now), newest.start);
  const to = bucketStart(resolution, Math.min(query.to ?? last, last));
  const limited = bucketAfter(resolution, to, 1 - limit);
  const from =
    query.from === undefined ? limited : Math.max(firstStart(resolution, query.from), limited);
  if (from > to) return [];
  const buckets = reader.buckets(query, { from, to, limit });
  const before = reader.lastBucketBefore(query, from)?.last ?? null;
  return candlesOf({ resolution, from, to, before, buckets });
}

function firstStart(resolution: Resolution, ts: number): number {
  const start = bucketStart(resolution, ts);
  return start === ts ? start : bucketAfter(resolution, ts, 1);
}

/** The candle queries of a store. */
interface CandleStore {
  /** The newest buckets of the range, ascending. */
  readCandles(query: StoreCandleQuery): readonly StoredCandle[];
  candleBefore(market: MarketKey, minutes: CandleMinutes, start: number): StoredCandle | null;
}

/** Reads the buckets of a store. */
export function bucketReader(store: CandleStore): BucketReader {
  return {
    buckets: ({ market, resolution }, range) =>
      store.readCandles({ market, minutes: RESOLUTION_MINUTES[resolution], ...range }),
    lastBucketBefore: ({ market, resolution }, ts) =>
      store.candleBefore(market, RESOLUTION_MINUTES[resolution], ts),
  };
}
