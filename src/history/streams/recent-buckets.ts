/**
 * Caches the newest buckets of one series. The store's changes update the cache, so that a flush
 * reads nothing; a change of an older bucket clears it, and it is filled again on demand.
 */

import type { BucketReader, BucketSeries } from '../candles/read-candles.js';
import { bucketAfter } from '../candles/resolution.js';
import type { Bucket } from '../candles/rules.js';
import { FLUSH_CANDLES_MAX, RECENT_BUCKETS_MAX, TS_MAX } from '../model/limits.js';

interface CachedBuckets {
  /** The buckets, ascending, including the last one before `from`, if any. */
  buckets: Bucket[];
  /** No bucket from here on is missing. */
  from: number;
}

/** The newest buckets of a series. */
export class RecentBuckets {
  readonly #series: BucketSeries;
  #cached: CachedBuckets | undefined;

  constructor(series: BucketSeries) {
    this.#series = series;
  }

  /** Replaces a bucket; null means that it no longer has a trade. */
  putBucket(start: number, bucket: Bucket | null): void {
    const cached = this.#cached;
    if (cached === undefined) return;
    if (start < cached.from) {
      this.#cached = undefined;
      return;
    }
    const others = cached.buckets.filter((other) => other.start !== start);
    const after = others.findIndex((other) => other.start > start);
    if (bucket !== null) others.splice(after < 0 ? others.length : after, 0, bucket);
    cached.buckets = others;
    if (others.length > RECENT_BUCKETS_MAX) this.#trimBuckets(cached);
  }

  /** Returns a reader like the store's, for as many buckets as one flush sends. */
  readerAt(store: BucketReader, now: number): BucketReader {
    const cached = this.#cachedFor(now) ?? this.#readBuckets(store, now);
    const before = (ts: number): Bucket | null =>
      cached.buckets.findLast(({ start }) => start < ts) ?? null;
    return {
      buckets: (_, { from, to }) =>
        cached.buckets.filter(({ start }) => start >= from && start <= to),
      lastBucketBefore: (_, ts) => before(ts),
    };
  }

  /** Returns the cached buckets, unless the clock was set back before them. */
  #cachedFor(now: number): CachedBuckets | undefined {
    const newest = this.#cached?.buckets.at(-1)?.start ?? now;
    const oldest = bucketAfter(
      this.#series.resolution,
      Math.max(now, newest),
      1 - FLUSH_CANDLES_MAX,
    );
    return this.#cached !== undefined && oldest >= this.#cached.from ? this.#cached : undefined;
  }

  /** Reads as many buckets as a flush at this time sends. */
  #readBuckets(store: BucketReader, now: number): CachedBuckets {
    const series = this.#series;
    const limit = FLUSH_CANDLES_MAX;
    const asked = bucketAfter(series.resolution, now, 1 - limit);
    const range = { from: asked, to: TS_MAX, limit: RECENT_BUCKETS_MAX };
    const buckets = [...store.buckets(series, range)];
    // When the cache limit was reached, only the newest buckets were read.
    const from = buckets.length < RECENT_BUCKETS_MAX ? asked : (buckets[0]?.start ?? asked);
    const before = store.lastBucketBefore(series, from);
    const cached = { buckets: before === null ? buckets : [before, ...buckets], from };
    this.#cached = cached;
    return cached;
  }

  #trimBuckets(cached: CachedBuckets): void {
    cached.buckets = cached.buckets.slice(-FLUSH_CANDLES_MAX - 1);
    const [oldest] = cached.buckets;
    if (oldest !== undefined) cached.from = bucketAfter(this.#series.resolution, oldest.start, 1);
  }
}
