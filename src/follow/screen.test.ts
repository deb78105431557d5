import { expect, test } from 'vitest';
import { FollowedBook } from '../client/stream/followed-book.js';
import { lineOf } from './screen.js';

/** The first word of the line of a book whose service says that it is `ts`. */
function timeAt(ts: number): string | undefined {
  const book = new FollowedBook({ channel: 'book', market: 'SOL-PERP', depth: 10 });
  const head = { epoch: 'e', seq: 1, slot: 1, ts, state: 'live' } as const;
  book.applyFrame({ type: 'snapshot', reset: false, ...head, bids: [], asks: [], crc: 0 });
  const view = book.viewOf(true);
  if (view === undefined) throw new Error('Invariant: the book has a snapshot');
  const heading = { name: 'book:SOL-PERP:10', phase: 'following', frames: 1, broken: 0 };
  return lineOf(view, heading).split(' ')[0];
}

test('a time that is no date is drawn as none', () => {
  expect(timeAt(1_750_000_001_204)).toBe('15:06:41');
  expect(timeAt(8_640_000_000_000_000)).toBe('00:00:00');
  expect(timeAt(8_640_000_000_000_001)).toBe('--:--:--');
  expect(timeAt(Number.MAX_SAFE_INTEGER)).toBe('--:--:--');
});
