/** A trade as it is told live, and what is told at once. */
import { type Price, rawPrice } from '../amounts.js';
import type { TradeRecord } from '../http/record-shapes.js';

/** A trade with its price. */
export interface LiveTrade extends TradeRecord {
  /** Quote for a base, to the nearest of six decimals; null where the fill has no size. */
  readonly price: Price | null;
}

/** Trades that are told together, oldest first. */
export interface TradeBatch<Trade = LiveTrade> {
  /**
   * `init` is the newest trades of the moment when a listener or a loop begins, `update` what has come
   * since, and `repair` what was missed while the connection was lost, or was not told by the service.
   */
  readonly kind: 'init' | 'update' | 'repair';
  readonly trades: readonly Trade[];
  /** Trades that were told before and that a fork of the chain has taken back. */
  readonly takenBack: readonly Trade[];
  /** How many trades before these are not told, at most; 0 for none. /trades has them. */
  readonly leftOut: number;
}

const BASE_PRECISION = 10n ** 9n;

/** Adds the price to what the service tells. */
export function withPrice(record: TradeRecord): LiveTrade {
  const { baseAssetAmountFilled: base, quoteAssetAmountFilled: quote } = record;
  if (base === null || quote === null || base <= 0n) return { ...record, price: null };
  return { ...record, price: rawPrice((quote * BASE_PRECISION * 2n + base) / (base * 2n)) };
}

/** Equal for two readings of one trade: its place in its transaction. */
export function keyOf({ txSig, txSigIndex }: TradeRecord): string {
  return `${txSig} ${txSigIndex}`;
}

/** Where a trade stands in its market; before all others where the program has not numbered it. */
export function idOf({ fillRecordId }: TradeRecord): bigint {
  return fillRecordId ?? -1n;
}

/** Sorts by number, and within a number leaves what is there. */
export function sortById(trades: Iterable<LiveTrade>): LiveTrade[] {
  return [...trades].sort((one, other) => {
    const [id, otherId] = [idOf(one), idOf(other)];
    return id < otherId ? -1 : id > otherId ? 1 : 0;
  });
}
