import { beforeEach, expect, test } from 'vitest';
import { SLOT_MS } from '../../contract/program.js';
import { ClockLead } from './clock-lead.js';
import { CLOCK_LEAD_MS_MAX, CLOCK_LEAD_SLOTS_MAX } from './limits.js';

let lead: ClockLead;

beforeEach(() => {
  lead = new ClockLead();
});

/** Notifies ten Clocks at a chain's pace, with slots this far ahead of them. */
function isTooLongAt(slotsAhead: number): boolean {
  for (let step = 0; step < 10; step += 1) {
    lead.recordClock(100 + step, 100 + step + slotsAhead, step * SLOT_MS);
  }
  return lead.isTooLong;
}

test.each([
  [1, false],
  [CLOCK_LEAD_SLOTS_MAX, false],
  [CLOCK_LEAD_SLOTS_MAX + 1, true],
  [30, true],
])('clock lead: slots that stay %s ahead of the Clock', (slotsAhead, expected) => {
  expect(isTooLongAt(slotsAhead)).toBe(expected);
});

test('clock lead: slots that were skipped are made up for by the next Clock', () => {
  lead.recordClock(100, 140, 0);
  lead.recordClock(140, 141, 10 * CLOCK_LEAD_MS_MAX);
  lead.recordClock(141, 180, 10 * CLOCK_LEAD_MS_MAX + 1);
  lead.recordClock(180, 181, 20 * CLOCK_LEAD_MS_MAX);
  expect(lead.isTooLong).toBe(false);
});

test('clock lead: a Clock that comes late says nothing', () => {
  lead.recordClock(140, 141, 0);
  for (let step = 0; step < 10; step += 1) lead.recordClock(100, 141, step * SLOT_MS);
  expect([lead.isTooLong, lead.clockSlot]).toEqual([false, 140]);
});
