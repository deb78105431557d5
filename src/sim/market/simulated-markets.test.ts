import { expect, test } from 'vitest';
import { Direction } from '../bytes/generated/enums.js';
import { FEW_MARKETS } from '../bytes/market-presets.js';
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
} from './actions.js';
import { CallDraft } from './call-draft.js';
import { fillNext } from './fills.js';
import { MarketSimulator } from './market-simulator.js';
import type { SimulatedMarket } from './model.js';
import { placeQuote, someMarket } from './orders.js';
import { type Action, fillableSize, priceNow, SimulatedMarkets } from './simulated-markets.js';
import { placeTaking, uncrossMarket } from './takers.js';

const SEED = 11;
const STEPS = 4_000;

const ACTIONS: readonly Action[] = [
  moveQuotes,
  moveQuotes,
  (sim) => fillNext(sim, new CallDraft(sim)),
  cancelOldest,
  placeExpiring,
  placeReduceOnly,
  placeAuctionLimit,
  placeTaking,
  placeTrigger,
  trigger,
  sweep,
  (sim) => moveOracle(sim, someMarket(sim)),
  (sim) => uncrossMarket(sim, someMarket(sim)),
];

/** The best price of a side, by a scan of all orders of all makers. */
function bestByScan(
  sim: SimulatedMarkets,
  market: SimulatedMarket,
  direction: Direction,
): { price: bigint } | undefined {
  let best: bigint | undefined;
  for (const maker of sim.makers) {
    for (const order of maker.orders) {
      if (order?.direction !== direction || !sim.isResting(order, market)) continue;
      if (fillableSize(maker, order) < market.step) continue;
      const price = priceNow(order, market);
      const isBetter =
        best === undefined || (direction === Direction.Long ? price > best : price < best);
      if (isBetter) best = price;
    }
  }
  return best === undefined ? undefined : { price: best };
}

test(`the touch is what a scan of all orders finds (seed ${SEED})`, () => {
  const sim = new SimulatedMarkets({ presets: FEW_MARKETS, seed: SEED, makers: 24 });
  const prices = new Set<bigint>();
  for (let step = 0; step < STEPS; step += 1) {
    const slot = 31 + Math.floor(step / 10);
    sim.time = { slot: BigInt(slot), unixSeconds: BigInt(1_800_000_000 + Math.floor(slot / 2)) };
    const maker = sim.makers[step % sim.makers.length];
    const [market] = maker?.markets ?? [];
    if (maker === undefined || market === undefined) throw new Error('every maker has a market');
    if (step < 200) placeQuote(sim, maker, market);
    else sim.random.pickOne(ACTIONS)?.(sim);
    for (const looked of sim.markets) {
      const { bid, ask } = sim.bestOrders(looked);
      expect(bid?.price).toBe(bestByScan(sim, looked, Direction.Long)?.price);
      expect(ask?.price).toBe(bestByScan(sim, looked, Direction.Short)?.price);
      if (bid !== undefined) prices.add(bid.price);
      if (bid !== undefined) expect(bid.size).toBe(fillableSize(bid.maker, bid.order));
    }
  }
  expect(prices.size).toBeGreaterThan(50);
});

test('the first state of 10,000 makers takes no search of all orders for each quote', () => {
  const life = new MarketSimulator({ seed: 1, makers: 10_000 });
  const writes = life.createGenesis({ slot: 31, unixSeconds: 1_800_000_000 });
  expect(writes.length).toBeGreaterThan(10_000);
});
