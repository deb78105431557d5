/**
 * The newest buckets of one series, kept as the store's changes tell them: so a flush reads nothing. A
 * change of an older bucket makes them forget all, and they are read again when they are needed.
 */

import type { BucketReader, BucketSeries } from '../candles/read-candles.js';
import { bucketAfter } from '../candles/resolution.js';
import type { Bucket } from '../candles/rules.js';
import { FLUSH_CANDLES_MAX, RECENT_BUCKETS_MAX, TS_MAX } from '../model/limits.js';

/** What is kept. */
interface Kept {
  /** Ascending; among them the last one before `from`, where there is one. */
  buckets: Bucket[];
  /** No bucket from here on is missing. */
  from: number;
}

/** The newest buckets of a series. */
export class RecentBuckets {
  #kept: Kept | undefined;

  constructor(private readonly series: BucketSeries) {}

  /** A bucket is as it is told now; null when it has no trade any more. */
  put(start: number, bucket: Bucket | null): void {
    const kept = this.#kept;
    if (kept === undefined) return;
    if (start < kept.from) {
      this.#kept = undefined;
      return;
    }
    const others = kept.buckets.filter((other) => other.start !== start);
    const after = others.findIndex((other) => other.start > start);
    if (bucket !== null) others.splice(after < 0 ? others.length : after, 0, bucket);
    kept.buckets = others;
    if (others.length > RECENT_BUCKETS_MAX) this.#trim(kept);
  }

  /** Answers as the store does, for as many buckets as one flush tells. */
  reader(store: BucketReader, now: number): BucketReader {
    const kept = this.#keptFor(now) ?? this.#read(store, now);
    const before = (ts: number): Bucket | null =>
      kept.buckets.findLast(({ start }) => start < ts) ?? null;
    return {
      buckets: (_, { from, to }) =>
        kept.buckets.filter(({ start }) => start >= from && start <= to),
      lastBucketBefore: (_, ts) => before(ts),
    };
  }

  /** What is kept, unless the clock went back behind it. */
  #keptFor(now: number): Kept | undefined {
    const newest = this.#kept?.buckets.at(-1)?.start ?? now;
    const oldest = bucketAfter(
      this.series.resolution,
      Math.max(now, newest),
      1 - FLUSH_CANDLES_MAX,
    );
    return this.#kept !== undefined && oldest >= this.#kept.from ? this.#kept : undefined;
  }

  /** From as far back as a flush at this time tells. */
  #read(store: BucketReader, now: number): Kept {
    const { series } = this;
    const limit = FLUSH_CANDLES_MAX;
    const from = bucketAfter(series.resolution, now, 1 - limit);
    const to = TS_MAX;
    const buckets = [...store.buckets(series, { from, to, limit: RECENT_BUCKETS_MAX })];
    const before = store.lastBucketBefore(series, from);
    const kept = { buckets: before === null ? buckets : [before, ...buckets], from };
    this.#kept = kept;
    return kept;
  }

  #trim(kept: Kept): void {
    kept.buckets = kept.buckets.slice(-FLUSH_CANDLES_MAX - 1);
    const [oldest] = kept.buckets;
    if (oldest !== undefined) kept.from = bucketAfter(this.series.resolution, oldest.start, 1);
  }
}
