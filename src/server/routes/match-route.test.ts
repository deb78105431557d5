import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';

const least = 'marketName=sol-perp&side=sell&size=5';

let book: FakeBook;
let server: RunningServer;

beforeAll(async () => {
  book = new FakeBook();
  server = await startServer(book);
});

beforeEach(() => {
  book.refusal = undefined;
  server.readiness = { everLive: true, state: 'live', reason: null, slot: 1000 };
});

afterEach(() => vi.restoreAllMocks());

afterAll(() => server?.close());

const ask = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init);

async function errorOf(response: Response): Promise<Record<string, unknown>> {
  const { error } = JSON.parse(await response.text());
  return { status: response.status, ...error };
}

describe('/match', () => {
  test.each(['', '/v1', '/dlob'])('answers under the prefix "%s"', async (prefix) => {
    const response = await ask(`${prefix}/match?${least}&jit=1:2&jit=3:4`);
    expect(response.status).toBe(200);
    expect(JSON.parse(await response.text())).toMatchObject({
      ...{ market: 0, side: 'sell', size: '5' },
      jit: [
        { price: '1', size: '2' },
        { price: '3', size: '4' },
      ],
    });
  });

  test('answers HEAD as GET, without a body', async () => {
    const response = await ask(`/match?${least}`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('x-slot')).toBe('1000');
  });

  test('is never kept beyond its turn: the tag of each turn is another', async () => {
    const tags = new Set<string | null>();
    for (let turn = 0; turn < 3; turn += 1) {
      tags.add((await ask(`/match?${least}`)).headers.get('etag'));
    }
    expect(tags.size).toBe(3);
  });

  test('a large body is made once a turn of the book, plain and compressed', async () => {
    let turn = 1;
    let walks = 0;
    // The core writes each body over the one before.
    const written = Buffer.alloc(LIMITS.gzipBodyBytesMin);
    vi.spyOn(book, 'turn', 'get').mockImplementation(() => turn);
    vi.spyOn(book, 'match').mockImplementation(() => {
      walks += 1;
      return written.fill(String(walks));
    });
    const textOf = async (headers: Record<string, string>, query = least) =>
      (await ask(`/match?${query}`, { headers })).text();
    const firsts = new Set<string>();
    for (const coding of ['identity', 'identity', 'gzip', 'gzip']) {
      firsts.add(await textOf({ 'accept-encoding': coding }));
    }
    expect(await textOf({}, `${least}&jit=1:2`)).toBe('2'.repeat(written.length));
    firsts.add(await textOf({ 'accept-encoding': 'identity' }));
    expect([[...firsts], walks]).toEqual([['1'.repeat(written.length)], 2]);
    turn = 2;
    expect(await textOf({})).toBe('3'.repeat(written.length));
    turn = 3;
    // Those that wait behind the first find what it made.
    const together = Array.from({ length: 20 }, () => textOf({ 'accept-encoding': 'identity' }));
    expect(new Set(await Promise.all(together))).toEqual(new Set(['4'.repeat(written.length)]));
    expect(walks).toBe(4);
  });

  test('names the parameter that is wrong', async () => {
    expect(await errorOf(await ask('/match?marketName=SOL-PERP&side=buy'))).toEqual({
      status: 400,
      code: 'MISSING_PARAM',
      message: 'size or quote must be given',
      param: 'size',
    });
    expect(await errorOf(await ask('/match?marketName=NOPE&side=buy&size=1'))).toMatchObject({
      status: 404,
      code: 'UNKNOWN_MARKET',
    });
  });

  test.each([
    ['INVALID_MATCH', 'INVALID_PARAM'],
    ['MATCH_OUT_OF_RANGE', 'OUT_OF_RANGE'],
  ])('what the core refuses as %s is a 400 that names it', async (code, told) => {
    book.refusal = Object.assign(new Error('size was 7, must be 6'), {
      code,
      context: { param: 'size' },
    });
    expect(await errorOf(await ask(`/match?${least}`))).toEqual({
      status: 400,
      code: told,
      message: 'size was 7, must be 6',
      param: 'size',
    });
    book.refusal = Object.assign(new Error('hidden'), { code: 'ELSE' });
    expect(await errorOf(await ask(`/match?${least}`))).toMatchObject({ status: 500 });
  });

  test('before the first book it is not ready, whatever was asked', async () => {
    server.readiness = { everLive: false, state: 'starting', reason: null, slot: 0 };
    const response = await ask(`/match?${least}`);
    expect(response.headers.get('retry-after')).not.toBeNull();
    expect(await errorOf(response)).toMatchObject({ status: 503, code: 'NOT_READY' });
  });
});
