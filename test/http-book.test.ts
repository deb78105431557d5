/** The paths over a living book: what they answer fits what the others answer of the same version. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Engine } from '../src/engine/engine.js';
import { type RunningServer, startServer } from '../src/server/testing/running-server.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../src/sim/market/market-simulator.js';

const STEPS = 400;
const LIMITS = [1, 4, 17, 100];

let server: RunningServer;
let markets: readonly string[];

beforeAll(async () => {
  const engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
  const life = new MarketSimulator({ seed: 20261121, makers: 120 });
  let slot = 1_000;
  const clock = () => ({ slot, unixSeconds: 1_800_000_000 + Math.floor(slot / 2) });
  const take = (writes: readonly AccountWrite[]): void => {
    for (const { pubkey, owner, data } of writes) {
      engine.push({ pubkey, owner, slot, data: data.toString('base64'), encoding: 'base64' });
    }
  };
  take(life.createGenesis(clock()));
  for (let step = 0; step < STEPS; step += 1) {
    if (step % 20 === 0) slot += 1;
    take(life.nextWrites(clock()));
  }
  engine.setClock(slot, clock().unixSeconds);
  engine.setState('live');
  engine.endTurn(1_800_000_000_000);
  server = await startServer(engine);
  markets = engine.markets().map(({ symbol }) => symbol);
});

afterAll(() => server?.close());

async function text(path: string): Promise<string> {
  const response = await fetch(`${server.url}${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

interface Orders {
  readonly bids: readonly { readonly maker: string }[];
  readonly asks: readonly { readonly maker: string }[];
}

describe('/topMakers', () => {
  test('names the makers of /l3 in the order of their best orders, each once', async () => {
    let makersSeen = 0;
    for (const market of markets) {
      const { bids, asks }: Orders = JSON.parse(await text(`/l3?marketName=${market}`));
      for (const [side, orders] of [
        ['bid', bids],
        ['ask', asks],
      ] as const) {
        const makers = [...new Set(orders.map(({ maker }) => maker))];
        makersSeen = Math.max(makersSeen, makers.length);
        for (const limit of LIMITS) {
          const path = `/topMakers?marketName=${market}&side=${side}&limit=${limit}`;
          expect(JSON.parse(await text(path))).toEqual(makers.slice(0, limit));
        }
      }
    }
    expect(makersSeen).toBeGreaterThan(17);
  });
});

describe('/batchL2', () => {
  test('is the bodies of /l2 of all markets, uncrossed and grouped ones as well', async () => {
    const variants = ['', '&uncross=true', '&grouping=50&depth=100', '&depth=1'];
    for (const variant of variants) {
      const bodies = await Promise.all(
        markets.map((name) => text(`/l2?marketName=${name}${variant}`)),
      );
      const lists = variant.replaceAll(/=(\w+)/g, (_, value) => `=${markets.map(() => value)}`);
      const batch = await text(`/batchL2?marketName=${markets}${lists}`);
      expect(batch).toBe(`{"l2s":[${bodies}]}`);
    }
  });
});
