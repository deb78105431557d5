import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeBook } from '../testing/running-server.js';
import { ServerError } from '../transport/errors.js';
import { parseL2 } from './l2.js';
import { parseL3 } from './l3.js';

const book = new FakeBook();

/** Pieces that come close to what the parser looks for, and anything else. */
const piece = fc.oneof(
  fc.constantFrom(
    'marketName=SOL-PERP',
    'marketIndex=0',
    'marketType=perp',
    'depth=5',
    'grouping=',
  ),
  fc.constantFrom(
    'depth',
    '=',
    '&',
    '%',
    '%4',
    '%41',
    '+',
    'true',
    'SOL',
    '-1',
    '1e9',
    '\u{1f984}',
  ),
  fc.string({ maxLength: 20 }),
);
const query = fc
  .array(piece, { maxLength: 12 })
  .chain((parts) => fc.constantFrom('&', '', '=').map((separator) => parts.join(separator)));

test('whatever the query, the answer is a request within its limits or a coded refusal', () => {
  const check = (raw: string, parse: typeof parseL2 | typeof parseL3): void => {
    try {
      const { market, depth = 1 } = parse(raw, book);
      expect([0, 1]).toContain(market);
      expect(depth).toBeGreaterThanOrEqual(1);
      expect(depth).toBeLessThanOrEqual(1_000);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      expect(error.status).toBeGreaterThanOrEqual(400);
      expect(error.status).toBeLessThan(500);
      expect(error.param).not.toBeNull();
      expect(error.toBody().length).toBeLessThan(600);
    }
  };
  fc.assert(
    fc.property(query, (raw) => {
      check(raw, parseL2);
      check(raw, parseL3);
    }),
    { numRuns: 2_000 },
  );
});

test('a value is found whatever stands around it', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/).map((name) => `${name}${name}=x`);
  fc.assert(
    fc.property(
      fc.array(word),
      fc.array(word),
      fc.integer({ min: 1, max: 1_000 }),
      (a, b, depth) => {
        const raw = [...a, `depth=${depth}`, 'marketName=SOL-PERP', ...b].join('&');
        expect(parseL2(raw, book)).toEqual({ market: 0, depth });
      },
    ),
  );
});

test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
  'the name %s, which every object has, is unknown like any other',
  (name) => {
    const raw = `${name}=1&${name}=%zz&marketName=SOL-PERP`;
    expect(parseL2(raw, book)).toEqual({ market: 0, depth: 10 });
  },
);
