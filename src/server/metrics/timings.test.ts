import { expect, test } from 'vitest';
import { LateTimers } from '../../../test/support/late-timers.js';
import { Histogram, Timings } from './timings.js';

test('timings: a loop that was blocked is seen with the length of its block', () => {
  const timers = new LateTimers();
  const timings = new Timings(timers);
  timings.watchLoop();
  timers.advance(99);
  timers.lateMs = 40;
  timers.advance(1 + 10 + 40);
  timings.stop();
  timers.advance(1_000);
  const text = timings.toText();
  expect(text).toContain('slotbook_event_loop_blocked_seconds_bucket{le="0.001"} 10\n');
  expect(text).toContain('slotbook_event_loop_blocked_seconds_bucket{le="0.02"} 10\n');
  expect(text).toContain('slotbook_event_loop_blocked_seconds_bucket{le="0.05"} 11\n');
  expect(text).toContain('slotbook_event_loop_blocked_seconds_count 11\n');
});

test('histogram: a duration counts in its own bucket and in all above it', () => {
  const histogram = new Histogram([0.001, 0.01, 0.1]);
  for (const seconds of [0, 0.001, 0.002, 0.05, 5]) histogram.observe(seconds);
  expect(histogram.toText('waits_seconds', 'How long.')).toBe(
    [
      '# HELP waits_seconds How long.',
      '# TYPE waits_seconds histogram',
      'waits_seconds_bucket{le="0.001"} 2',
      'waits_seconds_bucket{le="0.01"} 3',
      'waits_seconds_bucket{le="0.1"} 4',
      'waits_seconds_bucket{le="+Inf"} 5',
      'waits_seconds_sum 5.053',
      'waits_seconds_count 5',
      '',
    ].join('\n'),
  );
});

test('histogram: a duration below zero, of a clock that stepped, counts as none', () => {
  const histogram = new Histogram([1]);
  histogram.observe(-1);
  expect(histogram.toText('x', 'X.')).toContain(
    'x_bucket{le="1"} 1\nx_bucket{le="+Inf"} 1\nx_sum 0\n',
  );
});
