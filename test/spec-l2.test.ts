/**
 * The specification's /l2 and /l3 and the shapes of their bodies, sentence by sentence, against a
 * real service on a real chain.
 *
 * The AMM of the scene's market is paused but where a test is about it. Indicative quotes have tests of
 * their own.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Direction, MarketType } from '../src/sim/bytes/chain-enums.js';
import {
  ask,
  BASE,
  bid,
  type Level,
  SCENE,
  type SceneBook,
  SpecScene,
} from './support/spec-scene.js';
import { until } from './support/until.js';

const ONE = 1_000_000n;
/** Both sides of the scene have this many levels, which is more than the default shows. */
const LEVELS = 15;

let scene: SpecScene;

beforeAll(async () => {
  scene = await SpecScene.start();
  await writeLadders();
});

afterAll(() => scene?.stop());

/** Fifteen levels a side, the best of which are made of two orders. */
async function writeLadders(): Promise<void> {
  const steps = Array.from({ length: LEVELS }, (_, i) => BigInt(i) * ONE);
  await scene.place(1, ...steps.map((step) => bid(99n * ONE - step)), bid(99n * ONE));
  await scene.place(2, ...steps.map((step) => ask(101n * ONE + step)), ask(101n * ONE));
  await scene.book(
    ({ bids, asks }) => bids.length === LEVELS && asks.length === LEVELS,
    '&depth=100',
  );
}

const prices = (levels: readonly Level[]) => levels.map(({ price }) => BigInt(price));

async function bothSides(query = ''): Promise<Level[]> {
  const { bids, asks } = await scene.l2(query);
  return [...bids, ...asks];
}

describe('GET /l2', () => {
  test('l2-market: marketName is a perp symbol or a spot market name', async () => {
    const perp = await scene.service.json('/l2?marketName=SOL-PERP');
    expect(perp).toMatchObject({ marketName: 'SOL-PERP', marketType: 'perp' });
    const spot = await scene.service.json('/l2?marketName=SOL');
    expect(spot).toMatchObject({ marketName: 'SOL', marketType: 'spot' });
  });

  test('l2-depth: depth is the number of price levels per side, 10 by default', async () => {
    for (const depth of [1, 3, 11, LEVELS]) {
      const { bids, asks } = await scene.l2(`&depth=${depth}`);
      expect([bids.length, asks.length]).toEqual([depth, depth]);
    }
    const { bids, asks } = await scene.l2();
    expect([bids.length, asks.length]).toEqual([10, 10]);
  });

  test('l2-vamm: includeVamm is taken as a boolean `true`', async () => {
    for (const value of ['true', 'True', 'false', '1', '']) {
      const path = `/l2?marketName=${SCENE.name}&includeVamm=${value}`;
      expect((await scene.service.get(path)).status).toBe(200);
    }
  });

  test('l2-indicative: includeIndicative is taken as a boolean `true`', async () => {
    for (const value of ['true', 'TRUE', 'no', '']) {
      const path = `/l2?marketName=${SCENE.name}&includeIndicative=${value}`;
      expect((await scene.service.get(path)).status).toBe(200);
    }
  });

  test('l2-answer: the response is an L2 order book object', async () => {
    const { status, headers, text } = await scene.service.get(`/l2?marketName=${SCENE.name}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const body = JSON.parse(text);
    expect(Array.isArray(body.bids) && Array.isArray(body.asks)).toBe(true);
  });
});

describe('rules for /l2', () => {
  test('rule-1: when includeVamm is not `true` there is only resting order book liquidity', async () => {
    for (const query of ['', '&includeVamm=false', '&includeVamm=yes']) {
      const levels = await bothSides(`&depth=100${query}`);
      expect(levels).toHaveLength(2 * LEVELS);
      for (const { size, sources } of levels) expect(sources).toEqual({ dlob: size });
    }
  });

  test('rule-2: when includeVamm is `true`, AMM liquidity is added under sources key `vamm`', async () => {
    const plain = await scene.l2('&depth=1000');
    expect(await scene.l2('&depth=1000&includeVamm=true')).toMatchObject({ bids: plain.bids });
    // The AMM is left out where its oracle is old.
    await scene.setOracle(SCENE.oracle);
    await scene.chain.setAmm('filling');
    const hasVamm = ({ bids, asks }: SceneBook) =>
      [...bids, ...asks].some(({ sources }) => sources['vamm'] !== undefined);
    const whole = await scene.book(hasVamm, '&depth=1000&includeVamm=true');
    for (const side of ['bids', 'asks'] as const) {
      const ofOrders = whole[side].filter(({ sources }) => sources['dlob'] !== undefined);
      expect(ofOrders.map(({ price, sources }) => [price, sources['dlob']])).toEqual(
        plain[side].map(({ price, size }) => [price, size]),
      );
      expect(whole[side].length).toBeGreaterThan(plain[side].length);
    }
    expect((await scene.l2('&depth=1000')).bids).toEqual(plain.bids);
    await scene.chain.setAmm('paused');
    await scene.book((book) => !hasVamm(book), '&depth=1000&includeVamm=true');
  });

  test('rule-3: without includeIndicative=true no level has indicative quotes', async () => {
    for (const query of ['', '&includeIndicative=false', '&includeIndicative=1']) {
      const names = (await bothSides(query)).flatMap(({ sources }) => Object.keys(sources));
      expect(new Set(names)).toEqual(new Set(['dlob']));
    }
  });

  test('rule-4: each side holds at most `depth` price levels', async () => {
    const all = await scene.l2('&depth=1000');
    for (let depth = 1; depth <= LEVELS + 2; depth += 1) {
      const { bids, asks } = await scene.l2(`&depth=${depth}`);
      // The best ones, and no others.
      expect(bids).toEqual(all.bids.slice(0, depth));
      expect(asks).toEqual(all.asks.slice(0, depth));
    }
  });
});

describe('an L2 order book', () => {
  test('shape-l2: is an object with two arrays, bids and asks, of levels', async () => {
    const levels = await bothSides('&depth=100');
    for (const level of levels) {
      expect(Object.keys(level)).toEqual(['price', 'size', 'sources']);
    }
  });

  test('shape-price: price is a string, an integer at 1e6', async () => {
    const { bids } = await scene.l2('&depth=2');
    expect(bids.map(({ price }) => price)).toEqual(['99000000', '98000000']);
  });

  test('shape-size: size is a string, an integer at 1e9, the total across sources', async () => {
    const { asks } = await scene.l2('&depth=2');
    expect(asks.map(({ size }) => size)).toEqual(['2000000000', '1000000000']);
    for (const { size, sources } of await bothSides('&depth=100')) {
      expect(Object.values(sources).reduce((sum, part) => sum + BigInt(part), 0n)).toBe(
        BigInt(size),
      );
    }
  });

  test('shape-sources: sources is an object from names to sizes, never a flat string', async () => {
    for (const { sources } of await bothSides('&depth=100')) {
      expect(Object.prototype.toString.call(sources)).toBe('[object Object]');
      for (const size of Object.values(sources)) expect(size).toMatch(/^[1-9]\d*$/);
    }
  });

  test('shape-source-dlob: resting limit orders have the source key dlob', async () => {
    const { bids } = await scene.l2('&depth=1');
    expect(bids[0]?.sources).toEqual({ dlob: `${2n * BASE}` });
  });

  test('shape-source-vamm: the AMM has the source key vamm, around the oracle price', async () => {
    await scene.setOracle(SCENE.oracle);
    await scene.chain.setAmm('filling');
    const { bids, asks } = await scene.book(
      (book) => book.bids.some(({ sources }) => sources['vamm'] !== undefined),
      '&depth=1000&includeVamm=true',
    );
    for (const { size, sources } of [...bids, ...asks]) {
      const parts = Object.entries(sources);
      expect(parts.every(([name]) => name === 'dlob' || name === 'vamm')).toBe(true);
      expect(parts.reduce((sum, [, part]) => sum + BigInt(part), 0n)).toBe(BigInt(size));
    }
    const ofAmm = (levels: readonly Level[]) =>
      prices(levels.filter(({ sources }) => sources['vamm'] !== undefined));
    const [bid = 0n, ask = 0n] = [ofAmm(bids)[0], ofAmm(asks)[0]];
    expect(bid).toBeLessThan(ask);
    expect(Number(bid + ask) / 2).toBeCloseTo(Number(SCENE.oracle), -7);
    await scene.chain.setAmm('paused');
    await scene.book(
      (book) => book.bids.every(({ sources }) => sources['vamm'] === undefined),
      '&depth=1000&includeVamm=true',
    );
  });

  test('shape-order: bids descend and asks ascend by price', async () => {
    const { bids, asks } = await scene.l2('&depth=100');
    expect(prices(bids)).toEqual(prices(bids).sort((a, b) => Number(b - a)));
    expect(prices(asks)).toEqual(prices(asks).sort((a, b) => Number(a - b)));
    expect(new Set(prices(bids)).size).toBe(LEVELS);
  });

  test('precision-price: prices are at 1e6', async () => {
    const { markPrice, bestBidPrice, oracle } = await scene.l2();
    expect([markPrice, bestBidPrice, oracle]).toEqual(['100000000', '99000000', 100_000_000]);
  });

  test('precision-base: sizes are at 1e9, of a spot token as well', async () => {
    const { bids } = await scene.l2('&depth=2');
    expect(bids[1]?.size).toBe('1000000000');
    const spot = { marketType: MarketType.Spot, marketIndex: 1 };
    await scene.place(3, ask(9_000n * ONE, { ...spot, baseAssetAmount: 3n * BASE }));
    await until(async () => {
      const { asks } = await scene.service.json('/l2?marketName=SOL&depth=1000');
      const top = (asks as Level[]).at(-1);
      return top?.price === '9000000000' && top.size === '3000000000';
    });
    await scene.place(3);
  });

  test('precision-raw: amounts are raw integers', async () => {
    const levels = await bothSides('&depth=100');
    for (const { price, size, sources } of levels) {
      for (const amount of [price, size, ...Object.values(sources)]) {
        expect(amount).toMatch(/^[1-9]\d*$/);
      }
    }
  });
});

describe('GET /l3', () => {
  test('l3-market: marketName names the market', async () => {
    const body = await scene.service.json(`/l3?marketName=${SCENE.name.toLowerCase()}`);
    expect(body).toMatchObject({ marketName: SCENE.name, marketIndex: SCENE.marketIndex });
    expect((await scene.service.get('/l3')).status).toBe(400);
  });

  test('l3-answer: the response is individual orders with maker addresses', async () => {
    const { bids, asks } = await scene.l3();
    expect([bids.length, asks.length]).toEqual([LEVELS + 1, LEVELS + 1]);
    expect(new Set(bids.map(({ maker }) => maker))).toEqual(new Set([scene.maker(1)]));
    expect(new Set(asks.map(({ maker }) => maker))).toEqual(new Set([scene.maker(2)]));
  });

  test('shape-l3: an order stands by itself, with its maker and its id', async () => {
    const { bids } = await scene.l3();
    const [first, second, third] = bids;
    expect([first, second]).toMatchObject([
      { price: '99000000', size: '1000000000', maker: scene.maker(1), orderId: 1 },
      { price: '99000000', size: '1000000000', maker: scene.maker(1), orderId: LEVELS + 1 },
    ]);
    expect(third).toMatchObject({ price: '98000000', orderId: 2 });
  });
});

describe('the order book', () => {
  beforeEach(() => scene.clear(1, 2, 3));

  test('does-3-sorts: orders of all users are sorted and aggregated by price level', async () => {
    await scene.place(1, bid(90n * ONE), bid(95n * ONE), ask(105n * ONE));
    await scene.place(2, bid(95n * ONE, { baseAssetAmount: 4n * BASE }), ask(103n * ONE));
    await scene.place(3, ask(105n * ONE), bid(92n * ONE));
    const { bids, asks } = await scene.book((book) => book.bids.length + book.asks.length === 5);
    const rows = (levels: readonly Level[]) => levels.map(({ price, size }) => [price, size]);
    expect(rows(bids)).toEqual([
      ['95000000', '5000000000'],
      ['92000000', '1000000000'],
      ['90000000', '1000000000'],
    ]);
    expect(rows(asks)).toEqual([
      ['103000000', '1000000000'],
      ['105000000', '2000000000'],
    ]);
  });

  test('does-4: expired, unfillable and foreign orders are out, flags are honored', async () => {
    const now = BigInt(scene.demo.clock.unixSeconds);
    const spot = { marketType: MarketType.Spot, marketIndex: SCENE.marketIndex };
    await scene.place(
      1,
      bid(91n * ONE, { maxTs: now - 100n }),
      bid(92n * ONE, { baseAssetAmountFilled: BASE }),
      bid(93n * ONE, spot),
      bid(94n * ONE, { marketIndex: 0 }),
      // A position of two units: so much can be sold reduce-only, and nothing be bought.
      ask(106n * ONE, { reduceOnly: true, baseAssetAmount: 9n * BASE }),
      bid(95n * ONE, { reduceOnly: true }),
      bid(96n * ONE, { postOnly: true }),
    );
    const { bids, asks } = await scene.book((book) => book.bids.length + book.asks.length === 2);
    expect(bids).toMatchObject([{ price: '96000000', size: '1000000000' }]);
    expect(asks).toMatchObject([{ price: '106000000', size: '2000000000' }]);
    const orders = await scene.l3();
    expect(orders.bids).toMatchObject([{ postOnly: true, reduceOnly: false }]);
    expect(orders.asks).toMatchObject([{ postOnly: false, reduceOnly: true }]);
  });

  test('does-7-price: an oracle-offset order stands at the oracle price plus its offset', async () => {
    await scene.setOracle(SCENE.oracle);
    await scene.place(
      1,
      bid(0n, { oraclePriceOffset: -250_000 }),
      ask(0n, { oraclePriceOffset: 1_500_000 }),
    );
    const { bids, asks } = await scene.book((book) => book.asks.length === 1);
    expect([bids[0]?.price, asks[0]?.price]).toEqual(['99750000', '101500000']);
  });

  test('order-fifo: best price first, and the earliest order first at a price', async () => {
    const slot = BigInt(scene.demo.clock.slot);
    await scene.place(1, bid(95n * ONE, { slot, orderId: 9 }), bid(94n * ONE, { slot: 1n }));
    await scene.place(2, bid(95n * ONE, { slot: slot - 3n, orderId: 50 }));
    await scene.place(3, bid(95n * ONE, { slot, orderId: 4 }));
    await until(async () => (await scene.l3()).bids.length === 4);
    const { bids } = await scene.l3();
    expect(bids.map(({ orderId }) => orderId)).toEqual([50, 4, 9, 2]);
    const ahead = bids.map(({ queue }) => queue);
    expect(ahead).toEqual(['0', '1000000000', '2000000000', '0']);
  });

  test('order-rests: a limit order without an auction rests at once', async () => {
    const direction = Direction.Short;
    await scene.place(1, { price: 104n * ONE, direction, auctionDuration: 0 });
    const { asks } = await scene.book((book) => book.asks.length === 1);
    expect(asks).toMatchObject([{ price: '104000000', sources: { dlob: '1000000000' } }]);
  });
});
