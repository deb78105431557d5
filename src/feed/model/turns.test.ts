import { beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../../test/fake-engine.js';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { nextTurn } from '../../../test/support/next-turn.js';
import { SlowPublisher } from '../../../test/support/slow-publisher.js';
import { ChainClock } from './chain-clock.js';
import { freshnessOf } from './feed-stats.js';
import { Turns } from './turns.js';

let engine: FakeEngine;
let clock: ChainClock;
let turns: Turns;
let told: number;
let marked: number[][];
let receivedAtMs: number[];
let publisher: SlowPublisher;
let timers: ManualTimers;

beforeEach(() => {
  engine = new FakeEngine();
  publisher = new SlowPublisher();
  timers = new ManualTimers();
  timers.unixMs = () => 1;
  clock = new ChainClock({ nowMs: () => 0, unixMs: () => 9_000 });
  told = 0;
  marked = [];
  receivedAtMs = [];
  turns = new Turns({
    engine,
    clock,
    timers,
    streamIntervalMs: 10,
    publisher,
    onTurn: (turn) => {
      told += 1;
      marked.push(turn.mark.map(({ market }) => market));
      receivedAtMs.push(turn.receivedAtMs);
    },
  });
});

test('many requests of one turn of the loop end one engine turn', async () => {
  turns.requestTurn();
  turns.requestTurn();
  turns.requestTurn();
  expect(engine.turns).toHaveLength(0);
  await nextTurn();
  expect(engine.turns).toHaveLength(1);
  turns.requestTurn();
  await nextTurn();
  expect([engine.turns.length, told]).toEqual([2, 2]);
});

test('a turn is as old as its first request, and without one it is new', async () => {
  turns.requestTurn();
  timers.advance(3);
  turns.requestTurn();
  await nextTurn();
  timers.advance(4);
  turns.runTurn();
  expect(receivedAtMs).toEqual([0, 7]);
});

test('a turn that ran at once is not run again', async () => {
  turns.requestTurn();
  turns.runTurn();
  await nextTurn();
  expect(engine.turns).toHaveLength(1);
});

test('a turn waits until the frames of the one before are made, and what comes meanwhile is in it', async () => {
  publisher.isPublishing = true;
  turns.requestTurn();
  await nextTurn();
  turns.requestTurn();
  await nextTurn();
  const waited = turns.nextTurn();
  expect(engine.turns).toHaveLength(0);
  publisher.finishMark();
  await waited;
  expect(engine.turns).toHaveLength(1);
  turns.requestTurn();
  await nextTurn();
  expect(engine.turns).toHaveLength(2);
});

test('a turn that has to end at once does, and none that waited follows it', async () => {
  publisher.isPublishing = true;
  turns.requestTurn();
  await nextTurn();
  turns.runTurn();
  publisher.finishMark();
  await nextTurn();
  expect(engine.turns).toHaveLength(1);
});

test('a turn ends as soon as too much of it waits, after the frames of the one before', async () => {
  publisher.isPublishing = true;
  turns.requestTurn();
  engine.isFull = true;
  turns.requestTurn();
  expect([engine.turns.length, publisher.isPublishing]).toEqual([1, false]);
  engine.isFull = false;
  await nextTurn();
  expect(engine.turns).toHaveLength(1);
});

test('the book is moved after the frames of the last turn alone', () => {
  for (const move of [
    () => turns.runTurn(),
    () => turns.changeState('lagging'),
    () => turns.moveBook(),
  ]) {
    publisher.isPublishing = true;
    move();
    expect(publisher.isPublishing).toBe(false);
  }
});

test('what had to wait ends a turn of its own when its interval is over, or goes with the next', async () => {
  engine.dirty = [0];
  turns.runTurn();
  turns.runTurn();
  engine.dirty = [];
  expect(marked).toEqual([[0], []]);
  timers.advance(10);
  expect(marked.slice(2)).toEqual([[0]]);
  // The classes of 50 ms and more are still pending.
  turns.requestTurn();
  timers.advance(40);
  expect(engine.turns).toHaveLength(3);
  await nextTurn();
  expect(marked.slice(3)).toEqual([[0]]);
  turns.stop();
  timers.advance(10_000);
  expect(engine.turns).toHaveLength(4);
});

test('the clock is set before the turn ends', () => {
  clock.advanceTo(42);
  expect(turns.clockMoved()).toBe(true);
  turns.runTurn();
  expect([engine.slot, engine.unixSeconds]).toEqual([42, 9]);
  expect(turns.clockMoved()).toBe(false);
});

test('a changed state is a turn, an equal one is none', () => {
  expect(turns.changeState('rebuilding')).toBe(true);
  expect(turns.changeState('rebuilding')).toBe(false);
  expect(engine.turns).toEqual([{ state: 'rebuilding', accounts: 0 }]);
});

test.each([
  [0, 'live'],
  [2_499, 'live'],
  [2_500, 'lagging'],
  [4_999, 'lagging'],
  [5_000, 'stale'],
])('%i ms without a slot are %s', (sinceMs, expected) => {
  expect(freshnessOf(sinceMs, { laggingAfterMs: 2_500, staleAfterMs: 5_000 })).toBe(expected);
});
