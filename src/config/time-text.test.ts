import { afterEach, beforeEach, expect, test } from 'vitest';
import { findMoment } from './journal-moment.js';
import { findTimeMs } from './time-text.js';

const { TZ } = process.env;

beforeEach(() => {
  process.env['TZ'] = 'Asia/Tokyo';
});

afterEach(() => {
  if (TZ === undefined) delete process.env['TZ'];
  else process.env['TZ'] = TZ;
});

const NOON = Date.UTC(2026, 10, 1, 12);

test.each<readonly [string, number]>([
  ['2026-11-01', NOON - 12 * 3_600_000],
  ['2026-11-01T12:00', NOON],
  ['2026-11-01 12:00', NOON],
  ['2026-11-01T12:00:00', NOON],
  ['2026-11-01T12:00Z', NOON],
  ['2026-11-01t12:00z', NOON],
  ['2026-11-01T14:30+02:30', NOON],
  ['2026-11-01T07:00-0500', NOON],
  ['2026-11-01T12:00:01.5Z', NOON + 1_500],
  ['2026-11-01T12:00:00.123456789', NOON + 123],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
])('%s is UTC where it names no zone, whatever that of the machine is', (text, tsMs) => {
  expect(new Date(0).getHours()).toBe(9);
  expect(findTimeMs(text)).toBe(tsMs);
  expect(findMoment(text)).toEqual({ tsMs });
});

test.each([
  '2026-02-30',
  '2026-02-29',
  '2026-04-31T12:00Z',
  '2026-13-01',
  '2026-00-10',
  '2026-11-00',
  '2026-11-01T24:00Z',
  '2026-11-01T12:60Z',
  '2026-11-01T12:00:60Z',
  '2026-11-01T12:00+24:00',
  '2026-11-01T12:00+02:60',
  '2026-11-01T12Z',
  '2026-11-01Z',
  '2026-11',
  '1 Nov 2026',
  'noon',
  '',
])('%j names no time', (text) => {
  expect(findTimeMs(text)).toBeNull();
  expect(findMoment(text)).toBeNull();
});
