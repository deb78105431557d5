/**
 * The trades of one bucket, summed up without regard to their order of arrival: a bucket is the same
 * however its trades were grouped and merged. What depends on the buckets around it (its open, flat
 * buckets) is not kept, and computed on reading, by `candle.ts`.
 */
import type { CandleTrade } from './trade.js';

/** A bucket that has a trade. Prices and quote at 1e6, base at 1e9. */
export interface Bucket {
  /** Unix seconds. */
  readonly start: number;
  /** The trade with the lowest number, and the one with the highest. */
  readonly first: BucketEnd;
  readonly last: BucketEnd;
  readonly high: bigint;
  readonly low: bigint;
  readonly oracleHigh: bigint;
  readonly oracleLow: bigint;
  readonly base: bigint;
  readonly quote: bigint;
  readonly trades: number;
}

/** What a bucket keeps of its first and of its last trade. */
export type BucketEnd = Pick<CandleTrade, 'ts' | 'fillRecordId' | 'price' | 'oracle'>;

/** The bucket of one trade. */
export function bucketOfTrade(start: number, trade: CandleTrade): Bucket {
  const { ts, fillRecordId, price, oracle, base, quote } = trade;
  const end = { ts, fillRecordId, price, oracle };
  return {
    ...{ start, first: end, last: end },
    ...{ high: price, low: price, oracleHigh: oracle, oracleLow: oracle },
    ...{ base, quote, trades: 1 },
  };
}

/** Both buckets in one that starts where the first does. They must have no trade in common. */
export function mergedBuckets(one: Bucket, other: Bucket): Bucket {
  return {
    start: one.start,
    first: isBefore(other.first, one.first) ? other.first : one.first,
    last: isBefore(one.last, other.last) ? other.last : one.last,
    high: higherOf(one.high, other.high),
    low: lowerOf(one.low, other.low),
    oracleHigh: higherOf(one.oracleHigh, other.oracleHigh),
    oracleLow: lowerOf(one.oracleLow, other.oracleLow),
    base: one.base + other.base,
    quote: one.quote + other.quote,
    trades: one.trades + other.trades,
  };
}

/**
 * The order of trades of a market. Two have the same number only while a fork is not taken back yet:
 * then what else they hold decides, so that the order in which they came never does.
 */
function isBefore(one: BucketEnd, other: BucketEnd): boolean {
  if (one.fillRecordId !== other.fillRecordId) return one.fillRecordId < other.fillRecordId;
  if (one.ts !== other.ts) return one.ts < other.ts;
  if (one.price !== other.price) return one.price < other.price;
  return one.oracle < other.oracle;
}

/** The larger of two prices. */
export function higherOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** The smaller of two prices. */
export function lowerOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
