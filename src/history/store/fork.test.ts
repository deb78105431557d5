import { afterEach, describe, expect, test } from 'vitest';
import { GAPS_LISTED_MAX } from '../model/limits.js';
import { cleanUp, MIDNIGHT, newFolder, newStore, oneFill, signature } from './testing.js';

afterEach(cleanUp);

describe('what a fork took back', () => {
  test('goes with its candles, its numbers and its place on the pages', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: [oneFill(1), oneFill(2), oneFill(3), oneFill(90)] });
    const before = store.readCandles({ market: 'perp_0', minutes: 1, limit: 9 });
    const gone = store.removeTransactions([signature(2), signature(90), signature(77)]);
    expect(gone).toMatchObject({ removed: 2 });
    expect(
      gone.candles.find(({ start, minutes }) => minutes === 1 && start === MIDNIGHT + 60)?.candle,
    ).toBeNull();
    expect(store.readCandles({ market: 'perp_0', minutes: 1, limit: 9 })[0]?.count).toBe(2);
    expect(store.findGaps()).toMatchObject({
      missing: 1n,
      gaps: [{ market: 'perp_0', after: 1n, before: 3n, missing: 1n }],
    });
    store.writeBatch({ transactions: [oneFill(2), oneFill(90)] });
    expect(store.readCandles({ market: 'perp_0', minutes: 1, limit: 9 })).toEqual(before);
  });

  test('leaves the number of a fill that has it as well', async () => {
    const store = await newStore();
    const twin = oneFill(11, { fillRecordId: 10n });
    store.writeBatch({
      transactions: [oneFill(9), oneFill(10), twin, oneFill(12, { fillRecordId: 11n })],
    });
    store.removeTransactions([signature(10)]);
    expect(store.findGaps()).toMatchObject({ missing: 0n });
    store.removeTransactions([signature(11)]);
    expect(store.findGaps()).toMatchObject({ missing: 1n });
  });
});

describe('holes in the numbers of fills', () => {
  test('are counted for each market, and closed by what is filled in', async () => {
    const store = await newStore();
    const ids = [1, 2, 5, 9, 10];
    store.writeBatch({ transactions: ids.map((id) => oneFill(id)) });
    store.writeBatch({
      transactions: [oneFill(20, { marketIndex: 3 }), oneFill(21, { marketIndex: 3 })],
    });
    expect(store.findGaps('perp_3')).toMatchObject({ holes: 0 });
    expect(store.findGaps()).toMatchObject({ holes: 2, missing: 5n });
    store.writeBatch({ transactions: [oneFill(3), oneFill(4)] });
    expect(store.findGaps('perp_0')).toEqual({
      byMarket: new Map([['perp_0', 3n]]),
      holes: 1,
      missing: 3n,
      gaps: [{ market: 'perp_0', after: 5n, before: 9n, missing: 3n }],
    });
    store.writeBatch({ transactions: [oneFill(8), oneFill(7), oneFill(6)] });
    expect(store.findGaps()).toMatchObject({ holes: 0, missing: 0n, gaps: [] });
  });

  test('beyond those that are told one by one are counted as well, of every market', async () => {
    const folder = newFolder();
    const store = await newStore(folder);
    const odd = Array.from({ length: 300 }, (_, at) => at * 2 + 1);
    store.writeBatch({ transactions: odd.map((id) => oneFill(id)) });
    store.writeBatch({
      transactions: [1_000, 1_003].map((id) => oneFill(id, { marketIndex: 3 })),
    });
    const all = store.findGaps();
    expect(all).toMatchObject({ missing: 301n, holes: 300 });
    expect([...all.byMarket]).toEqual([
      ['perp_0', 299n],
      ['perp_3', 2n],
    ]);
    expect(all.gaps).toHaveLength(GAPS_LISTED_MAX);
    store.close();
    // The counts after opening a file.
    expect((await newStore(folder)).findGaps()).toEqual(all);
  });

  test('are right again after a write that failed', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: [oneFill(1), oneFill(5)] });
    const before = store.findGaps();
    expect(() =>
      store.writeBatch({ transactions: [oneFill(3), { ...oneFill(9), slot: 0.5 }] }),
    ).toThrow();
    expect(store.findGaps()).toEqual(before);
    store.writeBatch({ transactions: [oneFill(3)] });
    expect(store.findGaps()).toMatchObject({ missing: 2n, holes: 2 });
  });

  test('numbers beyond 63 bits are in order as well', async () => {
    const store = await newStore();
    const [more, digits] = [2n ** 63n, 10n ** 19n];
    const ids = [digits + 10n, more - 1n, more + 10n, digits - 1n, more, digits];
    store.writeBatch({ transactions: ids.map((id, at) => oneFill(at + 1, { fillRecordId: id })) });
    expect(store.findGaps().gaps.map(({ after, missing }) => [after, missing])).toEqual([
      [more, 9n],
      [more + 10n, digits - more - 12n],
      [digits, 9n],
    ]);
  });
});
