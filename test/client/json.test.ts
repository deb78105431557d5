/** JSON without lost digits, on engines that do not show the text of a number. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { integer, list, object, parseExact, text } from '../../src/client/fields.js';

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

test('what is wrong is named with its place, however deep it stands', () => {
  const read = list(object({ name: text, rows: list(object({ size: integer })) }, { note: text }));
  const book = (size: unknown) => ({ name: 'a', rows: [{ size: '1' }, { size }] });
  expect(read([book('2')], 'books')).toEqual([{ name: 'a', rows: [{ size: 1n }, { size: 2n }] }]);
  expect(() => read([book('2'), book('x')], 'books')).toThrow(
    'books[1].rows[1].size is not an integer',
  );
  expect(() => read([{ name: 'a', rows: {} }], 'books')).toThrow('books[0].rows is not a list');
  expect(() => read([{ ...book(1), note: 1 }], 'books')).toThrow('books[0].note is not a text');
});
