import { beforeEach, describe, expect, test } from 'vitest';
import { clockData } from '../../../test/fake-chain.js';
import { ChainClock } from './chain-clock.js';

let nowMs: number;
let clock: ChainClock;

beforeEach(() => {
  nowMs = 50_000;
  clock = new ChainClock({ nowMs: () => nowMs, unixMs: () => 7_900 });
});

describe('clock: unix time', () => {
  test('it is the wall clock before the first reading only', () => {
    expect(clock.unixSeconds()).toBe(7);
    clock.readAccount(clockData(3));
    expect(clock.unixSeconds()).toBe(3);
  });

  test('it goes on with monotonic time between readings', () => {
    clock.readAccount(clockData(1_000));
    nowMs += 999;
    expect(clock.unixSeconds()).toBe(1_000);
    nowMs += 1;
    expect(clock.unixSeconds()).toBe(1_001);
    nowMs += 60_000;
    expect(clock.unixSeconds()).toBe(1_061);
  });

  test('a reading slightly behind does not step back, and time does not run ahead of it', () => {
    clock.readAccount(clockData(1_000));
    nowMs += 2_000;
    expect(clock.unixSeconds()).toBe(1_002);
    clock.readAccount(clockData(1_000));
    nowMs += 2_500;
    expect(clock.unixSeconds()).toBe(1_002);
    nowMs += 500;
    expect(clock.unixSeconds()).toBe(1_003);
  });

  test('a reading far behind is a chain set back and is taken', () => {
    clock.readAccount(clockData(1_000));
    expect(clock.unixSeconds()).toBe(1_000);
    clock.readAccount(clockData(500));
    expect(clock.unixSeconds()).toBe(500);
  });

  test('what it can be: from the last reading on, as time goes, and half a minute beyond', () => {
    expect(clock.admitsTime(9_000_000)).toBe(true);
    clock.readAccount(clockData(1_000));
    nowMs += 60_000;
    const times = [969, 970, 1_090, 1_091];
    expect(times.map((unixSeconds) => clock.admitsTime(unixSeconds))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    clock.forgetTime();
    expect(clock.admitsTime(9_000_000)).toBe(true);
  });

  test.each([
    { name: 'half a minute with each state', stepS: 29.9 },
    { name: 'a second with each state', stepS: 1 },
    { name: 'backwards by half a minute with each state', stepS: -29.9 },
  ])('many small steps get no further than one: $name', ({ stepS }) => {
    let toldS = 100_000;
    clock.readAccount(clockData(toldS));
    for (let state = 1; state <= 150; state += 1) {
      nowMs += 400;
      const nextS = Math.floor(toldS + 0.4 + stepS);
      if (!clock.admitsTime(nextS)) continue;
      toldS = nextS;
      clock.readAccount(clockData(toldS));
    }
    const trueS = 100_000 + 60;
    expect(toldS).toBeLessThanOrEqual(trueS + 30 + 3);
    expect(toldS).toBeGreaterThanOrEqual(100_000 - 30);
  });

  test.each([
    { name: 'lags and catches up', aheads: [-10, -20, -25, -15, 0, 4] },
    { name: 'was ahead once', aheads: [29, 0, 1] },
    { name: 'was behind once', aheads: [-29, 0, 1] },
    { name: 'gains a little for long', aheads: Array.from({ length: 100 }, (_, step) => step / 2) },
  ])('a Clock goes on that $name', ({ aheads }) => {
    clock.readAccount(clockData(100_000));
    for (const aheadS of aheads.map(Math.floor)) {
      nowMs += 10_000;
      const unixSeconds = 100_000 + (nowMs - 50_000) / 1_000 + aheadS;
      expect([aheadS, clock.admitsTime(unixSeconds)]).toEqual([aheadS, true]);
      clock.readAccount(clockData(unixSeconds));
    }
  });

  test('a chain that stood still for an hour goes on from where it stood, or from now', () => {
    clock.readAccount(clockData(1_000));
    nowMs += 3_600_000;
    expect([1_000, 4_600].map((unixSeconds) => clock.admitsTime(unixSeconds))).toEqual([
      true,
      true,
    ]);
  });

  test.each(['', 'AAAA', '!!'])('the data %j is no Clock', (data) => {
    expect(clock.readAccount(data)).toBe(false);
    expect(clock.unixSeconds()).toBe(7);
  });
});

describe('clock: slot', () => {
  test.each([
    { name: 'a higher slot is taken', slots: [100, 101], expected: 101 },
    { name: 'a late lower slot is ignored', slots: [100, 99], expected: 100 },
    { name: 'a much lower slot is ignored', slots: [1_000, 5], expected: 1_000 },
    { name: 'a jump forward is followed', slots: [5, 1_000_000], expected: 1_000_000 },
  ])('$name', ({ slots, expected }) => {
    for (const slot of slots) clock.advanceTo(slot);
    expect(clock.slot).toBe(expected);
  });

  test('the first slot of a new connection is taken even when it is lower', () => {
    clock.advanceTo(100);
    clock.forgetSlot();
    clock.advanceTo(90);
    expect(clock.slot).toBe(90);
  });
});
