/** Spot markets whose decimals become known after their fills, as after each start of a service. */
import { afterEach, describe, expect, test } from 'vitest';
import { candleRules } from '../candles/rules.js';
import { PENDING_FILLS_PER_WRITE_MAX } from '../model/limits.js';
import type { HistoryStore } from './store.js';
import {
  cleanUp,
  defectsOf,
  MIDNIGHT,
  newFolder,
  newStore,
  oneFill,
  rebuildCandles,
  signature,
} from './testing.js';

afterEach(cleanUp);

const DAY = 86_400;

/** A fill of spot_1, in its own slot. */
function spot(slot: number, ts = MIDNIGHT + slot) {
  const parts = { marketType: 'spot', marketIndex: 1, baseAssetAmountFilled: 2_000_000n } as const;
  return oneFill(slot, { ...parts, ts });
}

function spots(from: number, count: number) {
  return Array.from({ length: count }, (_, at) => spot(from + at, MIDNIGHT + (from + at) * 7));
}

function candles(store: HistoryStore) {
  return candleRules.minutes.map((minutes) =>
    store.readCandles({ market: 'spot_1', minutes, limit: 1_500 }),
  );
}

function minutesOf(store: HistoryStore): readonly number[] {
  return store
    .readCandles({ market: 'spot_1', minutes: 1, limit: 1_500 })
    .map(({ start, count }) => (start - MIDNIGHT) * 1_000 + count);
}

function charted(store: HistoryStore): number {
  const months = store.readCandles({ market: 'spot_1', minutes: 43_200, limit: 1_500 });
  return months.reduce((sum, { count }) => sum + count, 0);
}

/** A store whose spot decimals are set later, by `tell`. */
async function untold(folder = newFolder()) {
  let decimals: number | null = null;
  const store = await newStore(folder, () => decimals);
  return {
    store,
    tell: () => {
      decimals = 6;
    },
  };
}

/** A closed store that has deleted the trades of its first candles. */
async function retiredFolder(): Promise<{ folder: string; before: unknown }> {
  const folder = newFolder();
  const store = await newStore(folder);
  store.writeBatch({ transactions: [spot(1, MIDNIGHT), spot(2, MIDNIGHT + DAY * 10)] });
  while (store.retireRows({ recordsBefore: { trade: MIDNIGHT + DAY * 5 } }).hasMore);
  const before = candles(store);
  store.close();
  return { folder, before };
}

describe('a market whose decimals are told late', () => {
  test('keeps the candles whose trades are gone', async () => {
    const { folder } = await retiredFolder();
    const { store, tell } = await untold(folder);
    store.writeBatch({ transactions: [spot(3, MIDNIGHT + DAY * 10 + 5)] });
    tell();
    store.writeBatch({ transactions: [spot(4, MIDNIGHT + DAY * 10 + 6)] });
    expect(minutesOf(store)).toEqual([1, DAY * 10_000 + 3]);
    expect(charted(store)).toBe(4);
  });

  test('has them from its first candle on: what comes before it is told again is charted', async () => {
    const folder = newFolder();
    const told = await newStore(folder);
    told.writeBatch({ transactions: [spot(1)] });
    told.close();
    const { store } = await untold(folder);
    store.writeBatch({ transactions: [spot(2)] });
    expect(charted(store)).toBe(2);
    store.removeTransactions([signature(1)]);
    expect(charted(store)).toBe(1);
  });

  test('is charted a bounded number of fills at a time, and is what it would have been', async () => {
    const count = 2 * PENDING_FILLS_PER_WRITE_MAX + 50;
    const { store, tell } = await untold();
    for (let from = 1; from <= count; from += 1_000) {
      store.writeBatch({ transactions: spots(from, Math.min(1_000, count + 1 - from)) });
    }
    expect(store.addPendingFills()).toBeNull();
    expect(charted(store)).toBe(0);
    tell();
    const steps = [1, 2, 3].map(() => {
      const change = store.addPendingFills();
      return [charted(store), change?.candles.length !== 0, change?.markets.has('spot_1')];
    });
    expect(steps).toEqual([
      [PENDING_FILLS_PER_WRITE_MAX, true, true],
      [2 * PENDING_FILLS_PER_WRITE_MAX, true, true],
      [count, true, true],
    ]);
    expect(store.addPendingFills()).toBeNull();
    const other = await newStore();
    other.writeBatch({ transactions: spots(1, count) });
    expect(candles(store)).toEqual(candles(other));
    expect(defectsOf(store)).toEqual([]);
  });

  test('charts nothing twice of a bucket that a fork makes anew meanwhile', async () => {
    const count = PENDING_FILLS_PER_WRITE_MAX + 50;
    const { store, tell } = await untold();
    const all = Array.from({ length: count }, (_, at) => spot(at + 1, MIDNIGHT));
    store.writeBatch({ transactions: all });
    tell();
    store.writeBatch({ transactions: [] });
    expect(charted(store)).toBe(PENDING_FILLS_PER_WRITE_MAX);
    // One fill in candles, one pending.
    store.removeTransactions([signature(1), signature(count)]);
    expect(charted(store)).toBe(count - 2);
    store.writeBatch({ transactions: [spot(count + 1, MIDNIGHT)] });
    expect(charted(store)).toBe(count - 1);
  });

  test('forgets those that are taken back or deleted before it is told', async () => {
    const { store, tell } = await untold();
    store.writeBatch({ transactions: [spot(1), spot(2), spot(3, MIDNIGHT + DAY)] });
    store.removeTransactions([signature(2)]);
    store.retireRows({ recordsBefore: { trade: MIDNIGHT + 60 } });
    tell();
    store.writeBatch({ transactions: [] });
    expect(minutesOf(store)).toEqual([DAY * 1_000 + 1]);
  });

  test('a write that fails leaves them waiting', async () => {
    const { store, tell } = await untold();
    store.writeBatch({ transactions: [spot(1), spot(2)] });
    tell();
    const bad = oneFill(3, {}, { signature: 'short' });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(() => store.writeBatch({ transactions: [spot(4), bad] })).toThrow();
      expect(charted(store)).toBe(0);
    }
    store.writeBatch({ transactions: [spot(4)] });
    expect(charted(store)).toBe(3);
  });
});

describe('candles made anew from trades', () => {
  test('are those of which all trades are there; older ones stay', async () => {
    const { folder, before } = await retiredFolder();
    const store = await newStore(folder);
    rebuildCandles(store, 'spot_1');
    expect(candles(store)).toEqual(before);
  });
});
