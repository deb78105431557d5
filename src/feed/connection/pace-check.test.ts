import { beforeEach, expect, test } from 'vitest';
import { SLOT_MS } from '../../contract/program.js';
import { PACE_INTERVAL_MS, SLOT_MS_MIN } from '../model/limits.js';
import { PaceCheck } from './pace-check.js';
import type { FeedParts } from './parts.js';

const signal = new AbortController().signal;

let nowMs: number;
let asked: number;
/** Each other node's slot; null while it fails. */
let others: ((atMs: number) => number | null)[];
let pace: PaceCheck;

beforeEach(() => {
  nowMs = 0;
  asked = 0;
  others = [atPace(1_000)];
});

function atPace(from: number, slotMs = SLOT_MS): (atMs: number) => number {
  return (atMs) => from + Math.floor(atMs / slotMs);
}

/** Runs the check ten times a second; returns the time in seconds at which it refuted a slot, or null. */
async function refutedAfterS(announcedAt: (atMs: number) => number, lastsS = 20) {
  pace = new PaceCheck({
    timers: { nowMs: () => nowMs, after: () => ({ cancel: () => undefined }) },
    otherRpcs: others.map((slotAt) => ({
      call: async () => {
        asked += 1;
        return slotAt(nowMs) ?? Promise.reject(new Error('the node is down'));
      },
    })),
  } as unknown as FeedParts);
  for (; nowMs <= lastsS * 1_000; nowMs += 100) {
    const slot = await pace.findTrueSlot(announcedAt(nowMs), signal);
    if (slot !== null) return nowMs / 1_000;
  }
  return null;
}

test.each([
  { name: 'that climb at 20 a second', announced: atPace(1_000, SLOT_MS_MIN), withinS: 1.5 },
  { name: 'that climb at six a second', announced: atPace(1_000, 166), withinS: 4 },
  { name: 'that climb a little', announced: atPace(1_000, 350), withinS: 35 },
  {
    name: 'that jump and go on at their pace',
    announced: (atMs: number) => atPace(1_000)(atMs) + (atMs > 5_000 ? 20 : 0),
    withinS: 5.2,
  },
])('another node refutes slots $name', async ({ announced, withinS }) => {
  const afterS = await refutedAfterS(announced, 40);
  expect(afterS).not.toBeNull();
  expect(afterS).toBeLessThanOrEqual(withinS);
});

test.each([
  {
    name: 'the other one is far behind when it is up again',
    others: [(atMs: number) => (atMs < 5_000 ? null : atPace(900)(atMs))],
    announced: atPace(1_000),
  },
  { name: 'the chain is as fast', others: [atPace(1_000, 60)], announced: atPace(1_000, 60) },
  {
    name: 'one of two agrees',
    others: [atPace(1_000), atPace(990, 60)],
    announced: atPace(1_000, 60),
  },
  { name: 'the node catches up', others: [atPace(1_000)], announced: atPace(900, 200) },
  { name: 'the other one stands still', others: [() => 1_000], announced: atPace(1_000, 60) },
  { name: 'the other one is down', others: [() => null], announced: atPace(1_000, 60) },
  { name: 'there is no other one', others: [], announced: atPace(1_000, 60) },
])('nothing is refuted where $name', async ({ others: told, announced }) => {
  others = told;
  expect(await refutedAfterS(announced)).toBeNull();
});

test.each([
  { name: 'was down when it was asked first', aheadAt: (ms: number) => (ms < 10_000 ? null : 0) },
  { name: 'told a slot far ahead first', aheadAt: (ms: number) => (ms < 10_000 ? 80 : 0) },
])('a node that $name refutes slots that climb later', async ({ aheadAt }) => {
  others = [
    (atMs) => {
      const ahead = aheadAt(atMs);
      return ahead === null ? null : atPace(1_000)(atMs) + ahead;
    },
  ];
  const climbing = (atMs: number) => atPace(1_000)(atMs) + Math.max(0, atMs - 30_000) / SLOT_MS_MIN;
  const afterS = await refutedAfterS((atMs) => Math.floor(climbing(atMs)), 50);
  expect(afterS).not.toBeNull();
  expect(afterS).toBeLessThanOrEqual(32);
});

test('a chain at its pace, or of slightly shorter slots, asks the others once a minute', async () => {
  expect(await refutedAfterS(atPace(1_000, 391), (10 * PACE_INTERVAL_MS) / 1_000 - 1)).toBeNull();
  expect(asked).toBe(10);
});
