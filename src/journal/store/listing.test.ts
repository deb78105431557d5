import { expect, test } from 'vitest';
import { listKept, newestRun } from './listing.js';
import type { SegmentInfo } from './segment-info.js';
import { segmentName, segmentNumber } from './segment-name.js';

/** A segment of ten slots, whose start derives from its number. */
function segment(number: number, epoch = 'a'): SegmentInfo {
  const moment = (slot: number) => ({ slot, ts: slot * 400 });
  const [first, last] = [moment(number * 10), moment(number * 10 + 10)];
  return {
    number,
    bytes: 100,
    programId: 'program',
    epoch,
    first,
    last,
    seqs: [number, 2 * number],
  };
}

test('segments with one number after the other are one range', () => {
  const { ranges, gaps } = listKept([segment(3), segment(4), segment(5)], []);
  expect(gaps).toEqual([]);
  expect(ranges).toEqual([
    {
      epoch: 'a',
      ...{ first: segment(3).first, last: segment(5).last, segments: 3, bytes: 300 },
      ...{ firstSeqs: [3, 6], lastSeqs: [5, 10] },
    },
  ]);
});

test('a missing number, or another epoch, is a gap that says why', () => {
  const skipped = [{ name: segmentName(4), reason: 'damaged' }];
  const listing = listKept([segment(3), segment(5), segment(6, 'b')], skipped);
  expect(listing.ranges.map(({ epoch, segments }) => [epoch, segments])).toEqual([
    ['a', 1],
    ['a', 1],
    ['b', 1],
  ]);
  expect(listing.gaps).toEqual([
    { from: segment(3).last, to: segment(5).first, reason: 'stopped' },
    { from: segment(5).last, to: segment(6).first, reason: 'restart' },
  ]);
  expect(listing.skipped).toEqual(skipped);
});

test('nothing is kept of an empty folder', () => {
  expect(listKept([], [])).toEqual({ ranges: [], gaps: [], skipped: [] });
});

test('files are named by their number, and no other name is one', () => {
  expect(segmentName(42)).toBe('000000000042.journal');
  expect(segmentNumber(segmentName(42))).toBe(42);
  for (const name of ['lock', '42.journal', '000000000042.journal.tmp', 'x000000000042.journal']) {
    expect([name, segmentNumber(name)]).toEqual([name, null]);
  }
});

test('the newest run goes over another chain and files that cannot be read, and over no other gap', () => {
  const skipped = [{ name: segmentName(4), reason: 'bad head' }];
  const numbersOf = (...segments: readonly SegmentInfo[]) =>
    newestRun({ segments, skipped })?.map(({ number }) => number);
  expect(numbersOf(segment(2), segment(3), segment(5))).toEqual([2, 3, 5]);
  expect(numbersOf(segment(2), segment(5))).toEqual([5]);
  expect(numbersOf(segment(3), segment(5, 'b'), segment(6, 'b'))).toEqual([5, 6]);
  expect(numbersOf(segment(2), segment(3, 'b'), segment(4, 'b'))).toEqual([2, 3, 4]);
  expect(numbersOf()).toBeUndefined();
});
