import { Direction, OrderType } from '../bytes/generated/enums.js';
import type { OrderFields } from '../bytes/user-account.js';
import type { SimulatedMarket } from './model.js';
import {
  cancelOrder,
  oppositeOf,
  placeOrder,
  quotesOf,
  someDirection,
  someMarket,
  someSize,
} from './orders.js';
import type { Action, Resting, SimulatedMarkets } from './simulated-markets.js';
import { onTick, priceNow } from './simulated-markets.js';

/** Lifetime of a taker without a maker. */
const TAKER_SECONDS = 30n;

/**
 * One taker in this many would also take from the AMM, which is more expensive than the best maker.
 */
const FAR_ONE_IN = 3;
/** Precision of an AMM's spreads. */
const SPREAD_PARTS = 1_000_000n;

/**
 * Cancels one of two crossing resting orders, and its owner's other quotes in the market, as makers
 * do after a price move. Returns false when nothing crosses.
 */
export function uncrossMarket(sim: SimulatedMarkets, market: SimulatedMarket): boolean {
  const { bid, ask } = sim.bestOrders(market);
  if (bid === undefined || ask === undefined || bid.price < ask.price) return false;
  const [pulled, other] = bid.price > market.feed.price ? [bid, ask] : [ask, bid];
  const { maker, order } = pulled;
  cancelOrder(sim, maker, order);
  for (const quote of quotesOf(sim, maker, market)) {
    if (quote.direction !== order.direction) continue;
    const price = priceNow(quote, market);
    const isCrossed =
      order.direction === Direction.Long ? price >= other.price : price <= other.price;
    if (isCrossed) cancelOrder(sim, maker, quote);
  }
  return true;
}

/**
 * Places a market or oracle order, which never rests and is filled or cancelled soon. Its auction
 * ends beyond the best order of the other side; the auction of an urgent order begins there.
 */
export const placeTaking: Action = (sim) => placeTakingIn(sim, someMarket(sim));

/** Places one in a given market. */
export function placeTakingIn(sim: SimulatedMarkets, market: SimulatedMarket): boolean {
  const { random } = sim;
  const trader = random.pickOne(sim.traders);
  if (trader === undefined) return false;
  const direction = someDirection(sim);
  const { start, end } = takingAuction(sim, market, direction);
  const isOracle = random.oneIn(3);
  const oracle = market.feed.price;
  const from = isOracle ? oracle : 0n;
  const request = {
    direction,
    orderType: isOracle ? OrderType.Oracle : OrderType.Market,
    price: isOracle ? 0n : end,
    oraclePriceOffset: isOracle ? Number(end - oracle) : 0,
    baseAssetAmount: someSize(sim, market),
    auctionDuration: random.nextBetween(...sim.auctionSlots.taking),
    auctionStartPrice: start - from,
    auctionEndPrice: end - from,
    maxTs: sim.time.unixSeconds + TAKER_SECONDS,
  };
  return placeOrder(sim, trader, { market, request });
}

/**
 * Returns an auction from the oracle price, or for an urgent order from the best opposite order, to
 * a price beyond that order or beyond the AMM.
 */
function takingAuction(
  sim: SimulatedMarkets,
  market: SimulatedMarket,
  direction: Direction,
): { readonly start: bigint; readonly end: bigint } {
  const { random } = sim;
  const sign = direction === Direction.Long ? 1n : -1n;
  const oracle = market.feed.price;
  const reach = bestAgainst(sim, market, direction)?.price ?? oracle;
  const far = random.oneIn(FAR_ONE_IN) ? ammPrice(market, direction) : reach;
  const end = far + sign * market.tick * BigInt(random.nextBetween(5, 30));
  const start = random.oneIn(2)
    ? reach
    : oracle - sign * market.tick * BigInt(random.nextBetween(5, 30));
  return { start, end };
}

/** Returns the best resting order for a taker of this direction. */
export function bestAgainst(
  sim: SimulatedMarkets,
  market: SimulatedMarket,
  direction: Direction,
): Resting | undefined {
  const { bid, ask } = sim.bestOrders(market);
  return direction === Direction.Long ? ask : bid;
}

/**
 * Returns the AMM's price for a taker: the oracle price and half the spread, because the simulated
 * curve does not move; in a spot market, the oracle price.
 */
function ammPrice(market: SimulatedMarket, taker: Direction): bigint {
  const { preset, tick, feed } = market;
  if (!('amm' in preset)) return feed.price;
  const isLong = taker === Direction.Long;
  const { longSpread, shortSpread } = preset.amm;
  const spread = (feed.price * BigInt(isLong ? longSpread : shortSpread)) / SPREAD_PARTS;
  return onTick(isLong ? feed.price + spread : feed.price - spread, tick, oppositeOf(taker));
}

/**
 * Returns the order's current worst price: the auction price while the auction runs, then its end
 * price.
 *
 * Source: programs/drift/src/math/auction.rs calculate_auction_price.
 */
export function limitOf(
  sim: SimulatedMarkets,
  order: OrderFields,
  market: SimulatedMarket,
): bigint {
  const isOracle = order.orderType === OrderType.Oracle;
  if (!isOracle && order.orderType !== OrderType.Market) return priceNow(order, market);
  const { auctionStartPrice: start, auctionEndPrice: end } = order;
  const duration = BigInt(order.auctionDuration);
  const age = sim.time.slot - order.slot;
  const price = age >= duration ? end : start + ((end - start) * age) / duration;
  const from = isOracle ? market.feed.price : 0n;
  return onTick(from + price, market.tick, order.direction);
}
