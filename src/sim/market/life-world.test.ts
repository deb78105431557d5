import { expect, test } from 'vitest';
import { Direction } from '../bytes/chain-enums.js';
import {
  cancelOldest,
  moveOracle,
  moveQuotes,
  placeAuctionLimit,
  placeExpiring,
  placeReduceOnly,
  placeTrigger,
  sweep,
  trigger,
} from './life-actions.js';
import { CallDraft } from './life-call.js';
import { fillNext } from './life-fills.js';
import type { LifeMarket } from './life-model.js';
import { placeQuote, someMarket } from './life-orders.js';
import { placeTaking, uncross } from './life-takers.js';
import { type Action, fillable, priceNow, World } from './life-world.js';
import { MarketLife } from './market-life.js';

const SEED = 11;
const STEPS = 4_000;

const ACTIONS: readonly Action[] = [
  moveQuotes,
  moveQuotes,
  (world) => fillNext(world, new CallDraft(world)),
  cancelOldest,
  placeExpiring,
  placeReduceOnly,
  placeAuctionLimit,
  placeTaking,
  placeTrigger,
  trigger,
  sweep,
  (world) => moveOracle(world, someMarket(world)),
  (world) => uncross(world, someMarket(world)),
];

/** Best price of a side, found by looking at every order of every maker. */
function bestByScan(
  world: World,
  market: LifeMarket,
  direction: Direction,
): { price: bigint } | undefined {
  let best: bigint | undefined;
  for (const maker of world.makers) {
    for (const order of maker.orders) {
      if (order?.direction !== direction || !world.rests(order, market)) continue;
      if (fillable(maker, order) < market.step) continue;
      const price = priceNow(order, market);
      const isBetter =
        best === undefined || (direction === Direction.Long ? price > best : price < best);
      if (isBetter) best = price;
    }
  }
  return best === undefined ? undefined : { price: best };
}

test(`the touch is what a scan of all orders finds (seed ${SEED})`, () => {
  const world = new World({ seed: SEED, makers: 24 });
  const prices = new Set<bigint>();
  for (let step = 0; step < STEPS; step += 1) {
    const slot = 31 + Math.floor(step / 10);
    world.time = { slot: BigInt(slot), unixSeconds: BigInt(1_800_000_000 + Math.floor(slot / 2)) };
    const maker = world.makers[step % world.makers.length];
    const [market] = maker?.markets ?? [];
    if (maker === undefined || market === undefined) throw new Error('every maker has a market');
    if (step < 200) placeQuote(world, maker, market);
    else world.random.pick(ACTIONS)?.(world);
    for (const looked of world.markets) {
      const { bid, ask } = world.touch(looked);
      expect(bid?.price).toBe(bestByScan(world, looked, Direction.Long)?.price);
      expect(ask?.price).toBe(bestByScan(world, looked, Direction.Short)?.price);
      if (bid !== undefined) prices.add(bid.price);
      if (bid !== undefined) expect(bid.size).toBe(fillable(bid.maker, bid.order));
    }
  }
  expect(prices.size).toBeGreaterThan(50);
});

test('the first state of 10,000 makers takes no search of all orders for each quote', () => {
  const life = new MarketLife({ seed: 1, makers: 10_000 });
  const writes = life.genesis({ slot: 31, unixSeconds: 1_800_000_000 });
  expect(writes.length).toBeGreaterThan(10_000);
});
