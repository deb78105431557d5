/**
 * A maker with one order of each kind that the market life seldom or never has: triggered and
 * waiting stops that are not reduce-only, orders that have ended, ties of one price.
 */
import {
  Direction,
  MarketType,
  OrderStatus,
  OrderType,
  TriggerCondition,
} from '../../dist/src/sim/bytes/generated/enums.js';
import { address, keyOf, PROGRAM_ID } from '../../dist/src/sim/bytes/keys.js';
import { emptyOrder, userBytes } from '../../dist/src/sim/bytes/user-account.js';

/** Ticks between the oracle and the first of these orders. */
const AWAY_TICKS = 5n;

/** The order's members that differ between kinds. */
const KINDS = [
  { orderType: OrderType.TriggerLimit, triggerCondition: TriggerCondition.TriggeredAbove },
  { orderType: OrderType.TriggerLimit, triggerCondition: TriggerCondition.TriggeredBelow },
  { orderType: OrderType.TriggerLimit, triggerCondition: TriggerCondition.Above },
  { orderType: OrderType.TriggerMarket, triggerCondition: TriggerCondition.Below },
  { orderType: OrderType.TriggerMarket, triggerCondition: TriggerCondition.TriggeredAbove },
  { orderType: OrderType.Market },
  { status: OrderStatus.Filled },
  { status: OrderStatus.Canceled },
  { postOnly: true },
  { postOnly: true, olderSlots: 3n },
  { postOnly: true, filledShare: 3n },
  { postOnly: true, auctionDuration: 50 },
  { auctionDuration: 200 },
  { auctionDuration: 1, olderSlots: 5n },
];

/** The account's write for a market of the life, at the chain's slot. */
export function oddMakerWrite({ market, slot, orderIdFirst }) {
  const authority = keyOf(Buffer.alloc(32, 77 + market.preset.marketIndex + market.marketType));
  const orders = KINDS.map((kind, at) => orderOf(kind, { market, slot, at, orderIdFirst }));
  const data = userBytes({
    authority,
    name: 'odd',
    subAccountId: 0,
    status: 0,
    idle: false,
    lastActiveSlot: BigInt(slot),
    nextOrderId: orderIdFirst + orders.length,
    orders,
    perpPositions: [],
    spotPositions: [],
  });
  return { pubkey: address.user({ authority, subAccountId: 0 }), owner: PROGRAM_ID, data };
}

function orderOf(kind, { market, slot, at, orderIdFirst }) {
  const { filledShare = 0n, olderSlots = 0n, ...fields } = kind;
  const { tick, step } = market.preset;
  const isBid = at % 2 === 0;
  const away = tick * (AWAY_TICKS + BigInt(at % 4));
  const price = market.feed.price - (market.feed.price % tick) + (isBid ? -away : away);
  const baseAssetAmount = step * BigInt(10 + at);
  return {
    ...emptyOrder(),
    slot: BigInt(slot) - olderSlots,
    price,
    baseAssetAmount,
    baseAssetAmountFilled: filledShare === 0n ? 0n : step * filledShare,
    triggerPrice: price,
    auctionStartPrice: price,
    auctionEndPrice: price,
    orderId: orderIdFirst + at,
    marketIndex: market.preset.marketIndex,
    marketType: market.marketType === MarketType.Perp ? MarketType.Perp : MarketType.Spot,
    direction: isBid ? Direction.Long : Direction.Short,
    ...fields,
  };
}
