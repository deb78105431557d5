/** A store of the history whose disk fails for some time. */
import { expect } from 'vitest';
import { candleRules } from '../../src/history/candles/rules.js';
import { StoreError } from '../../src/history/store/error.js';
import type { HistoryStore } from '../../src/history/store/store.js';
import {
  accountKey,
  defectsOf,
  fill,
  MIDNIGHT,
  readTrades,
  transaction,
} from '../../src/history/store/testing.js';

/** Some transactions of a slot each, with accounts that nothing had before. */
function batchFrom(from: number, count?: number) {
  return slotsFrom(from, count).map((slot) =>
    transaction({
      slot,
      fills: [
        fill({
          fillRecordId: BigInt(slot),
          ts: MIDNIGHT + slot,
          maker: accountKey(slot),
        }),
      ],
    }),
  );
}

function slotsFrom(from: number, count = 200): readonly number[] {
  return Array.from({ length: count }, (_, at) => from + at);
}

/** Everything a reader can see. */
export function seen(store: HistoryStore) {
  return {
    trades: readTrades(store, { market: 'perp_0', limit: 1_000 }),
    candles: candleRules.minutes.map((minutes) =>
      store.readCandles({ market: 'perp_0', minutes, limit: 1_000 }),
    ),
    totals: store.readTotals(),
    gaps: store.findGaps(),
    progress: store.readProgress(),
  };
}

export function failureOf(work: () => unknown): StoreError {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

/** Writes until the disk refuses, then heals it and writes the same again. */
export function failAndHeal(
  store: HistoryStore,
  disk: { break(): void; heal(): void; reason: string },
): void {
  store.writeBatch({ transactions: batchFrom(1), progress: { newest: '1' } });
  disk.break();
  const before = seen(store);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const lost = () =>
      store.writeBatch({ transactions: batchFrom(1_000, 800), progress: { newest: '2' } });
    const error = failureOf(lost);
    expect(error).toMatchObject({ reason: disk.reason, canRecover: true, code: 'STORE_FAILED' });
    expect(seen(store)).toEqual(before);
  }
  disk.heal();
  const change = store.writeBatch({
    transactions: batchFrom(1_000, 800),
    progress: { newest: '2' },
  });
  expect(change.records).toHaveLength(800);
  expect(store.readTotals().trades).toBe(1_000);
  expect(store.readProgress().get('newest')).toBe('2');
  expect(store.findGaps()).toMatchObject({ holes: 1 });
  const rows = readTrades(store, { market: 'perp_0', limit: 1_000 });
  expect(rows.map(({ maker }) => maker)).toEqual(
    [...slotsFrom(1), ...slotsFrom(1_000, 800)].reverse().map((slot) => accountKey(slot)),
  );
  expect(defectsOf(store)).toEqual([]);
}
