import { expect, test } from 'vitest';
import { makerKey } from '../../../test/support/maker-client.js';
import type { MakerQuotes } from '../../contract/indicative.js';
import { forwardingSink, takeForwarded } from './forwarded-quotes.js';

const maker = makerKey(1).publicKey.toBase58();
const MARKETS = [{ id: 3, marketType: 'spot', marketIndex: 65_535 }] as const;
const [MAX, MIN] = [2n ** 63n - 1n, -(2n ** 31n)];

/** A core whose book has another id for the same market, and its received quotes. */
function coreWith(outcome: 'changed' | 'makersExceeded' = 'changed', everLive = true) {
  const taken: Omit<MakerQuotes, 'tsMs'>[] = [];
  const parts: Parameters<typeof takeForwarded>[1] = {
    sink: {
      setQuotes: (quotes: Omit<MakerQuotes, 'tsMs'>) => {
        taken.push(quotes);
        return outcome;
      },
    },
    marketOf: (type: string, index: number) =>
      type === 'spot' && index === 65_535 ? 9 : undefined,
    readiness: () => ({ everLive, state: 'live', reason: null, slot: 1 }) as const,
  };
  const sink = forwardingSink(
    () => MARKETS,
    (text) => takeForwarded(text, parts),
  );
  return { sink, taken, parts };
}

test('forwarded quotes reach the other book as they were, also the largest values', async () => {
  const { sink, taken } = coreWith();
  const quotes = [
    { bid: { price: MAX, size: 2n ** 64n - 1n }, ask: null, isOracleOffset: false },
    { bid: { price: MIN, size: 1n }, ask: { price: 0n, size: 7n }, isOracleOffset: true },
  ];
  expect(await sink.setQuotes({ market: 3, maker, quotes })).toBe('changed');
  expect(await sink.setQuotes({ market: 3, maker, quotes: [] })).toBe('changed');
  expect(taken).toEqual([
    { market: 9, maker, quotes },
    { market: 9, maker, quotes: [] },
  ]);
});

test('what the other book says of them is what the maker is told', async () => {
  const quotes = { market: 3, maker, quotes: [] };
  await expect(coreWith('makersExceeded').sink.setQuotes(quotes)).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
  });
  await expect(coreWith('changed', false).sink.setQuotes(quotes)).rejects.toMatchObject({
    code: 'NOT_READY',
  });
  expect(await coreWith().sink.setQuotes({ ...quotes, market: 4 })).toBe('unknownMarket');
});

test.each(['', 'null', '{"outcome":"made up"}', '{"code":"MADE_UP","message":"x"}'])(
  'a reply that is none is a fault: %s',
  async (reply) => {
    const sink = forwardingSink(
      () => MARKETS,
      async () => reply,
    );
    const setting = sink.setQuotes({ market: 3, maker, quotes: [] });
    await expect(setting).rejects.toMatchObject({ code: 'INTERNAL' });
  },
);

test('a maker is sent no text of a reply, which anybody on NATS may have written', async () => {
  const sink = forwardingSink(
    () => MARKETS,
    async () => '{"code":"NOT_READY","message":"a text of somebody else"}',
  );
  await expect(sink.setQuotes({ market: 3, maker, quotes: [] })).rejects.toMatchObject({
    code: 'NOT_READY',
    message: 'the core does not take the quotes',
  });
});

const QUOTE = { market_type: 'spot', market_index: 65_535, quotes: [] };

test.each([
  ['', 'MALFORMED_MESSAGE'],
  ['null', 'MALFORMED_MESSAGE'],
  ['[]', 'MALFORMED_MESSAGE'],
  ['{', 'MALFORMED_MESSAGE'],
  ['\u0000\uffff', 'MALFORMED_MESSAGE'],
  ['{"pubkey":7}', 'INVALID_PARAM'],
  [`{"pubkey":"${maker}"}`, 'MISSING_PARAM'],
  [JSON.stringify({ ...QUOTE, pubkey: 'nobody' }), 'UNAUTHORIZED'],
  [JSON.stringify({ ...QUOTE, pubkey: maker, market_index: '9'.repeat(12_000) }), 'OUT_OF_RANGE'],
  [`{"pubkey":"${maker}","pad":"${'x'.repeat(900_000)}"}`, 'MALFORMED_MESSAGE'],
  ['['.repeat(16_384), 'MALFORMED_MESSAGE'],
])('whatever is sent to the core as quotes is a refusal: %.60s', async (text, code) => {
  const { parts, taken } = coreWith();
  expect(JSON.parse(await takeForwarded(text, parts))).toMatchObject({ code });
  expect(taken).toEqual([]);
});
