import { Direction, OrderStatus } from '../bytes/generated/enums.js';
import type { OrderFields } from '../bytes/user-account.js';
import type { Maker } from './model.js';

/** Ended orders that a search may skip before all ended orders are removed. */
const ENDED_MET_MAX = 16;

/** An order with its owner. */
export interface OwnedOrder {
  readonly maker: Maker;
  readonly order: OrderFields;
}

/**
 * The limit orders of one side of a market, best first. Without this ladder each new quote would
 * scan all orders of all makers, which is too slow for thousands of makers.
 *
 * The ladder does not know which orders are visible, which depends on slot, time and positions:
 * callers pass a predicate.
 */
export class OrderLadder {
  readonly #fixed: Ranking;
  readonly #floating: Ranking;

  constructor(direction: Direction) {
    const sign = direction === Direction.Long ? -1n : 1n;
    this.#fixed = new Ranking((order) => sign * order.price);
    this.#floating = new Ranking((order) => sign * BigInt(order.oraclePriceOffset));
  }

  /** Adds an open order, which is removed some time after it ends. */
  add(owned: OwnedOrder): void {
    const ranking = owned.order.oraclePriceOffset === 0 ? this.#fixed : this.#floating;
    ranking.add(owned);
  }

  bestOrders(shows: (owned: OwnedOrder) => boolean): OwnedOrder[] {
    return [this.#fixed.firstShown(shows), this.#floating.firstShown(shows)].filter(
      (owned) => owned !== undefined,
    );
  }
}

/** Orders sorted by a constant rank; the older first among orders of equal rank. */
class Ranking {
  readonly #rank: (order: OrderFields) => bigint;
  #entries: OwnedOrder[] = [];

  /** Lower ranks are better. */
  constructor(rank: (order: OrderFields) => bigint) {
    this.#rank = rank;
  }

  add(owned: OwnedOrder): void {
    const rank = this.#rank(owned.order);
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && this.#rank(entry.order) <= rank) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, owned);
  }

  firstShown(shows: (owned: OwnedOrder) => boolean): OwnedOrder | undefined {
    let ended = 0;
    const found = this.#entries.find((owned) => {
      if (isOpen(owned)) return shows(owned);
      ended += 1;
      return false;
    });
    if (ended > ENDED_MET_MAX) this.#entries = this.#entries.filter(isOpen);
    return found;
  }
}

function isOpen({ order }: OwnedOrder): boolean {
  return order.status === OrderStatus.Open;
}
