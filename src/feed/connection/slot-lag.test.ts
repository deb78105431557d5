import { expect, test } from 'vitest';
import { isNewestWrong } from './slot-lag.js';

test.each([
  ['too short a lag for the time to tell', { lag: 5, chainS: 0, wallS: 0 }, false],
  ['six behind by slots and not by time', { lag: 6, chainS: -1, wallS: 0 }, true],
  ['six behind by both', { lag: 6, chainS: -2, wallS: 0 }, false],
  ['a minute or less by slots and not by time', { lag: 150, chainS: 0, wallS: 0 }, true],
  [
    'a minute or less by both, whatever this machine says',
    { lag: 150, chainS: -60, wallS: -60 },
    false,
  ],
  ['behind by slots and not by time', { lag: 1_000_000, chainS: -1, wallS: 0 }, true],
  ['behind by both', { lag: 1_000, chainS: -400, wallS: 0 }, false],
  [
    'behind by both, and the other one of the future',
    { lag: 1_000, chainS: -400, wallS: -395 },
    true,
  ],
])('the newest slot is wrong: %s', (_, { lag, chainS, wallS }, expected) => {
  const newest = { slot: 2_000_000, node: 'a', atMs: 5_000, unixSeconds: 10_000 };
  const times = { unixSeconds: 10_010 + chainS, nowMs: 15_000, wallMs: (10_010 + wallS) * 1_000 };
  expect(isNewestWrong(newest, lag, times)).toBe(expected);
});
