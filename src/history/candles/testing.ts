/** Candles in memory, for tests: the results that a store of the same trades would give. */

import type { MarketKey } from '../../contract/markets.js';
import { RESOLUTIONS, type Resolution } from '../../contract/resolutions.js';
import type { CandlePoint } from '../store/types.js';
import type { BucketReader, BucketSeries } from './read-candles.js';
import { bucketAfter, bucketStart } from './resolution.js';
import { aggregateOf, type Bucket, mergeAggregates } from './rules.js';

interface Series {
  readonly trades: Map<string, CandlePoint>;
  readonly buckets: ReadonlyMap<Resolution, Map<number, Bucket>>;
}

/** Updates buckets trade by trade, like the store. */
export class MemoryBuckets implements BucketReader {
  readonly #markets = new Map<MarketKey, Series>();
  /** Buckets read since the start. */
  reads = 0;

  /** False for a duplicate; `id` identifies the trade. */
  add(market: MarketKey, id: string, trade: CandlePoint): boolean {
    const { trades, buckets } = this.#series(market);
    if (trades.has(id)) return false;
    trades.set(id, trade);
    for (const [resolution, byStart] of buckets) {
      const start = bucketStart(resolution, trade.ts);
      const old = byStart.get(start);
      const own = aggregateOf(trade);
      byStart.set(start, { start, ...(old === undefined ? own : mergeAggregates(old, own)) });
    }
    return true;
  }

  /** Removes a trade: its buckets are summed again from the others. */
  remove(market: MarketKey, id: string): void {
    const { trades, buckets } = this.#series(market);
    const gone = trades.get(id);
    if (gone === undefined) return;
    trades.delete(id);
    for (const [resolution, byStart] of buckets) {
      const start = bucketStart(resolution, gone.ts);
      const end = bucketAfter(resolution, start, 1);
      const rest = [...trades.values()].filter(({ ts }) => ts >= start && ts < end);
      const [first, ...others] = rest.map(aggregateOf);
      if (first === undefined) byStart.delete(start);
      else byStart.set(start, { start, ...others.reduce(mergeAggregates, first) });
    }
  }

  buckets(
    { market, resolution }: BucketSeries,
    { from, to }: { readonly from: number; readonly to: number },
  ): Bucket[] {
    this.reads += 1;
    return this.#ascending(market, resolution).filter(({ start }) => start >= from && start <= to);
  }

  lastBucketBefore({ market, resolution }: BucketSeries, ts: number): Bucket | null {
    this.reads += 1;
    return this.#ascending(market, resolution).findLast(({ start }) => start < ts) ?? null;
  }

  #ascending(market: MarketKey, resolution: Resolution): Bucket[] {
    const buckets = this.#series(market).buckets.get(resolution)?.values() ?? [];
    return [...buckets].sort((a, b) => a.start - b.start);
  }

  #series(market: MarketKey): Series {
    const found = this.#markets.get(market);
    if (found !== undefined) return found;
    const buckets = new Map(RESOLUTIONS.map((resolution) => [resolution, new Map()]));
    const series: Series = { trades: new Map(), buckets };
    this.#markets.set(market, series);
    return series;
  }
}
