import { expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { QueryMemo } from '../routes/versioned-reply.js';
import { FakeBook } from '../testing/running-server.js';

/** A memo whose parser answers how often it was called. */
function counting() {
  let calls = 0;
  return new QueryMemo(new FakeBook(), () => {
    calls += 1;
    return { calls };
  });
}

test('a query is parsed once', () => {
  const memo = counting();
  const first = memo.parseQuery('depth=1');
  expect(memo.parseQuery('depth=1')).toBe(first);
  expect(memo.findParsed('depth=1')).toBe(first);
  expect(memo.findParsed('depth=2')).toBeUndefined();
});

test('a long query is parsed each time', () => {
  const memo = counting();
  const [longest, longer] = [0, 1].map((more) => 'x'.repeat(LIMITS.queryMemoBytesMax + more));
  expect([memo.parseQuery(longest ?? ''), memo.parseQuery(longest ?? '')]).toEqual([
    { calls: 1 },
    { calls: 1 },
  ]);
  expect([memo.parseQuery(longer ?? ''), memo.parseQuery(longer ?? '')]).toEqual([
    { calls: 2 },
    { calls: 3 },
  ]);
});

test('beyond the bound the query that came first is forgotten', () => {
  const memo = counting();
  const { queryMemoEntriesMax } = LIMITS;
  for (let query = 0; query <= queryMemoEntriesMax; query += 1) memo.parseQuery(String(query));
  expect(memo.findParsed('0')).toBeUndefined();
  expect(memo.findParsed('1')).toEqual({ calls: 2 });
  expect(memo.findParsed(String(queryMemoEntriesMax))).toEqual({ calls: queryMemoEntriesMax + 1 });
});

test('other markets make it forget all', () => {
  const book = new FakeBook();
  const memo = new QueryMemo(book, () => ({}));
  const first = memo.parseQuery('marketName=SOL');
  book.rows = [...book.rows];
  expect(memo.parseQuery('marketName=SOL')).not.toBe(first);
});
