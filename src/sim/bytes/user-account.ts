import type { ProgramName } from '../../contract/program.js';
import { accountBytes, writeFields } from './account-bytes.js';
import {
  Direction,
  MarketType,
  OrderStatus,
  OrderType,
  type SpotBalanceType,
  TriggerCondition,
} from './generated/enums.js';
import { LAYOUTS } from './generated/layout.js';

type Tables = (typeof LAYOUTS)[ProgramName];

/**
 * One order, with the program's field names. Prices at 1e6, perp base at 1e9, spot base in the
 * token's decimals.
 */
export type OrderFields = ReturnType<typeof emptyOrder>;

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
export function emptyOrder() {
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
    status: OrderStatus.Open as OrderStatus,
    orderType: OrderType.Limit as OrderType,
    marketType: MarketType.Perp as MarketType,
    userOrderId: 0,
    existingPositionDirection: Direction.Long as Direction,
    direction: Direction.Long as Direction,
    reduceOnly: false,
    postOnly: false,
    immediateOrCancel: false,
    triggerCondition: TriggerCondition.Above as TriggerCondition,
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
  const open = openOrders(user);
  const openAuctions = open.filter((order) => order.auctionDuration !== 0).length;
  const { orders, perpPositions, spotPositions, ...fields } = user;
  const account = accountBytes(USER, fields, {
    openOrders: open.length,
    hasOpenOrder: open.length > 0,
    openAuctions,
    hasOpenAuction: openAuctions > 0,
  });
  spotPositions.forEach((position, i) => {
    const at = USER.spotPositions + i * SPOT_POSITION.size;
    const sums = openSums(user, MarketType.Spot, position.marketIndex);
    writeFields(account, { table: SPOT_POSITION, at }, position, sums);
  });
  perpPositions.forEach((position, i) => {
    const at = USER.perpPositions + i * PERP_POSITION.size;
    const sums = openSums(user, MarketType.Perp, position.marketIndex);
    const { quoteAssetAmount } = position;
    const entry = { quoteBreakEvenAmount: quoteAssetAmount, quoteEntryAmount: quoteAssetAmount };
    writeFields(account, { table: PERP_POSITION, at }, position, entry, sums);
  });
  orders.forEach((order, i) => {
    if (order === undefined) return;
    const at = USER.orders + i * ORDER.size;
    writeFields(account, { table: ORDER, at }, order, { postedSlotTail: order.slot & 0xffn });
  });
  return account;
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
): { openBids: bigint; openAsks: bigint; openOrders: number } {
  const sums = { openBids: 0n, openAsks: 0n, openOrders: 0 };
  for (const order of openOrders(user)) {
    if (order.marketType !== marketType || order.marketIndex !== marketIndex) continue;
    sums.openOrders += 1;
    if (isUntriggered(order)) continue;
    const unfilled = order.baseAssetAmount - order.baseAssetAmountFilled;
    if (order.direction === Direction.Long) sums.openBids += unfilled;
    else sums.openAsks -= unfilled;
  }
  return sums;
}
