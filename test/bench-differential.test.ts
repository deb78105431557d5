import { describe, expect, test } from 'vitest';

/** The harness is plain JavaScript that also runs without a build, so its types are stated here. */
const { compareMarket } = await differential('compare');
const { Tally } = await differential('tally');

function differential(name: string) {
  return import(new URL(`../bench/differential/${name}.mjs`, import.meta.url).href);
}

const LIMIT = {
  market: 'perp-0',
  type: 'limit',
  triggered: false,
  side: 'bids',
  slot: 10,
  maxTs: 0,
  offset: 0,
  price: '500',
  filled: '0',
  size: '40',
  auctionDuration: 0,
  reduceOnly: false,
  postOnly: true,
  owner: 0,
};

interface Shown {
  readonly id: string;
  readonly price: string;
  readonly size: string;
}

const levels = (rows: readonly Shown[]): Map<string, bigint> => {
  const sizes = new Map<string, bigint>();
  for (const { price, size } of rows) sizes.set(price, (sizes.get(price) ?? 0n) + BigInt(size));
  return sizes;
};

/** Compares bids that the two sides show, of orders whose fields are known. */
function compare(options: {
  readonly theirs: readonly Shown[];
  readonly own: readonly Shown[];
  readonly orders: Readonly<Record<string, object>>;
}) {
  const { theirs, own, orders } = options;
  const tally = new Tally();
  const pairs = [...levels(theirs)].map(([price, size]) => [price, `${size}`]);
  compareMarket({
    sdk: {
      market: 'perp-0',
      oracle: '505',
      tick: '10',
      step: '10',
      levels: { bids: pairs, asks: [] },
      orders: { bids: theirs.map((row) => ({ ...row, levelSize: row.size })), asks: [] },
    },
    ours: {
      l2: {
        mmOracleData: { price: '505' },
        bids: [...levels(own)].map(([price, size]) => ({ price, size: `${size}` })),
        asks: [],
      },
      l3: {
        bids: own.map(({ id, ...row }) => {
          const [maker, orderId] = id.split(':');
          return { ...row, maker, orderId };
        }),
        asks: [],
      },
    },
    orders,
    moment: { slot: 20, unixSeconds: 1_000 },
    tally,
  });
  return tally;
}

const first = { id: 'a:1', price: '500', size: '40' };
const second = { id: 'b:2', price: '500', size: '40' };
const two = { 'a:1': LIMIT, 'b:2': { ...LIMIT, slot: 11 } };

describe('differential: what must agree', () => {
  test('differential: equal books leave nothing unexplained', () => {
    const tally = compare({ theirs: [first, second], own: [first, second], orders: two });
    expect(tally.unexplained).toBe(0);
    expect(tally.compared.orders).toEqual({ compared: 2, equal: 2 });
    expect(tally.kinds).toMatchObject({ 'perp limit': 2, 'ties within one list': 1 });
  });

  test('differential: a wrong size, a missing and a foreign order are told', () => {
    const wrong = compare({ theirs: [first], own: [{ ...first, size: '41' }], orders: two });
    const missing = compare({ theirs: [first, second], own: [first], orders: two });
    const foreign = compare({ theirs: [first], own: [first, second], orders: two });
    for (const tally of [wrong, missing, foreign]) {
      expect(tally.unexplained).toBeGreaterThanOrEqual(2);
      expect(tally.told.join()).toContain('perp-0 bids');
    }
  });

  test('differential: the sequence of a tie counts, but not within one slot', () => {
    const swapped = { theirs: [first, second], own: [second, first] };
    expect(compare({ ...swapped, orders: two }).unexplained).toBe(1);
    expect(compare({ ...swapped, orders: { 'a:1': LIMIT, 'b:2': LIMIT } }).unexplained).toBe(0);
  });
});

describe('differential: what departs by rule', () => {
  test.each([
    ['reduce-only size', { reduceOnly: true }],
    ['expired, or about to', { maxTs: 1_004 }],
    ['owner being liquidated', { owner: 1 }],
    ['oracle offset in auction', { offset: -5, auctionDuration: 50, postOnly: false }],
    ['below one step', { size: '9' }],
  ])('differential: %s is taken out on both sides', (rule, fields) => {
    const orders = { ...two, 'b:2': { ...LIMIT, ...fields } };
    for (const own of [[first], [first, { ...second, size: '7' }]]) {
      const tally = compare({ theirs: [first, second], own, orders });
      expect(tally.unexplained).toBe(0);
      expect(tally.departures[rule]).toBe(1);
      expect(tally.compared.orders).toEqual({ compared: 1, equal: 1 });
    }
  });

  test('differential: an oracle offset is compared at the rounded price', () => {
    const orders = { 'a:1': { ...LIMIT, offset: -2 } };
    const theirs = [{ ...first, price: '503' }];
    expect(compare({ theirs, own: [first], orders }).unexplained).toBe(0);
    expect(compare({ theirs, own: theirs, orders }).unexplained).toBeGreaterThan(0);
  });
});
