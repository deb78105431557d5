import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { changes } from '../../server/testing/market-changes.js';
import { Random } from '../../sim/random.js';
import { PublishMarks } from './publish-marks.js';

const BASE_MS = 20;
const ALL = 0xff;
/** The intervals of 20, 20, 20, 50, 100, 250, 500, 1,000 and 5,000 ms. */
const INTERVALS_MS = [0, ...LIMITS.streamIntervals].map((ms) => Math.max(ms, BASE_MS));

/** The publications after a change of a market at a time. */
function changeAt(marks: PublishMarks, market: number, nowMs: number) {
  marks.addChanges(changes({ dirty: [market] }));
  return marks.takeMark(nowMs);
}

describe('a market', () => {
  test('is published at once, and then once an interval of each class', () => {
    const marks = new PublishMarks(BASE_MS);
    expect(changeAt(marks, 3, 1_000)).toEqual([{ market: 3, classes: ALL }]);
    expect(changeAt(marks, 3, 1_019)).toEqual([]);
    expect(marks.dueAtMs).toBe(1_020);
    expect(marks.takeMark(1_020)).toEqual([{ market: 3, classes: 0b0000_0011 }]);
    expect(marks.takeMark(1_050)).toEqual([{ market: 3, classes: 0b0000_0100 }]);
    expect(marks.takeMark(5_999)).toEqual([{ market: 3, classes: 0b0111_1000 }]);
    expect(marks.takeMark(6_000)).toEqual([{ market: 3, classes: 0b1000_0000 }]);
    expect(marks.dueAtMs).toBe(Number.POSITIVE_INFINITY);
    expect(marks.takeMark(20_000)).toEqual([]);
  });

  test('does not wait for another one', () => {
    const marks = new PublishMarks(BASE_MS);
    changeAt(marks, 3, 1_000);
    expect(changeAt(marks, 4, 1_001)).toEqual([{ market: 4, classes: ALL }]);
  });

  test('is published whatever of it has changed, and with all others when the state has', () => {
    const marks = new PublishMarks(0);
    marks.addChanges(changes({ dirty: [1], requoted: [2], indicated: [3] }));
    expect(marks.takeMark(1).map(({ market }) => market)).toEqual([1, 2, 3]);
    marks.addChanges(changes({ allChanged: true }));
    expect(marks.takeMark(6_000).map(({ market }) => market)).toEqual([1, 2, 3]);
  });
});

test('the classes fit in the byte that a mark has for them', () => {
  expect(INTERVALS_MS.length).toBeLessThanOrEqual(8);
});

test('nothing is published early, and nothing that has changed is left out, in random lives', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = new Random(seed);
    const marks = new PublishMarks(BASE_MS);
    const last = new Map<string, number>();
    const waiting = new Map<string, number>();
    let nowMs = 10_000;
    for (let turn = 0; turn < 400; turn += 1) {
      const dueAtMs = random.oneIn(2) ? marks.dueAtMs : nowMs + random.nextBelow(400);
      nowMs = Math.max(nowMs, Number.isFinite(dueAtMs) ? dueAtMs : nowMs + 1);
      const market = random.nextBelow(5);
      if (random.oneIn(3)) {
        marks.addChanges(changes({ dirty: [market] }));
        for (const index of INTERVALS_MS.keys()) {
          const key = `${market} ${index}`;
          waiting.set(key, Math.min(waiting.get(key) ?? nowMs, nowMs));
        }
      }
      for (const { market: marked, classes } of marks.takeMark(nowMs)) {
        for (const [index, intervalMs] of INTERVALS_MS.entries()) {
          if ((classes & (1 << index)) === 0) continue;
          const key = `${marked} ${index}`;
          expect(nowMs - (last.get(key) ?? 0), `${key} of ${seed}`).toBeGreaterThanOrEqual(
            intervalMs,
          );
          expect(waiting.delete(key), `${key} of ${seed}`).toBe(true);
          last.set(key, nowMs);
        }
      }
    }
    while (Number.isFinite(marks.dueAtMs)) {
      nowMs = Math.max(nowMs, marks.dueAtMs);
      for (const { market, classes } of marks.takeMark(nowMs)) {
        for (const index of INTERVALS_MS.keys()) {
          if ((classes & (1 << index)) !== 0) waiting.delete(`${market} ${index}`);
        }
      }
    }
    expect([...waiting], `of ${seed}`).toEqual([]);
  }
});
