import type { OpenPositions } from '../bytes/amm-bytes.js';
import { Direction, MarketType, OrderStatus } from '../bytes/generated/enums.js';
import type { SpotPreset } from '../bytes/market-presets.js';
import { emptyOrder, type OrderFields } from '../bytes/user-account.js';
import type { Maker, SimulatedMarket } from './model.js';
import type { SimulatedMarkets } from './simulated-markets.js';
import { fillableSize, onTick, POSITIONS_MAX, positionOf } from './simulated-markets.js';

/** A new order without account slot, id and chain slot. */
type OrderRequest = Pick<OrderFields, 'direction' | 'baseAssetAmount'> & Partial<OrderFields>;

/**
 * Puts an order into the first free slot of the account; returns false when all 32 are open, or
 * when the account has no room for a position in the market.
 */
export function placeOrder(
  sim: SimulatedMarkets,
  maker: Maker,
  { market, request }: { market: SimulatedMarket; request: OrderRequest },
): boolean {
  const index = maker.orders.findIndex((order) => order?.status !== OrderStatus.Open);
  if (index < 0 || !takePlaceIn(maker, market)) return false;
  const order: OrderFields = {
    ...emptyOrder(),
    slot: sim.time.slot,
    marketIndex: market.marketIndex,
    marketType: market.marketType,
    orderId: maker.nextOrderId,
    existingPositionDirection: positionOf(maker, market) < 0n ? Direction.Short : Direction.Long,
    ...request,
  };
  maker.orders[index] = order;
  sim.addOrder({ maker, order }, market);
  maker.nextOrderId += 1;
  markChanged(sim, maker);
  return true;
}

/**
 * Makes sure that the account has a position entry for the market; returns false when all entries
 * are taken.
 */
function takePlaceIn(maker: Maker, { marketType, marketIndex, preset }: SimulatedMarket): boolean {
  const held = marketType === MarketType.Spot ? maker.tokens : maker.perps;
  if (held.has(marketIndex)) return true;
  if (held.size >= POSITIONS_MAX) return false;
  if (marketType === MarketType.Spot) addTokens(maker, preset as SpotPreset, 0n);
  else maker.perps.set(marketIndex, { base: 0n, quote: 0n });
  return true;
}

/** Ends an order; its bytes stay in the account until the slot is reused. */
export function cancelOrder(sim: SimulatedMarkets, maker: Maker, order: OrderFields): void {
  order.status = OrderStatus.Canceled;
  markChanged(sim, maker);
}

/** Marks the account as written in this slot. */
export function markChanged(sim: SimulatedMarkets, maker: Maker): void {
  maker.lastActiveSlot = sim.time.slot;
  sim.dirtyMakers.add(maker);
}

/** Adds a fill to an order, and ends the order when nothing remains. */
export function fillOrder(
  order: OrderFields,
  { base, quote }: { readonly base: bigint; readonly quote: bigint },
): void {
  order.baseAssetAmountFilled += base;
  order.quoteAssetAmountFilled += quote;
  if (order.baseAssetAmountFilled >= order.baseAssetAmount) order.status = OrderStatus.Filled;
}

/** Updates a position and the market's sums. A negative fee is a rebate. */
export function settleFill(
  sim: SimulatedMarkets,
  maker: Maker,
  fill: {
    readonly market: SimulatedMarket;
    readonly direction: Direction;
    readonly base: bigint;
    readonly quote: bigint;
    readonly fee: bigint;
  },
): void {
  const { market, fee } = fill;
  const { marketIndex } = market;
  const isLong = fill.direction === Direction.Long;
  const base = isLong ? fill.base : -fill.base;
  const quote = (isLong ? -fill.quote : fill.quote) - fee;
  if (market.marketType === MarketType.Spot) {
    addTokens(maker, market.preset as SpotPreset, base);
    addTokens(maker, sim.quoteAsset, quote);
  } else {
    const held = maker.perps.get(marketIndex) ?? { base: 0n, quote: 0n };
    const to = held.base + base;
    maker.perps.set(marketIndex, { base: to, quote: held.quote + quote });
    market.positions = movedPositions(market.positions, { from: held.base, to });
  }
  markChanged(sim, maker);
}

/** Changes a token balance by a signed amount in its decimals. */
export function addTokens(maker: Maker, preset: SpotPreset, change: bigint): void {
  const { marketIndex } = preset;
  const amount = (maker.tokens.get(marketIndex)?.amount ?? 0n) + change;
  maker.tokens.set(marketIndex, { preset, amount });
}

function movedPositions(
  positions: OpenPositions,
  { from, to }: { readonly from: bigint; readonly to: bigint },
): OpenPositions {
  const longs = (base: bigint): bigint => (base > 0n ? base : 0n);
  const shorts = (base: bigint): bigint => (base < 0n ? base : 0n);
  return {
    baseAssetAmountLong: positions.baseAssetAmountLong + longs(to) - longs(from),
    baseAssetAmountShort: positions.baseAssetAmountShort + shorts(to) - shorts(from),
    baseAssetAmountWithAmm: positions.baseAssetAmountWithAmm + to - from,
  };
}

/** The opposite side. */
export function oppositeOf(direction: Direction): Direction {
  return direction === Direction.Long ? Direction.Short : Direction.Long;
}

/**
 * Returns a suitable size for the market: from a few to some hundred steps above its minimum, small
 * sizes more likely.
 */
export function someSize(sim: SimulatedMarkets, market: SimulatedMarket): bigint {
  return (
    market.minOrderSize * BigInt(1 + sim.random.nextSkewed(80)) +
    market.step * BigInt(sim.random.nextBelow(100))
  );
}

/**
 * Returns a price for a new quote: some ticks from the oracle price, near ones more likely, and
 * never crossing the other side, so that only oracle moves cross the book.
 */
export function quotePrice(
  sim: SimulatedMarkets,
  market: SimulatedMarket,
  direction: Direction,
): bigint {
  const { random } = sim;
  const ticks = random.oneIn(6)
    ? random.nextBetween(60, 1_500)
    : random.nextBetween(1, 3) + random.nextSkewed(60);
  const distance = market.tick * BigInt(ticks);
  const { bid, ask } = sim.bestOrders(market);
  const fair = onTick(market.feed.price, market.tick, direction);
  if (direction === Direction.Long) {
    const price = fair - distance;
    return ask !== undefined && price >= ask.price ? ask.price - market.tick : price;
  }
  const price = fair + distance;
  return bid !== undefined && price <= bid.price ? bid.price + market.tick : price;
}

/**
 * Places one quote of a maker, at a fixed price or an oracle offset by the maker's preference;
 * returns false when there is no room.
 */
export function placeQuote(sim: SimulatedMarkets, maker: Maker, market: SimulatedMarket): boolean {
  const direction = quoteSide(sim, maker, market);
  const price = quotePrice(sim, market, direction);
  if (price < market.tick) return false;
  const isFloating = sim.random.nextBelow(100) < maker.floatingPercent;
  const offset = Number(price - market.feed.price);
  const terms = isFloating && offset !== 0 ? { oraclePriceOffset: offset } : { price };
  const baseAssetAmount = someSize(sim, market);
  const request = { ...terms, direction, baseAssetAmount, postOnly: !sim.random.oneIn(8) };
  return placeOrder(sim, maker, { market, request });
}

/** Returns the resting quotes of a maker in a market that may be replaced. */
export function quotesOf(
  sim: SimulatedMarkets,
  maker: Maker,
  market: SimulatedMarket,
): OrderFields[] {
  return maker.orders.filter(
    (order): order is OrderFields =>
      order !== undefined &&
      !order.reduceOnly &&
      order.maxTs === 0n &&
      sim.isResting(order, market),
  );
}

/** A random market. */
export function someMarket(sim: SimulatedMarkets): SimulatedMarket {
  const market = sim.random.pickOne(sim.markets);
  if (market === undefined) throw new Error('Invariant: there are markets');
  return market;
}

/** A random side. */
export function someDirection(sim: SimulatedMarkets): Direction {
  return sim.random.oneIn(2) ? Direction.Long : Direction.Short;
}

/** Returns the side on which the maker has fewer quotes, so that both sides stay deep. */
function quoteSide(sim: SimulatedMarkets, maker: Maker, market: SimulatedMarket): Direction {
  let balance = 0;
  for (const order of maker.orders) {
    if (order === undefined || !sim.isResting(order, market)) continue;
    if (fillableSize(maker, order) > 0n) balance += order.direction === Direction.Long ? 1 : -1;
  }
  if (balance === 0) return sim.random.oneIn(2) ? Direction.Long : Direction.Short;
  return balance > 0 ? Direction.Short : Direction.Long;
}
