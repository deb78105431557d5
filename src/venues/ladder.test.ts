import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { levelsOf, type Rung } from './ladder.js';
import type { VenueLevel, VenueLevels, VenueMarket } from './venue.js';

const tokens = (base: number, quote: number): VenueMarket => ({
  id: 1,
  symbol: 'SOL',
  base: { mint: 'base', decimals: base },
  quote: { mint: 'quote', decimals: quote },
});

const SOL = tokens(9, 6);

const rung = (quoteIn: bigint, base: bigint, quoteOut: bigint): Rung => ({
  quoteIn,
  base,
  quoteOut,
});

const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('ladder: levels', () => {
  test('a level is a step of the ladder at the price of that step alone', () => {
    const rungs = [
      rung(100_000_000n, 1_000_000_000n, 99_000_000n),
      rung(300_000_000n, 2_900_000_000n, 280_000_000n),
    ];
    expect(levelsOf(rungs, SOL)).toEqual({
      // 200 USD for 1.9 SOL is 105.263157..., rounded up.
      asks: [
        { price: 100_000_000n, size: 1_000_000_000n },
        { price: 105_263_158n, size: 1_900_000_000n },
      ],
      // 181 USD for 1.9 SOL is 95.263157..., rounded down.
      bids: [
        { price: 99_000_000n, size: 1_000_000_000n },
        { price: 95_263_157n, size: 1_900_000_000n },
      ],
    });
  });

  test('a step that is better than the one before it is told at the price of that one', () => {
    const rungs = [
      rung(100_000_000n, 1_000_000_000n, 94_000_000n),
      rung(190_000_000n, 2_000_000_000n, 189_000_000n),
    ];
    const { asks, bids } = levelsOf(rungs, SOL);
    expect(asks.map(({ price }) => price)).toEqual([100_000_000n, 100_000_000n]);
    expect(bids.map(({ price }) => price)).toEqual([94_000_000n, 94_000_000n]);
  });

  test.each([
    ['fewer decimals than a size has', tokens(6, 6), 1_000_000n, 100_000_000n],
    ['more', tokens(12, 6), 1_000_000_000_000n, 100_000_000n],
    ['a quote of other decimals', tokens(9, 9), 1_000_000_000n, 100_000_000_000n],
  ])('%s', (_, market, base, quote) => {
    const { asks } = levelsOf([rung(quote, base, quote)], market);
    expect(asks).toEqual([{ price: 100_000_000n, size: 1_000_000_000n }]);
  });

  test('a step too small to be told becomes part of the next one', () => {
    const rungs = [rung(1n, 1n, 1n), rung(2_000_000n, 2_000_000_000_000n, 2_000_000n)];
    const { asks } = levelsOf(rungs, tokens(12, 6));
    expect(asks).toEqual([{ price: 1_000_000n, size: 2_000_000_000n }]);
  });

  test('the ladder ends where more brings no more', () => {
    const rungs = [
      rung(100_000_000n, 1_000_000_000n, 99_000_000n),
      rung(200_000_000n, 1_000_000_000n, 99_000_000n),
      rung(300_000_000n, 3_000_000_000n, 297_000_000n),
    ];
    const { asks, bids } = levelsOf(rungs, SOL);
    expect([asks.length, bids.length]).toEqual([1, 1]);
  });

  test('the ladder ends where the way there and back loses more than half', () => {
    const rungs = [
      rung(100_000_000n, 1_000_000_000n, 50_000_000n),
      rung(200_000_000n, 2_000_000_000n, 99_000_000n),
    ];
    expect(levelsOf(rungs, SOL).asks).toHaveLength(1);
  });

  test.each([
    ['selling at once wins', rung(100_000_000n, 1_000_000_000n, 101_100_000n)],
    ['a price is beyond belief', rung(2_000_000_000n, 1n, 2_000_000_000n)],
  ])('it makes no sense when %s', (_, one) => {
    expect(codeOf(() => levelsOf([one], SOL))).toBe('VENUE_PRICE_OUT_OF_RANGE');
  });
});

describe('ladder: whoever takes the levels', () => {
  const amount = fc.bigInt({ min: 1n, max: 1_000_000_000_000n });
  // Up to nine decimals, every amount of base is a size: a level ends exactly at its rung.
  const baseDecimals = fc.integer({ min: 0, max: 9 });
  const quoteDecimals = fc.integer({ min: 0, max: 12 });
  const step = fc.record({ quoteIn: amount, base: amount, lossBps: fc.bigInt(0n, 4_999n) });

  test('never pays less nor gets more than was quoted, and meets no better price later', () => {
    let levelsSeen = 0;
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 8 }),
        baseDecimals,
        quoteDecimals,
        (steps, base, quote) => {
          const rungs = climb(steps);
          const levels = believed(() => levelsOf(rungs, tokens(base, quote)));
          const paid = totalsOf(levels.asks, { base, quote });
          for (const { base: size, amount } of paid) {
            expect(amount).toBeGreaterThanOrEqual(rungAt(rungs, size).quoteIn);
          }
          const got = totalsOf(levels.bids, { base, quote });
          for (const { base: size, amount } of got) {
            expect(amount - 1n).toBeLessThanOrEqual(rungAt(rungs, size).quoteOut);
          }
          expectInOrder(levels.asks.map(({ price }) => price));
          expectInOrder(levels.bids.map(({ price }) => -price));
          levelsSeen += levels.asks.length + levels.bids.length;
        },
      ),
      { numRuns: 300 },
    );
    expect(levelsSeen).toBeGreaterThan(300);
  });
});

const believed = (make: () => VenueLevels): VenueLevels => {
  try {
    return make();
  } catch {
    return { asks: [], bids: [] };
  }
};

/** Rungs that grow by these steps. */
function climb(
  steps: readonly { quoteIn: bigint; base: bigint; lossBps: bigint }[],
): readonly Rung[] {
  let [quoteIn, base, quoteOut] = [0n, 0n, 0n];
  return steps.map((one) => {
    quoteIn += one.quoteIn;
    base += one.base;
    quoteOut += (one.quoteIn * (10_000n - one.lossBps)) / 10_000n;
    return { quoteIn, base, quoteOut };
  });
}

/** After each level, the base and the amount of quote (rounded up) in their own decimals. */
function totalsOf(
  levels: readonly VenueLevel[],
  decimals: { readonly base: number; readonly quote: number },
): readonly { base: bigint; amount: bigint }[] {
  let [size, cost] = [0n, 0n];
  return levels.map((level) => {
    size += level.size;
    cost += level.price * level.size;
    const scaled = cost * 10n ** BigInt(decimals.quote);
    const amount = (scaled + 999_999_999_999_999n) / 1_000_000_000_000_000n;
    return { base: (size * 10n ** BigInt(decimals.base)) / 1_000_000_000n, amount };
  });
}

function rungAt(rungs: readonly Rung[], base: bigint): Rung {
  const found = rungs.find((one) => one.base === base);
  if (found === undefined) throw new Error(`no rung ends at ${base}`);
  return found;
}

function expectInOrder(prices: readonly bigint[]): void {
  const sorted = [...prices].sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
  expect(prices).toEqual(sorted);
}
