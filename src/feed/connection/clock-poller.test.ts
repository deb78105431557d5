import { beforeEach, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { silentLog } from '../../rpc/log.js';
import { newCounters } from '../model/feed-stats.js';
import { ClockPoller } from './clock-poller.js';
import type { FeedParts } from './parts.js';

let timers: ManualTimers;
let fails: boolean;
let readAtMs: number[];
let poller: ClockPoller;

beforeEach(() => {
  timers = new ManualTimers();
  fails = false;
  readAtMs = [];
  const parts = { timers, random: () => 1, counters: newCounters(), log: silentLog };
  poller = new ClockPoller(parts as unknown as FeedParts, async () => {
    readAtMs.push(timers.nowMs());
    if (fails) throw new Error('refused');
  });
});

/** Checks ten times a second, like the feed. */
async function pass(seconds: number): Promise<void> {
  for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
    await poller.pollIfDue(new AbortController().signal);
    timers.advance(100);
  }
}

test('clock poller: a silent Clock is read once a second', async () => {
  await pass(4);
  expect(readAtMs).toEqual([0, 1_000, 2_000, 3_000]);
});

test('clock poller: a Clock that notifies is not read', async () => {
  for (let second = 0; second < 5; second += 1) {
    poller.recordNotification();
    await pass(1);
  }
  expect(readAtMs).toEqual([]);
});

test('clock poller: readings that fail get rarer, up to a cap, and come back', async () => {
  fails = true;
  await pass(80);
  const waits = readAtMs.map((atMs, index) => atMs - (readAtMs[index - 1] ?? 0));
  expect(waits).toEqual([0, 2_000, 3_000, 5_000, 9_000, 16_000, 16_000, 16_000]);
  fails = false;
  readAtMs = [];
  await pass(20);
  const [first = 0, second = 0] = readAtMs;
  expect(second - first).toBe(1_000);
});
