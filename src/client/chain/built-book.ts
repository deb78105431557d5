/** Builds the books of markets from all users in one pass. */

import type { Base, Price } from '../amounts.js';
import { decodeAddress } from '../base58.js';
import type { MarketId } from '../keys.js';
import type { BookMarket, EmptyReason } from './book-market.js';
import {
  type BookOrder,
  type BookUser,
  type Moment,
  type RestingOrder,
  restingOrder,
  wireSize,
} from './order-rules.js';
import type { SlotSchedule } from './slot-clock.js';

/** Orders at one price. */
export interface BookLevel {
  readonly price: Price;
  /** 1e9. */
  readonly size: Base;
}

/** A book of levels. */
export interface LocalL2 {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** A book of orders: best price first, and the earliest order first at one price. */
export interface LocalL3 {
  readonly bids: readonly BookOrder[];
  readonly asks: readonly BookOrder[];
}

/** The inputs of a market's book. */
export interface BookInput {
  readonly market: BookMarket;
  /** The rule that empties the book; null when no rule does. */
  readonly empty: EmptyReason | null;
  /**
   * The oracle price of orders with an oracle offset, 1e6; null when these orders cannot be priced.
   */
  readonly oraclePrice: bigint | null;
  readonly moment: Moment;
  /** The lengths of slots; null when all have 400 ms. */
  readonly slots: SlotSchedule | null;
}

/** A market's book in both forms. */
export interface BuiltBook {
  readonly l2: LocalL2;
  readonly l3: LocalL3;
}

/** Builds the books of some markets from the orders of all users, reading each order once. */
export function buildBooks(
  users: Iterable<BookUser>,
  inputs: readonly BookInput[],
): Map<MarketId['key'], BuiltBook> {
  const sides = new Map<string, { input: BookInput; bids: RestingOrder[]; asks: RestingOrder[] }>();
  for (const input of inputs) {
    sides.set(input.market.id.key, { input, bids: [], asks: [] });
  }
  for (const user of users) {
    for (const order of user.orders) {
      const book = sides.get(`${order.marketType}_${order.marketIndex}`);
      if (book === undefined || book.input.empty !== null) continue;
      const shown = restingOrder(order, { ...book.input, user });
      if (shown !== null) (order.direction === 'long' ? book.bids : book.asks).push(shown);
    }
  }
  const books = new Map<MarketId['key'], BuiltBook>();
  for (const { input, bids, asks } of sides.values()) {
    bids.sort(byPrice(-1));
    asks.sort(byPrice(1));
    const { id, decimals } = input.market;
    books.set(id.key, {
      l2: { bids: levelsOf(bids, decimals), asks: levelsOf(asks, decimals) },
      l3: { bids: bids.map(({ order }) => order), asks: asks.map(({ order }) => order) },
    });
  }
  return books;
}

/**
 * Groups sorted orders to levels. The size of a level is truncated to 1e9 after its orders are
 * added.
 */
function levelsOf(orders: readonly RestingOrder[], decimals: number): BookLevel[] {
  const sizes = new Map<Price, bigint>();
  for (const { order, size } of orders) {
    sizes.set(order.price, (sizes.get(order.price) ?? 0n) + size);
  }
  return Array.from(sizes, ([price, size]) => ({ price, size: wireSize(size, decimals) }));
}

function byPrice(sign: 1 | -1): (left: RestingOrder, right: RestingOrder) => number {
  return ({ order: left }, { order: right }) =>
    sign * compare(left.price, right.price) || byTime(left, right);
}

/** Compares orders at one price: by slot, then order id, then account key. */
function byTime(left: BookOrder, right: BookOrder): number {
  return (
    compare(left.slot, right.slot) || left.orderId - right.orderId || byKey(left.maker, right.maker)
  );
}

function byKey(left: string, right: string): number {
  if (left === right) return 0;
  const one = decodeAddress(left);
  const other = decodeAddress(right);
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return (one[at] ?? 0) - (other[at] ?? 0);
}

const compare = (left: bigint, right: bigint): number => (left < right ? -1 : left > right ? 1 : 0);
