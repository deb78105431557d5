/** /match over a living book with whatever a client may send: an answer that adds up, or a refusal. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startServer } from '../src/server/testing/running-server.js';
import { LivingBook } from './support/living-book.js';

interface Fill {
  readonly source: string;
  readonly price: string;
  readonly size: string;
  readonly quote: string;
}

interface Walk {
  readonly fills: readonly Fill[];
  readonly filledBase: string;
  readonly filledQuote: string;
  readonly unfilled: string;
  readonly rests: { readonly price: string; readonly size: string } | null;
}

const book = new LivingBook();
const { engine } = book;
book.live(300);
book.endTurn();
const server = await startServer(engine);

/** Near the market's price, in an order that an auction of a buy may have. */
const prices = fc
  .array(fc.integer({ min: 80_000_000, max: 90_000_000 }), { minLength: 3, maxLength: 3 })
  .map((three) => three.sort((a, b) => a - b));

/** An order that could be placed. */
const sensible = fc
  .record({
    marketName: fc.constantFrom('SOL-PERP', 'SOL-PERP', 'BTC-PERP', 'SOL', 'USDC'),
    side: fc.constantFrom('buy', 'sell'),
    amount: fc.tuple(fc.constantFrom('size', 'quote'), fc.bigInt({ min: 1n, max: 10n ** 13n })),
    kind: fc.constantFrom('market', 'limit', 'postOnly', 'auction'),
    prices,
    model: fc.constantFrom('spec', 'onchain'),
    position: fc.option(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })),
    feeTier: fc.integer({ min: 0, max: 5 }),
    flags: fc.subarray(['referred', 'includeIndicative']),
    includeVamm: fc.boolean(),
  })
  .map(({ side, amount, kind, prices: three, position, flags, ...rest }) => {
    const [low, middle, high] = side === 'buy' ? three : [...three].reverse();
    const asked: Record<string, unknown> = { ...rest, side, [amount[0]]: amount[1] };
    for (const flag of flags) asked[flag] = true;
    if (kind !== 'market') asked['limitPrice'] = high;
    if (kind === 'limit' || kind === 'postOnly') asked['orderType'] = 'limit';
    if (kind === 'postOnly') asked['postOnly'] = true;
    if (kind === 'auction') {
      const auction = { auctionStart: low, auctionEnd: middle, auctionDuration: 10 };
      Object.assign(asked, auction, { slotsElapsed: 5, jit: `${low}:1000000000` });
    }
    if (position !== null) Object.assign(asked, { position, reduceOnly: true });
    return asked;
  });

const big = [2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, 10n ** 30n, 10n ** 31n];
const name = fc.constantFrom(
  ...['marketName', 'side', 'size', 'quote', 'orderType', 'limitPrice', 'postOnly', 'reduceOnly'],
  ...['position', 'auctionStart', 'auctionEnd', 'auctionDuration', 'slotsElapsed', 'jit', 'taker'],
  ...['feeTier', 'referred', 'model', 'includeVamm', 'includeIndicative'],
);
const value = fc.oneof(
  fc.constantFrom('', '0', '1', '-1', '255', '256', 'true', 'x', '1:1', '99:', 'limit', 'NOPE'),
  fc.constantFrom('11111111111111111111111111111111', ...big.map((one) => `${one}:${one}`)),
  fc.constantFrom(...big, ...big.map((one) => -one)).map(String),
);

/** A sensible order, of which some are spoilt. */
const query = fc
  .tuple(sensible, fc.array(fc.tuple(name, value), { maxLength: 2 }))
  .map(([asked, spoilt]) => {
    const texts = Object.entries(asked).map(([key, one]): [string, string] => [key, String(one)]);
    return new URLSearchParams([...new Map([...texts, ...spoilt])]);
  });

function checkSums(asked: URLSearchParams, walk: Walk): void {
  const sum = (key: 'size' | 'quote') =>
    walk.fills.reduce((total, fill) => total + BigInt(fill[key]), 0n);
  expect(sum('size')).toBe(BigInt(walk.filledBase));
  expect(sum('quote')).toBe(BigInt(walk.filledQuote));
  const filled = asked.has('size') ? walk.filledBase : walk.filledQuote;
  const amount = BigInt(asked.get('size') ?? asked.get('quote') ?? 0);
  expect(BigInt(filled) + BigInt(walk.unfilled)).toBe(amount);
  const limit = asked.get('limitPrice');
  if (limit === null) return;
  const isWorse = ({ price: at }: Fill) =>
    asked.get('side') === 'buy' ? BigInt(at) > BigInt(limit) : BigInt(at) < BigInt(limit);
  expect(walk.fills.filter(isWorse)).toEqual([]);
}

test('every query is answered with a walk that adds up, or refused by name', async () => {
  const counts = { walks: 0, fills: 0, refusals: 0 };
  const check = async (asked: URLSearchParams): Promise<void> => {
    const response = await fetch(`${server.url}/match?${asked}`);
    const body = JSON.parse(await response.text());
    if (response.status === 200) {
      checkSums(asked, body);
      counts.walks += 1;
      counts.fills += body.fills.length;
      return;
    }
    expect([400, 404]).toContain(response.status);
    expect(typeof body.error.param).toBe('string');
    counts.refusals += 1;
  };
  await fc.assert(fc.asyncProperty(query, check), { numRuns: 800 });
  expect(counts.walks).toBeGreaterThan(100);
  expect(counts.fills).toBeGreaterThan(100);
  expect(counts.refusals).toBeGreaterThan(100);
  expect(server.faults).toEqual([]);
});
