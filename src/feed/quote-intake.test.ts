import { expect, test } from 'vitest';
import { FakeEngine } from '../../test/fake-engine.js';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { QuoteIntake } from './quote-intake.js';

const START_MS = 1_700_000_000_000;
const side = { price: 100n, size: 5n };
const quote = { bid: side, ask: null, isOracleOffset: false };

function opened() {
  const engine = new FakeEngine();
  const timers = new ManualTimers();
  let turns = 0;
  let backMs = 0;
  timers.unixMs = () => START_MS + timers.nowMs() - backMs;
  const door = new QuoteIntake({
    engine,
    timers,
    requestTurn: () => {
      turns += 1;
    },
  });
  const putClockBack = (ms: number): void => {
    backMs = ms;
  };
  return { engine, timers, door, putClockBack, turns: () => turns };
}

test('quotes are stamped with the time of the wall, and ask for a turn when they change the book', () => {
  const { engine, timers, door, turns } = opened();
  timers.advance(250);
  expect(door.setQuotes({ market: 3, maker: 'key', quotes: [quote] })).toBe('changed');
  expect(engine.calls).toEqual([`quotes 3 key 1 @${START_MS + 250}`]);
  expect(turns()).toBe(1);
  engine.setIndicative = () => 'unchanged';
  door.setQuotes({ market: 3, maker: 'key', quotes: [quote] });
  expect(turns()).toBe(1);
});

test('a turn is asked for at the moment at which a quote is due, and not before', () => {
  const { engine, timers, door, turns } = opened();
  door.setQuotes({ market: 3, maker: 'key', quotes: [quote] });
  timers.advance(999);
  expect(turns()).toBe(1);
  timers.advance(1);
  expect(turns()).toBe(2);
  engine.quotesDueMs = null;
  timers.advance(10);
  expect(timers.waitsMs).toEqual([]);
});

test('quotes that are repeated cost no turn while they live', () => {
  const { engine, timers, door, turns } = opened();
  door.setQuotes({ market: 3, maker: 'key', quotes: [quote] });
  for (let round = 0; round < 10; round += 1) {
    timers.advance(500);
    engine.quotesDueMs = START_MS + timers.nowMs() + 1_000;
  }
  expect(turns()).toBe(1);
  expect(timers.waitsMs).toHaveLength(1);
});

test('a wall that is put back is noticed within the life of a quote', () => {
  const { timers, door, putClockBack } = opened();
  door.setQuotes({ market: 3, maker: 'key', quotes: [quote] });
  putClockBack(3_600_000);
  timers.advance(1_000);
  expect(timers.waitsMs).toEqual([1_000]);
});

test('a stopped door holds no timer', () => {
  const { timers, door } = opened();
  door.setQuotes({ market: 3, maker: 'key', quotes: [quote] });
  door.stop();
  expect(timers.waitsMs).toEqual([]);
});
