/** The buckets that a batch of trades falls into, so that each is written once. */
import { type Bucket, bucketOfTrade, mergedBuckets } from './bucket.js';
import { bucketStart, RESOLUTIONS, type Resolution } from './resolution.js';
import type { CandleTrade } from './trade.js';

/** The buckets of one resolution by start. */
export type BucketsByStart = ReadonlyMap<number, Bucket>;

/** Sums trades of one market up, for every resolution. No trade may be given twice. */
export function bucketsOfTrades(
  trades: Iterable<CandleTrade>,
  resolutions: readonly Resolution[] = RESOLUTIONS,
): ReadonlyMap<Resolution, BucketsByStart> {
  const sets = new Map(resolutions.map((resolution) => [resolution, new Map<number, Bucket>()]));
  for (const trade of trades) {
    for (const [resolution, buckets] of sets) {
      const start = bucketStart(resolution, trade.ts);
      const own = bucketOfTrade(start, trade);
      const old = buckets.get(start);
      buckets.set(start, old === undefined ? own : mergedBuckets(old, own));
    }
  }
  return sets;
}
