import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import { changes } from '../../server/testing/market-changes.js';
import { Random } from '../../sim/random.js';
import { PublishMarks } from './publish-marks.js';

const BASE_MS = 20;
const ALL = 0xff;
/** The intervals of 20, 20, 20, 50, 100, 250, 500, 1,000 and 5,000 ms. */
const INTERVALS_MS = [0, ...LIMITS.streamIntervals].map((ms) => Math.max(ms, BASE_MS));

/** Marks on a clock that stops at the last mark. */
class Scene {
  nowMs = 0;
  isLeafDue = false;
  readonly marks: PublishMarks;

  constructor(streamIntervalMs: number) {
    const timers = { nowMs: () => this.nowMs, after: () => ({ cancel: () => undefined }) };
    const isLeafDue = (): boolean => this.isLeafDue;
    this.marks = new PublishMarks({ streamIntervalMs, timers, isLeafDue, onDue: () => undefined });
  }

  /** The published classes at a time, after a turn with these changes. */
  markAt(nowMs: number, changed: Partial<MarketChanges> = {}) {
    this.nowMs = nowMs;
    return this.marks.takeMark(changes(changed));
  }
}

/** The published classes after a change of a market. */
function changeAt(scene: Scene, market: number, nowMs: number) {
  return scene.markAt(nowMs, { dirty: [market] });
}

describe('a market', () => {
  test('is published at once, and then once an interval of each class', () => {
    const scene = new Scene(BASE_MS);
    expect(changeAt(scene, 3, 1_000)).toEqual([{ market: 3, classes: ALL }]);
    expect(changeAt(scene, 3, 1_019)).toEqual([]);
    expect(scene.marks.dueAtMs).toBe(1_020);
    expect(scene.markAt(1_020)).toEqual([{ market: 3, classes: 0b0000_0011 }]);
    expect(scene.markAt(1_050)).toEqual([{ market: 3, classes: 0b0000_0100 }]);
    expect(scene.markAt(5_999)).toEqual([{ market: 3, classes: 0b0111_1000 }]);
    expect(scene.markAt(6_000)).toEqual([{ market: 3, classes: 0b1000_0000 }]);
    expect(scene.marks.dueAtMs).toBe(Number.POSITIVE_INFINITY);
    expect(scene.markAt(20_000)).toEqual([]);
  });

  test('is published in the class of its own interval with a leaf, and waits in the others', () => {
    const scene = new Scene(BASE_MS);
    changeAt(scene, 3, 1_000);
    scene.isLeafDue = true;
    expect(changeAt(scene, 3, 1_001)).toEqual([{ market: 3, classes: 0b0000_0001 }]);
    expect(scene.markAt(1_002)).toEqual([]);
    scene.isLeafDue = false;
    expect(scene.markAt(1_020)).toEqual([{ market: 3, classes: 0b0000_0010 }]);
  });

  test('does not wait for another one', () => {
    const scene = new Scene(BASE_MS);
    changeAt(scene, 3, 1_000);
    expect(changeAt(scene, 4, 1_001)).toEqual([{ market: 4, classes: ALL }]);
  });

  test('is published whatever of it has changed, and with all others when the state has', () => {
    const scene = new Scene(0);
    const changed = { dirty: [1], requoted: [2], indicated: [3] };
    expect(scene.markAt(1, changed).map(({ market }) => market)).toEqual([1, 2, 3]);
    expect(scene.markAt(6_000, { allChanged: true }).map(({ market }) => market)).toEqual([
      1, 2, 3,
    ]);
  });
});

test('the classes fit in the byte that a mark has for them', () => {
  expect(INTERVALS_MS.length).toBeLessThanOrEqual(8);
});

test('nothing is published early, and nothing that has changed is left out, in random lives', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = new Random(seed);
    const scene = new Scene(BASE_MS);
    const last = new Map<string, number>();
    const waiting = new Map<string, number>();
    let nowMs = 10_000;
    for (let turn = 0; turn < 400; turn += 1) {
      const dueAtMs = random.oneIn(2) ? scene.marks.dueAtMs : nowMs + random.nextBelow(400);
      nowMs = Math.max(nowMs, Number.isFinite(dueAtMs) ? dueAtMs : nowMs + 1);
      const market = random.nextBelow(5);
      let dirty: number[] = [];
      if (random.oneIn(3)) {
        dirty = [market];
        for (const index of INTERVALS_MS.keys()) {
          const key = `${market} ${index}`;
          waiting.set(key, Math.min(waiting.get(key) ?? nowMs, nowMs));
        }
      }
      for (const { market: marked, classes } of scene.markAt(nowMs, { dirty })) {
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
    while (Number.isFinite(scene.marks.dueAtMs)) {
      nowMs = Math.max(nowMs, scene.marks.dueAtMs);
      for (const { market, classes } of scene.markAt(nowMs)) {
        for (const index of INTERVALS_MS.keys()) {
          if ((classes & (1 << index)) !== 0) waiting.delete(`${market} ${index}`);
        }
      }
    }
    expect([...waiting], `of ${seed}`).toEqual([]);
  }
});
