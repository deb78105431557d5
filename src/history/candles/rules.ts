/**
 * The rules which fills count for candles, and how fills are aggregated. An aggregate does not
 * depend on arrival order or grouping. Properties that depend on neighbouring buckets (opens, flat
 * candles) are computed by `candle.ts` when candles are read.
 */
import type { FillAmounts } from '../../engine/events.js';
import { scaledBase } from '../model/amounts.js';
import type { CandleAggregate, CandleEnd, CandlePoint, CandleRules } from '../store/types.js';
import { bucketAfter, bucketStart, CANDLE_MINUTES, resolutionOfMinutes } from './resolution.js';

/** The fills of one bucket. */
export interface Bucket extends CandleAggregate {
  /** Unix seconds. */
  readonly start: number;
}

/** The rules of candles. */
export const candleRules: CandleRules = {
  minutes: CANDLE_MINUTES,
  bucketStart: (minutes, ts) => bucketStart(resolutionOfMinutes(minutes), ts),
  bucketEnd: (minutes, ts) => bucketAfter(resolutionOfMinutes(minutes), ts, 1),
  pointOf: candlePointOf,
  ofPoint: aggregateOf,
  merge: mergeAggregates,
};

/**
 * Returns the candle data of a fill; null when it does not count: a fill without a size has no
 * price. Liquidations are trades.
 */
export function candlePointOf(fill: FillAmounts, decimals: number): CandlePoint | null {
  const { ts, id, quote, oracle } = fill;
  const base = scaledBase(fill.base, decimals);
  if (base <= 0n) return null;
  return { ts, fillRecordId: id, price: priceOf({ base, quote }), oracle, base, quote };
}

/** Returns the quote amount per whole base unit, at 1e6, rounded to the nearest, halves up. */
function priceOf({ base, quote }: { readonly base: bigint; readonly quote: bigint }): bigint {
  return (quote * 10n ** 9n * 2n + base) / (base * 2n);
}

/** The aggregate of one fill. */
export function aggregateOf(trade: CandlePoint): CandleAggregate {
  const { ts, fillRecordId, price, oracle, base, quote } = trade;
  const end = { ts, fillRecordId, price, oracle };
  return {
    first: end,
    last: end,
    high: price,
    low: price,
    oracleHigh: oracle,
    oracleLow: oracle,
    base,
    quote,
    count: 1,
  };
}

/** Combines the aggregates of two disjoint sets of fills; commutative. */
export function mergeAggregates(one: CandleAggregate, other: CandleAggregate): CandleAggregate {
  return {
    first: isBefore(other.first, one.first) ? other.first : one.first,
    last: isBefore(one.last, other.last) ? other.last : one.last,
    high: higherOf(one.high, other.high),
    low: lowerOf(one.low, other.low),
    oracleHigh: higherOf(one.oracleHigh, other.oracleHigh),
    oracleLow: lowerOf(one.oracleLow, other.oracleLow),
    base: one.base + other.base,
    quote: one.quote + other.quote,
    count: one.count + other.count,
  };
}

/** The larger of two prices. */
export function higherOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** The smaller of two prices. */
export function lowerOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/**
 * Orders the trades of a market by number. Two trades have the same number only until a fork is
 * reverted; their contents then decide, so that arrival order has no effect.
 */
function isBefore(one: CandleEnd, other: CandleEnd): boolean {
  if (one.fillRecordId !== other.fillRecordId) return one.fillRecordId < other.fillRecordId;
  if (one.ts !== other.ts) return one.ts < other.ts;
  if (one.price !== other.price) return one.price < other.price;
  return one.oracle < other.oracle;
}
