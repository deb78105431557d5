import { expect, test } from 'vitest';
import { GAPS_MAX } from '../model/limits.js';
import { type Gap, Progress, type WriteProgress } from './progress.js';

const at = (slot: number) => ({ signature: `signature ${slot}`, slot });

const gapBelow = (slot: number): Omit<Gap, 'id'> => ({
  before: at(slot),
  until: at(slot - 50),
  sinceTs: 1_000 + slot,
  left: 500,
});

function stored() {
  const marks = new Map<string, string>();
  const write: WriteProgress = (changes) => {
    for (const [name, text] of Object.entries(changes)) {
      if (text === null) marks.delete(name);
      else marks.set(name, text);
    }
  };
  return { write, read: () => new Progress({ readProgress: () => marks }) };
}

const factsOf = ({ tip, gaps, completeSinceTs }: Progress) => ({ tip, gaps, completeSinceTs });

test('after each move, what is stored is what a restart begins with', () => {
  const { write, read } = stored();
  const progress = read();
  const moves = [
    () => progress.moveTip({ tip: at(100), opened: gapBelow(100), sinceTs: null }, write),
    () => progress.moveTip({ tip: at(200), opened: gapBelow(200), sinceTs: null }, write),
    () => progress.moveGap(2, { rest: { before: at(170), left: 400 }, sinceTs: null }, write),
    () => progress.moveGap(1, { rest: null, sinceTs: 1_060 }, write),
    () => progress.moveTip({ tip: at(300), opened: null, sinceTs: null }, write),
    () => progress.moveGap(2, { rest: null, sinceTs: 1_040 }, write),
  ];
  for (const move of moves) {
    const before = factsOf(progress);
    move();
    expect(factsOf(progress)).not.toEqual(before);
    expect(factsOf(read())).toEqual(factsOf(progress));
  }
  // A hole that no node filled, at 1,060, is above the end of the last gap.
  expect(factsOf(progress)).toEqual({ tip: at(300), gaps: [], completeSinceTs: 1_060 });
});

test('a move that cannot be stored changes nothing', () => {
  const { write, read } = stored();
  const progress = read();
  progress.moveTip({ tip: at(100), opened: gapBelow(100), sinceTs: null }, write);
  const before = factsOf(progress);
  const full = (): never => {
    throw new Error('the disk is full');
  };
  expect(() =>
    progress.moveTip({ tip: at(200), opened: gapBelow(200), sinceTs: 5 }, full),
  ).toThrow();
  expect(() => progress.moveGap(1, { rest: null, sinceTs: 5 }, full)).toThrow();
  expect(factsOf(progress)).toEqual(before);
});

test('the oldest two gaps merge when there are too many, and nothing between them is left out', () => {
  const { write, read } = stored();
  const progress = read();
  for (let index = 1; index <= GAPS_MAX + 1; index += 1) {
    progress.moveTip({ tip: at(index * 100), opened: gapBelow(index * 100), sinceTs: null }, write);
  }
  expect(progress.gaps).toHaveLength(GAPS_MAX);
  expect(progress.gaps.at(-1)).toMatchObject({
    ...{ before: at(200), until: at(50), sinceTs: 1_100, left: 1_000 },
  });
  expect(new Set(progress.gaps.map(({ id }) => id)).size).toBe(GAPS_MAX);
});
