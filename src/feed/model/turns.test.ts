import { beforeEach, expect, test } from 'vitest';
import { FakeEngine } from '../../../test/fake-engine.js';
import { nextTurn } from '../../rpc/timers.js';
import { ChainClock } from './chain-clock.js';
import { freshnessOf } from './feed-stats.js';
import { Turns } from './turns.js';

let engine: FakeEngine;
let clock: ChainClock;
let turns: Turns;
let told: number;

beforeEach(() => {
  engine = new FakeEngine();
  clock = new ChainClock({ monotonicMs: () => 0, wallMs: () => 9_000 });
  told = 0;
  turns = new Turns({
    engine,
    clock,
    wallMs: () => 1,
    nowMs: () => 0,
    onTurn: () => {
      told += 1;
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

test('a turn that ran at once is not run again', async () => {
  turns.requestTurn();
  turns.runTurn();
  await nextTurn();
  expect(engine.turns).toHaveLength(1);
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
