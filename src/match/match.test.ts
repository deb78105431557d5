import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatDecimal } from '../client/amounts.js';
import { match } from './match.js';
import { MatchError, type MatchFlags, matchUrl, rawOf } from './match-options.js';

const MAKER = '9JtczxrJjPM4J1xooxr2rFXmRivarb4BwjNiBgXDwe2p';

const BODY = {
  fills: [
    {
      ...{ source: 'dlob', maker: MAKER, orderId: 4821, price: '85013000', size: '760000000' },
      ...{ quote: '64609880', takerFee: '64610', makerRebate: '12922' },
    },
    {
      ...{ source: 'vamm', maker: null, orderId: null, price: '85020000', size: '240000000' },
      ...{ quote: '20404800', takerFee: '20405', makerRebate: '0' },
    },
  ],
  ...{ filledBase: '1000000000', filledQuote: '85014680', averagePrice: '85014680' },
  ...{ worstPrice: '85020000', priceImpact: '0.000019', takerFee: '85015', unfilled: '0' },
  ...{ rests: null, slot: 350_000_000, seq: 7, model: 'spec', marketName: 'SOL-PERP' },
  ...{ marketType: 'perp', marketIndex: 0, ts: 1_750_000_000_123, epoch: 'e1', state: 'live' },
};

let server: Server;
let url: string;
let asked: string[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  asked = [];
  answers(JSON.stringify(BODY));
});

afterAll(() => server?.close());

function answers(text: string, status = 200): void {
  answer = (_, response) => response.writeHead(status).end(text);
}

async function run(flags: MatchFlags) {
  let text = '';
  const output = {
    write: (more: string) => {
      text += more;
    },
  };
  const done = await match({ market: 'SOL-PERP', flags: { url, ...flags }, output });
  return { done, text };
}

/** The error of a run, as `CODE: message`. */
async function failure(flags: MatchFlags): Promise<string> {
  const error = await run(flags).catch((thrown: unknown) => thrown);
  return error instanceof MatchError ? `${error.code}: ${error.message}` : String(error);
}

describe('slotbook match', () => {
  test('prints every fill and what they come to, in units and raw', async () => {
    const { done, text } = await run({ side: 'buy', size: '1', raw: true });
    expect(done).toBe(true);
    const rows = text.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(rows[0]).toEqual(['SOL-PERP buy, model spec, slot 350000000, live']);
    expect(rows[3]).toEqual([
      ...['1', 'dlob', '85.013', '85013000', '0.76', '760000000', '64.60988', '64609880'],
      ...['0.06461', '64610', '0.012922', '12922', '4821', MAKER],
    ]);
    expect(rows[4]?.slice(-2)).toEqual(['-', '-']);
    expect(text).toMatch(/^filled base +1 \(1000000000\)$/m);
    expect(text).toMatch(/^average price +85\.01468 \(85014680\)$/m);
    expect(text).toMatch(/^price impact +0\.0019 % \(0\.000019\)$/m);
    expect(text).toMatch(/^rests +nothing$/m);
  });

  test('sums the fills of a level within 80 columns, with short keys', async () => {
    const [fill, amm] = BODY.fills;
    const other = { ...fill, maker: 'C13FZykQfLXKuMAMh2iuG7JxhQqd8otujNRAgVETU6id', orderId: 7 };
    answers(JSON.stringify({ ...BODY, fills: [fill, other, { ...fill, orderId: 9 }, amm] }));
    const { text } = await run({ side: 'buy', size: '3' });
    const lines = text.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    const rows = lines.map((line) => line.trim().split(/ {2,}/));
    expect(rows[3]).toEqual([
      ...['dlob', '85.013', '2.28', '193.82964', '0.19383', '0.038766', '3', '9JtczxrJ +1'],
    ]);
    expect(rows[4]?.slice(-2)).toEqual(['1', '-']);
    expect(text).toMatch(/^filled base +1$/m);
    expect(text).not.toContain('(');
  });

  test('says what rests, and why nothing fills', async () => {
    const rests = { price: '84000000', size: '1000000000', rebateRate: '0.0002' };
    const none = { fills: [], averagePrice: null, worstPrice: null, priceImpact: null };
    answers(JSON.stringify({ ...BODY, ...none, filledBase: '0', unfilled: '1000000000', rests }));
    const resting = await run({ side: 'buy', size: '1.', raw: true });
    expect(resting.text).toContain('1 (1000000000) at 84 (84000000), rebate 0.02 % (0.0002)');
    answers(JSON.stringify({ ...BODY, ...none, unfilled: '5', reason: 'belowMinOrderSize' }));
    const refused = await run({ side: 'buy', quote: '5', raw: true });
    expect(refused.text).toMatch(/^reason +belowMinOrderSize$/m);
    expect(refused.text).toMatch(/^unfilled +0\.000005 \(5\)$/m);
  });

  test('says by its exit whether anything would fill or rest', async () => {
    const rests = { price: '1', size: '1', rebateRate: '0' };
    for (const [body, done] of [
      [{ unfilled: '1' }, true],
      [{ fills: [], rests }, true],
      [{ fills: [] }, false],
    ] as const) {
      answers(JSON.stringify({ ...BODY, ...body }));
      expect((await run({ side: 'buy', size: '9' })).done).toBe(done);
    }
  });

  test('prints the body as it came when asked', async () => {
    expect((await run({ side: 'buy', size: '1', json: true })).text).toBe(
      `${JSON.stringify(BODY)}\n`,
    );
  });

  test('a whole number is an amount in units, as one with a point is', async () => {
    for (const size of ['250', '250.', '250.0', '+250']) await run({ side: 'buy', size });
    const sizes = asked.map((path) => new URL(path, url).searchParams.get('size'));
    expect(sizes).toEqual(['250000000000', '250000000000', '250000000000', '+250']);
  });

  test('hands every flag on under the name that it has in /match', async () => {
    await run({
      ...{ side: 'sell', size: '2.5', orderType: 'limit', limitPrice: '84.9' },
      ...{ postOnly: true, reduceOnly: true, position: '-3.25', taker: MAKER, referred: true },
      ...{ auctionStart: '85', auctionEnd: '0.5', auctionDuration: '10', slotsElapsed: '3' },
      ...{ jit: ['84.95:1.5', '1:2'], feeTier: '2', model: 'onchain', vamm: false },
      indicative: true,
    });
    const query = new URL(asked[0] ?? '', url).searchParams;
    expect(query.getAll('jit')).toEqual(['84950000:1500000000', '1000000:2000000000']);
    query.delete('jit');
    expect(Object.fromEntries(query)).toEqual({
      ...{ marketName: 'SOL-PERP', side: 'sell', size: '2500000000', orderType: 'limit' },
      ...{ limitPrice: '84900000', postOnly: 'true', reduceOnly: 'true', position: '-3250000000' },
      ...{ taker: MAKER, referred: 'true', auctionStart: '85000000', auctionEnd: '500000' },
      ...{ auctionDuration: '10', slotsElapsed: '3', feeTier: '2', model: 'onchain' },
      ...{ includeVamm: 'false', includeIndicative: 'true' },
    });
  });

  test.each([
    [{ url: 'ftp://x' }, 'INVALID_MATCH_OPTION: --url must begin with http:// or https://'],
    [{ url: 'nowhere' }, 'INVALID_MATCH_OPTION: --url must begin with http:// or https://'],
    [
      { size: '0.0000000001' },
      'INVALID_MATCH_OPTION: --size was 0.0000000001, must have at most 9 decimals',
    ],
    [
      { limitPrice: '.' },
      'INVALID_MATCH_OPTION: --limit-price was ., must have at most 6 decimals',
    ],
  ])('%j is an error that says so', async (flags, expected) => {
    expect(await failure(flags)).toBe(expected);
  });

  test('a service that is not there is named without its key', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await new Promise((resolve) => other.close(resolve));
    expect(await failure({ url: `http://127.0.0.1:${port}/?key=secret` })).toBe(
      `MATCH_UNREACHABLE: the service at 127.0.0.1:${port} does not answer: ECONNREFUSED`,
    );
  });

  test('repeats what the service says is wrong, and nothing that a terminal would act on', async () => {
    const message = 'size was "\u001b[2J", must be a whole number';
    answers(JSON.stringify({ error: { code: 'INVALID_PARAM', message, param: 'size' } }), 400);
    expect(await failure({})).toBe(
      'MATCH_REFUSED: INVALID_PARAM: size was "?[2J", must be a whole number',
    );
    for (const other of ['<html>', '"code":"X","message":"\\x"', '"code":"X","message":"\n"']) {
      answers(other, 502);
      expect(await failure({})).toBe('MATCH_REFUSED: the service answered 502');
    }
  });

  test.each([
    'x',
    '[]',
    'null',
    '{}',
    JSON.stringify({ ...BODY, filledBase: '1.5' }),
    JSON.stringify({ ...BODY, fills: [{}] }),
    JSON.stringify({ ...BODY, rests: 7 }),
  ])('%s is no walk', async (text) => {
    answers(text);
    expect(await failure({})).toMatch(/^MALFORMED_MATCH: /);
  });
});

test('an address with a password, which would not be sent, is refused without it', () => {
  expect(() => matchUrl('SOL', { url: 'http://me:secret@127.0.0.1' })).toThrow(
    '--url had a user or a password, must have neither',
  );
});

test('a service behind a path is asked below it', () => {
  const asked = matchUrl('SOL', { url: 'https://books.example/dlob/?key=7', side: 'buy' });
  expect(asked.href).toBe('https://books.example/dlob/match?key=7&marketName=SOL&side=buy');
});

test.each([
  ['85013000', 6, '85.013'],
  ['0', 6, '0'],
  ['5', 9, '0.000000005'],
  ['-1500000000', 9, '-1.5'],
  ['1000000', 6, '1'],
])('%s at %i decimals is %s', (raw, decimals, text) => {
  expect(formatDecimal(BigInt(raw), decimals)).toBe(text);
  expect(rawOf(text.includes('.') ? text : `${text}.`, decimals)).toBe(raw);
});
