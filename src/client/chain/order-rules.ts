/** The rules that place an order in the book, the same rules as in the service. */
import type { Order } from '../accounts/generated/user.js';
import type { Base, Price } from '../amounts.js';
import type { BookMarket } from './book-market.js';
import { type SlotSchedule, unitsBetween } from './slot-clock.js';

/** The part of a user account that the book needs. */
export interface BookUser {
  /** Base58. */
  readonly address: string;
  /** Whether the account is being liquidated or bankrupt: its orders do not fill. */
  readonly isFrozen: boolean;
  /** The orders in the account, without those that rest on a CLOB program. */
  readonly orders: readonly Order[];
  /** The indexes of the perp markets in which orders of the account rest on a CLOB program. */
  readonly marketsOnClob: readonly number[];
  /** Returns the signed position in a market, in the unit of the market's orders. */
  positionIn(market: BookMarket): bigint;
}

/** The slot and the time, in seconds, of the chain at which a book is built. */
export interface Moment {
  readonly slot: bigint;
  /** Unix seconds. */
  readonly now: bigint;
}

/** An order of the book. */
export interface BookOrder {
  readonly price: Price;
  /** The fillable size, at 1e9 for every token. */
  readonly size: Base;
  /** The user account, base58. */
  readonly maker: string;
  readonly orderId: number;
  readonly slot: bigint;
  /** Unix seconds; 0 for never. */
  readonly maxTs: bigint;
  /** Signed distance from the oracle price, 1e6; 0 for a fixed price. */
  readonly oraclePriceOffset: number;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
  readonly signedMsg: boolean;
}

/** A resting order, and its fillable size in the unit of the market's orders. */
export interface RestingOrder {
  readonly order: BookOrder;
  readonly size: bigint;
}

/** The context of an order. */
export interface Environment {
  readonly market: BookMarket;
  readonly user: BookUser;
  readonly moment: Moment;
  /** The lengths of slots; null when all have 400 ms. */
  readonly slots: SlotSchedule | null;
  /**
   * The oracle price of orders with an oracle offset, 1e6; null when these orders cannot be priced.
   */
  readonly oraclePrice: bigint | null;
}

/** Highest price of a prediction market, 1e6. */
const PREDICTION_PRICE_MAX = 1_000_000n;
const SIGNED_MSG_BIT = 1;
const BASE_DECIMALS = 9;

/** Returns the order as the book shows it; null when the book does not contain it. */
export function restingOrder(order: Order, environment: Environment): RestingOrder | null {
  if (!rests(order, environment)) return null;
  const { market, user } = environment;
  const size = fillable(order, environment);
  if (size === 0n || size < market.stepSize) return null;
  const price = priceOf(order, environment);
  if (price === null || price === 0n) return null;
  const shown = {
    price: price as Price,
    size: wireSize(size, market.decimals),
    maker: user.address,
    orderId: order.orderId,
    slot: order.slot,
    maxTs: order.maxTs,
    oraclePriceOffset: order.oraclePriceOffset,
    reduceOnly: order.reduceOnly,
    postOnly: order.postOnly,
    signedMsg: (order.bitFlags & SIGNED_MSG_BIT) !== 0,
  };
  return { order: shown, size };
}

/**
 * Returns whether an order rests: an unexpired limit order or triggered trigger-limit order, which
 * is post-only or past its auction, and whose owner and market allow fills. At a slot below the
 * order's own slot the order counts as in auction.
 *
 * Source: sdk/src/math/orders.ts `isRestingLimitOrder`, sdk/src/math/auction.ts
 * `isAuctionComplete`; programs/drift/src/math/orders.rs `should_expire_order`: trigger orders
 * never expire.
 */
function rests(order: Order, { market, user, moment, slots }: Environment): boolean {
  const { orderType, triggerCondition } = order;
  if (order.status !== 'open' || user.isFrozen) return false;
  if (orderType === 'triggerLimit') {
    if (triggerCondition === 'above' || triggerCondition === 'below') return false;
  } else {
    if (orderType !== 'limit') return false;
    if (order.maxTs !== 0n && moment.now > order.maxTs) return false;
  }
  const isReduced = order.reduceOnly || market.reducesEveryOrder;
  if (market.status === 'reduceOnly' && !isReduced) return false;
  return order.postOnly || !isInAuction(order, moment.slot, slots);
}

/**
 * Returns whether the auction of an order is running: it has ended when more time has passed than
 * its duration, in slots of 400 ms. `slots` are the lengths of slots of Velocity; without them all
 * slots have 400 ms.
 *
 * @example
 * const taking = user.orders.filter((order) => isInAuction(order, slot));
 */
export function isInAuction(
  { auctionDuration, slot }: Order,
  now: bigint,
  slots: SlotSchedule | null = null,
): boolean {
  return auctionDuration !== 0 && unitsBetween(slot, now, slots) <= BigInt(auctionDuration);
}

/** Returns the unfilled size; for an order that must reduce, at most the owner's position. */
function fillable(order: Order, { market, user }: Environment): bigint {
  const unfilled = most(order.baseAssetAmount - order.baseAssetAmountFilled, 0n);
  if (!order.reduceOnly && !market.reducesEveryOrder) return unfilled;
  const position = user.positionIn(market);
  return least(unfilled, most(order.direction === 'long' ? -position : position, 0n));
}

/**
 * Returns the stored price, or `max(oracle + offset, tick)` rounded to the tick: bids down, asks
 * up. Source: programs/drift/src/state/user.rs `get_limit_price`.
 */
function priceOf(order: Order, { market, oraclePrice }: Environment): bigint | null {
  if (order.oraclePriceOffset === 0) return order.price;
  if (oraclePrice === null) return null;
  const { tickSize, isPrediction } = market;
  const floored = most(oraclePrice + BigInt(order.oraclePriceOffset), tickSize);
  const price = isPrediction ? least(floored, PREDICTION_PRICE_MAX) : floored;
  const over = tickSize === 0n ? 0n : price % tickSize;
  return order.direction === 'long' || over === 0n ? price - over : price - over + tickSize;
}

/** Converts a size of a market's orders to 1e9; decimals beyond 9 are truncated. */
export function wireSize(size: bigint, decimals: number): Base {
  const scale = 10n ** BigInt(Math.abs(decimals - BASE_DECIMALS));
  return (decimals > BASE_DECIMALS ? size / scale : size * scale) as Base;
}

const least = (left: bigint, right: bigint): bigint => (left < right ? left : right);
const most = (left: bigint, right: bigint): bigint => (left > right ? left : right);
