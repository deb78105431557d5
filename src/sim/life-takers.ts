import { Direction, OrderType } from './chain-enums.js';
import { fill, place, someDirection, someMarket, someSize, trade } from './life-orders.js';
import type { Action, LifeMarket, Maker, Resting, World } from './life-world.js';
import { smaller } from './life-world.js';

/** Takes what is crossed off the books: a trader sells to the bid what it buys from the ask. */
export function uncross(world: World, market: LifeMarket): boolean {
  const { bid, ask } = world.touch(market);
  if (bid === undefined || ask === undefined || bid.price < ask.price) return false;
  const trader = someTrader(world);
  if (trader === undefined) return false;
  const size = smaller(bid.size, ask.size);
  for (const { maker, order, price } of [ask, bid]) {
    fill(world, maker, { order, market, price, size });
    trade(world, trader, { market, price, size, direction: opposite(order.direction) });
  }
  return true;
}

/** A trader takes from the best orders of one side, the last of them often only in part. */
export const takeBest: Action = (world) => {
  const market = someMarket(world);
  const trader = someTrader(world);
  if (trader === undefined) return false;
  const direction = world.random.oneIn(2) ? Direction.Long : Direction.Short;
  const takes = world.random.between(1, 3);
  for (let i = 0; i < takes; i += 1) {
    const best = bestAgainst(world, market, direction);
    if (best === undefined || best.maker === trader) return i > 0;
    takeOne(world, trader, { market, best });
  }
  return true;
};

/** A market or oracle order: never in the book, taken or cancelled soon. */
export const placeTaking: Action = (world) => {
  const market = someMarket(world);
  const trader = someTrader(world);
  if (trader === undefined) return false;
  const direction = someDirection(world);
  const spread = market.tick * BigInt(world.random.between(5, 30));
  const isOracle = world.random.oneIn(3);
  const from = isOracle ? 0n : market.feed.price;
  const wish = {
    direction,
    orderType: isOracle ? OrderType.Oracle : OrderType.Market,
    baseAssetAmount: someSize(world, market),
    auctionDuration: world.random.between(5, 20),
    auctionStartPrice: direction === Direction.Long ? from - spread : from + spread,
    auctionEndPrice: direction === Direction.Long ? from + spread : from - spread,
    maxTs: world.time.unixSeconds + 30n,
  };
  return place(world, trader, { market, wish });
};

function takeOne(
  world: World,
  trader: Maker,
  { market, best }: { market: LifeMarket; best: Resting },
): void {
  const { random } = world;
  const part = random.oneIn(2) ? best.size : (best.size * BigInt(random.between(1, 9))) / 10n;
  const size = part - (part % market.step) > 0n ? part - (part % market.step) : best.size;
  const { maker, order, price } = best;
  fill(world, maker, { order, market, price, size });
  trade(world, trader, { market, price, size, direction: opposite(order.direction) });
}

function bestAgainst(world: World, market: LifeMarket, direction: Direction): Resting | undefined {
  const { bid, ask } = world.touch(market);
  return direction === Direction.Long ? ask : bid;
}

function someTrader(world: World): Maker | undefined {
  return world.random.pick(world.traders);
}

function opposite(direction: Direction): Direction {
  return direction === Direction.Long ? Direction.Short : Direction.Long;
}
