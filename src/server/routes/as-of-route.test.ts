/** Past books: which requests name a moment, the resulting request to the journal, and its replies. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { AsOfReply, AsOfRequest, AsOfSource, AsOfStats } from '../../contract/as-of-source.js';
import { fakeAsOfStats } from '../testing/fake-journal.js';
import { FakeBook, startServer } from '../testing/running-server.js';

const asOf = { epoch: 'epoch-0', slot: 90, ts: 36_000 };
const body: AsOfReply = {
  ...{ kind: 'body', body: Buffer.from('{"was":1}'), hash: 'h1', asOf, isFinal: true },
  versions: [{ seq: 4, slot: 88, state: 'lagging', auctions: 0 }],
};

/** Returns a test's replies and records its requests. */
class FakePast implements AsOfSource {
  readonly requests: AsOfRequest[] = [];
  reply: AsOfReply = body;

  async readMoment(request: AsOfRequest): Promise<AsOfReply> {
    this.requests.push(request);
    return this.reply;
  }

  readStats(): AsOfStats {
    return fakeAsOfStats;
  }
}

const past = new FakePast();
const server = await startServer(new FakeBook(), { asOf: past });
const without = await startServer(new FakeBook());

beforeEach(() => {
  past.requests.length = 0;
  past.reply = body;
});

const l2 = '/l2?marketName=SOL-PERP';

test.each([
  [`${l2}&slot=90`, { by: 'slot', value: 90 }],
  [`${l2}&ts=36000`, { by: 'ts', value: 36_000 }],
  [`${l2}&epoch=epoch_0&seq=4`, { by: 'seq', value: 4, epoch: 'epoch_0' }],
  [`${l2}&epoch=epoch_0&slot=90`, { by: 'slot', value: 90, epoch: 'epoch_0' }],
  ['/v1/l3?marketName=SOL-PERP&slot=90', { by: 'slot', value: 90 }],
  ['/dlob/auctions?marketName=SOL-PERP&sl%6Ft=90', { by: 'slot', value: 90 }],
  ['/match?marketName=SOL-PERP&side=buy&size=1&slot=0', { by: 'slot', value: 0 }],
  ['/topMakers?marketName=SOL-PERP&side=bid&ts=1', { by: 'ts', value: 1 }],
  ['/batchL2?marketName=SOL-PERP,SOL&slot=90', { by: 'slot', value: 90 }],
])('%s asks for that moment', async (path, moment) => {
  expect((await server.ask(path)).text).toBe('{"was":1}');
  expect(past.requests.map((request) => request.moment)).toEqual([moment]);
});

test('a market is named as every run knows it, with the parameters of the live path', async () => {
  await server.ask('/l2?marketName=SOL&depth=3&includeVamm=true&slot=90');
  const key = { marketType: 'spot', marketIndex: 1 };
  expect(past.requests[0]?.bodies).toEqual({
    read: { path: 'l2', key, request: { market: 1, depth: 3, vamm: true } },
  });
});

describe('/liquidity/history', () => {
  const path = '/liquidity/history?marketName=SOL-PERP';
  const key = { marketType: 'perp', marketIndex: 0 };

  test.each([
    ['&from=1000&to=2000', { fromMs: 1_000_000, stepMs: 10_000 }, 2_000_000],
    ['&to=86400&from=0', { fromMs: 0, stepMs: 300_000 }, 86_400_000],
    ['&to=9000', { fromMs: 5_400_000, stepMs: 10_000 }, 9_000_000],
    ['&from=0&to=9000&resolution=60', { fromMs: 0, stepMs: 60_000 }, 9_000_000],
  ])('%s reads that time', async (query, read, value) => {
    const { text, headers } = await server.ask(`${path}${query}`);
    expect([text, headers.get('etag')]).toEqual(['{"was":1}', '"h1"']);
    const history = { key, ...read };
    expect(past.requests).toEqual([{ moment: { by: 'ts', value }, bodies: { history } }]);
  });

  test.each([
    ['&from=3&to=2', 'INVALID_PARAM'],
    ['&from=0&to=86400&resolution=60', 'INVALID_PARAM'],
    ['&from=0&to=9000000', 'INVALID_PARAM'],
    ['&resolution=7', 'INVALID_PARAM'],
    ['X', 'UNKNOWN_MARKET'],
  ])('%s is refused as %s', async (query, code) => {
    const { text } = await server.ask(`${path}${query}`);
    expect(text).toContain(code);
    expect(past.requests).toEqual([]);
  });

  test('without a journal there is none', async () => {
    expect((await without.ask(path)).text).toContain('NO_JOURNAL');
  });
});

test('an entry of a batch that is wrong stays an error in its place', async () => {
  await server.ask('/batchL2?marketName=SOL,NONE&slot=90');
  expect(past.requests[0]?.bodies).toMatchObject({
    parts: [{ read: { path: 'l2' } }, { text: expect.stringContaining('UNKNOWN_MARKET') }],
  });
});

test('without a moment the book is that of now', async () => {
  for (const path of [l2, `${l2}&slots=5`, `${l2}&x=%20`]) {
    expect((await server.ask(path)).text).not.toContain('was');
  }
  expect(past.requests).toEqual([]);
});

test.each([
  ['slot=90&epoch=e', true, 'public, max-age=86400, immutable'],
  ['ts=90&epoch=e', true, 'public, max-age=86400, immutable'],
  ['seq=90&epoch=e', true, 'public, max-age=86400, immutable'],
  ['seq=90&epoch=e', false, 'no-cache'],
  ['slot=90', true, 'no-cache'],
  ['ts=90', true, 'no-cache'],
])('%s, final %s, may be kept as %s', async (moment, isFinal, cached) => {
  past.reply = { ...body, isFinal };
  const { headers } = await server.ask(`${l2}&${moment}`);
  expect(headers.get('cache-control')).toBe(cached);
});

test('a past moment has the headers of its turn', async () => {
  const { headers } = await server.ask(`${l2}&slot=90`);
  expect(headers.get('x-slot')).toBe('88');
  expect(headers.get('x-state')).toBe('lagging');
  expect(JSON.parse(headers.get('x-as-of') ?? '')).toEqual(asOf);
  const etag = headers.get('etag') ?? '';
  expect((await server.ask(`${l2}&slot=90`, { 'If-None-Match': etag })).status).toBe(304);
});

test('a large body is compressed for clients that accept it', async () => {
  past.reply = { ...body, body: Buffer.from(`{"was":"${'x'.repeat(100_000)}"}`), hash: 'h2' };
  const zipped = await server.ask(`${l2}&slot=90`, { 'Accept-Encoding': 'gzip' });
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(zipped.text).toHaveLength(100_010);
});

describe('what is wrong', () => {
  test.each([
    [`${l2}&slot=1&ts=2`, 'INVALID_PARAM', 'ts'],
    [`${l2}&slot=1&seq=2&epoch=e`, 'INVALID_PARAM', 'seq'],
    [`${l2}&slot=1&slot=2`, 'INVALID_PARAM', 'slot'],
    [`${l2}&slot=-1`, 'OUT_OF_RANGE', 'slot'],
    [`${l2}&slot=99999999999999999999999999999`, 'OUT_OF_RANGE', 'slot'],
    [`${l2}&slot=9007199254740992`, 'OUT_OF_RANGE', 'slot'],
    [`${l2}&ts=9999999999999999`, 'OUT_OF_RANGE', 'ts'],
    [`${l2}&slot=NaN`, 'INVALID_PARAM', 'slot'],
    [`${l2}&slot=1e3`, 'INVALID_PARAM', 'slot'],
    [`${l2}&slot=`, 'INVALID_PARAM', 'slot'],
    [`${l2}&slot`, 'INVALID_PARAM', 'slot'],
    [`${l2}&ts=1.5`, 'INVALID_PARAM', 'ts'],
    [`${l2}&slot=%ZZ`, 'INVALID_PARAM', 'slot'],
    [`${l2}&seq=4`, 'MISSING_PARAM', 'epoch'],
    [`${l2}&epoch=e`, 'MISSING_PARAM', 'seq'],
    [`${l2}&seq=4&epoch=`, 'INVALID_PARAM', 'epoch'],
    [`${l2}&seq=4&epoch=${'e'.repeat(45)}`, 'INVALID_PARAM', 'epoch'],
    ['/batchL2?marketName=SOL&epoch=e&seq=4', 'INVALID_PARAM', 'seq'],
    ['/batchL2?marketName=SOL&slot=1,2', 'INVALID_PARAM', 'slot'],
    ['/l2?marketName=NONE&slot=1', 'UNKNOWN_MARKET', 'marketName'],
    [
      '/topMakers?marketName=SOL&side=bid&includeAccounts=true&slot=1',
      'INVALID_PARAM',
      'includeAccounts',
    ],
  ])('%s is refused', async (path, code, param) => {
    const { status, text } = await server.ask(path);
    expect(JSON.parse(text).error).toMatchObject({ code, param });
    expect(status).toBe(code === 'UNKNOWN_MARKET' ? 404 : 400);
    expect(past.requests).toEqual([]);
  });

  test.each<[AsOfReply, number, string]>([
    [{ kind: 'notKept', message: 'the journal has slot 1 to 2' }, 404, 'MOMENT_NOT_KEPT'],
    [{ kind: 'noMarket' }, 404, 'UNKNOWN_MARKET'],
    [{ kind: 'busy', message: '64 wait' }, 503, 'LIMIT_EXCEEDED'],
    [
      { kind: 'refused', error: { code: 'MATCH_OUT_OF_RANGE', message: 'no', param: 'size' } },
      400,
      'OUT_OF_RANGE',
    ],
  ])('%j becomes a coded error', async (reply, status, code) => {
    past.reply = reply;
    const response = await server.ask(`${l2}&slot=90`);
    expect([response.status, JSON.parse(response.text).error.code]).toEqual([status, code]);
    expect(response.headers.has('retry-after')).toBe(status === 503);
  });

  test('a service without a journal says how to keep one', async () => {
    const { status, text } = await without.ask(`${l2}&slot=90`);
    expect(status).toBe(404);
    expect(JSON.parse(text).error).toMatchObject({
      ...{ code: 'NO_JOURNAL', message: expect.stringContaining('--journal') },
    });
  });
});
