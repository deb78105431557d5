import { expect, test } from 'vitest';
import { crc32, FollowedBook } from '../client/stream/followed-book.js';
import { lineOf, screenOf } from './screen.js';

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

test('a screen has bars in proportion, the spread in bps, and the totals of both sides', () => {
  const book = new FollowedBook({ channel: 'book', market: 'SOL-PERP', depth: 10 });
  const head = { epoch: 'e', seq: 1, slot: 1, ts: 1, state: 'live' } as const;
  const bids = [
    ['99000000', '3000000000', { dlob: '3000000000' }],
    ['98000000', '1000000000', { dlob: '1000000000' }],
  ];
  const asks = [['101000000', '2000000000', { dlob: '2000000000' }]];
  const crc = crc32('99000000:3000000000:101000000:2000000000:98000000:1000000000');
  book.applyFrame({ type: 'snapshot', reset: false, ...head, bids, asks, crc });
  const heading = { name: 'book:SOL-PERP:10', phase: 'following', frames: 1, broken: 0 };
  const text = screenOf(book.viewOf(true), heading);
  expect(text).toMatch(/^ +spread +2 +200\.00 bps$/m);
  expect(text).toContain('shown: 2 offered, 4 bid');
  const bars = [...text.matchAll(/█+/g)].map(([bar]) => bar.length);
  expect(bars).toEqual([30, 30, 10]);
  expect(text).toContain('\x1b[31m           101\x1b[0m');
});
