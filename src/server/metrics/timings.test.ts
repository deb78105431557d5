import { afterEach, expect, test, vi } from 'vitest';
import { Timings } from './timings.js';

afterEach(() => vi.useRealTimers());

test('timings: a loop that was blocked is seen with the length of its block', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const timings = new Timings();
  timings.watchLoop();
  vi.advanceTimersByTime(100);
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 10 + 40);
  vi.advanceTimersByTime(10);
  timings.stop();
  vi.advanceTimersByTime(1_000);
  const text = timings.toText();
  expect(text).toContain('slotbook_event_loop_blocked_seconds_bucket{le="0.001"} 10\n');
  expect(text).toContain('slotbook_event_loop_blocked_seconds_bucket{le="0.02"} 10\n');
  expect(text).toContain('slotbook_event_loop_blocked_seconds_bucket{le="0.05"} 11\n');
  expect(text).toContain('slotbook_event_loop_blocked_seconds_count 11\n');
});
