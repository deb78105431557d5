// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.
import { boolAt, enumAt, i64NumberAt } from '../../accounts/reading.js';
import { DIRECTION, MARKET_TYPE, ORDER_STATUS, ORDER_TYPE, TRIGGER_CONDITION } from '../../accounts/generated/enums.js';
import type { Order } from '../../accounts/generated/user.js';

/** Where Velocity's `User` has its fields, and the bytes that reach to the last one. */
export const VELOCITY_USER = {
  bytes: 4496,
  authority: 8,
  subAccountId: 4466,
  status: 4468,
  idle: 4470,
  hasOpenAuction: 4474,
  perpPositions: 424,
  orders: 1064,
} as const;

/** Where Velocity's `PerpPosition` has its fields, and the bytes that reach to the last one. */
export const VELOCITY_PERP_POSITION = {
  bytes: 80,
  baseAssetAmount: 8,
  marketIndex: 76,
  openOrders: 78,
} as const;

/** Where Velocity's `PerpMarket` has its fields, and the bytes that reach to the last one. */
export const VELOCITY_PERP_MARKET = {
  bytes: 1304,
  oracle: 312,
  name: 424,
  orderStepSize: 544,
  orderTickSize: 552,
  expiryTs: 568,
  marketIndex: 640,
  status: 642,
  contractTier: 644,
  pausedOperations: 645,
  oracleSource: 673,
  mmOraclePrice: 800,
  mmOracleSlot: 808,
  mmOracleSequenceId: 816,
  lastOraclePriceTwap: 872,
} as const;

/** Where Velocity's `State` has its fields, and the bytes that reach to the last one. */
export const VELOCITY_STATE = {
  bytes: 1584,
  exchangeStatus: 1366,
  slotsBeforeStaleForMargin: 1312,
  confidenceIntervalMaxSize: 1320,
  tooVolatileRatio: 1328,
  slotDurationMs: 1506,
  pendingSlotDurationMs: 1508,
  slotDurationEffectiveSlot: 1512,
  slotDurationTransitionSlots: 1520,
} as const;

/** Bytes of an order. */
export const VELOCITY_ORDER_BYTES = 104;

/** Reads `Order` of Velocity at a place, whose bytes are there. */
export function velocityOrderAt(view: DataView, at: number): Order {
  return {
    slot: view.getBigUint64(at, true),
    price: view.getBigUint64(at + 8, true),
    baseAssetAmount: view.getBigUint64(at + 16, true),
    baseAssetAmountFilled: view.getBigUint64(at + 24, true),
    quoteAssetAmountFilled: view.getBigUint64(at + 32, true),
    triggerPrice: view.getBigUint64(at + 40, true),
    auctionStartPrice: view.getBigInt64(at + 48, true),
    auctionEndPrice: view.getBigInt64(at + 56, true),
    maxTs: view.getBigInt64(at + 64, true),
    oraclePriceOffset: i64NumberAt(view, at + 72),
    orderId: view.getUint32(at + 80, true),
    marketIndex: view.getUint16(at + 84, true),
    status: enumAt(view, at + 86, ORDER_STATUS, 'status'),
    orderType: enumAt(view, at + 87, ORDER_TYPE, 'orderType'),
    marketType: enumAt(view, at + 88, MARKET_TYPE, 'marketType'),
    userOrderId: view.getUint8(at + 89),
    existingPositionDirection: enumAt(view, at + 90, DIRECTION, 'existingPositionDirection'),
    direction: enumAt(view, at + 91, DIRECTION, 'direction'),
    reduceOnly: boolAt(view, at + 92, 'reduceOnly'),
    postOnly: boolAt(view, at + 93, 'postOnly'),
    immediateOrCancel: boolAt(view, at + 94, 'immediateOrCancel'),
    triggerCondition: enumAt(view, at + 95, TRIGGER_CONDITION, 'triggerCondition'),
    auctionDuration: view.getUint8(at + 96),
    postedSlotTail: view.getUint8(at + 97),
    bitFlags: view.getUint8(at + 98),
  };
}
