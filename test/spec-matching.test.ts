/**
 * "Matching sequence of a taker order", row by row and rule by rule: orders on a real chain, and what
 * /match of a real service says that a taker would get.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MarketType, OrderType } from '../src/sim/bytes/chain-enums.js';
import { FakeAggregator } from './support/fake-aggregator.js';
import type { SceneOrder } from './support/scene-chain.js';
import { ask, BASE, bid, SCENE, SpecScene } from './support/spec-scene.js';
import { until } from './support/until.js';

const ONE = 1_000_000n;
/** An auction of ten slots from 100 to 101: what it has come to, slot by slot, is a tenth each. */
const AUCTION = 'auctionStart=100000000&auctionEnd=101000000&auctionDuration=10';

interface Fill {
  readonly source: string;
  readonly maker: string | null;
  readonly orderId: number | null;
  readonly price: string;
  readonly size: string;
  readonly quote: string;
  readonly takerFee: string;
  readonly makerRebate: string;
}

interface Walk {
  readonly fills: readonly Fill[];
  readonly filledBase: string;
  readonly filledQuote: string;
  readonly averagePrice: string | null;
  readonly priceImpact: string | null;
  readonly unfilled: string;
  readonly rests: { price: string; size: string; rebateRate: string } | null;
  readonly seq: number;
}

let aggregator: FakeAggregator;
let scene: SpecScene;

beforeAll(async () => {
  aggregator = await FakeAggregator.start();
  scene = await SpecScene.start({
    aggregatorUrl: aggregator.url,
    aggregatorIntervalMs: '100',
    aggregatorSizes: '100',
    aggregatorRequestsPerSecond: '100',
  });
  await scene.chain.setAmm('filling');
});

beforeEach(async () => {
  await scene.setOracle(SCENE.oracle);
  const oracle = async () => (await scene.l2())['oracle'];
  await expect.poll(oracle).toBe(Number(SCENE.oracle));
});

afterEach(() => scene.clear(1, 2, 3));

afterAll(async () => {
  await scene?.stop();
  await aggregator?.stop();
});

async function match(query: string, market: string = SCENE.name): Promise<Walk> {
  const path = `/match?marketName=${encodeURIComponent(market)}&${query}`;
  const { status, text } = await scene.service.get(path);
  expect([path, status]).toEqual([path, 200]);
  return JSON.parse(text);
}

/** Places orders of three users, and waits until the book shows all of them. */
async function place(orders: Readonly<Record<number, readonly SceneOrder[]>>) {
  let expected = 0;
  for (const [seed, list] of Object.entries(orders)) {
    expected += list.length;
    await scene.place(Number(seed), ...list);
  }
  await until(async () => {
    const { bids, asks } = await scene.l3();
    return (bids?.length ?? 0) + (asks?.length ?? 0) === expected;
  });
}

const short = ({ fills }: Walk) =>
  fills.map(({ source, price, size }) => `${source} ${size}@${price}`);

const sizeOf = (bases: bigint) => `size=${bases * BASE}`;
const noVamm = 'includeVamm=false';

describe('1. the JIT auction', () => {
  test('match-jit: in an auction of ten slots makers compete, and the best price fills first', async () => {
    const offers = ['100400000', '100200000', '100600000'].map((price) => `jit=${price}:${BASE}`);
    const query = `side=buy&${sizeOf(3n)}&${AUCTION}&${offers.join('&')}&${noVamm}`;
    const walk = await match(`${query}&slotsElapsed=5`);
    expect(short(walk)).toEqual(['jit 1000000000@100200000', 'jit 1000000000@100400000']);
    expect(walk.unfilled).toBe(`${BASE}`);
    // The tenth slot is of the auction as well, and there the last offer fills.
    expect((await match(`${query}&slotsElapsed=10`)).fills).toHaveLength(3);
    expect((await match(`${query}&slotsElapsed=0`)).fills).toEqual([]);
  });

  test('match-jit-price: the price moves from start to end, in an order as in a walk', async () => {
    for (let elapsed = 0; elapsed <= 10; elapsed += 1) {
      const query = `side=buy&${sizeOf(1n)}&${AUCTION}&slotsElapsed=${elapsed}&${noVamm}`;
      const price = 100n * ONE + BigInt(elapsed) * (ONE / 10n);
      expect((await match(`${query}&jit=${price}:${BASE}`)).fills).toHaveLength(1);
      expect((await match(`${query}&jit=${price + SCENE.tick}:${BASE}`)).fills).toEqual([]);
    }
    const auction = { auctionStartPrice: 100n * ONE, auctionEndPrice: 101n * ONE };
    // Long enough to be seen thrice by a machine that stands still now and then.
    const order = { ...auction, auctionDuration: 50, orderType: OrderType.Market };
    await scene.place(3, bid(0n, order));
    const seen = new Map<number, string>();
    await until(async () => {
      const body = await scene.service.json(`/auctions?marketName=${SCENE.name}`);
      const [row] = body['auctions'] as { slotsLeft: number; currentPrice: string }[];
      if (row !== undefined) seen.set(row.slotsLeft, row.currentPrice);
      return seen.size > 2 && row === undefined;
    });
    for (const [slotsLeft, price] of seen) {
      const elapsed = 50n - BigInt(Math.min(50, slotsLeft));
      expect([slotsLeft, price]).toEqual([slotsLeft, `${100n * ONE + (elapsed * ONE) / 50n}`]);
    }
  });
});

describe('2. the order book', () => {
  test('match-book: what the auction leaves is filled by resting limit orders', async () => {
    await place({ 1: [ask(101n * ONE)] });
    const query = `side=buy&${sizeOf(2n)}&${AUCTION}&slotsElapsed=9&jit=100500000:${BASE / 2n}`;
    expect(short(await match(query))).toEqual([
      'jit 500000000@100500000',
      'dlob 1000000000@101000000',
      expect.stringMatching(/^vamm 500000000@/),
    ]);
  });

  test('match-book-price: the lowest ask fills buys first, the highest bid sells', async () => {
    await place({
      1: [ask(103n * ONE), ask(101n * ONE), bid(97n * ONE)],
      2: [ask(102n * ONE), bid(99n * ONE), bid(98n * ONE)],
    });
    expect(short(await match(`side=buy&${sizeOf(3n)}&${noVamm}`))).toEqual(
      [101, 102, 103].map((price) => `dlob 1000000000@${price}000000`),
    );
    expect(short(await match(`side=sell&${sizeOf(3n)}&${noVamm}`))).toEqual(
      [99, 98, 97].map((price) => `dlob 1000000000@${price}000000`),
    );
  });

  test('match-book-fifo: of orders at one price the earliest fills first', async () => {
    await place({
      1: [ask(101n * ONE, { slot: 5n })],
      2: [ask(101n * ONE, { slot: 1n })],
      3: [ask(101n * ONE, { slot: 3n })],
    });
    const { fills } = await match(`side=buy&${sizeOf(3n)}&${noVamm}`);
    expect(fills.map(({ maker }) => maker)).toEqual([2, 3, 1].map((seed) => scene.maker(seed)));
  });

  test('match-book-walk: levels are walked until the order is filled or the book is exhausted', async () => {
    await place({ 1: [ask(101n * ONE), ask(102n * ONE), ask(103n * ONE)] });
    const filled = await match(`side=buy&size=${(BASE * 5n) / 2n}&${noVamm}`);
    expect(short(filled)[2]).toBe('dlob 500000000@103000000');
    expect(filled.unfilled).toBe('0');
    const exhausted = await match(`side=buy&${sizeOf(5n)}&${noVamm}`);
    expect([exhausted.filledBase, exhausted.unfilled]).toEqual([`${3n * BASE}`, `${2n * BASE}`]);
  });

  test('match-book-firm: a walk is of one book, whatever changes meanwhile', async () => {
    const sets = [
      [101n, 103n],
      [102n, 104n],
    ].map((prices) => prices.map((one) => one * ONE));
    await place({ 1: (sets[0] ?? []).map((price) => ask(price)) });
    const seen = new Set<string>();
    for (let round = 0; round < 6; round += 1) {
      const orders = (sets[(round + 1) % 2] ?? []).map((price) => ask(price));
      const moved = scene.place(1, ...orders);
      const walks = Array.from({ length: 20 }, () => match(`side=buy&${sizeOf(2n)}&${noVamm}`));
      for (const { fills } of await Promise.all(walks)) {
        seen.add(fills.map(({ price }) => price).join());
      }
      await moved;
      await scene.book(({ asks }) => asks[0]?.price === `${orders[0]?.price}`);
    }
    const whole = new Set(sets.map((prices) => prices.join()));
    expect([...seen].filter((prices) => !whole.has(prices))).toEqual([]);
  });
});

describe('3. the AMM', () => {
  test('match-amm: it fills any remainder', async () => {
    await place({ 1: [ask(101n * ONE)] });
    const walk = await match(`side=buy&${sizeOf(5n)}`);
    expect(walk.fills.map(({ source }) => source)).toEqual(['dlob', 'vamm']);
    expect(walk.fills[1]?.size).toBe(`${4n * BASE}`);
    expect([walk.filledBase, walk.unfilled]).toEqual([`${5n * BASE}`, '0']);
  });

  test('match-amm-price: more costs more, fees and impact too, and the oracle moves it', async () => {
    const walks = await Promise.all(
      [1n, 100n, 10_000n].map((bases) => match(`side=buy&${sizeOf(bases)}`)),
    );
    const fills = walks.map((walk) => walk.fills[0]);
    const prices = fills.map((fill) => BigInt(fill?.price ?? 0));
    expect(fills.map((fill) => fill?.source)).toEqual(['vamm', 'vamm', 'vamm']);
    const ascending = (values: readonly bigint[]) =>
      values.every((value, at) => at === 0 || value > (values[at - 1] ?? 0n));
    expect(ascending(prices)).toBe(true);
    expect(ascending(fills.map((fill) => BigInt(fill?.takerFee ?? 0)))).toBe(true);
    const impacts = walks.map(({ priceImpact }) => Number(priceImpact));
    expect(impacts[2]).toBeGreaterThan(impacts[0] ?? 0);
    await scene.setOracle(SCENE.oracle + ONE);
    await until(async () => {
      const { fills: moved } = await match(`side=buy&${sizeOf(1n)}`);
      return BigInt(moved[0]?.price ?? 0) > (prices[0] ?? 0n) + ONE / 2n;
    });
  });
});

describe('4. external fulfillment', () => {
  const sources = ({ fills }: Walk) => fills.map(({ source }) => source);

  test('match-external: a venue outside fills a spot order where its price is better', async () => {
    const spot = { marketType: MarketType.Spot, marketIndex: 1, slot: 1n };
    await scene.place(1, ask(200n * ONE, spot), bid(ONE, spot));
    const selling = `side=sell&${sizeOf(2n)}`;
    // The bids of before may leave the book, as the oracle of SOL becomes old.
    const best = async () => {
      const { fills } = await match(selling, 'SOL');
      return fills.find(({ source }) => source === 'dlob')?.price;
    };
    // Far above every bid: it buys from the taker before anybody on chain does.
    aggregator.price = 150n * ONE;
    // Its levels are left out while they are not fresh.
    const better = async () => {
      const walk = await match(selling, 'SOL');
      return [...sources(walk).slice(0, 2), walk.fills[1]?.price === (await best())];
    };
    await expect.poll(better).toEqual(['external', 'dlob', true]);
    // Far below: everything on chain comes first.
    aggregator.price = ONE / 2n;
    const all = `side=sell&${sizeOf(1_000n)}`;
    const worse = async () => {
      const found = sources(await match(all, 'SOL'));
      return [found.at(-1), new Set(found.slice(0, -1))];
    };
    await expect.poll(worse).toEqual(['external', new Set(['dlob'])]);
    // And of a perpetual market never.
    expect(sources(await match(`side=buy&${sizeOf(1n)}`))).not.toContain('external');
  });
});

describe('the rules', () => {
  test('match-rule-1: a limit order that does not cross rests, and would earn a rebate', async () => {
    await place({ 1: [ask(101n * ONE)] });
    const limit = `side=buy&${sizeOf(1n)}&orderType=limit&limitPrice=`;
    const walk = await match(`${limit}99000000`);
    expect(walk.fills).toEqual([]);
    expect(walk.rests).toMatchObject({ price: '99000000', size: `${BASE}` });
    const rate = Number(walk.rests?.rebateRate);
    expect(rate).toBeGreaterThan(0);
    // The one that crosses is filled instead, and its maker gets that rebate.
    const crossing = await match(`${limit}101000000&${noVamm}`);
    expect(crossing.rests).toBeNull();
    const [fill] = crossing.fills;
    expect(Number(fill?.makerRebate)).toBe(Math.floor(Number(fill?.quote) * rate));
    // On chain it rests at once: it is in the book and in no auction.
    await scene.place(2, bid(99n * ONE));
    await scene.book(({ bids }) => bids[0]?.price === '99000000');
    const { auctions } = await scene.service.json(`/auctions?marketName=${SCENE.name}`);
    expect(auctions).toEqual([]);
  });

  test('match-rule-2: a market order is blended across sources at one blended price', async () => {
    await place({ 1: [ask(101n * ONE)] });
    const walk = await match(
      `side=buy&${sizeOf(4n)}&${AUCTION}&slotsElapsed=9&jit=100500000:${BASE}`,
    );
    expect(walk.fills.map(({ source }) => source)).toEqual(['jit', 'dlob', 'vamm']);
    const quote = walk.fills.reduce((sum, fill) => sum + BigInt(fill.quote), 0n);
    expect(walk.filledQuote).toBe(`${quote}`);
    const blended = Number(walk.averagePrice);
    expect(Math.abs(blended - Number((quote * BASE) / (4n * BASE)))).toBeLessThanOrEqual(1);
  });

  test('match-rule-3: a buy fills s1 at p1, the rest at p2, and the residual at the AMM', async () => {
    const [s1, s2] = [2n * BASE, BASE];
    await place({
      1: [ask(102n * ONE, { baseAssetAmount: s2 })],
      2: [ask(101n * ONE, { baseAssetAmount: s1 })],
    });
    const fillsOf = async (size: bigint) => short(await match(`side=buy&size=${size}`));
    expect(await fillsOf(s1 + s2 / 2n)).toEqual([
      `dlob ${s1}@101000000`,
      `dlob ${s2 / 2n}@102000000`,
    ]);
    expect(await fillsOf(s1 + s2 + BASE)).toEqual([
      `dlob ${s1}@101000000`,
      `dlob ${s2}@102000000`,
      expect.stringMatching(`^vamm ${BASE}@`),
    ]);
  });

  test('match-committed: resting orders stay where they are, the AMM shifts with the oracle', async () => {
    await place({ 1: [ask(101n * ONE)], 2: [ask(102n * ONE)] });
    const firm = `side=buy&${sizeOf(2n)}&${noVamm}`;
    const indicative = `side=buy&${sizeOf(3n)}`;
    const before = { firm: short(await match(firm)), indicative: short(await match(indicative)) };
    await scene.setOracle(SCENE.oracle + ONE);
    await until(async () => {
      const after = short(await match(indicative));
      return after[2] !== before.indicative[2];
    });
    expect(short(await match(firm))).toEqual(before.firm);
    expect(short(await match(indicative)).slice(0, 2)).toEqual(before.firm);
  });
});
