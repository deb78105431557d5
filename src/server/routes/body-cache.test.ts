import { expect, test } from 'vitest';
import { BodyCache } from './body-cache.js';

const [body, bytes] = ['a body', 10_000];
const keys = ['a', 'b', 'c', 'd'];

test('beyond the bound the body that was not wanted for longest goes', () => {
  const cache = new BodyCache<string>(35_000);
  for (const key of keys.slice(0, 3)) cache.cacheBody(key, { version: '1', body, bytes });
  expect(cache.findBody('a', '1')).toBe(body);
  cache.cacheBody('d', { version: '1', body, bytes });
  expect(keys.filter((key) => cache.findBody(key, '1') !== undefined)).toEqual(['a', 'c', 'd']);
  expect(cache.bytes).toBeGreaterThan(30_000);
  expect(cache.bytes).toBeLessThanOrEqual(35_000);
});

test('another version takes the place of the one before', () => {
  const cache = new BodyCache<string>(35_000);
  for (const version of ['1', '2', '3']) cache.cacheBody('a', { version, body, bytes });
  expect(cache.findBody('a', '2')).toBeUndefined();
  expect(cache.findBody('a', '3')).toBe(body);
  expect(cache.bytes).toBeLessThan(11_000);
});

test('bodies without a byte take room as well', () => {
  const cache = new BodyCache<string>(35_000);
  for (let key = 0; key < 1_000; key += 1) {
    cache.cacheBody(`${key}`, { version: '1', body: '', bytes: 0 });
  }
  const kept = Array.from({ length: 1_000 }, (_, key) => cache.findBody(`${key}`, '1'));
  expect(kept.filter((found) => found !== undefined).length).toBeLessThan(100);
});

test('a body that nothing can change is of every version, and no other is', () => {
  const cache = new BodyCache<string>(35_000);
  cache.cacheBody('a', { version: '1', body, bytes, isFinal: true });
  cache.cacheBody('b', { version: '1', body, bytes, isFinal: false });
  expect(cache.findBody('a', '2')).toBeDefined();
  expect(cache.findBody('b', '2')).toBeUndefined();
});
