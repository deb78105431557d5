/** JSON without lost digits, on engines that do not show the text of a number. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExact } from '../../src/client/fields.js';

test.each([
  ['[9007199254740993]', ['9007199254740993']],
  ['[-9007199254740993, 1]', ['-9007199254740993', 1]],
  ['[9007199254740991]', [9_007_199_254_740_991]],
  ['[12345678901234567890123]', ['12345678901234567890123']],
  ['[0.1234567890123456789]', [Number('0.1234567890123456789')]],
  [
    '[1234567890123456.5, 12345678901234567e2]',
    [1_234_567_890_123_456.5, Number('12345678901234567e2')],
  ],
  [
    '{"12345678901234567890": "12345678901234567890"}',
    { '12345678901234567890': '12345678901234567890' },
  ],
  [
    '["a \\" 12345678901234567890", 12345678901234567890]',
    ['a " 12345678901234567890', '12345678901234567890'],
  ],
  ['["\\\\", 12345678901234567890, "\\\\"]', ['\\', '12345678901234567890', '\\']],
])('%s', (json, value) => {
  expect(parseExact(json)).toEqual(value);
});

test('a large integer keeps every digit, and everything else is as JSON.parse has it', () => {
  const seed = 20_261_121;
  const property = fc.property(
    fc.json(),
    fc.bigInt({ max: 10n ** 30n, min: -(10n ** 30n) }),
    (json, one) => {
      const isSafe = BigInt(Number(one)) === one && Number.isSafeInteger(Number(one));
      const [rest, number] = parseExact(`[${json}, ${one}]`) as [unknown, unknown];
      expect(number).toEqual(isSafe ? Number(one) : String(one));
      if (!/\d{16}/.test(json)) expect(rest).toEqual(JSON.parse(json));
    },
  );
  fc.assert(property, { seed, numRuns: 500 });
});

test('what is no JSON is refused', () => {
  expect(() => parseExact('{"a": 12345678901234567890')).toThrow(SyntaxError);
});
