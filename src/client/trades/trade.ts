/** A live trade, and batches of trades. */
import { type Price, rawPrice } from '../amounts.js';
import type { TradeRecord } from '../generated/records.js';

/** A trade with its price. */
export interface LiveTrade extends TradeRecord {
  /** Quote for a base, to the nearest of six decimals; null where the fill has no size. */
  readonly price: Price | null;
}

/** Trades that are emitted together, oldest first. */
export interface TradeBatch<Trade = LiveTrade> {
  /**
   * `init` has the newest trades at the start of a listener or loop, `update` new ones, and
   * `repair` trades missed during a lost connection or omitted by the service.
   */
  readonly kind: 'init' | 'update' | 'repair';
  readonly trades: readonly Trade[];
  /** Trades that were emitted before and that a fork of the chain has reverted. */
  readonly takenBack: readonly Trade[];
  /** Upper bound of the omitted trades before these; 0 for none. /trades has them. */
  readonly leftOut: number;
}

const BASE_PRECISION = 10n ** 9n;

/** Adds the price to a record of the service. */
export function withPrice(record: TradeRecord): LiveTrade {
  const { baseAssetAmountFilled: base, quoteAssetAmountFilled: quote } = record;
  if (base === null || quote === null || base <= 0n) return { ...record, price: null };
  return { ...record, price: rawPrice((quote * BASE_PRECISION * 2n + base) / (base * 2n)) };
}

/** Equal for two records of one trade: its transaction, and its index in it. */
export function keyOf({ txSig, txSigIndex }: TradeRecord): string {
  return `${txSig} ${txSigIndex}`;
}

/** The number of a trade in its market; -1, before all others, where the program has not numbered it. */
export function idOf({ fillRecordId }: TradeRecord): bigint {
  return fillRecordId ?? -1n;
}

/** Sorts by number; trades of one number stay in their order. */
export function sortById(trades: Iterable<LiveTrade>): LiveTrade[] {
  return [...trades].sort((one, other) => {
    const id = idOf(one);
    const otherId = idOf(other);
    return id < otherId ? -1 : id > otherId ? 1 : 0;
  });
}
