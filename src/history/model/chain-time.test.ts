import { beforeEach, describe, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { ChainTime } from './chain-time.js';

const START = 1_750_000_000;
const DAY = 86_400;

let timers: ManualTimers;
/** The error of the wall clock, seconds. */
let wallOffS: number;
let time: ChainTime;

beforeEach(() => {
  timers = new ManualTimers();
  wallOffS = 0;
  timers.unixMs = () => (nowTs() + wallOffS) * 1_000;
  time = new ChainTime({ timers });
});

function nowTs(): number {
  return START + timers.nowMs() / 1_000;
}

function readFor(seconds: number, offS = 0): void {
  for (let left = seconds; left > 0; left -= 2) {
    timers.advance(2_000);
    time.addReading(nowTs() + offS);
  }
}

describe("the chain's time", () => {
  test('is that of the newest stored record until a slot was read', () => {
    expect(time.seconds).toBeNull();
    time.restartFrom(START - 500);
    expect([time.seconds, time.readSeconds]).toEqual([START - 500, null]);
    time.addReading(START - 13);
    expect([time.seconds, time.readSeconds]).toEqual([START - 13, START - 13]);
  });

  test('is that of the first record of a new store until then, where the wall clock agrees', () => {
    time.addRecordTime(START - 2);
    expect([time.seconds, time.readSeconds]).toEqual([START - 2, null]);
    for (const lie of [2 ** 40, START + 95 * DAY, START - 95 * DAY, -1]) time.addRecordTime(lie);
    expect(time.seconds).toBe(START - 2);
    wallOffS = 95 * DAY;
    time.addRecordTime(START - 1);
    expect(time.seconds).toBe(START - 2);
  });

  test('stands where it was read, and a node that is behind moves nothing', () => {
    time.addReading(START);
    timers.advance(600_000);
    expect(time.seconds).toBe(START);
    time.addReading(START + 600);
    time.addReading(START + 300);
    expect(time.seconds).toBe(START + 600);
  });

  test.each([95 * DAY, -95 * DAY])('follows the node while the wall clock is %i s off', (off) => {
    time.addReading(START);
    wallOffS = off;
    readFor(7_200);
    expect(time.seconds).toBe(nowTs());
    expect(time.isWallNear).toBe(false);
  });

  test.each([95 * DAY, -95 * DAY])(
    'is known with a wall clock that is %i s off as soon as a transaction has the same time',
    (off) => {
      wallOffS = off;
      time.restartFrom(START - 3 * DAY);
      readFor(60);
      expect(time.readSeconds).toBeNull();
      time.addRecordTime(nowTs() - 10);
      expect(time.readSeconds).toBe(nowTs());
    },
  );

  test('is known on a quiet chain after an hour, in which the node told it second by second', () => {
    wallOffS = 95 * DAY;
    readFor(3_600);
    expect(time.readSeconds).toBeNull();
    readFor(4);
    expect(time.readSeconds).toBe(nowTs());
  });

  test.each([2 ** 40, START + 95 * DAY, START - 95 * DAY, 0, -1, 1.5, Number.NaN, 2 ** 60])(
    'never is %d, which a node tells for a day',
    (lie) => {
      time.restartFrom(START - 20);
      for (let minutes = 0; minutes < 1_440; minutes += 1) {
        timers.advance(60_000);
        time.addReading(lie);
      }
      expect(time.seconds).toBe(START - 20);
      readFor(2);
      time.addReading(lie);
      expect(time.seconds).toBe(nowTs());
    },
  );

  test('never runs far ahead of time here, however a node creeps', () => {
    time.addReading(START);
    wallOffS = 95 * DAY;
    for (let steps = 0; steps < 1_800; steps += 1) {
      timers.advance(2_000);
      for (const ahead of [3_000, 300, 120, 60, 30, 1])
        time.addReading((time.seconds ?? 0) + ahead);
    }
    expect((time.seconds ?? 0) - nowTs()).toBeLessThan(0.25 * 3_600 + 120);
  });

  test('catches up at once with a node that was behind for hours', () => {
    time.addReading(START - 3_000);
    time.addReading(START);
    expect(time.seconds).toBe(START);
  });

  test('comes back from a lie that a wrong clock had confirmed', () => {
    wallOffS = 95 * DAY;
    time.addReading(START + 95 * DAY);
    expect(time.seconds).toBe(START + 95 * DAY);
    wallOffS = 0;
    readFor(2);
    expect(time.seconds).toBe(nowTs());
  });
});
