import { afterEach, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { RETAIN_DEFAULTS } from '../../contract/retain.js';
import { candleRules } from '../candles/rules.js';
import { TS_MAX } from '../model/limits.js';
import type { HistoryStore } from '../store/store.js';
import {
  cleanUp,
  fill,
  fundingRate,
  MIDNIGHT,
  newStore,
  readTrades,
  transaction,
} from '../store/testing.js';
import { Retention, type RetentionOptions } from './retention.js';

afterEach(cleanUp);

const DAY = 86_400;
const DAYS = 20;

/** Keeps trades and funding rates for some days. */
function retained(days: number) {
  return { ...RETAIN_DEFAULTS, trades: days, funding: days };
}

/** A trade and a funding rate a day, from `DAYS` days ago on, with retention of some of these days. */
class Scene {
  readonly timers = new ManualTimers();
  readonly told: string[] = [];
  /** The chain's time, unix seconds. */
  chainTs: number | null = MIDNIGHT + (DAYS - 1) * DAY;
  readonly #startTs = MIDNIGHT + (DAYS - 1) * DAY;

  private constructor(readonly store: HistoryStore) {}

  static async start(days: RetentionOptions['days']): Promise<Scene> {
    const scene = new Scene(await newStore());
    scene.trade(...Array.from({ length: DAYS }, (_, day) => MIDNIGHT + day * DAY));
    new Retention({
      ...{ days, store: () => scene.store, finalisedSlot: () => 0, timers: scene.timers },
      chainSeconds: () => scene.chainTs,
      log: { info: (_, message) => void scene.told.push(message), warn: () => undefined },
    }).start();
    return scene;
  }

  trade(...times: number[]): void {
    const slot = (ts: number): number => (ts - MIDNIGHT) / 60 + 1;
    const transactions = times.map((ts) =>
      transaction({
        slot: slot(ts),
        fills: [fill({ ts, fillRecordId: BigInt(slot(ts)) })],
        fundingRates: [fundingRate({ index: 1, ts })],
      }),
    );
    this.store.writeBatch({ transactions });
  }

  /** Local time and the chain's time pass. */
  pass(minutes: number): void {
    for (let left = minutes; left > 0; left -= 1) {
      if (this.chainTs !== null) this.chainTs += 60;
      this.timers.advance(60_000);
    }
  }

  /** The chain's clock returns to its start, plus some minutes. */
  restoreChain(): void {
    this.chainTs = this.#startTs + this.timers.nowMs() / 1_000;
  }

  get trades(): number {
    return this.store.readTotals().trades;
  }
}

function counts(store: HistoryStore) {
  const ofCandles = candleRules.minutes.map((minutes) => {
    return [minutes, store.readCandles({ market: 'perp_0', minutes, limit: 99 }).length];
  });
  const { trades, fundingRates } = store.readTotals();
  return { trades, fundingRates, candles: Object.fromEntries(ofCandles) };
}

test.each([
  { days: [0, 0], rows: DAYS, short: DAYS },
  { days: [5, 0], rows: 6, short: DAYS },
  { days: [0, 7], rows: DAYS, short: 8 },
  { days: [7, 5], rows: 8, short: 6 },
])(
  'trades and short candles of $days days are kept, and all of a day and longer',
  async (given) => {
    const [days = 0, candleRetentionDays = 0] = given.days;
    const { rows, short } = given;
    const scene = await Scene.start({ retain: retained(days), candleRetentionDays });
    scene.pass(70);
    const { trades, fundingRates, candles } = counts(scene.store);
    expect([trades, fundingRates]).toEqual([rows, rows]);
    const of = { 1: short, 5: short, 15: short, 60: short, 240: short, 1440: DAYS };
    expect(candles).toMatchObject(of);
    expect(candles[10_080]).toBeGreaterThanOrEqual(3);
  },
);

const WEEK = { retain: retained(7), candleRetentionDays: 7 };
/** The error of the clock that once deleted everything. */
const FAR = 95 * DAY;

test('more than a day of records is deleted after an hour of the chain, in which it was always due', async () => {
  const scene = await Scene.start(WEEK);
  scene.pass(59);
  expect(scene.trades).toBe(DAYS);
  scene.pass(5);
  expect(scene.trades).toBe(8);
  expect(scene.told).toEqual(['more than a day of records is due to be deleted']);
});

test('no more than a day of records is deleted at once', async () => {
  const scene = await Scene.start({ retain: retained(DAYS - 2), candleRetentionDays: 0 });
  scene.pass(1);
  expect(scene.trades).toBe(DAYS - 1);
  expect(scene.told).toEqual([]);
});

test('a chain whose time stands still, or is not known, has nothing deleted', async () => {
  const scene = await Scene.start(WEEK);
  for (let minutes = 0; minutes < 300; minutes += 1) scene.timers.advance(60_000);
  expect(scene.trades).toBe(DAYS);
  scene.chainTs = null;
  scene.pass(300);
  expect(scene.trades).toBe(DAYS);
});

test.each([
  ['far ahead', FAR],
  ['at the end of all times', TS_MAX - MIDNIGHT - DAYS * DAY],
])(
  'a time of the chain that is %s for hours deletes nothing beyond what is old',
  async (_, ahead) => {
    const scene = await Scene.start({ retain: retained(DAYS - 2), candleRetentionDays: 5 });
    scene.pass(1);
    scene.chainTs = MIDNIGHT + DAYS * DAY + ahead;
    scene.pass(300);
    expect(scene.trades).toBe(DAYS - 1);
    scene.restoreChain();
    const now = MIDNIGHT + DAYS * DAY;
    scene.trade(now);
    expect(readTrades(scene.store, { market: 'perp_0', limit: 1 })[0]?.ts).toBe(now);
    expect(scene.store.tradesSince).toBeLessThan(now);
  },
);

test('a time of the chain that went back keeps what is there', async () => {
  const scene = await Scene.start(WEEK);
  scene.pass(70);
  scene.chainTs = MIDNIGHT;
  scene.pass(300);
  expect(scene.trades).toBe(8);
  scene.trade(MIDNIGHT + DAYS * DAY);
  expect(scene.trades).toBe(9);
});
