import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';
import { acceptsGzip, GzipCache } from './versioned-reply.js';

describe('Accept-Encoding', () => {
  test.each([
    ['gzip', true],
    ['deflate, gzip;q=0.5, br', true],
    ['GZIP', true],
    ['', false],
    ['br', false],
    ['*', false],
    ['gzip;q=0', false],
    ['gzip; q=0.000, br', false],
    ['xgzip', false],
  ])('"%s" allows gzip: %s', (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected);
  });
});

describe('the cache', () => {
  const body = Buffer.from('x'.repeat(50_000));

  test('a version is compressed once, and another version anew', async () => {
    const cache = new GzipCache();
    const first = cache.compressBody({ key: 'a', version: '1' }, () => body);
    expect(first).toBeInstanceOf(Promise);
    expect(cache.compressBody({ key: 'a', version: '1' }, () => body)).toBe(first);
    const bytes = await first;
    expect(gunzipSync(bytes ?? Buffer.alloc(0))).toEqual(body);
    expect(cache.compressBody({ key: 'a', version: '1' }, () => body)).toBe(bytes);
    expect(cache.compressBody({ key: 'a', version: '2' }, () => body)).toBeInstanceOf(Promise);
  });

  test('beyond the bound of pending ones nothing is compressed', async () => {
    const cache = new GzipCache();
    const ask = (key: number) => cache.compressBody({ key: String(key), version: '1' }, () => body);
    const pending = Array.from({ length: LIMITS.gzipPendingMax }, (_, key) => ask(key));
    expect(ask(LIMITS.gzipPendingMax)).toBeUndefined();
    await Promise.all(pending);
    expect(ask(LIMITS.gzipPendingMax)).toBeInstanceOf(Promise);
  });
});

test('beyond the bound of kept bytes the body that was not wanted for longest goes', async () => {
  const body = randomBytes(10_000);
  const cache = new GzipCache(3 * body.length);
  const keys = ['a', 'b', 'c'];
  for (const key of keys) await cache.compressBody({ key, version: '1' }, () => body);
  const kept = keys.filter((key) => cache.findBody({ key, version: '1' }) !== undefined);
  expect(kept).toEqual(['b', 'c']);
  // Another version of a body takes the place of the one before.
  await cache.compressBody({ key: 'c', version: '2' }, () => body);
  expect(cache.findBody({ key: 'b', version: '1' })).toBeDefined();
});

test('beyond the bound of pending bytes nothing is compressed', async () => {
  const cache = new GzipCache();
  const body = Buffer.alloc(LIMITS.gzipPendingBytesMax);
  const pending = cache.compressBody({ key: 'a', version: '1' }, () => body);
  expect(cache.compressBody({ key: 'b', version: '1' }, () => body)).toBeUndefined();
  await pending;
  expect(cache.compressBody({ key: 'b', version: '1' }, () => Buffer.alloc(9))).toBeInstanceOf(
    Promise,
  );
});

describe('over HTTP', () => {
  const book = new FakeBook();
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer(book);
  });

  afterAll(() => server?.close());

  const path = '/l3?marketName=SOL-PERP';
  const get = (encoding: string, method = 'GET'): Promise<Response> =>
    fetch(`${server.url}${path}`, { method, headers: { 'Accept-Encoding': encoding } });

  test('a small body goes out plain', async () => {
    expect((await get('gzip')).headers.get('content-encoding')).toBeNull();
  });

  test('a large body is compressed for those who accept it', async () => {
    book.filler = 'y'.repeat(LIMITS.gzipBodyBytesMin);
    for (let round = 0; round < 2; round += 1) {
      const zipped = await get('gzip');
      expect(zipped.headers.get('content-encoding')).toBe('gzip');
      expect(zipped.headers.get('vary')).toBe('Accept, Accept-Encoding');
      expect(Number(zipped.headers.get('content-length'))).toBeLessThan(1_000);
      const plain = await get('identity');
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await zipped.text()).toBe(await plain.text());
    }
    const head = await get('gzip', 'HEAD');
    expect(head.headers.get('content-encoding')).toBe('gzip');
    expect(await head.text()).toBe('');
  });

  test('an uncrossed book is another body than the same book as it is', async () => {
    book.filler = 'y'.repeat(LIMITS.gzipBodyBytesMin);
    const ask = async (query: string): Promise<unknown> => {
      const headers = { 'Accept-Encoding': 'gzip' };
      const url = `${server.url}/l2?marketName=SOL-PERP${query}`;
      const { asked } = JSON.parse(await (await fetch(url, { headers })).text());
      return asked.uncross;
    };
    for (let round = 0; round < 2; round += 1) {
      expect([await ask(''), await ask('&uncross=true')]).toEqual([undefined, true]);
    }
  });
});
