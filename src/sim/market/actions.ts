import {
  Direction,
  MarketStatus,
  MarketType,
  OrderStatus,
  OrderType,
  TriggerCondition,
  VelocityMarketStatus,
} from '../bytes/generated/enums.js';
import { isUntriggered, type OrderFields } from '../bytes/user-account.js';
import type { Maker, SimulatedMarket } from './model.js';
import {
  addTokens,
  cancelOrder,
  markChanged,
  placeOrder,
  placeQuote,
  quotePrice,
  quotesOf,
  someDirection,
  someSize,
} from './orders.js';
import type { Action, SimulatedMarkets } from './simulated-markets.js';
import { onTick, positionOf, priceNow } from './simulated-markets.js';

/** The bit of User.status of an account that is being liquidated. */
const BEING_LIQUIDATED = 1;

/** Moves the price of a feed and the market's oracle data; most moves are a few ticks. */
export function moveOracle(sim: SimulatedMarkets, market: SimulatedMarket): boolean {
  const { random } = sim;
  const { feed } = market;
  const ticks = random.oneIn(60) ? random.nextBetween(-25, 25) : random.nextBetween(-3, 3);
  const jitter = BigInt(random.nextBelow(Number(feed.tick)));
  const moved = feed.price + feed.tick * BigInt(ticks) + jitter - feed.tick / 2n;
  return setOracle(sim, market, moved > feed.tick * 1_000n ? moved : feed.price);
}

/** Sets the price of a feed, and the market's oracle data. */
export function setOracle(sim: SimulatedMarkets, market: SimulatedMarket, price: bigint): boolean {
  const { random, time } = sim;
  const { feed } = market;
  feed.price = price;
  feed.postedSlot = time.slot;
  feed.publishTimeUs = laterSlot(feed.publishTimeUs, time.unixSeconds * 1_000_000n);
  sim.dirtyFeeds.add(feed);
  for (const other of sim.markets) if (other.feed === feed) sim.maybeCrossed.add(other);
  if (market.marketType === MarketType.Spot) return true;
  if (random.oneIn(3)) return true;
  market.mmOracle = {
    price: feed.price + feed.tick * BigInt(random.nextBetween(-1, 1)),
    slot: time.slot,
    sequenceId: feed.publishTimeUs + 1n,
  };
  sim.dirtyMarkets.add(market);
  return true;
}

/** A maker moves up to four quotes to new prices in one write. */
export const moveQuotes: Action = (sim) => {
  const { maker, market } = someQuoter(sim);
  const quotes = quotesOf(sim, maker, market);
  if (quotes.length === 0) return placeQuote(sim, maker, market);
  const moves = Math.min(quotes.length, sim.random.nextBetween(1, 4));
  for (const quote of byStaleness(quotes, market).slice(0, moves)) {
    cancelOrder(sim, maker, quote);
    placeQuote(sim, maker, market);
  }
  return true;
};

/**
 * Changes the number of a maker's quotes: below its target the maker places one or two, above it
 * cancels one.
 */
export const balanceQuotes: Action = (sim) => {
  const { maker, market } = someQuoter(sim);
  const quotes = quotesOf(sim, maker, market);
  if (quotes.length < maker.quotesTarget) {
    const placed = placeQuote(sim, maker, market);
    if (sim.random.oneIn(2)) placeQuote(sim, maker, market);
    return placed;
  }
  const last = byStaleness(quotes, market)[0];
  if (last === undefined) return false;
  cancelOrder(sim, maker, last);
  return true;
};

/** A maker cancels all its quotes in a market. */
export const pullQuotes: Action = (sim) => {
  const { maker, market } = someQuoter(sim);
  const quotes = quotesOf(sim, maker, market);
  for (const quote of quotes) cancelOrder(sim, maker, quote);
  return quotes.length > 0;
};

/** A trader with a position places a reduce-only order, for a part of it or for more than all of it. */
export const placeReduceOnly: Action = (sim) => {
  const { maker, market } = someQuoter(sim);
  const held = positionOf(maker, market);
  if (held > -market.step && held < market.step) return false;
  const direction = held > 0n ? Direction.Short : Direction.Long;
  const size = held > 0n ? held : -held;
  const share = BigInt(sim.random.nextBetween(1, 6));
  const wanted = (size * share) / 4n;
  const request = {
    direction,
    price: quotePrice(sim, market, direction),
    baseAssetAmount: wanted - (wanted % market.step) + market.step,
    reduceOnly: true,
    postOnly: sim.random.oneIn(2),
  };
  return placeOrder(sim, maker, { market, request });
};

/** A trader places a quote that expires after some seconds. */
export const placeExpiring: Action = (sim) => {
  const { maker, market } = someQuoter(sim);
  const direction = someDirection(sim);
  const request = {
    direction,
    price: quotePrice(sim, market, direction),
    baseAssetAmount: someSize(sim, market),
    maxTs: sim.time.unixSeconds + BigInt(sim.random.nextBetween(2, 30)),
  };
  return placeOrder(sim, maker, { market, request });
};

/** Places a limit order that rests only after its auction; some of these are signed messages. */
export const placeAuctionLimit: Action = (sim) => {
  const { maker, market } = someQuoter(sim);
  const direction = someDirection(sim);
  const price = quotePrice(sim, market, direction);
  const away = market.tick * BigInt(sim.random.nextBetween(2, 40));
  const request = {
    direction,
    price,
    baseAssetAmount: someSize(sim, market),
    auctionDuration: sim.random.nextBetween(...sim.auctionSlots.limit),
    auctionStartPrice: direction === Direction.Long ? price - away : price + away,
    auctionEndPrice: price,
    bitFlags: sim.random.oneIn(5) ? 1 : 0,
  };
  return placeOrder(sim, maker, { market, request });
};

/**
 * Places a stop or take-profit order: after its trigger it rests (trigger limit) or takes (trigger
 * market).
 */
export const placeTrigger: Action = (sim) => {
  const { maker, market } = someQuoter(sim);
  const direction = someDirection(sim);
  const isAbove = sim.random.oneIn(2);
  const away = market.tick * BigInt(sim.random.nextBetween(3, 60));
  const trigger = onTick(market.feed.price, market.tick, Direction.Long) + (isAbove ? away : -away);
  const request = {
    direction,
    orderType: sim.random.oneIn(3) ? OrderType.TriggerMarket : OrderType.TriggerLimit,
    triggerPrice: trigger,
    triggerCondition: isAbove ? TriggerCondition.Above : TriggerCondition.Below,
    price: direction === Direction.Long ? trigger - away : trigger + away,
    baseAssetAmount: someSize(sim, market),
    reduceOnly: sim.random.oneIn(4),
  };
  return placeOrder(sim, maker, { market, request });
};

/**
 * Triggers an order whose price was reached: its slot becomes that of the trigger, and an auction
 * starts.
 */
export const trigger: Action = (sim) => {
  for (const maker of sim.makers) {
    for (const order of maker.orders) {
      if (order === undefined || order.status !== OrderStatus.Open || !isUntriggered(order))
        continue;
      const market = marketOf(sim, order);
      const isAbove = order.triggerCondition === TriggerCondition.Above;
      const { price } = market.feed;
      if (isAbove ? price < order.triggerPrice : price > order.triggerPrice) continue;
      order.triggerCondition = isAbove
        ? TriggerCondition.TriggeredAbove
        : TriggerCondition.TriggeredBelow;
      order.slot = sim.time.slot;
      order.auctionDuration = 10;
      order.auctionStartPrice = price;
      order.auctionEndPrice = order.price;
      markChanged(sim, maker);
      sim.maybeCrossed.add(market);
      return true;
    }
  }
  return false;
};

/** Removes the ended orders of one account: expired orders, and takers whose time is over. */
export const sweep: Action = (sim) => {
  for (const maker of sim.makers) {
    const over = maker.orders.filter((order) => order !== undefined && isOver(sim, order));
    for (const order of over) if (order !== undefined) cancelOrder(sim, maker, order);
    if (over.length > 0) return true;
  }
  return false;
};

/** Cancels the account's oldest open order, so that stops and reduce-only orders do not accumulate. */
export const cancelOldest: Action = (sim) => {
  const maker = sim.random.pickOne(sim.makers);
  let oldest: OrderFields | undefined;
  for (const order of maker?.orders ?? []) {
    if (order?.status !== OrderStatus.Open) continue;
    if (oldest === undefined || order.orderId < oldest.orderId) oldest = order;
  }
  if (maker === undefined || oldest === undefined) return false;
  cancelOrder(sim, maker, oldest);
  return true;
};

/** Puts an account into liquidation, which hides its orders, or ends its liquidation. */
export const toggleLiquidation: Action = (sim) => {
  const liquidated = sim.makers.find((maker) => maker.status !== 0);
  const maker = liquidated ?? sim.random.pickOne(sim.makers);
  if (maker === undefined) return false;
  maker.status = liquidated === undefined ? BEING_LIQUIDATED : 0;
  markChanged(sim, maker);
  return true;
};

/** Deposits or withdraws, which changes the account but no order. */
export const moveCollateral: Action = (sim) => {
  const maker = sim.random.pickOne(sim.makers);
  if (maker === undefined) return false;
  addTokens(maker, sim.quoteAsset, BigInt(sim.random.nextBetween(-1_000, 2_000)) * 1_000_000n);
  markChanged(sim, maker);
  return true;
};

/**
 * Changes the status of a market in a cycle: active, reduce-only, active, fills paused. Its book
 * becomes empty and returns.
 */
export function changeStatus(sim: SimulatedMarkets): void {
  const market = sim.markets[2];
  if (market === undefined) throw new Error('Invariant: ETH-PERP is the third market');
  const isPlain = market.status === MarketStatus.Active && market.pausedOperations === 0;
  const { Active, ReduceOnly } = sim.program === 'drift' ? MarketStatus : VelocityMarketStatus;
  market.status = Active;
  market.pausedOperations = 0;
  if (isPlain && sim.random.oneIn(2)) market.status = ReduceOnly;
  else if (isPlain) market.pausedOperations = 4;
  sim.dirtyMarkets.add(market);
}

function isOver(sim: SimulatedMarkets, order: OrderFields): boolean {
  if (order.status !== OrderStatus.Open) return false;
  if (order.maxTs !== 0n) return sim.time.unixSeconds > order.maxTs + 3n;
  const isTaking = order.orderType === OrderType.TriggerMarket && !isUntriggered(order);
  return isTaking && !sim.inAuction(order);
}

/**
 * Sorts quotes on the wrong side of the oracle first, the furthest first, then all others by
 * distance.
 */
function byStaleness(quotes: OrderFields[], market: SimulatedMarket): OrderFields[] {
  const distance = (order: OrderFields): bigint => {
    const away = market.feed.price - priceNow(order, market);
    const signed = order.direction === Direction.Long ? away : -away;
    return signed < 0n ? -signed * 1_000n : signed;
  };
  return [...quotes].sort((a, b) => Number(distance(b) - distance(a)) || a.orderId - b.orderId);
}

function someQuoter(sim: SimulatedMarkets): { maker: Maker; market: SimulatedMarket } {
  const maker = sim.random.pickOne(sim.makers);
  const market = maker && sim.random.pickOne(maker.markets);
  if (maker === undefined || market === undefined)
    throw new Error('Invariant: every maker has a market');
  return { maker, market };
}

function marketOf(sim: SimulatedMarkets, order: OrderFields): SimulatedMarket {
  const market = sim.markets.find(
    (candidate) =>
      candidate.marketType === order.marketType && candidate.marketIndex === order.marketIndex,
  );
  if (market === undefined) throw new Error('Invariant: every order is of a known market');
  return market;
}

function laterSlot(previous: bigint, now: bigint): bigint {
  return now > previous ? now : previous + 1_000n;
}
