import { describe, expect, test } from 'vitest';
import { countRetired, type RetainedFile } from './retention.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SLOT_MS = 400;
const POLICY = { days: 7, bytesMax: 0 };

/** A file every six hours for some days, with slots in step with its clock. */
function filesOf(days: number): RetainedFile[] {
  return Array.from({ length: days * 4 }, (_, at) => {
    const ts = 1_700_000_000_000 + at * 6 * HOUR_MS;
    return { first: { ts, slot: 300_000_000 + (at * 6 * HOUR_MS) / SLOT_MS }, bytes: 100 };
  });
}

function withClockOff(files: readonly RetainedFile[], from: number, offMs: number) {
  return files.map((file, at) => {
    const { ts, slot } = file.first;
    return at < from ? file : { ...file, first: { ts: ts + offMs, slot } };
  });
}

describe('retention by days', () => {
  test('deletes the files that end before that', () => {
    // The last file begins nine days and 18 hours after the first; files that end more than seven
    // days before it are deleted.
    const files = filesOf(10);
    const count = countRetired(files, POLICY);
    const lastMs = files.at(-1)?.first.ts ?? 0;
    const ends = files.slice(1).map(({ first }) => first.ts);
    expect(ends.slice(0, count).every((end) => lastMs - end > 7 * DAY_MS)).toBe(true);
    expect(ends.slice(count).every((end) => lastMs - end <= 7 * DAY_MS)).toBe(true);
    expect(count).toBe(10);
  });

  test('keeps all of it for 0 days, and always the newest file', () => {
    expect(countRetired(filesOf(30), { days: 0, bytesMax: 0 })).toBe(0);
    expect(countRetired(filesOf(1).slice(0, 1), POLICY)).toBe(0);
    expect(countRetired([], POLICY)).toBe(0);
  });

  test.each([
    ['jumps ahead by a year', 365 * DAY_MS],
    ['jumps back by a year', -365 * DAY_MS],
  ])('a clock that %s deletes nothing that is not old', (_, offMs) => {
    const files = filesOf(5);
    for (const from of [1, 10, files.length - 1]) {
      expect(countRetired(withClockOff(files, from, offMs), POLICY)).toBe(0);
      const healed = withClockOff(withClockOff(files, from, offMs), from + 3, -offMs);
      expect(countRetired(healed, POLICY)).toBe(0);
    }
  });

  test('slots that run far ahead delete nothing that is not old', () => {
    const files = filesOf(5).map((file, at) => {
      const { ts, slot } = file.first;
      return at < 10 ? file : { ...file, first: { ts, slot: slot + 1_000_000_000 } };
    });
    expect(countRetired(files, POLICY)).toBe(0);
  });

  test('another chain, whose slots begin again, makes nothing old by itself', () => {
    const before = filesOf(5);
    const after = filesOf(2).map((file, at) => {
      return { ...file, first: { ts: file.first.ts + 30 * DAY_MS, slot: at * 54_000 } };
    });
    expect(countRetired([...before, ...after], POLICY)).toBe(0);
  });
});

describe('retention by bytes', () => {
  test.each([
    [1_000, 0],
    [999, 1],
    [500, 5],
    [1, 9],
  ])('keeps the newest files within %i bytes', (bytesMax, count) => {
    expect(countRetired(filesOf(10).slice(0, 10), { days: 0, bytesMax })).toBe(count);
  });
});
