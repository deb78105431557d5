import { describe, expect, test } from 'vitest';
import {
  decodeCall,
  encodeCall,
  quotesOf,
  quotesText,
  type RecordedCall,
} from './recorded-call.js';

const bid = { price: -(2n ** 63n), size: 2n ** 64n - 1n };
const ask = { price: 2n ** 63n - 1n, size: 0n };
const quotes = [
  { bid, ask, isOracleOffset: true },
  { bid: null, ask, isOracleOffset: false },
  { bid, ask: null, isOracleOffset: false },
  { bid: null, ask: null, isOracleOffset: true },
];

test('the calls of quotes come back as they were made', () => {
  const calls: readonly RecordedCall[] = [
    { name: 'setIndicativePolicy', policy: 'improve' },
    { name: 'setIndicative', quotes: { market: 7, maker: 'k'.repeat(44), tsMs: 5, quotes } },
    { name: 'setIndicative', quotes: { market: 0, maker: 'k', tsMs: 0, quotes: [] } },
  ];
  for (const call of calls) {
    const bytes = Buffer.concat(encodeCall(call, 12));
    expect(decodeCall(bytes.subarray(4)).call).toEqual(call);
    for (let cut = 4; cut < bytes.length; cut += 1) {
      expect(() => decodeCall(bytes.subarray(4, cut))).toThrow(
        expect.objectContaining({ code: 'MALFORMED_RECORDING' }),
      );
    }
  }
});

describe('a text that no recorder writes is refused', () => {
  const whole = quotesText(quotes);
  test.each([
    ';',
    ',,,,2',
    ',,,',
    '1,,,,0',
    ',1,,,0',
    '1.5,1,,,0',
    '1,-1,,,0',
    `1,${2n ** 64n},,,0`,
    `${2n ** 63n},1,,,0`,
    `${-(2n ** 63n) - 1n},1,,,0`,
    `${whole};`,
    `${whole};x`,
    ` ${whole}`,
    Array(33).fill(',,,,0').join(';'),
  ])('%s', (text) => {
    expect(() => quotesOf(text)).toThrow(expect.objectContaining({ code: 'MALFORMED_RECORDING' }));
  });
});
