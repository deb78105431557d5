/** The figures of an account as they are shown. */
import type { AccountOrder, LiveTrade, MarketInfo, PerpHolding } from '@slotbook/client';
import { formatFixed, wordsOf } from './format.js';
import { gridPrice } from './grouping.js';

/** One unit of base, raw. */
const BASE_ONE = 1_000_000_000n;

/** An amount of quote, raw at 1e6, with cents. */
export function quoteText(raw: bigint | null): string {
  return raw === null ? '–' : formatFixed(raw, 6, 2);
}

/** The average price at which a position was entered, raw; null for none. */
export function entryPrice({ baseAssetAmount, quoteEntryAmount }: PerpHolding): bigint | null {
  if (baseAssetAmount === 0n) return null;
  const price = (-quoteEntryAmount * BASE_ONE) / baseAssetAmount;
  return price < 0n ? -price : price;
}

/** The place of an order in the queue, or the reason why it has none. */
export function placeText(order: AccountOrder, formatSize: (raw: bigint) => string): string {
  const { leftOut, ordersAhead, sizeAhead } = order;
  if (leftOut !== null) return wordsOf(leftOut);
  if (ordersAhead === null) return 'not in the book';
  if (ordersAhead === 0) return 'first';
  return `${ordersAhead} ahead, ${formatSize(sizeAhead ?? 0n)}`;
}

/** The distance from the touch in basis points of the order's price. */
export function distanceText({ distance, priceNow }: AccountOrder): string {
  if (distance === null || priceNow === null || priceNow === 0n) return '–';
  if (distance === 0n) return 'at the touch';
  return `${((Number(distance) / Number(priceNow)) * 10_000).toFixed(2)} bps`;
}

/** The prices of an account's orders in one market, by side: the levels that contain them. */
export interface OwnLevels {
  readonly bid: ReadonlySet<bigint>;
  readonly ask: ReadonlySet<bigint>;
}

/** Returns the levels of a ladder, grouped by steps of `groupSize`, in which orders stand. */
export function ownLevels(
  orders: readonly AccountOrder[],
  { symbol }: Pick<MarketInfo, 'symbol'>,
  groupSize: bigint,
): OwnLevels {
  const levels = { bid: new Set<bigint>(), ask: new Set<bigint>() };
  for (const { marketName, direction, leftOut, priceNow } of orders) {
    if (marketName !== symbol || leftOut !== null || priceNow === null) continue;
    const side = direction === 'long' ? 'bid' : 'ask';
    levels[side].add(gridPrice(priceNow, { side, groupSize }));
  }
  return levels;
}

/** Returns orders as in a ladder: by market, the highest price first. */
export function sortOrders(orders: readonly AccountOrder[]): readonly AccountOrder[] {
  return [...orders].sort((one, other) => {
    const byMarket = one.marketName.localeCompare(other.marketName);
    return byMarket || Number((other.priceNow ?? other.price) - (one.priceNow ?? one.price));
  });
}

/** A fill of the reader's accounts; the price as a number. */
export interface OwnFill {
  /** Unix seconds. */
  readonly ts: number;
  readonly price: number;
  readonly isBuy: boolean;
}

/** The members of a trade that a list shows. */
export type ListedTrade = Pick<
  LiveTrade,
  | 'ts'
  | 'slot'
  | 'txSig'
  | 'price'
  | 'maker'
  | 'taker'
  | 'takerOrderDirection'
  | 'baseAssetAmountFilled'
  | 'quoteAssetAmountFilled'
>;

/** Returns whether one of the accounts is the taker or the maker of a trade. */
export function isOwnTrade({ taker, maker }: ListedTrade, accounts: ReadonlySet<string>): boolean {
  return accounts.has(taker ?? '') || accounts.has(maker ?? '');
}

/** Returns the fills of the accounts among trades, oldest first. */
export function ownFills(
  trades: readonly ListedTrade[],
  accounts: ReadonlySet<string>,
): readonly OwnFill[] {
  if (accounts.size === 0) return [];
  const own = trades.filter((trade) => isOwnTrade(trade, accounts) && trade.price !== null);
  return own.toReversed().map(({ ts, price, taker, takerOrderDirection }) => ({
    ts,
    price: Number(price) / 1e6,
    isBuy: (takerOrderDirection === 'long') === accounts.has(taker ?? ''),
  }));
}
