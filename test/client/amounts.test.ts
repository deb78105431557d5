/** Amounts of the client library: raw integers, their decimal text, and back. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ClientError,
  formatBase,
  formatDecimal,
  formatPrice,
  formatQuote,
  parseBase,
  parseDecimal,
  parsePrice,
  parseQuote,
  parseRaw,
} from '../../src/client/index.js';

const integers = fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n });
const decimals = fc.integer({ min: 0, max: 20 });

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ClientError) return error.code;
    throw error;
  }
  return 'none';
}

describe('amounts of the client', () => {
  test.each([
    [150_250_000n, 6, '150.25'],
    [1n, 9, '0.000000001'],
    [-1n, 6, '-0.000001'],
    [-12_000_001n, 6, '-12.000001'],
    [0n, 6, '0'],
    [1_000_000n, 6, '1'],
    [7n, 0, '7'],
  ])('%s of %s decimals is written %s', (raw, places, text) => {
    expect(formatDecimal(raw, places)).toBe(text);
    expect(parseDecimal(text, places)).toBe(raw);
  });

  test('each unit has its own decimals', () => {
    expect(formatPrice(parsePrice('0.1'))).toBe('0.1');
    expect(parsePrice('0.1')).toBe(100_000n);
    expect(formatBase(parseBase('0.1'))).toBe('0.1');
    expect(parseBase('0.1')).toBe(100_000_000n);
    expect(formatQuote(parseQuote('-0.1'))).toBe('-0.1');
  });

  test('what a unit cannot hold is refused, and zeros behind it are not', () => {
    expect(codeOf(() => parsePrice('1.0000001'))).toBe('INVALID_AMOUNT');
    expect(parsePrice('1.0000000000')).toBe(1_000_000n);
  });

  test.each(['', '-', '.5', '5.', '1e6', '+1', ' 1', '1,5', '0x10', '١', `1${'0'.repeat(64)}`])(
    'the text %j is no amount',
    (text) => {
      expect(codeOf(() => parseDecimal(text, 6))).toBe('INVALID_AMOUNT');
      expect(codeOf(() => parseRaw(text))).toBe('INVALID_AMOUNT');
    },
  );

  test.each([-1, 1.5, 256, Number.NaN])('%s is no number of decimals', (places) => {
    expect(codeOf(() => formatDecimal(1n, places))).toBe('INVALID_AMOUNT');
    expect(codeOf(() => parseDecimal('1', places))).toBe('INVALID_AMOUNT');
  });

  test('every integer comes back from its text, whatever the unit', () => {
    fc.assert(
      fc.property(integers, decimals, (raw, places) => {
        expect(parseDecimal(formatDecimal(raw, places), places)).toBe(raw);
        expect(parseRaw(raw.toString())).toBe(raw);
      }),
    );
  });

  test('the text of an amount is its shortest', () => {
    fc.assert(
      fc.property(integers, decimals, (raw, places) => {
        expect(formatDecimal(raw, places)).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
      }),
    );
  });
});
