import {
  Direction,
  MarketType,
  OrderStatus,
  OrderType,
  TriggerCondition,
  UserStatus,
} from '../bytes/chain-enums.js';
import { isUntriggered, type OrderFields } from '../bytes/user-account.js';
import type { LifeMarket, Maker } from './life-model.js';
import {
  cancel,
  place,
  placeQuote,
  quotePrice,
  quotesOf,
  someDirection,
  someSize,
  touched,
} from './life-orders.js';
import type { Action, World } from './life-world.js';
import { onTick, position, priceNow } from './life-world.js';

/** Moves a feed's price, and with it what the market knows of it; most moves are of a few ticks. */
export function moveOracle(world: World, market: LifeMarket): boolean {
  const { random, time } = world;
  const { feed } = market;
  const ticks = random.oneIn(60) ? random.between(-25, 25) : random.between(-3, 3);
  const jitter = BigInt(random.below(Number(feed.tick)));
  const moved = feed.price + feed.tick * BigInt(ticks) + jitter - feed.tick / 2n;
  feed.price = moved > feed.tick * 1_000n ? moved : feed.price;
  feed.postedSlot = time.slot;
  feed.publishTimeUs = later(feed.publishTimeUs, time.unixSeconds * 1_000_000n);
  world.dirtyFeeds.add(feed);
  for (const other of world.markets) if (other.feed === feed) world.suspects.add(other);
  if (market.marketType === MarketType.Spot) return true;
  if (random.oneIn(3)) return true;
  market.mmOracle = {
    price: feed.price + feed.tick * BigInt(random.between(-1, 1)),
    slot: time.slot,
    sequenceId: feed.publishTimeUs + 1n,
  };
  world.dirtyMarkets.add(market);
  return true;
}

/** A maker moves up to four quotes to new prices in one write. */
export const moveQuotes: Action = (world) => {
  const { maker, market } = someQuoter(world);
  const quotes = quotesOf(world, maker, market);
  if (quotes.length === 0) return placeQuote(world, maker, market);
  const moves = Math.min(quotes.length, world.random.between(1, 4));
  for (const quote of byStaleness(quotes, market).slice(0, moves)) {
    cancel(world, maker, quote);
    placeQuote(world, maker, market);
  }
  return true;
};

/** A maker below its usual number of quotes places one or two; one above it cancels one. */
export const balanceQuotes: Action = (world) => {
  const { maker, market } = someQuoter(world);
  const quotes = quotesOf(world, maker, market);
  if (quotes.length < maker.quotesTarget) {
    const placed = placeQuote(world, maker, market);
    if (world.random.oneIn(2)) placeQuote(world, maker, market);
    return placed;
  }
  const last = byStaleness(quotes, market)[0];
  if (last === undefined) return false;
  cancel(world, maker, last);
  return true;
};

/** A maker pulls everything in a market, as makers do when they are unsure. */
export const pullQuotes: Action = (world) => {
  const { maker, market } = someQuoter(world);
  const quotes = quotesOf(world, maker, market);
  for (const quote of quotes) cancel(world, maker, quote);
  return quotes.length > 0;
};

/**
 * Someone with a position places an order that can only reduce it, for a part of it or for more
 * than all of it.
 */
export const placeReduceOnly: Action = (world) => {
  const { maker, market } = someQuoter(world);
  const held = position(maker, market);
  if (held > -market.step && held < market.step) return false;
  const direction = held > 0n ? Direction.Short : Direction.Long;
  const size = held > 0n ? held : -held;
  const share = BigInt(world.random.between(1, 6));
  const wanted = (size * share) / 4n;
  const wish = {
    direction,
    price: quotePrice(world, market, direction),
    baseAssetAmount: wanted - (wanted % market.step) + market.step,
    reduceOnly: true,
    postOnly: world.random.oneIn(2),
  };
  return place(world, maker, { market, wish });
};

/** Someone places a quote that ends by itself after some seconds. */
export const placeExpiring: Action = (world) => {
  const { maker, market } = someQuoter(world);
  const direction = someDirection(world);
  const wish = {
    direction,
    price: quotePrice(world, market, direction),
    baseAssetAmount: someSize(world, market),
    maxTs: world.time.unixSeconds + BigInt(world.random.between(2, 30)),
  };
  return place(world, maker, { market, wish });
};

/** A limit order that rests only when its auction is over; some come by signed message. */
export const placeAuctionLimit: Action = (world) => {
  const { maker, market } = someQuoter(world);
  const direction = someDirection(world);
  const price = quotePrice(world, market, direction);
  const away = market.tick * BigInt(world.random.between(2, 40));
  const wish = {
    direction,
    price,
    baseAssetAmount: someSize(world, market),
    auctionDuration: world.random.between(3, 40),
    auctionStartPrice: direction === Direction.Long ? price - away : price + away,
    auctionEndPrice: price,
    bitFlags: world.random.oneIn(5) ? 1 : 0,
  };
  return place(world, maker, { market, wish });
};

/**
 * A stop or a take-profit: waits for its price, then rests (trigger limit) or takes (trigger
 * market).
 */
export const placeTrigger: Action = (world) => {
  const { maker, market } = someQuoter(world);
  const direction = someDirection(world);
  const isAbove = world.random.oneIn(2);
  const away = market.tick * BigInt(world.random.between(3, 60));
  const trigger = onTick(market.feed.price, market.tick, Direction.Long) + (isAbove ? away : -away);
  const wish = {
    direction,
    orderType: world.random.oneIn(3) ? OrderType.TriggerMarket : OrderType.TriggerLimit,
    triggerPrice: trigger,
    triggerCondition: isAbove ? TriggerCondition.Above : TriggerCondition.Below,
    price: direction === Direction.Long ? trigger - away : trigger + away,
    baseAssetAmount: someSize(world, market),
    reduceOnly: world.random.oneIn(4),
  };
  return place(world, maker, { market, wish });
};

/**
 * Triggers a waiting order whose price was reached: its slot is that of the trigger, and an auction
 * starts.
 */
export const trigger: Action = (world) => {
  for (const maker of world.makers) {
    for (const order of maker.orders) {
      if (order === undefined || order.status !== OrderStatus.Open || !isUntriggered(order))
        continue;
      const market = marketOf(world, order);
      const isAbove = order.triggerCondition === TriggerCondition.Above;
      const { price } = market.feed;
      if (isAbove ? price < order.triggerPrice : price > order.triggerPrice) continue;
      order.triggerCondition = isAbove
        ? TriggerCondition.TriggeredAbove
        : TriggerCondition.TriggeredBelow;
      order.slot = world.time.slot;
      order.auctionDuration = 10;
      order.auctionStartPrice = price;
      order.auctionEndPrice = order.price;
      touched(world, maker);
      world.suspects.add(market);
      return true;
    }
  }
  return false;
};

/** Ends the orders of one account that are over: expired ones, and takers whose time has passed. */
export const sweep: Action = (world) => {
  for (const maker of world.makers) {
    const over = maker.orders.filter((order) => order !== undefined && isOver(world, order));
    for (const order of over) if (order !== undefined) cancel(world, maker, order);
    if (over.length > 0) return true;
  }
  return false;
};

/**
 * Someone cancels the oldest open order of the account, so that stops and reduce-only orders do not
 * pile up.
 */
export const cancelOldest: Action = (world) => {
  const maker = world.random.pick(world.makers);
  let oldest: OrderFields | undefined;
  for (const order of maker?.orders ?? []) {
    if (order?.status !== OrderStatus.Open) continue;
    if (oldest === undefined || order.orderId < oldest.orderId) oldest = order;
  }
  if (maker === undefined || oldest === undefined) return false;
  cancel(world, maker, oldest);
  return true;
};

/** An account falls into liquidation, or comes out of it; its orders do not show meanwhile. */
export const toggleLiquidation: Action = (world) => {
  const liquidated = world.makers.find((maker) => maker.status !== 0);
  const maker = liquidated ?? world.random.pick(world.makers);
  if (maker === undefined) return false;
  maker.status = liquidated === undefined ? UserStatus.BeingLiquidated : 0;
  touched(world, maker);
  return true;
};

/** Someone deposits or withdraws: the account changes and no order does. */
export const moveCollateral: Action = (world) => {
  const maker = world.random.pick(world.makers);
  if (maker === undefined) return false;
  maker.usdc += BigInt(world.random.between(-1_000, 2_000)) * 1_000_000n;
  touched(world, maker);
  return true;
};

function isOver(world: World, order: OrderFields): boolean {
  if (order.status !== OrderStatus.Open) return false;
  if (order.maxTs !== 0n) return world.time.unixSeconds > order.maxTs + 3n;
  const isTaking = order.orderType === OrderType.TriggerMarket && !isUntriggered(order);
  return isTaking && !world.inAuction(order);
}

/** Quotes furthest from the oracle on the wrong side first, then by distance from it. */
function byStaleness(quotes: OrderFields[], market: LifeMarket): OrderFields[] {
  const distance = (order: OrderFields): bigint => {
    const away = market.feed.price - priceNow(order, market);
    const signed = order.direction === Direction.Long ? away : -away;
    return signed < 0n ? -signed * 1_000n : signed;
  };
  return [...quotes].sort((a, b) => Number(distance(b) - distance(a)) || a.orderId - b.orderId);
}

function someQuoter(world: World): { maker: Maker; market: LifeMarket } {
  const maker = world.random.pick(world.makers);
  const market = maker && world.random.pick(maker.markets);
  if (maker === undefined || market === undefined)
    throw new Error('Invariant: every maker has a market');
  return { maker, market };
}

function marketOf(world: World, order: OrderFields): LifeMarket {
  const market = world.markets.find(
    (candidate) =>
      candidate.marketType === order.marketType && candidate.marketIndex === order.marketIndex,
  );
  if (market === undefined) throw new Error('Invariant: every order is of a known market');
  return market;
}

function later(previous: bigint, now: bigint): bigint {
  return now > previous ? now : previous + 1_000n;
}
