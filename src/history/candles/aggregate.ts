/**
 * What a set of trades comes to, without regard to their order of arrival: the same however the trades
 * were grouped and merged. What depends on the buckets around one (its open, flat buckets) is not in
 * it, and computed on reading, by `candle.ts`.
 */
import type { CandleTrade } from './trade.js';

/** What a candle keeps of its first and of its last trade. */
export type TradeEnd = Pick<CandleTrade, 'ts' | 'fillRecordId' | 'price' | 'oracle'>;

/** At least one trade, summed up. Prices and quote at 1e6, base at 1e9. */
export interface Aggregate {
  /** The trade with the lowest number, and the one with the highest. */
  readonly first: TradeEnd;
  readonly last: TradeEnd;
  readonly high: bigint;
  readonly low: bigint;
  readonly oracleHigh: bigint;
  readonly oracleLow: bigint;
  readonly base: bigint;
  readonly quote: bigint;
  readonly count: number;
}

/** The trades of one bucket. */
export interface Bucket extends Aggregate {
  /** Unix seconds. */
  readonly start: number;
}

/** What one trade alone comes to. */
export function aggregateOf(trade: CandleTrade): Aggregate {
  const { ts, fillRecordId, price, oracle, base, quote } = trade;
  const end = { ts, fillRecordId, price, oracle };
  return {
    ...{ first: end, last: end },
    ...{ high: price, low: price, oracleHigh: oracle, oracleLow: oracle },
    ...{ base, quote, count: 1 },
  };
}

/** What both come to together; either order gives the same. They must have no trade in common. */
export function mergedAggregates(one: Aggregate, other: Aggregate): Aggregate {
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
 * The order of trades of a market. Two have the same number only while a fork is not taken back yet:
 * then what else they hold decides, so that the order in which they came never does.
 */
function isBefore(one: TradeEnd, other: TradeEnd): boolean {
  if (one.fillRecordId !== other.fillRecordId) return one.fillRecordId < other.fillRecordId;
  if (one.ts !== other.ts) return one.ts < other.ts;
  if (one.price !== other.price) return one.price < other.price;
  return one.oracle < other.oracle;
}
