import { expect, test } from 'vitest';
import { HistoryCache } from './history-answers.js';

const answer = { body: new Uint8Array(10_000), nextCursor: null };
const keys = ['a', 'b', 'c', 'd'];

test('beyond the bound the answer that was not wanted for longest goes', () => {
  const cache = new HistoryCache(35_000);
  for (const key of keys.slice(0, 3)) cache.cacheAnswer(key, { version: '1', answer });
  expect(cache.findAnswer('a', '1')).toBe(answer);
  cache.cacheAnswer('d', { version: '1', answer });
  expect(keys.filter((key) => cache.findAnswer(key, '1') !== undefined)).toEqual(['a', 'c', 'd']);
  expect(cache.bytes).toBeGreaterThan(30_000);
  expect(cache.bytes).toBeLessThanOrEqual(35_000);
});

test('another version takes the place of the one before', () => {
  const cache = new HistoryCache();
  for (const version of ['1', '2', '3']) cache.cacheAnswer('a', { version, answer });
  expect(cache.findAnswer('a', '2')).toBeUndefined();
  expect(cache.findAnswer('a', '3')).toBe(answer);
  expect(cache.bytes).toBeLessThan(11_000);
});

test('answers without a byte take room as well', () => {
  const cache = new HistoryCache(35_000);
  const empty = { ...answer, body: new Uint8Array(0) };
  for (let key = 0; key < 1_000; key += 1)
    cache.cacheAnswer(`${key}`, { version: '1', answer: empty });
  const kept = Array.from({ length: 1_000 }, (_, key) => cache.findAnswer(`${key}`, '1'));
  expect(kept.filter((found) => found !== undefined).length).toBeLessThan(100);
});

test('an answer that nothing can change is of every version, and no other is', () => {
  const cache = new HistoryCache();
  cache.cacheAnswer('a', { version: '1', answer: { ...answer, isFinal: true } });
  cache.cacheAnswer('b', { version: '1', answer: { ...answer, isFinal: false } });
  expect(cache.findAnswer('a', '2')).toBeDefined();
  expect(cache.findAnswer('b', '2')).toBeUndefined();
});
