import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { FakeBook } from '../testing/running-server.js';
import { ServerError } from '../transport/errors.js';
import { parseMatch } from './match.js';

const book = new FakeBook();
const market = 'marketName=SOL-PERP';
const least = `${market}&side=buy&size=5`;
const auction = 'auctionStart=100&auctionEnd=110&auctionDuration=10';

/** The refusal of a query, as `CODE param: message`. */
function refusal(raw: string): string {
  try {
    parseMatch(raw, book);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return `${error.code} ${error.param}: ${error.message}`;
  }
  return 'no refusal';
}

describe('the parameters of /match', () => {
  test('the least order is a market order of the specification, against the AMM as well', () => {
    expect(parseMatch(least, book)).toEqual({
      ...{ market: 0, side: 'buy', size: 5n, orderType: 'market', postOnly: false, jit: [] },
      ...{ feeTier: 0, referred: false, model: 'spec' },
      ...{ includeVamm: true, includeIndicative: false },
    });
  });

  test('an order with everything is read whole', () => {
    const raw =
      'marketIndex=1&marketType=SPOT&side=sell&quote=7&orderType=limit&limitPrice=90&reduceOnly=TRUE' +
      '&position=-3&auctionStart=100&auctionEnd=95&auctionDuration=255&slotsElapsed=255&jit=99:1' +
      '&jit=98%3A18446744073709551616&feeTier=5&referred=true&model=onchain&includeVamm=false' +
      '&includeIndicative=true';
    expect(parseMatch(raw, book)).toEqual({
      ...{ market: 1, side: 'sell', quote: 7n, orderType: 'limit', limitPrice: 90n },
      ...{ postOnly: false, reduceOnly: true, position: -3n },
      ...{ auctionStart: 100n, auctionEnd: 95n, auctionDuration: 255, slotsElapsed: 255 },
      jit: [
        { price: 99n, size: 1n },
        { price: 98n, size: 18_446_744_073_709_551_616n },
      ],
      ...{ feeTier: 5, referred: true, model: 'onchain' },
      ...{ includeVamm: false, includeIndicative: true },
    });
  });

  test('the largest numbers are taken, and not one more', () => {
    for (const [name, max] of [
      ['size', LIMITS.matchSizeMax],
      ['quote', LIMITS.matchAmountMax],
    ] as const) {
      const raw = (value: bigint) => `${market}&side=buy&${name}=${value}`;
      expect(parseMatch(raw(max), book)).toMatchObject({ [name]: max });
      expect(refusal(raw(max + 1n))).toBe(
        `OUT_OF_RANGE ${name}: ${name} was ${max + 1n}, must be 1 to ${max}`,
      );
    }
  });

  /** A query, the code, the parameter, and the message. */
  const refusals = `
    side=buy&size=5 | MISSING_PARAM | marketName | marketName, or marketIndex and marketType, must be given
    ${market}&size=5 | MISSING_PARAM | side | side must be buy or sell, but is missing
    ${market}&side=bid&size=5 | INVALID_PARAM | side | side was "bid", must be buy or sell
    ${market}&side=BUY&size=5 | INVALID_PARAM | side | side was "BUY", must be buy or sell
    ${market}&side=buy | MISSING_PARAM | size | size or quote must be given
    ${least}&quote=5 | INVALID_PARAM | quote | quote was given together with size, must be given alone
    ${least}&size=5 | INVALID_PARAM | size | size was given twice, must be given once
    ${least}&size=%zz | INVALID_PARAM | size | size has a malformed percent code
    ${market}&side=buy&size=0 | OUT_OF_RANGE | size | size was 0, must be 1 to ${LIMITS.matchSizeMax}
    ${market}&side=buy&size=-1 | OUT_OF_RANGE | size | size was -1, must be 1 to ${LIMITS.matchSizeMax}
    ${market}&side=buy&size= | INVALID_PARAM | size | size was "", must be a whole number
    ${market}&side=buy&size=1.5 | INVALID_PARAM | size | size was "1.5", must be a whole number
    ${market}&side=buy&size=1e9 | INVALID_PARAM | size | size was "1e9", must be a whole number
    ${market}&side=buy&size=%2B1 | INVALID_PARAM | size | size was "+1", must be a whole number
    ${market}&side=buy&quote=x | INVALID_PARAM | quote | quote was "x", must be a whole number
    ${least}&orderType=oracle | INVALID_PARAM | orderType | orderType was "oracle", must be market or limit
    ${least}&orderType=limit | MISSING_PARAM | limitPrice | limitPrice is missing: a limit order needs it
    ${least}&limitPrice=0 | OUT_OF_RANGE | limitPrice | limitPrice was 0, must be 1 to 18446744073709551615
    ${least}&limitPrice=18446744073709551616 | OUT_OF_RANGE | limitPrice | limitPrice was 18446744073709551616, must be 1 to 18446744073709551615
    ${least}&postOnly=true | INVALID_PARAM | postOnly | postOnly was true, must be false for a market order
    ${least}&orderType=limit&limitPrice=200&postOnly=true&${auction} | INVALID_PARAM | postOnly | postOnly was true, must be false for an order in auction
    ${least}&reduceOnly=true | MISSING_PARAM | position | position is missing: reduceOnly needs it
    ${least}&reduceOnly=true&position=--1 | INVALID_PARAM | position | position was "--1", must be a whole number
    ${least}&auctionStart=100 | MISSING_PARAM | auctionEnd | auctionEnd is missing: auctionStart needs it
    ${least}&auctionEnd=100 | MISSING_PARAM | auctionStart | auctionStart is missing: auctionEnd needs it
    ${least}&auctionStart=100&auctionEnd=100 | MISSING_PARAM | auctionDuration | auctionStart needs an auctionDuration
    ${least}&auctionDuration=10 | MISSING_PARAM | auctionStart | auctionStart is missing: auctionDuration needs it
    ${least}&slotsElapsed=0 | MISSING_PARAM | auctionStart | auctionStart is missing: slotsElapsed needs it
    ${least}&${auction}&slotsElapsed=11 | OUT_OF_RANGE | slotsElapsed | slotsElapsed was 11, must be 0 to auctionDuration, which was 10
    ${least}&${auction}&slotsElapsed=256 | OUT_OF_RANGE | slotsElapsed | slotsElapsed was 256, must be 0 to 255
    ${least}&auctionStart=1&auctionEnd=1&auctionDuration=256 | OUT_OF_RANGE | auctionDuration | auctionDuration was 256, must be 0 to 255
    ${least}&auctionStart=0&auctionEnd=1&auctionDuration=1 | OUT_OF_RANGE | auctionStart | auctionStart was 0, must be 1 to 9223372036854775807
    ${least}&auctionStart=110&auctionEnd=100&auctionDuration=10 | INVALID_PARAM | auctionEnd | auctionEnd was 100, must be at least auctionStart, which was 110
    ${market}&side=sell&size=5&${auction} | INVALID_PARAM | auctionEnd | auctionEnd was 110, must be at most auctionStart, which was 100
    ${least}&${auction}&limitPrice=109 | INVALID_PARAM | limitPrice | limitPrice was 109, must be at least auctionEnd, which was 110
    ${least}&auctionStart=9&auctionEnd=1&auctionDuration=0 | INVALID_PARAM | auctionEnd | auctionEnd was 1, must be at least auctionStart, which was 9
    ${least}&orderType=limit&limitPrice=9&auctionStart=1&auctionEnd=9&auctionDuration=0 | INVALID_PARAM | auctionDuration | auctionDuration was 0, must be at least 1 for a limit order with auction prices
    ${least}&jit=5 | INVALID_PARAM | jit | jit was "5", must be price:size, both whole numbers
    ${least}&jit=5:5&jit=:5 | INVALID_PARAM | jit | jit was ":5", must be price:size, both whole numbers
    ${least}&jit=5:5&jit=%zz | INVALID_PARAM | jit | jit has a malformed percent code
    ${least}&jit=0:5 | OUT_OF_RANGE | jit | jit was 0, must be 1 to 18446744073709551615
    ${least}&jit=5:-5 | OUT_OF_RANGE | jit | jit was -5, must be 1 to ${LIMITS.matchSizeMax}
    ${least}${'&jit=1:1'.repeat(257)} | OUT_OF_RANGE | jit | jit was given 257 times, must be given at most 256 times
    ${least}&feeTier=6 | OUT_OF_RANGE | feeTier | feeTier was 6, must be 0 to 5
    ${least}&feeTier=vip | INVALID_PARAM | feeTier | feeTier was "vip", must be a whole number
    ${least}&referred=true&referred=true | INVALID_PARAM | referred | referred was given twice, must be given once
    ${least}&referred=1 | INVALID_PARAM | referred | referred was "1", must be true or false
    ${least}&postOnly= | INVALID_PARAM | postOnly | postOnly was "", must be true or false
    ${least}&includeVamm=9.5e307 | INVALID_PARAM | includeVamm | includeVamm was "9.5e307", must be true or false
    ${least}&taker=me | INVALID_PARAM | taker | taker was "me", must be a base58 key of 32 bytes
    ${least}&model=amm | INVALID_PARAM | model | model was "amm", must be spec or onchain
    marketName=NOPE&side=buy&size=5 | UNKNOWN_MARKET | marketName | there is no market NOPE
  `;
  const rows = refusals
    .trim()
    .split('\n')
    .map((row) => row.trim().split(' | '));

  test.each(rows)('%s is refused', (raw, code, param, text) => {
    expect(refusal(raw ?? '')).toBe(`${code} ${param}: ${text}`);
  });

  test.each([
    ['a flag is a word in any case', 'reduceOnly=False&referred=TRUE&includeIndicative=true'],
    ['a position without reduceOnly is without meaning', 'position=9'],
    ['unknown names are ignored', 'depth=x&jits=1&__proto__=1&constructor=2'],
    [
      'an auction of a market order may have no slot',
      'auctionStart=1&auctionEnd=9&auctionDuration=0',
    ],
    ['a market order may have a limit', 'limitPrice=1'],
  ])('%s', (_, more) => {
    expect(refusal(`${least}&${more}`)).toBe('no refusal');
  });
});

/** Texts that are nearly valid, and arbitrary texts. */
const value = fc.oneof(
  fc.constantFrom('', '0', '1', '-1', '5', '10', '255', '256', 'true', 'buy', 'sell', 'limit'),
  fc.constantFrom(
    '1:1',
    '0:0',
    ':',
    '1:',
    '%',
    '%41',
    '+',
    '1e9',
    '1.5',
    '0x1',
    '\u{1f984}',
    'spec',
  ),
  fc.bigInt().map(String),
  fc.integer({ min: 30, max: 4_000 }).map((digits) => '9'.repeat(digits)),
  fc.string({ maxLength: 12 }),
);
const name = fc.constantFrom(
  ...['marketName', 'marketIndex', 'marketType', 'side', 'size', 'quote', 'limitPrice'],
  ...['orderType', 'postOnly', 'reduceOnly', 'position', 'auctionStart', 'auctionEnd', 'jit'],
  ...['auctionDuration', 'slotsElapsed', 'feeTier', 'referred', 'model', 'includeVamm', 'x'],
);
const query = fc
  .array(fc.tuple(name, value), { maxLength: 10 })
  .map((pairs) => pairs.map(([key, text]) => `${key}=${text}`).join('&'))
  .chain((hostile) => fc.constantFrom(hostile, `${least}&${hostile}`, `${hostile}&${least}`));

test('whatever the query, the answer is an order within its limits or a coded refusal', () => {
  let taken = 0;
  const check = (raw: string): void => {
    try {
      const order = parseMatch(raw, book);
      taken += 1;
      expect([0, 1]).toContain(order.market);
      expect((order.size === undefined) !== (order.quote === undefined)).toBe(true);
      expect((order.size ?? order.quote ?? 0n) > 0n).toBe(true);
      expect(order.orderType === 'market' && order.postOnly).toBe(false);
      const { slotsElapsed = 0, auctionDuration = 0 } = order;
      expect(slotsElapsed).toBeLessThanOrEqual(auctionDuration);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      expect([400, 404]).toContain(error.status);
      expect(error.param).not.toBeNull();
      expect(error.toBody().length).toBeLessThan(600);
    }
  };
  fc.assert(fc.property(query, check), { numRuns: 5_000 });
  expect(taken).toBeGreaterThan(20);
});
