import { beforeEach, describe, expect, test } from 'vitest';
import { TransientErrorLog } from './error-logs.js';
import { TRANSIENT_ERRORS_MAX, TRANSIENT_LOG_INTERVAL_MS } from './limits.js';

let nowMs: number;
let lines: { readonly fields: object; readonly message: string }[];
let trouble: TransientErrorLog;

beforeEach(() => {
  nowMs = 1_000;
  lines = [];
  const write = (fields: object, message: string): void => void lines.push({ fields, message });
  const timers = { nowMs: () => nowMs, after: () => ({ cancel: () => undefined }) };
  trouble = new TransientErrorLog({ info: write, warn: write }, timers);
});

/** Reports errors with these reasons; expects this many lines. */
function check(reasons: readonly string[], expected: number): void {
  for (const reason of reasons) trouble.logWarning('connection lost', reason, { reason });
  expect(lines).toHaveLength(expected);
}

describe('trouble log', () => {
  test('the first time and each changed reason are logged', () =>
    check(['refused', 'refused', '502', '502', 'refused', '502'], 2));

  test('after a minute it is logged once more with the count', () => {
    check(['refused', 'refused', 'refused'], 1);
    nowMs += TRANSIENT_LOG_INTERVAL_MS - 1;
    check(['refused'], 1);
    nowMs += 1;
    check(['refused', 'refused'], 2);
    expect(lines[1]).toEqual({
      fields: { reason: 'refused', unlogged: 3 },
      message: 'connection lost',
    });
  });

  test('reasons that never repeat do not make lines without end', () =>
    check(
      Array.from({ length: TRANSIENT_ERRORS_MAX * 10 }, (_, index) => `slot ${index}`),
      TRANSIENT_ERRORS_MAX + 1,
    ));

  test('after the trouble is over the same is new', () => {
    check(['refused'], 1);
    trouble.clear();
    check(['refused'], 2);
  });
});
