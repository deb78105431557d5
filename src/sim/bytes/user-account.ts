import type { ProgramName } from '../../contract/program.js';
import { AccountBytes } from './account-bytes.js';
import {
  Direction,
  MarketType,
  OrderStatus,
  OrderType,
  type SpotBalanceType,
  TriggerCondition,
} from './chain-enums.js';
import { LAYOUTS } from './generated/layout.js';

type Tables = (typeof LAYOUTS)[ProgramName];

/**
 * One order, with the program's field names. Prices at 1e6, perp base at 1e9, spot base in the
 * token's decimals.
 */
export interface OrderFields {
  slot: bigint;
  price: bigint;
  baseAssetAmount: bigint;
  baseAssetAmountFilled: bigint;
  quoteAssetAmountFilled: bigint;
  triggerPrice: bigint;
  auctionStartPrice: bigint;
  auctionEndPrice: bigint;
  maxTs: bigint;
  oraclePriceOffset: number;
  orderId: number;
  marketIndex: number;
  status: OrderStatus;
  orderType: OrderType;
  marketType: MarketType;
  userOrderId: number;
  existingPositionDirection: Direction;
  direction: Direction;
  reduceOnly: boolean;
  postOnly: boolean;
  immediateOrCancel: boolean;
  triggerCondition: TriggerCondition;
  auctionDuration: number;
  bitFlags: number;
}

/** A perp position; the sums of its open orders are derived. Base at 1e9, quote at 1e6. */
interface PerpPositionFields {
  marketIndex: number;
  baseAssetAmount: bigint;
  quoteAssetAmount: bigint;
}

/**
 * A spot position; the sums of its open orders are derived. `scaledBalance` is at 1e9, before
 * interest.
 */
export interface SpotPositionFields {
  marketIndex: number;
  scaledBalance: bigint;
  balanceType: SpotBalanceType;
}

/** A User account; its counters are derived from the orders. */
export interface UserFields {
  authority: string;
  name: string;
  subAccountId: number;
  status: number;
  idle: boolean;
  lastActiveSlot: bigint;
  nextOrderId: number;
  /** The order slots, at most 32; undefined for a slot that was never used. */
  orders: readonly (OrderFields | undefined)[];
  perpPositions: readonly PerpPositionFields[];
  spotPositions: readonly SpotPositionFields[];
}

/** An order with default values: an open limit order of price and size 0. */
export function emptyOrder(): OrderFields {
  return {
    slot: 0n,
    price: 0n,
    baseAssetAmount: 0n,
    baseAssetAmountFilled: 0n,
    quoteAssetAmountFilled: 0n,
    triggerPrice: 0n,
    auctionStartPrice: 0n,
    auctionEndPrice: 0n,
    maxTs: 0n,
    oraclePriceOffset: 0,
    orderId: 0,
    marketIndex: 0,
    status: OrderStatus.Open,
    orderType: OrderType.Limit,
    marketType: MarketType.Perp,
    userOrderId: 0,
    existingPositionDirection: Direction.Long,
    direction: Direction.Long,
    reduceOnly: false,
    postOnly: false,
    immediateOrCancel: false,
    triggerCondition: TriggerCondition.Above,
    auctionDuration: 0,
    bitFlags: 0,
  };
}

/** Returns whether the order waits for its trigger price. */
export function isUntriggered(order: OrderFields): boolean {
  const isTrigger =
    order.orderType === OrderType.TriggerLimit || order.orderType === OrderType.TriggerMarket;
  return isTrigger && order.triggerCondition <= TriggerCondition.Below;
}

/** Encodes the account, with counters derived from the orders as in the program. */
export function userBytes(user: UserFields, program: ProgramName = 'drift'): Buffer {
  const tables: Tables = LAYOUTS[program];
  const { USER, SPOT_POSITION, PERP_POSITION, ORDER } = tables;
  const account = new AccountBytes<Tables['USER']>(USER);
  account.writeKey(USER.authority, user.authority);
  account.writeName(USER.name, user.name);
  user.spotPositions.forEach((position, i) => {
    const at = USER.spotPositions + i * SPOT_POSITION.size;
    writeSpotPosition(account, at, { position, user, SPOT_POSITION });
  });
  user.perpPositions.forEach((position, i) => {
    const at = USER.perpPositions + i * PERP_POSITION.size;
    writePerpPosition(account, at, { position, user, PERP_POSITION });
  });
  user.orders.forEach((order, i) => {
    if (order !== undefined) writeOrder(account, USER.orders + i * ORDER.size, { order, ORDER });
  });
  account.u64(USER.lastActiveSlot, user.lastActiveSlot);
  account.u32(USER.nextOrderId, user.nextOrderId);
  account.u16(USER.subAccountId, user.subAccountId);
  account.u8(USER.status, user.status);
  account.writeBool(USER.idle, user.idle);
  writeCounters(account, user);
  return account.bytes;
}

function writeCounters(account: AccountBytes<Tables['USER']>, user: UserFields): void {
  const { at: USER } = account;
  const open = openOrders(user);
  const openAuctions = open.filter((order) => order.auctionDuration !== 0).length;
  account.u8(USER.openOrders, open.length);
  account.writeBool(USER.hasOpenOrder, open.length > 0);
  account.u8(USER.openAuctions, openAuctions);
  account.writeBool(USER.hasOpenAuction, openAuctions > 0);
}

function writeSpotPosition(
  account: AccountBytes,
  at: number,
  {
    position,
    user,
    SPOT_POSITION,
  }: { position: SpotPositionFields; user: UserFields } & Pick<Tables, 'SPOT_POSITION'>,
): void {
  const sums = openSums(user, MarketType.Spot, position.marketIndex);
  account.u64(at + SPOT_POSITION.scaledBalance, position.scaledBalance);
  account.i64(at + SPOT_POSITION.openBids, sums.bids);
  account.i64(at + SPOT_POSITION.openAsks, sums.asks);
  account.u16(at + SPOT_POSITION.marketIndex, position.marketIndex);
  account.u8(at + SPOT_POSITION.balanceType, position.balanceType);
  account.u8(at + SPOT_POSITION.openOrders, sums.count);
}

function writePerpPosition(
  account: AccountBytes,
  at: number,
  {
    position,
    user,
    PERP_POSITION,
  }: { position: PerpPositionFields; user: UserFields } & Pick<Tables, 'PERP_POSITION'>,
): void {
  const sums = openSums(user, MarketType.Perp, position.marketIndex);
  account.i64(at + PERP_POSITION.baseAssetAmount, position.baseAssetAmount);
  account.i64(at + PERP_POSITION.quoteAssetAmount, position.quoteAssetAmount);
  account.i64(at + PERP_POSITION.quoteBreakEvenAmount, position.quoteAssetAmount);
  account.i64(at + PERP_POSITION.quoteEntryAmount, position.quoteAssetAmount);
  account.i64(at + PERP_POSITION.openBids, sums.bids);
  account.i64(at + PERP_POSITION.openAsks, sums.asks);
  account.u16(at + PERP_POSITION.marketIndex, position.marketIndex);
  account.u8(at + PERP_POSITION.openOrders, sums.count);
}

function writeOrder(
  account: AccountBytes,
  at: number,
  { order, ORDER }: { order: OrderFields } & Pick<Tables, 'ORDER'>,
): void {
  account.u64(at + ORDER.slot, order.slot);
  account.u64(at + ORDER.price, order.price);
  account.u64(at + ORDER.baseAssetAmount, order.baseAssetAmount);
  account.u64(at + ORDER.baseAssetAmountFilled, order.baseAssetAmountFilled);
  account.u64(at + ORDER.quoteAssetAmountFilled, order.quoteAssetAmountFilled);
  account.u64(at + ORDER.triggerPrice, order.triggerPrice);
  account.i64(at + ORDER.auctionStartPrice, order.auctionStartPrice);
  account.i64(at + ORDER.auctionEndPrice, order.auctionEndPrice);
  account.i64(at + ORDER.maxTs, order.maxTs);
  writeOffset(account, at, { order, ORDER });
  account.u32(at + ORDER.orderId, order.orderId);
  account.u16(at + ORDER.marketIndex, order.marketIndex);
  account.u8(at + ORDER.status, order.status);
  account.u8(at + ORDER.orderType, order.orderType);
  account.u8(at + ORDER.marketType, order.marketType);
  account.u8(at + ORDER.userOrderId, order.userOrderId);
  account.u8(at + ORDER.existingPositionDirection, order.existingPositionDirection);
  account.u8(at + ORDER.direction, order.direction);
  account.writeBool(at + ORDER.reduceOnly, order.reduceOnly);
  account.writeBool(at + ORDER.postOnly, order.postOnly);
  account.writeBool(at + ORDER.immediateOrCancel, order.immediateOrCancel);
  account.u8(at + ORDER.triggerCondition, order.triggerCondition);
  account.u8(at + ORDER.auctionDuration, order.auctionDuration);
  account.u8(at + ORDER.postedSlotTail, Number(order.slot & 0xffn));
  account.u8(at + ORDER.bitFlags, order.bitFlags);
}

/** Of 32 bits, or of 64. */
function writeOffset(
  account: AccountBytes,
  at: number,
  { order, ORDER }: { order: OrderFields } & Pick<Tables, 'ORDER'>,
): void {
  const { oraclePriceOffset: offset } = order;
  const place = at + ORDER.oraclePriceOffset;
  if (ORDER.orderId - ORDER.oraclePriceOffset > 4) account.i64(place, BigInt(offset));
  else account.i32(place, offset);
}

function openOrders(user: UserFields): OrderFields[] {
  return user.orders.filter(
    (order): order is OrderFields => order !== undefined && order.status === OrderStatus.Open,
  );
}

/**
 * Returns the open sizes of a user in a market; asks are negative. Untriggered orders are counted
 * but not summed.
 */
function openSums(
  user: UserFields,
  marketType: MarketType,
  marketIndex: number,
): { bids: bigint; asks: bigint; count: number } {
  const sums = { bids: 0n, asks: 0n, count: 0 };
  for (const order of openOrders(user)) {
    if (order.marketType !== marketType || order.marketIndex !== marketIndex) continue;
    sums.count += 1;
    if (isUntriggered(order)) continue;
    const unfilled = order.baseAssetAmount - order.baseAssetAmountFilled;
    if (order.direction === Direction.Long) sums.bids += unfilled;
    else sums.asks -= unfilled;
  }
  return sums;
}
