/** The condition of a book by its best prices. */
import { expect, test } from 'vitest';
import type { BookLevel, BookLevels } from './book-levels.js';
import { conditionOf } from './liquidity.js';

function book(bid: bigint | null, ask: bigint | null): BookLevels {
  const side = (price: bigint | null): BookLevel[] =>
    price === null ? [] : [{ price, size: 1n } as BookLevel];
  return { bids: side(bid), asks: side(ask) };
}

test('a book is open, locked, crossed, of one side or empty', () => {
  const books = [book(1n, 2n), book(2n, 2n), book(2n, 1n), book(1n, null), book(null, null)];
  const all = ['open', 'locked', 'crossed', 'oneSided', 'empty'];
  expect(books.map((one) => conditionOf(one))).toEqual(all);
  expect(conditionOf(book(null, 1n))).toBe('oneSided');
});
