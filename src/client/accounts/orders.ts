/** Open orders as plain data to store, send and display, and tests of their flags. */
import { type MarketKey, marketKey } from '../keys.js';
import type { Direction, OrderType, TriggerCondition } from './generated/enums.js';
import type { Order } from './generated/user.js';
import { orderLabel, type UiOrderType, uiOrderType } from './order-labels.js';

export type { Direction, Order, OrderType, TriggerCondition };

/** Bits of an order's flags. Source: programs/drift/src/state/user.rs `OrderBitFlag`. */
export const ORDER_FLAG = {
  signedMessage: 1,
  oracleTriggerMarket: 2,
  safeTriggerOrder: 4,
  newTriggerReduceOnly: 8,
  hasBuilder: 16,
} as const;

/** The members of a struct as plain JSON: 64-bit integers are decimal text. */
type AsText<Struct> = {
  readonly [Name in keyof Struct]: Struct[Name] extends bigint ? string : Struct[Name];
};

/**
 * An open order as plain JSON: 64-bit integers are decimal text. Prices are 1e6; sizes are 1e9 in
 * perp markets and in the token's unit in spot markets; quote is 1e6; `maxTs` is in unix seconds and
 * `auctionDuration` in slots. A member that does not apply is 0: `price` of market orders and of
 * orders with an oracle offset, `triggerPrice` of orders without a trigger, `userOrderId`, `maxTs`.
 */
export interface OpenOrder extends AsText<Omit<Order, 'oraclePriceOffset'>> {
  /** Offset from the oracle price; `0` for none. */
  readonly oraclePriceOffset: string;
  readonly marketKey: MarketKey;
  /** Its name for people: `Limit`, `Stop Market`. */
  readonly label: string;
  readonly uiOrderType: UiOrderType;
  /** Whether the order was placed by a signed message. */
  readonly isSignedMsg: boolean;
}

/**
 * Returns whether an order of an account was placed by a signed message. The order must have a
 * status, because `bitFlags` have another meaning in the parameters of the signed-message server.
 *
 * @example
 * const signed = user.orders.filter(isSignedMsgOrder);
 */
export function isSignedMsgOrder(order: Pick<Order, 'bitFlags' | 'status'>): boolean {
  return (order.bitFlags & ORDER_FLAG.signedMessage) !== 0;
}

/**
 * Returns whether an order is live: it has a size, and is not filled, canceled or unused.
 *
 * @example
 * const live = user.orders.filter(isOpenOrder);
 */
export function isOpenOrder(order: Pick<Order, 'status' | 'baseAssetAmount'>): boolean {
  return order.status === 'open' && order.baseAssetAmount !== 0n;
}

/**
 * Returns an order as plain data to store, send and display.
 *
 * @example
 * const orders = user.orders.filter(isOpenOrder).map(openOrder);
 */
export function openOrder(order: Order): OpenOrder {
  return {
    status: order.status,
    orderType: order.orderType,
    marketType: order.marketType,
    marketIndex: order.marketIndex,
    marketKey: marketKey(order.marketType, order.marketIndex),
    orderId: order.orderId,
    userOrderId: order.userOrderId,
    direction: order.direction,
    price: order.price.toString(),
    baseAssetAmount: order.baseAssetAmount.toString(),
    baseAssetAmountFilled: order.baseAssetAmountFilled.toString(),
    quoteAssetAmountFilled: order.quoteAssetAmountFilled.toString(),
    triggerPrice: order.triggerPrice.toString(),
    triggerCondition: order.triggerCondition,
    oraclePriceOffset: order.oraclePriceOffset.toString(),
    reduceOnly: order.reduceOnly,
    postOnly: order.postOnly,
    immediateOrCancel: order.immediateOrCancel,
    existingPositionDirection: order.existingPositionDirection,
    slot: order.slot.toString(),
    auctionDuration: order.auctionDuration,
    auctionStartPrice: order.auctionStartPrice.toString(),
    auctionEndPrice: order.auctionEndPrice.toString(),
    maxTs: order.maxTs.toString(),
    bitFlags: order.bitFlags,
    postedSlotTail: order.postedSlotTail,
    label: orderLabel(order),
    uiOrderType: uiOrderType(order),
    isSignedMsg: isSignedMsgOrder(order),
  };
}
