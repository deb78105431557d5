import { afterEach, describe, expect, test } from 'vitest';
import { RETIRE_ROWS_MAX } from '../model/limits.js';
import {
  cleanUp,
  defectsOf,
  fill,
  fundingRate,
  MIDNIGHT,
  newFolder,
  newStore,
  oneFill,
  readFundingRates,
  readTrades,
  signature,
  transaction,
} from './testing.js';

afterEach(cleanUp);

/** Fills ten seconds apart, each in its own slot and transaction, with a funding rate every tenth. */
function history(count: number) {
  return Array.from({ length: count }, (_, at) =>
    transaction({
      slot: at + 1,
      isFinal: true,
      fills: [fill({ fillRecordId: BigInt(at), ts: MIDNIGHT + at * 10, marketIndex: at % 2 })],
      fundingRates:
        at % 10 === 0
          ? [fundingRate({ index: 1, ts: MIDNIGHT + at * 10, recordId: BigInt(at) })]
          : [],
    }),
  );
}

describe('retention', () => {
  test('deletes what is older, in steps of a bounded size, with the transactions left empty', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: history(5_000) });
    const before = MIDNIGHT + 45_000;
    const policy = { recordsBefore: { trade: before, fundingRate: before } };
    const steps = [];
    do steps.push(store.retireRows(policy));
    while (steps.at(-1)?.hasMore === true);
    const rows = steps.map(({ records }) => records);
    expect(Math.max(...rows)).toBeLessThanOrEqual(RETIRE_ROWS_MAX);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(4_500 + 450);
    expect(store.readTotals()).toEqual({ trades: 500, fundingRates: 50, transactions: 500 });
    const oldest = readTrades(store, { market: 'perp_0', limit: 1_000 }).at(-1);
    expect(oldest?.ts).toBe(before);
    expect(readFundingRates(store, { market: 'perp_0', limit: 1_000 })).toHaveLength(50);
    expect(defectsOf(store)).toEqual([]);
  });

  test('keeps a transaction of which something else is kept', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: history(1) });
    store.retireRows({ recordsBefore: { trade: MIDNIGHT + 1 } });
    expect(store.readTotals()).toEqual({ trades: 0, fundingRates: 1, transactions: 1 });
    expect(readFundingRates(store, { market: 'perp_0', limit: 9 })[0]?.txSig).toBe(signature(1));
  });

  test('what it deleted is not stored again, and its candles stay as they are', async () => {
    const folder = newFolder();
    const first = await newStore(folder);
    first.writeBatch({ transactions: history(100) });
    const candles = first.readCandles({ market: 'perp_0', minutes: 60, limit: 9 });
    first.retireRows({ recordsBefore: { trade: MIDNIGHT + 500 } });
    first.close();
    const store = await newStore(folder);
    const again = store.writeBatch({ transactions: history(100) });
    expect(again).toMatchObject({ records: [], known: 60 });
    expect(store.readCandles({ market: 'perp_0', minutes: 60, limit: 9 })).toEqual(candles);
  });

  test('deletes candles of a resolution, and late trades do not begin them anew', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: history(100) });
    store.retireRows({ candlesBefore: { 1: MIDNIGHT + 300 } });
    const minutes = () => store.readCandles({ market: 'perp_0', minutes: 1, limit: 1_000 });
    expect(minutes()[0]?.start).toBe(MIDNIGHT + 300);
    store.writeBatch({ transactions: [oneFill(900, { ts: MIDNIGHT + 5, fillRecordId: 7n })] });
    expect(minutes()[0]?.start).toBe(MIDNIGHT + 300);
    expect(store.readCandles({ market: 'perp_0', minutes: 60, limit: 9 })[0]?.count).toBe(51);
  });

  test('a line that moved forward never moves back', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: history(10) });
    store.retireRows({ recordsBefore: { trade: MIDNIGHT + 1_000 } });
    expect(store.retireRows({ recordsBefore: { trade: MIDNIGHT } })).toMatchObject({
      records: 0,
      hasMore: false,
    });
    expect(store.writeBatch({ transactions: history(10) })).toMatchObject({
      records: [],
    });
  });
});

test('a time that no calendar knows is kept and in no candle', async () => {
  const store = await newStore();
  store.writeBatch({ transactions: [oneFill(1, { ts: -5 }), oneFill(2, { ts: 2 ** 52 })] });
  expect(readTrades(store, { market: 'perp_0', limit: 9 })).toHaveLength(2);
  expect(store.listMarkets()).toEqual([]);
});
