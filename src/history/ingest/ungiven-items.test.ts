import { beforeEach, expect, test } from 'vitest';
import {
  FETCH_TRIES_MAX,
  FETCH_TRIES_MS_MIN,
  LATER_CAP_MS,
  LATER_TRIES_MAX,
  UNGIVEN_MAX,
  UNPROVEN_MAX,
} from '../model/limits.js';
import type { PlacedSignature } from './rpc-results.js';
import { UngivenItems, type Verdict } from './ungiven-items.js';

let nowMs: number;
let items: UngivenItems;

beforeEach(() => {
  nowMs = 0;
  items = new UngivenItems({ nowMs: () => nowMs });
});

/** Fails an item until it is given up; returns the last verdict. */
function exhaust(key: string, isProven: boolean): Verdict {
  for (let tries = 0; tries < FETCH_TRIES_MAX; tries += 1) {
    nowMs += FETCH_TRIES_MS_MIN;
    const verdict = items.judge(key, { isProven });
    if (verdict === 'givenUp' || verdict === 'blocked') return verdict;
  }
  throw new Error(`${key} is tried without an end`);
}

function rowOf(signature: string): PlacedSignature {
  return { signature, slot: 1, failed: false, blockTime: null, place: 0 };
}

test('tries in quick succession give nothing up', () => {
  const verdicts = Array.from({ length: 100 }, () => items.judge('a', { isProven: true }));
  expect(new Set(verdicts)).toEqual(new Set(['again']));
  nowMs += FETCH_TRIES_MS_MIN;
  expect(items.judge('a', { isProven: true })).toBe('givenUp');
});

test('a node that gives nothing has a few given up, until it gives one', () => {
  const keys = Array.from({ length: UNPROVEN_MAX + 1 }, (_, at) => `${at}`);
  const last = keys.map((key) => exhaust(key, false));
  expect(last).toEqual([...Array(UNPROVEN_MAX).fill('givenUp'), 'blocked']);
  items.recordGiven('another');
  expect(exhaust('later', false)).toBe('givenUp');
});

test('one that was refused beside one that was given stays an item, whatever its node does later', () => {
  for (let at = 0; at < UNPROVEN_MAX; at += 1) exhaust(`${at}`, false);
  expect(items.judge('a', { isProven: true })).toBe('again');
  expect(exhaust('a', false)).toBe('givenUp');
});

test('what is given up is due again some times, and then no more', () => {
  exhaust('a', true);
  items.place(rowOf('a'));
  expect(items.takeDue()).toEqual([]);
  let times = 0;
  for (let step = 0; step < 10 * LATER_TRIES_MAX; step += 1) {
    nowMs += LATER_CAP_MS;
    times += items.takeDue().length;
  }
  expect([times, items.count]).toEqual([LATER_TRIES_MAX, 1]);
  expect([items.recordGiven('a'), items.count]).toEqual([true, 0]);
});

test('of too many the oldest are forgotten', () => {
  for (let at = 0; at <= UNGIVEN_MAX; at += 1) exhaust(`${at}`, true);
  expect([items.count, items.isGivenUp('0'), items.isGivenUp('1')]).toEqual([
    UNGIVEN_MAX,
    false,
    true,
  ]);
});
