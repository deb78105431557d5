/** One market's book, built from all users at once. */

import type { Base, Price } from '../amounts.js';
import { decodeAddress } from '../base58.js';
import type { MarketId } from '../keys.js';
import type { BookMarket, EmptyReason } from './book-market.js';
import { type BookOrder, type BookUser, bookOrder, type Moment } from './order-rules.js';

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

/** A book of orders: best price first, at one price the earliest first. */
export interface LocalL3 {
  readonly bids: readonly BookOrder[];
  readonly asks: readonly BookOrder[];
}

/** Everything that a market's book is made of. */
export interface BookInput {
  readonly market: BookMarket;
  /** Why the market shows nothing; null when it shows what is there. */
  readonly empty: EmptyReason | null;
  /** The price of orders at an oracle offset, 1e6; null when they cannot be priced. */
  readonly oraclePrice: bigint | null;
  readonly moment: Moment;
}

/** The books of some markets from the orders of all users, each order read once. */
export function buildBooks(
  users: Iterable<BookUser>,
  inputs: readonly BookInput[],
): Map<MarketId['key'], LocalL3> {
  const books = new Map<string, { input: BookInput; bids: BookOrder[]; asks: BookOrder[] }>();
  for (const input of inputs) {
    books.set(input.market.id.key, { input, bids: [], asks: [] });
  }
  for (const user of users) {
    for (const order of user.orders) {
      const book = books.get(`${order.marketType}_${order.marketIndex}`);
      if (book === undefined || book.input.empty !== null) continue;
      const shown = bookOrder(order, { ...book.input, user });
      if (shown !== null) (order.direction === 'long' ? book.bids : book.asks).push(shown);
    }
  }
  for (const { bids, asks } of books.values()) {
    bids.sort((left, right) => compare(right.price, left.price) || byTime(left, right));
    asks.sort((left, right) => compare(left.price, right.price) || byTime(left, right));
  }
  return books as Map<MarketId['key'], LocalL3>;
}

/** At most so many levels a side, from orders in book order. */
export function levelsOf(orders: readonly BookOrder[], depth: number): BookLevel[] {
  const levels: BookLevel[] = [];
  let open: { price: Price; size: Base } | undefined;
  for (const { price, size } of orders) {
    if (open?.price === price) {
      open.size = (open.size + size) as Base;
      continue;
    }
    if (levels.length === depth) break;
    open = { price, size };
    levels.push(open);
  }
  return levels;
}

/** The earlier slot, then the lower order id, then the lower key of the account. */
function byTime(left: BookOrder, right: BookOrder): number {
  return (
    compare(left.slot, right.slot) || left.orderId - right.orderId || byKey(left.maker, right.maker)
  );
}

function byKey(left: string, right: string): number {
  if (left === right) return 0;
  const [one, other] = [decodeAddress(left), decodeAddress(right)];
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return (one[at] ?? 0) - (other[at] ?? 0);
}

const compare = (left: bigint, right: bigint): number => (left < right ? -1 : left > right ? 1 : 0);
