/** The levels of all sources of a market whose AMM is in the book. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../src/server/testing/running-server.js';
import { StreamScene } from './support/stream-scene.js';

interface Level {
  readonly price: string;
  readonly size: string;
  readonly sources: Readonly<Record<string, string>>;
}

interface Body {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly crossed: boolean;
  readonly bestBidPrice: string;
  readonly bestAskPrice: string;
  readonly markPrice: string;
  readonly [member: string]: unknown;
}

let scene: StreamScene;
let server: RunningServer;

beforeAll(async () => {
  scene = await StreamScene.start();
  scene.live(200);
  server = await startServer(scene.engine);
});

afterAll(async () => {
  server?.close();
  await scene?.stop();
});

async function text(path: string): Promise<string> {
  const answer = await fetch(`${server.url}${path}`);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

const l2 = async (query: string): Promise<Body> => JSON.parse(await text(`/l2?${query}`));

/** What is left of the levels of a side without a source. */
function ofSource(levels: readonly Level[], name: string): [string, string][] {
  return levels.flatMap(({ price, sources }) => {
    const size = sources[name];
    return size === undefined ? [] : [[price, size] as [string, string]];
  });
}

const SIDES = ['bids', 'asks'] as const;

describe('/l2 with the AMM', () => {
  const all = 'marketName=SOL-PERP&depth=1000';

  // Specification: rule-1, rule-2.
  test('is the book without it and the AMM, level by level, and says what it shows', async () => {
    const [plain, whole] = [await l2(all), await l2(`${all}&includeVamm=true`)];
    for (const side of SIDES) {
      expect(ofSource(whole[side], 'dlob')).toEqual(plain[side].map((l) => [l.price, l.size]));
      const chunks = ofSource(whole[side], 'vamm');
      expect(chunks.length).toBeGreaterThan(10);
      expect(chunks.length).toBeLessThanOrEqual(100);
      for (const { size, sources } of whole[side]) {
        const sum = Object.values(sources).reduce((parts, part) => parts + BigInt(part), 0n);
        expect(sum).toBe(BigInt(size));
      }
      const order = whole[side].map(({ price }) => Number(price));
      const sorted = [...new Set(order)].sort((a, b) => (side === 'bids' ? b - a : a - b));
      expect(order).toEqual(sorted);
    }
    const [bid, ask] = [whole.bids[0]?.price, whole.asks[0]?.price];
    expect([whole.bestBidPrice, whole.bestAskPrice]).toEqual([bid, ask]);
    expect(whole.crossed).toBe(Number(bid) > Number(ask));
    const { seq, slot } = whole;
    expect({ seq, slot }).toEqual({ seq: plain['seq'], slot: plain['slot'] });
  });
});
