import { beforeEach, expect, test } from 'vitest';
import { LateTimers } from '../../../test/support/late-timers.js';
import type { Timer } from '../../contract/timers.js';
import { repeatCall } from './repeated-call.js';

const INTERVAL_MS = 100;

let timers: LateTimers;
/** When each call came, and how many were due. */
let calls: (readonly [atMs: number, dueCount: number])[];

beforeEach(() => {
  timers = new LateTimers();
  calls = [];
});

function begin(intervalMs = INTERVAL_MS): Timer {
  return repeatCall(timers, intervalMs, (dueCount) => void calls.push([timers.nowMs(), dueCount]));
}

test('calls come at the interval until they are cancelled', () => {
  const repeated = begin();
  timers.advance(INTERVAL_MS - 1);
  expect(calls).toEqual([]);
  timers.advance(INTERVAL_MS + 1);
  repeated.cancel();
  timers.advance(10 * INTERVAL_MS);
  expect(calls).toEqual([
    [INTERVAL_MS, 1],
    [2 * INTERVAL_MS, 1],
  ]);
  expect(timers.waitsMs).toEqual([]);
});

test.each([1, 7, 99])('the delays of calls that are each %i ms late do not add up', (lateMs) => {
  timers.lateMs = lateMs;
  begin();
  timers.advance(50 * INTERVAL_MS + lateMs);
  expect(calls).toHaveLength(50);
  expect(calls.at(-1)).toEqual([50 * INTERVAL_MS + lateMs, 1]);
});

test('an interval with a part of a millisecond keeps its pace', () => {
  begin(70.25);
  timers.advance(100 * 70.25 + 1);
  expect(calls).toHaveLength(100);
});

test('after a pause of the process one call says how many were due, and the next is on time', () => {
  begin();
  timers.advance(INTERVAL_MS / 2);
  timers.lateMs = 3.5 * INTERVAL_MS;
  timers.advance(INTERVAL_MS);
  timers.lateMs = 0;
  timers.advance(5 * INTERVAL_MS);
  expect(calls).toEqual([
    [INTERVAL_MS, 1],
    [5.5 * INTERVAL_MS, 4],
    [6 * INTERVAL_MS, 1],
  ]);
});

test('a call may be the last', () => {
  const repeated = repeatCall(timers, INTERVAL_MS, () => {
    calls.push([timers.nowMs(), 1]);
    repeated.cancel();
  });
  timers.advance(10 * INTERVAL_MS);
  expect(calls).toHaveLength(1);
});
