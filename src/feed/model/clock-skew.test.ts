import { beforeEach, expect, test } from 'vitest';
import { clockData } from '../../../test/fake-chain.js';
import { ChainClock } from './chain-clock.js';
import { ClockSkew } from './clock-skew.js';

let monotonicMs: number;
let wallMs: number;
let clock: ChainClock;
let lines: string[];
let skew: ClockSkew;

beforeEach(() => {
  monotonicMs = 5_000;
  wallMs = 1_000_000;
  clock = new ChainClock({ nowMs: () => monotonicMs, unixMs: () => wallMs });
  lines = [];
  const write = (_: object, message: string): void => void lines.push(message);
  skew = new ClockSkew({
    clock,
    timers: { unixMs: () => wallMs },
    log: { info: write, warn: write },
    skewMsMax: 30_000,
  });
});

test('clock skew: none is known before the chain was read', () => {
  skew.checkSkew();
  expect([skew.stats, lines]).toEqual([{ clockSkewMs: null, clockReason: null }, []]);
});

test.each([
  [0, null],
  [30_000, null],
  [-30_000, null],
  [31_000, "this machine's clock is 31 s ahead of the chain's, must be within 30 s"],
  [-31_000, "this machine's clock is 31 s behind the chain's, must be within 30 s"],
  [8_208_000_000, "this machine's clock is 8208000 s ahead of the chain's, must be within 30 s"],
])('clock skew: %s ms is %s', (aheadMs, clockReason) => {
  clock.readAccount(clockData(1_000));
  monotonicMs += 500;
  wallMs += 500 + aheadMs;
  expect(skew.stats).toEqual({ clockSkewMs: aheadMs, clockReason });
});

test('clock skew: it is logged when it becomes too much, and not each time it is looked at', () => {
  clock.readAccount(clockData(1_000));
  for (const aheadMs of [31_000, 29_000, 31_000, 14_000, 31_000]) {
    wallMs = 1_000_000 + aheadMs;
    for (let look = 0; look < 10; look += 1) skew.checkSkew();
  }
  expect(lines).toHaveLength(2);
});
