import type { OpenPositions } from '../bytes/amm-bytes.js';
import { Direction, MarketType, OrderStatus } from '../bytes/chain-enums.js';
import { emptyOrder, type OrderFields } from '../bytes/user-account.js';
import type { LifeMarket, Maker } from './life-model.js';
import type { World } from './life-world.js';
import { fillable, onTick, position } from './life-world.js';

/** A new order before the account gives it a place, an id and a slot. */
export type OrderWish = Pick<OrderFields, 'direction' | 'baseAssetAmount'> & Partial<OrderFields>;

/** Puts an order into the first free place of the account; false when all 32 are open. */
export function place(
  world: World,
  maker: Maker,
  { market, wish }: { market: LifeMarket; wish: OrderWish },
): boolean {
  const index = maker.orders.findIndex((order) => order?.status !== OrderStatus.Open);
  if (index < 0) return false;
  const order: OrderFields = {
    ...emptyOrder(),
    slot: world.time.slot,
    marketIndex: market.marketIndex,
    marketType: market.marketType,
    orderId: maker.nextOrderId,
    existingPositionDirection: position(maker, market) < 0n ? Direction.Short : Direction.Long,
    ...wish,
  };
  maker.orders[index] = order;
  world.placed({ maker, order }, market);
  maker.nextOrderId += 1;
  touched(world, maker);
  return true;
}

/** Ends an order; its bytes stay in the account until the place is taken again. */
export function cancel(world: World, maker: Maker, order: OrderFields): void {
  order.status = OrderStatus.Canceled;
  touched(world, maker);
}

/** Marks the account as written in this slot. */
export function touched(world: World, maker: Maker): void {
  maker.lastActiveSlot = world.time.slot;
  world.dirtyMakers.add(maker);
}

/** Counts a fill in an order; one without a rest is over. */
export function fillOrder(
  order: OrderFields,
  { base, quote }: { readonly base: bigint; readonly quote: bigint },
): void {
  order.baseAssetAmountFilled += base;
  order.quoteAssetAmountFilled += quote;
  if (order.baseAssetAmountFilled >= order.baseAssetAmount) order.status = OrderStatus.Filled;
}

/** Moves a position, and the market's sums of positions with it. A fee below zero is a rebate. */
export function settle(
  world: World,
  maker: Maker,
  fill: {
    readonly market: LifeMarket;
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
    maker.sol += base;
    maker.usdc += quote;
  } else {
    const held = maker.perpBase[marketIndex] ?? 0n;
    maker.perpBase[marketIndex] = held + base;
    maker.perpQuote[marketIndex] = (maker.perpQuote[marketIndex] ?? 0n) + quote;
    market.positions = movedPositions(market.positions, { from: held, to: held + base });
  }
  touched(world, maker);
}

function movedPositions(
  { long, short, withAmm }: OpenPositions,
  { from, to }: { readonly from: bigint; readonly to: bigint },
): OpenPositions {
  const longs = (base: bigint): bigint => (base > 0n ? base : 0n);
  const shorts = (base: bigint): bigint => (base < 0n ? base : 0n);
  return {
    long: long + longs(to) - longs(from),
    short: short + shorts(to) - shorts(from),
    withAmm: withAmm + to - from,
  };
}

/** The other side. */
export function opposite(direction: Direction): Direction {
  return direction === Direction.Long ? Direction.Short : Direction.Long;
}

/**
 * A size that suits the market: a few steps to some hundreds above its minimum, small ones more
 * likely.
 */
export function someSize(world: World, market: LifeMarket): bigint {
  return (
    market.minOrderSize * BigInt(1 + world.random.skewed(80)) +
    market.step * BigInt(world.random.below(100))
  );
}

/**
 * A price for a new quote: some ticks from the oracle, near ones more likely, and never through the
 * other side as it stands, so that the book is crossed by moving oracles only.
 */
export function quotePrice(world: World, market: LifeMarket, direction: Direction): bigint {
  const { random } = world;
  const ticks = random.oneIn(6)
    ? random.between(60, 1_500)
    : random.between(1, 3) + random.skewed(60);
  const distance = market.tick * BigInt(ticks);
  const { bid, ask } = world.touch(market);
  const fair = onTick(market.feed.price, market.tick, direction);
  if (direction === Direction.Long) {
    const price = fair - distance;
    return ask !== undefined && price >= ask.price ? ask.price - market.tick : price;
  }
  const price = fair + distance;
  return bid !== undefined && price <= bid.price ? bid.price + market.tick : price;
}

/**
 * Places one maker quote, fixed or by oracle offset as the maker likes; false when there is no
 * place for it.
 */
export function placeQuote(world: World, maker: Maker, market: LifeMarket): boolean {
  const direction = quoteSide(world, maker, market);
  const price = quotePrice(world, market, direction);
  if (price < market.tick) return false;
  const isFloating = world.random.below(100) < maker.floatingPercent;
  const offset = Number(price - market.feed.price);
  const terms = isFloating && offset !== 0 ? { oraclePriceOffset: offset } : { price };
  const baseAssetAmount = someSize(world, market);
  const wish = { ...terms, direction, baseAssetAmount, postOnly: !world.random.oneIn(8) };
  return place(world, maker, { market, wish });
}

/** The resting quotes of a maker in a market that a move may replace. */
export function quotesOf(world: World, maker: Maker, market: LifeMarket): OrderFields[] {
  return maker.orders.filter(
    (order): order is OrderFields =>
      order !== undefined && !order.reduceOnly && order.maxTs === 0n && world.rests(order, market),
  );
}

/** Any market. */
export function someMarket(world: World): LifeMarket {
  const market = world.random.pick(world.markets);
  if (market === undefined) throw new Error('Invariant: there are markets');
  return market;
}

/** Either side. */
export function someDirection(world: World): Direction {
  return world.random.oneIn(2) ? Direction.Long : Direction.Short;
}

/** The side of which the maker has fewer quotes, so that both sides stay deep. */
function quoteSide(world: World, maker: Maker, market: LifeMarket): Direction {
  let balance = 0;
  for (const order of maker.orders) {
    if (order === undefined || !world.rests(order, market)) continue;
    if (fillable(maker, order) > 0n) balance += order.direction === Direction.Long ? 1 : -1;
  }
  if (balance === 0) return world.random.oneIn(2) ? Direction.Long : Direction.Short;
  return balance > 0 ? Direction.Short : Direction.Long;
}
