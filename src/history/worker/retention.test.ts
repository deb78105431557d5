import { afterEach, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { candleRules } from '../candles/rules.js';
import type { HistoryStore } from '../store/store.js';
import { cleanUp, fundingRate, MIDNIGHT, newStore, oneFill } from '../store/testing.js';
import { Retention } from './retention.js';

afterEach(cleanUp);

const DAY = 86_400;
const DAYS = 20;

/** A trade and a funding rate a day, from `DAYS` days ago on, and retention at work on them. */
async function retained(days: { retentionDays: number; candleRetentionDays: number }) {
  const store = await newStore();
  const transactions = Array.from({ length: DAYS }, (_, day) => {
    const ts = MIDNIGHT + day * DAY;
    return oneFill(day + 1, { ts }, { fundingRates: [fundingRate({ index: 1, ts })] });
  });
  store.writeBatch({ transactions });
  const timers = new ManualTimers();
  const wallMs = () => (MIDNIGHT + DAYS * DAY) * 1_000;
  new Retention({ days, store: () => store, finalisedSlot: () => 0, timers, wallMs }).start();
  timers.advance(60_000);
  return counts(store);
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
  { days: [5, 0], rows: 5, short: DAYS },
  { days: [0, 7], rows: DAYS, short: 7 },
  { days: [7, 5], rows: 7, short: 5 },
])(
  'trades and short candles of $days days are kept, and all of a day and longer',
  async (given) => {
    const [retentionDays = 0, candleRetentionDays = 0] = given.days;
    const { rows, short } = given;
    const { trades, fundingRates, candles } = await retained({
      retentionDays,
      candleRetentionDays,
    });
    expect([trades, fundingRates]).toEqual([rows, rows]);
    const of = { 1: short, 5: short, 15: short, 60: short, 240: short, 1440: DAYS };
    expect(candles).toMatchObject(of);
    expect(candles[10_080]).toBeGreaterThanOrEqual(3);
  },
);
