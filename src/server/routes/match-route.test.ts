import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { FakeBook, startServer } from '../testing/running-server.js';

const least = 'marketName=sol-perp&side=sell&size=5';

const book = new FakeBook();
const server = await startServer(book);

beforeEach(() => {
  book.refusal = undefined;
  server.readiness = { everLive: true, state: 'live', reason: null, slot: 1000 };
});

afterEach(() => vi.restoreAllMocks());

describe('/match', () => {
  test.each(['', '/v1', '/dlob'])('answers under the prefix "%s"', async (prefix) => {
    const { status, body } = await server.ask(`${prefix}/match?${least}&jit=1:2&jit=3:4`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ market: 0, side: 'sell', size: '5' },
      jit: [
        { price: '1', size: '2' },
        { price: '3', size: '4' },
      ],
    });
  });

  test('is never kept beyond its turn: the tag of each turn is another', async () => {
    const tags = new Set<string | null>();
    for (let turn = 0; turn < 3; turn += 1) {
      tags.add((await server.ask(`/match?${least}`)).header('etag'));
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
      (await server.ask(`/match?${query}`, headers)).text;
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
    // Requests that wait for the first request use its result.
    const together = Array.from({ length: 20 }, () => textOf({ 'accept-encoding': 'identity' }));
    expect(new Set(await Promise.all(together))).toEqual(new Set(['4'.repeat(written.length)]));
    expect(walks).toBe(4);
  });

  test('names the parameter that is wrong', async () => {
    expect((await server.ask('/match?marketName=SOL-PERP&side=buy')).error).toEqual({
      status: 400,
      code: 'MISSING_PARAM',
      message: 'size or quote must be given',
      param: 'size',
    });
    expect((await server.ask('/match?marketName=NOPE&side=buy&size=1')).error).toMatchObject({
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
    expect((await server.ask(`/match?${least}`)).error).toEqual({
      status: 400,
      code: told,
      message: 'size was 7, must be 6',
      param: 'size',
    });
    book.refusal = Object.assign(new Error('hidden'), { code: 'ELSE' });
    expect((await server.ask(`/match?${least}`)).error).toMatchObject({ status: 500 });
  });

  test('before the first book it is not ready, whatever was asked', async () => {
    server.readiness = { everLive: false, state: 'starting', reason: null, slot: 0 };
    const answer = await server.ask(`/match?${least}`);
    expect(answer.header('retry-after')).not.toBeNull();
    expect(answer.error).toMatchObject({ status: 503, code: 'NOT_READY' });
  });
});
