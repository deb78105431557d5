import { expect, test } from 'vitest';
import { SlotAge } from './slot-tracking.js';

const LAGGING_AFTER_MS = 2_500;

function ageAfter(slotsAtMs: readonly number[]): number {
  const watch = new SlotAge(LAGGING_AFTER_MS);
  watch.beginConnection(0);
  for (const atMs of slotsAtMs) watch.recordSlot(atMs);
  return watch.ageMs(slotsAtMs.at(-1) ?? 0);
}

test.each([
  ['slots at their pace', [400, 800, 1_200], 0],
  ['a slot that was skipped', [400, 1_200], 0],
  ['the first slot after a gap', [400, 5_400], LAGGING_AFTER_MS],
  ['a burst after a gap', [400, 5_400, 5_401, 5_402, 5_430], LAGGING_AFTER_MS],
  ['the first slot at its pace after a burst', [400, 5_400, 5_401, 5_402, 5_700], 0],
])('slot watch: after %s', (_, slotsAtMs, ageMs) => {
  expect(ageAfter(slotsAtMs)).toBe(ageMs);
});

test('slot watch: a new connection is silent for a short time, and its slots no younger', () => {
  const watch = new SlotAge(LAGGING_AFTER_MS);
  watch.beginConnection(0);
  watch.recordSlot(400);
  watch.beginConnection(9_500);
  const ages = (nowMs: number): number[] => [watch.ageMs(nowMs), watch.silentMs(nowMs)];
  expect(ages(9_700)).toEqual([9_300, 200]);
  watch.recordSlot(9_800);
  expect(ages(9_800)).toEqual([LAGGING_AFTER_MS, 0]);
  watch.recordSlot(10_200);
  expect(ages(10_200)).toEqual([0, 0]);
});

test('slot watch: a connection that was short of one slot is forgotten', () => {
  const watch = new SlotAge(LAGGING_AFTER_MS);
  watch.beginConnection(0);
  watch.recordSlot(400);
  watch.beginConnection(600);
  watch.recordSlot(900);
  expect(watch.ageMs(1_000)).toBe(100);
});
