import { expect, test } from 'vitest';
import { type SlotSchedule, unitsBetween } from './slot-clock.js';

const FOUR: SlotSchedule = {
  changes: [1_000n, 2_000n, 3_000n, 4_000n],
  lengthMs: 350n,
  stagedMs: 300n,
  stagedFrom: 1_000n,
};
const NONE = { ...FOUR, changes: [0n, 0n, 0n, 0n] };

test.each<[string, SlotSchedule | null, from: bigint, to: bigint, ms: bigint]>([
  ['no schedule', null, 990n, 1_010n, 8_000n],
  ['zeros', { ...NONE, lengthMs: 0n, stagedMs: 0n }, 990n, 1_010n, 8_000n],
  ['one length', { ...NONE, stagedMs: 0n }, 990n, 1_000n, 3_500n],
  ['a staged length that is to come', NONE, 989n, 999n, 3_500n],
  ['a staged length', NONE, 990n, 1_000n, 3_000n],
  ['slots before a change', FOUR, 990n, 1_000n, 4_000n],
  ['slots around a change', FOUR, 1_999n, 2_001n, 650n],
  ['slots of all lengths', FOUR, 0n, 5_000n, 1_500_000n],
  ['slots after the last change', FOUR, 4_000n, 4_010n, 2_000n],
  [
    'a change that was skipped',
    { ...FOUR, changes: [0n, 2_000n, 0n, 4_000n] },
    1_999n,
    2_001n,
    700n,
  ],
  [
    'a change that is unknown',
    { ...FOUR, changes: [1_000n, 0n, 0n, 0n] },
    999n,
    5_000n,
    1_400_400n,
  ],
  ['a later slot', FOUR, 5_000n, 4_000n, 0n],
])('time is measured in units of 400 ms: %s', (_, slots, from, to, ms) => {
  expect(unitsBetween(from, to, slots)).toBe((ms + 399n) / 400n);
});
