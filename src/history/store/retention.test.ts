import { afterEach, describe, expect, test } from 'vitest';
import { candleRules } from '../candles/rules.js';
import { RETIRE_ROWS_MAX } from '../model/limits.js';
import { openStore } from './store.js';
import {
  cleanUp,
  fill,
  fundingRate,
  GENESIS,
  MIDNIGHT,
  newFolder,
  newStore,
  oneFill,
  signature,
  transaction,
} from './testing.js';

afterEach(cleanUp);

/** So many fills, ten seconds apart, a slot and a transaction each, and a funding rate in each tenth. */
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
    store.write({ transactions: history(5_000) });
    const before = MIDNIGHT + 45_000;
    const policy = { tradesBefore: before, fundingRatesBefore: before };
    const steps = [];
    do steps.push(store.retire(policy));
    while (steps.at(-1)?.hasMore === true);
    const rows = steps.map(({ trades, fundingRates }) => trades + fundingRates);
    expect(Math.max(...rows)).toBeLessThanOrEqual(RETIRE_ROWS_MAX);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(4_500 + 450);
    expect(store.totals()).toEqual({ trades: 500, fundingRates: 50, transactions: 500 });
    const oldest = store.trades({ market: 'perp_0', limit: 1_000 }).at(-1);
    expect(oldest?.ts).toBe(before);
    expect(store.fundingRates({ market: 'perp_0', limit: 1_000 })).toHaveLength(50);
    expect(store.check()).toEqual([]);
  });

  test('keeps a transaction of which something else is kept', async () => {
    const store = await newStore();
    store.write({ transactions: history(1) });
    store.retire({ tradesBefore: MIDNIGHT + 1 });
    expect(store.totals()).toEqual({ trades: 0, fundingRates: 1, transactions: 1 });
    expect(store.fundingRates({ market: 'perp_0', limit: 9 })[0]?.txSig).toBe(signature(1));
  });

  test('what it deleted is not stored again, and its candles stay as they are', async () => {
    const folder = newFolder();
    const first = await newStore(folder);
    first.write({ transactions: history(100) });
    const candles = first.candles({ market: 'perp_0', minutes: 60, limit: 9 });
    first.retire({ tradesBefore: MIDNIGHT + 500 });
    first.close();
    const store = await newStore(folder);
    const again = store.write({ transactions: history(100) });
    expect(again).toMatchObject({ trades: [], retired: 50, known: 60 });
    expect(store.candles({ market: 'perp_0', minutes: 60, limit: 9 })).toEqual(candles);
  });

  test('deletes candles of a resolution, and late trades do not begin them anew', async () => {
    const store = await newStore();
    store.write({ transactions: history(100) });
    store.retire({ candlesBefore: { 1: MIDNIGHT + 300 } });
    const minutes = () => store.candles({ market: 'perp_0', minutes: 1, limit: 1_000 });
    expect(minutes()[0]?.start).toBe(MIDNIGHT + 300);
    store.write({ transactions: [oneFill(900, { ts: MIDNIGHT + 5, fillRecordId: 7n })] });
    expect(minutes()[0]?.start).toBe(MIDNIGHT + 300);
    expect(store.candles({ market: 'perp_0', minutes: 60, limit: 9 })[0]?.count).toBe(51);
  });

  test('a line that moved forward never moves back', async () => {
    const store = await newStore();
    store.write({ transactions: history(10) });
    store.retire({ tradesBefore: MIDNIGHT + 1_000 });
    expect(store.retire({ tradesBefore: MIDNIGHT })).toMatchObject({ trades: 0, hasMore: false });
    expect(store.write({ transactions: history(10) })).toMatchObject({ retired: 10, trades: [] });
  });
});

describe('a spot market whose decimals are not known', () => {
  test('has trades and no candles, and all its candles when they are known', async () => {
    const folder = newFolder();
    let decimals: number | null = null;
    const open = () =>
      openStore({ folder, genesisHash: GENESIS, rules: candleRules, decimalsOf: () => decimals });
    const spot = (slot: number) => oneFill(slot, { marketType: 'spot' });
    const first = await open();
    first.write({ transactions: [spot(1), spot(2), oneFill(3)] });
    expect(first.candles({ market: 'spot_0', minutes: 1, limit: 9 })).toEqual([]);
    expect(first.trades({ market: 'spot_0', limit: 9 })).toHaveLength(2);
    first.close();
    const store = await open();
    store.write({ transactions: [spot(4)] });
    decimals = 6;
    const change = store.write({ transactions: [spot(5)] });
    const [candle] = store.candles({ market: 'spot_0', minutes: 1, limit: 9 });
    expect(candle).toMatchObject({ count: 4, base: 8_000_000_000_000n });
    expect(change.candles).toContainEqual({
      market: 'spot_0',
      minutes: 1,
      start: MIDNIGHT,
      candle,
    });
    store.write({ transactions: [spot(6)] });
    expect(store.candles({ market: 'spot_0', minutes: 1, limit: 9 })[0]?.count).toBe(5);
    store.close();
  });

  test('a time that no calendar knows is kept and in no candle', async () => {
    const store = await newStore();
    store.write({ transactions: [oneFill(1, { ts: -5 }), oneFill(2, { ts: 2 ** 52 })] });
    expect(store.trades({ market: 'perp_0', limit: 9 })).toHaveLength(2);
    expect(store.markets()).toEqual([]);
  });
});
