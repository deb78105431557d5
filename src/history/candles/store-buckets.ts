/** The buckets of a store, as candles read them. */

import type { MarketKey } from '../model/records.js';
import type { CandleMinutes, CandleQuery, StoredCandle } from '../store/types.js';
import type { BucketReader } from './read-candles.js';
import { minutesOf } from './rules.js';

/** What a store answers of its candles. */
export interface CandleStore {
  /** The newest buckets of the range, ascending. */
  candles(query: CandleQuery): readonly StoredCandle[];
  /** The last bucket that starts before a time. */
  candleBefore(market: MarketKey, minutes: CandleMinutes, start: number): StoredCandle | null;
}

/** Reads the buckets of a store. */
export function bucketReader(store: CandleStore): BucketReader {
  return {
    buckets: ({ market, resolution }, range) =>
      store.candles({ market, minutes: minutesOf(resolution), ...range }),
    lastBucketBefore: ({ market, resolution }, ts) =>
      store.candleBefore(market, minutesOf(resolution), ts),
  };
}
