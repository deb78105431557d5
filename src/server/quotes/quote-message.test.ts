import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makerKey, signed } from '../../../test/support/maker-client.js';
import { LIMITS } from '../../config/limits.js';
import { isSocketCode } from '../../contract/error-codes.js';
import { systemTimers } from '../../rpc/timers.js';
import { QuoteCounts } from '../metrics/quotes-metrics.js';
import { ClientMessage } from '../sockets/client-message.js';
import { readQuotes } from './quote-message.js';
import { QuoteSession } from './quote-session.js';

const quote = {
  bid_price: '100',
  ask_price: '200',
  bid_size: '5',
  ask_size: '6',
  is_oracle_offset: false,
};
const whole = { market_index: 0, market_type: 'perp', quotes: [quote] };

/** The quotes of a message, or its error code and text. */
function read(message: object): unknown {
  const parsed = ClientMessage.parse(JSON.stringify(message));
  if (parsed === undefined) throw new Error('the message is an object');
  try {
    return readQuotes(parsed);
  } catch (error) {
    const { code, message: text } = error as { code: string; message: string };
    return `${code}: ${text}`;
  }
}

const withQuote = (changes: object): unknown =>
  read({ ...whole, quotes: [{ ...quote, ...changes }] });

describe('a message of quotes', () => {
  test('is read side by side, as texts and as whole numbers', () => {
    const quotes = [
      {
        bid: { price: 100n, size: 5n },
        ask: { price: 200n, size: 6n },
        isOracleOffset: false,
      },
    ];
    expect(read(whole)).toEqual({ marketType: 'perp', marketIndex: 0, quotes });
    expect(withQuote({ bid_price: 100, ask_size: 6 })).toMatchObject({ quotes });
    expect(read({ ...whole, market_type: 'Spot' })).toMatchObject({ marketType: 'spot' });
    expect(read({ ...whole, market_index: '7' })).toMatchObject({ marketIndex: 7 });
  });

  test.each([
    [{ bid_price: null }],
    [{ bid_size: null }],
    [{ bid_size: undefined }],
    [{ bid_size: '0' }],
    [{ bid_size: 0, bid_price: '-5' }],
    [{ bid_price: null, bid_size: null }],
  ])('does not quote the bid with %j', (changes) => {
    expect(withQuote(changes)).toMatchObject({
      quotes: [{ bid: null, ask: { price: 200n, size: 6n } }],
    });
  });

  test('may have one quote without a list, as driftpy sends it', () => {
    const { quotes: _, ...market } = whole;
    const read1 = { bid: { price: 100n, size: 5n }, ask: { price: 200n, size: 6n } };
    expect(read({ ...market, ...quote })).toEqual({
      ...{ marketType: 'perp', marketIndex: 0, quotes: [{ ...read1, isOracleOffset: false }] },
    });
    expect(read({ ...market, ...quote, is_oracle_offset: true, bid_price: -7 })).toMatchObject({
      quotes: [{ bid: { price: -7n }, isOracleOffset: true }],
    });
    expect(read({ ...market, ask_price: '200', ask_size: '6' })).toMatchObject({
      quotes: [{ bid: null, ask: { price: 200n } }],
    });
    expect(read({ ...market, ...quote, bid_price: '0' })).toMatch(/^OUT_OF_RANGE: bid_price was 0/);
    expect(read(market)).toBe('MISSING_PARAM: quotes is missing');
    expect(read({ ...market, ...quote, quotes: [] })).toMatchObject({ quotes: [] });
  });

  test.each([[null], [[]]])('withdraws all quotes with %j', (quotes) => {
    expect(read({ ...whole, quotes })).toMatchObject({ quotes: [] });
  });

  test('may be at the oracle, and on either side of it', () => {
    const offset = { is_oracle_offset: true };
    expect(withQuote({ ...offset, bid_price: '0', ask_price: '-2147483648' })).toMatchObject({
      quotes: [{ bid: { price: 0n }, ask: { price: -2147483648n }, isOracleOffset: true }],
    });
    expect(withQuote({ ...offset, bid_price: '2147483648' })).toMatch(/^OUT_OF_RANGE: quotes\[0\]/);
    expect(withQuote({ ...offset, ask_price: '-2147483649' })).toMatch(/^OUT_OF_RANGE/);
  });

  test.each([
    ['a price of 0', { bid_price: '0' }, 'OUT_OF_RANGE'],
    ['a price below 0', { ask_price: '-1' }, 'OUT_OF_RANGE'],
    ['a price beyond 64 bits', { bid_price: '9223372036854775808' }, 'OUT_OF_RANGE'],
    ['a size below 0', { bid_size: '-1' }, 'OUT_OF_RANGE'],
    ['a size below 0 as a number', { ask_size: -1 }, 'OUT_OF_RANGE'],
    ['a size beyond 64 bits', { ask_size: '18446744073709551616' }, 'OUT_OF_RANGE'],
    ['a size of many digits', { ask_size: '9'.repeat(10_000) }, 'OUT_OF_RANGE'],
    ['a price with a fraction', { bid_price: '1.5' }, 'INVALID_PARAM'],
    ['a number with a fraction', { bid_price: 1.5 }, 'INVALID_PARAM'],
    ['a number that is not exact', { bid_price: 2 ** 53 }, 'INVALID_PARAM'],
    ['a price in another base', { bid_price: '0x10' }, 'INVALID_PARAM'],
    ['a price in powers of ten', { bid_price: '1e9' }, 'INVALID_PARAM'],
    ['a price with a plus', { bid_price: '+1' }, 'INVALID_PARAM'],
    ['a price with spaces', { bid_price: ' 1' }, 'INVALID_PARAM'],
    ['an empty price', { bid_price: '' }, 'INVALID_PARAM'],
    ['a price that is true', { bid_price: true }, 'INVALID_PARAM'],
    ['a price that is a list', { bid_price: ['1'] }, 'INVALID_PARAM'],
    ['a size that is an object', { bid_size: {} }, 'INVALID_PARAM'],
    ['an offset that is a word', { is_oracle_offset: 'true' }, 'INVALID_PARAM'],
    ['an offset that is a number', { is_oracle_offset: 1 }, 'INVALID_PARAM'],
  ])('with %s is refused', (_, changes, code) => {
    expect(withQuote(changes)).toMatch(new RegExp(`^${code}: quotes\\[0\\]\\.`));
  });

  test.each([
    ['no market', { market_index: undefined }, 'MISSING_PARAM'],
    ['a market below 0', { market_index: -1 }, 'OUT_OF_RANGE'],
    ['a market beyond 16 bits', { market_index: 65_536 }, 'OUT_OF_RANGE'],
    ['half a market', { market_index: 0.5 }, 'INVALID_PARAM'],
    ['a market that is a name', { market_index: 'SOL-PERP' }, 'INVALID_PARAM'],
    ['a market that is null', { market_index: null }, 'INVALID_PARAM'],
    ['no market type', { market_type: undefined }, 'MISSING_PARAM'],
    ['a market type that is none', { market_type: 'future' }, 'INVALID_PARAM'],
    ['a market type that is a number', { market_type: 0 }, 'INVALID_PARAM'],
    ['no quotes', { quotes: undefined }, 'MISSING_PARAM'],
    ['quotes that are no list', { quotes: quote }, 'INVALID_PARAM'],
    ['quotes that are a text', { quotes: '[]' }, 'INVALID_PARAM'],
    ['a quote that is null', { quotes: [null] }, 'INVALID_PARAM'],
    ['a quote that is a list', { quotes: [quote, []] }, 'INVALID_PARAM'],
    ['a quote too many', { quotes: Array(33).fill({}) }, 'OUT_OF_RANGE'],
  ])('with %s is refused', (_, changes, code) => {
    expect(read({ ...whole, ...changes })).toMatch(new RegExp(`^${code}: `));
  });

  test('names the quote that is wrong, and quotes no more than a little of it', () => {
    const text = String(
      read({ ...whole, quotes: [quote, { ...quote, ask_size: '-'.repeat(9_000) }] }),
    );
    expect(text).toContain('quotes[1].ask_size');
    expect(text.length).toBeLessThan(200);
  });
});

describe('any frame', () => {
  test('10,000 random ones are each answered by one coded error, or taken', async () => {
    const { session, answers, taken, faults, isClosed } = signedSession();
    const check = async (frame: string | null): Promise<void> => {
      const before = answers.length + taken.length;
      session.onMessage(frame);
      await new Promise(setImmediate);
      expect(answers.length + taken.length - before).toBe(1);
    };
    await fc.assert(fc.asyncProperty(anyFrame, check), { numRuns: 10_000 });
    const codes = new Set(answers.map(({ code }) => code));
    expect([...codes].filter((code) => !isSocketCode(String(code)))).toEqual([]);
    const usual = ['INVALID_PARAM', 'MALFORMED_MESSAGE', 'OUT_OF_RANGE', 'UNKNOWN_MARKET'];
    expect(usual.filter((code) => !codes.has(code))).toEqual([]);
    expect(taken.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
    expect(isClosed()).toBe(false);
  });
});

function signedSession() {
  const keypair = makerKey(7);
  const maker = keypair.publicKey.toBase58();
  const answers: { code?: string; nonce?: string; type?: string }[] = [];
  const taken: unknown[] = [];
  const faults: unknown[] = [];
  let closed = false;
  const socket = {
    ip: '127.0.0.1',
    send: (text: string | Uint8Array) => answers.push(JSON.parse(text.toString())) > 0,
    sendTogether: (run: () => void) => run(),
    joinTopic: () => undefined,
    leaveTopic: () => undefined,
    close: () => {
      closed = true;
    },
    terminate: () => {
      closed = true;
    },
    bufferedBytes: () => 0,
  };
  const session = new QuoteSession(socket, maker, {
    timers: systemTimers,
    sink: {
      setQuotes: (quotes) => {
        taken.push(quotes);
        return 'changed';
      },
    },
    marketOf: (_, index) => (index < 3 ? index : undefined),
    isMaker: () => true,
    readiness: () => ({ everLive: true, state: 'live', reason: null, slot: 1 }),
    counts: new QuoteCounts(),
    signMsMax: LIMITS.quoteSignMsMax,
    messagesPerSecond: 1_000_000,
    onFault: (error) => faults.push(error),
    onSigned: () => undefined,
    onClosed: () => undefined,
  });
  session.onOpen();
  const nonce = answers[0]?.nonce ?? '';
  session.onMessage(JSON.stringify({ pubkey: maker, signature: signed(keypair, nonce) }));
  expect(answers.splice(0)).toHaveLength(2);
  return { session, answers, taken, faults, isClosed: () => closed };
}

const oddValue = fc.constantFrom<unknown>(
  ...[null, true, '', '0', '-1', '1e9', '\u0000', '9'.repeat(40), -1, 0, 1.5, 2 ** 60],
  ...[[], {}, [[]], { __proto__: null, constructor: 1 }],
);
const oddQuotes = fc
  .tuple(fc.constantFrom(...Object.keys(quote)), oddValue, fc.nat(1))
  .map(([name, value, first]) => [quote, { ...quote, [name]: value }].slice(first));
const message = fc
  .record({ quotes: oddQuotes, market_index: fc.nat(5) })
  .map((parts) => JSON.stringify({ ...whole, ...parts }));
const memberName = fc.constantFrom('market_index', 'market_type', 'quotes', 'unknown', '__proto__');

/** A message with an odd value, a cut one, random characters, or none. */
const anyFrame = fc.oneof(
  fc.constant(null),
  fc.string({ maxLength: 60 }),
  fc
    .tuple(oddQuotes, memberName, oddValue)
    .map(([quotes, name, value]) => JSON.stringify({ ...whole, quotes, [name]: value })),
  fc.tuple(message, fc.nat()).map(([text, at]) => text.slice(0, at % text.length)),
  message,
);
