import { beforeEach, expect, test } from 'vitest';
import { SLOT_MS } from '../../contract/program.js';
import { SLOT_MS_MIN, SLOTS_AHEAD_MAX, SLOTS_APART_MAX } from './limits.js';
import { SlotWindow } from './slot-window.js';

let window: SlotWindow;

beforeEach(() => {
  window = new SlotWindow();
  window.begin(1_000, 0);
});

/** Records each admitted slot at a fixed interval; returns the newest. */
function advance(slots: readonly number[], everyMs: number): number {
  slots.forEach((slot, index) => {
    if (window.admits(slot, index * everyMs)) window.advanceTo(slot, index * everyMs);
  });
  return window.newest;
}

const range = (from: number, count: number, step = 1): number[] =>
  Array.from({ length: count }, (_, index) => from + index * step);

test.each([
  ['the next one', 1_001, true],
  ['as many as a node catches up', 1_000 + SLOTS_AHEAD_MAX, true],
  ['one more', 1_001 + SLOTS_AHEAD_MAX, false],
  ['a million ahead', 1_001_000, false],
  ['the highest number', Number.MAX_SAFE_INTEGER, false],
  ['a fork ago', 990, true],
  ['long ago', 999 - SLOTS_APART_MAX, false],
])('slot window: %s', (_, slot, expected) => {
  expect(window.admits(slot, 0)).toBe(expected);
});

test('slot window: a chain at its pace, and a burst after a socket was held back', () => {
  expect(advance(range(1_001, 5_000), SLOT_MS)).toBe(6_000);
  expect(window.admits(6_000 + 90 + SLOTS_AHEAD_MAX, 5_000 * SLOT_MS + 90 * SLOT_MS)).toBe(true);
});

test('slot window: a chain that stood still for an hour goes on where time has brought it', () => {
  expect(window.admits(10_000, 3_600_000)).toBe(true);
  expect(window.admits(1_001, 3_600_000)).toBe(true);
});

test('slot window: many small steps get no further than time does', () => {
  const reached = advance(range(1_030, 1_000, 30), SLOT_MS_MIN);
  expect(reached).toBeLessThanOrEqual(1_000 + SLOTS_AHEAD_MAX + 1_000);
});

test('slot window: a second reading that cannot be confirms nothing', () => {
  expect(window.confirm(1_001 + SLOTS_AHEAD_MAX, 0)).toBe(false);
  expect(window.confirm(999 - SLOTS_APART_MAX, 0)).toBe(false);
  expect(window.admits(1_000 + SLOTS_AHEAD_MAX, 0)).toBe(true);
});

test('slot window: what a second reading denies is never believed, however long it is told', () => {
  for (let second = 0; second < 600; second += 1) {
    expect(window.admits(1_000 + SLOTS_AHEAD_MAX + 1_000 / SLOT_MS_MIN + 1, second * 1_000)).toBe(
      false,
    );
    expect(window.confirm(1_000, second * 1_000)).toBe(true);
  }
});

test('slot window: the slot of the Clock limits slots that run too fast', () => {
  let refused = 0;
  for (let step = 1; step <= 1_000; step += 1) {
    const nowMs = step * SLOT_MS;
    window.limitTo(1_000 + step, nowMs);
    const slot = window.newest + 4;
    if (window.admits(slot, nowMs)) window.advanceTo(slot, nowMs);
    else refused += 1;
  }
  expect(refused).toBeGreaterThan(500);
  expect(window.newest).toBeLessThanOrEqual(2_000 + SLOTS_APART_MAX);
});
