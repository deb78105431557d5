/** A live trade, and batches of trades. */
import { type Price, rawPrice } from '../amounts.js';
import type { TradeRecord } from '../generated/records.js';

/** A trade with its price. */
export interface LiveTrade extends TradeRecord {
  /**
   * The quote amount for one base unit, rounded to six decimals; null when the fill has no size.
   */
  readonly price: Price | null;
}

/** Trades that are emitted together, oldest first. */
export interface TradeBatch<Trade = LiveTrade> {
  /**
   * `init`: the newest trades at the start of a listener or loop. `update`: new trades. `repair`:
   * trades that a lost connection or the service had omitted.
   */
  readonly kind: 'init' | 'update' | 'repair';
  readonly trades: readonly Trade[];
  /** Trades that were emitted earlier and that a fork of the chain has reverted. */
  readonly takenBack: readonly Trade[];
  /**
   * Upper bound of the number of trades omitted before these; 0 for none. /trades has the omitted
   * trades.
   */
  readonly leftOut: number;
}

const BASE_PRECISION = 10n ** 9n;

/** Adds the price to a record of the service. */
export function withPrice(record: TradeRecord): LiveTrade {
  const { baseAssetAmountFilled: base, quoteAssetAmountFilled: quote } = record;
  if (base === null || quote === null || base <= 0n) return { ...record, price: null };
  return { ...record, price: rawPrice((quote * BASE_PRECISION * 2n + base) / (base * 2n)) };
}

/**
 * Returns a key that is equal for two records of one trade: its transaction and its index in the
 * transaction.
 */
export function keyOf({ txSig, txSigIndex }: TradeRecord): string {
  return `${txSig} ${txSigIndex}`;
}

/**
 * Returns the number of a trade in its market; -1, before all others, when the program has not
 * numbered it.
 */
export function idOf({ fillRecordId }: TradeRecord): bigint {
  return fillRecordId ?? -1n;
}

/** Sorts trades by number; trades with the same number keep their order. */
export function sortById(trades: Iterable<LiveTrade>): LiveTrade[] {
  return [...trades].sort((one, other) => {
    const id = idOf(one);
    const otherId = idOf(other);
    return id < otherId ? -1 : id > otherId ? 1 : 0;
  });
}
