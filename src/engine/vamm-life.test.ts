import { describe, expect, test } from 'vitest';
import { MarketSimulator } from '../sim/market/market-simulator.js';
import { Engine } from './engine.js';
import { PROGRAM, parsed } from './testing.js';

const START = { slot: 31, unixSeconds: 1_800_000_000 };
const STEPS = 400;

interface Body {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly oracle: number;
}
interface Level {
  readonly price: string;
  readonly sources: Readonly<Record<string, string>>;
}

/** The price of the first level with liquidity of a source. */
function best(levels: readonly Level[], source = 'vamm'): number {
  const level = levels.find(({ sources }) => sources[source] !== undefined);
  return Number(level?.price);
}

/** An engine with the first state of a life, to which more is pushed. */
function engineOf(life: MarketSimulator) {
  const engine = new Engine({ programId: PROGRAM, epoch: 'e1' });
  const push = (writes: ReturnType<MarketSimulator['nextWrites']>, slot: number): void => {
    for (const { pubkey, owner, data } of writes) {
      engine.push({ pubkey, owner, slot, data: data.toString('base64'), encoding: 'base64' });
    }
  };
  const genesis = life.createGenesis(START);
  push(genesis, START.slot);
  engine.setClock(START.slot, START.unixSeconds);
  engine.setState('live');
  engine.endTurn(1);
  // Markets must be known before their oracles are read.
  push(genesis, START.slot);
  return { engine, push };
}

describe("engine: the AMMs of the demo's markets", () => {
  // Specification: match-committed.
  test('each perp market shows its AMM on both sides, near the oracle as it moves', () => {
    const life = new MarketSimulator({ seed: 5, makers: 10 });
    const { engine, push } = engineOf(life);
    const perps = engine.markets().filter(({ marketType }) => marketType === 'perp');
    expect(perps.length).toBe(3);
    const seen = new Set<number>();
    for (let step = 1; step <= STEPS; step += 1) {
      const slot = START.slot + Math.floor(step / 4);
      const unixSeconds = START.unixSeconds + Math.floor(step / 10);
      push(life.nextWrites({ slot, unixSeconds }), slot);
      engine.setClock(slot, unixSeconds);
      engine.endTurn(step + 1);
      for (const { id: market } of perps) {
        const body = parsed(engine.l2({ market, depth: 200, vamm: true })) as unknown as Body;
        const [bid, ask] = [best(body.bids), best(body.asks)];
        expect(bid).toBeLessThan(ask);
        for (const price of [bid, ask]) {
          expect(Math.abs(price / body.oracle - 1)).toBeLessThan(0.02);
        }
        seen.add(bid);
      }
    }
    expect(seen.size).toBeGreaterThan(20);
  });

  test('the AMM of SOL-PERP never stands across the orders, in 60 of 60 looks', () => {
    const life = new MarketSimulator({ seed: 1, fundingSeconds: 20 });
    const { engine, push } = engineOf(life);
    const market = engine.findMarket('SOL-PERP')?.id ?? -1;
    const across: number[][] = [];
    for (let look = 1; look <= 60; look += 1) {
      const clock = { slot: START.slot + 5 * look, unixSeconds: START.unixSeconds + 2 * look };
      for (let step = 0; step < 200; step += 1) push(life.nextWrites(clock), clock.slot);
      engine.setClock(clock.slot, clock.unixSeconds);
      engine.endTurn(look + 1);
      const { bids, asks } = parsed(
        engine.l2({ market, depth: 1_000, vamm: true }),
      ) as unknown as Body;
      const prices = [best(bids), best(asks), best(bids, 'dlob'), best(asks, 'dlob')] as const;
      expect(prices.every(Number.isFinite)).toBe(true);
      const [ammBid, ammAsk, bid, ask] = prices;
      if (ammBid >= ask || ammAsk <= bid) across.push([...prices]);
    }
    expect(across).toEqual([]);
  });
});
