import { afterEach, describe, expect, test } from 'vitest';
import {
  cleanUp,
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

describe('writing', () => {
  test('what the program left out comes back as null', async () => {
    const store = await newStore();
    const given = fill({
      filler: null,
      maker: null,
      makerOrderId: null,
      makerOrderDirection: null,
      makerFee: null,
      taker: null,
      takerOrderDirection: 'short',
      referrerReward: null,
    });
    store.writeBatch({ transactions: [transaction({ fills: [given] })] });
    expect(readTrades(store, { market: 'perp_0', limit: 1 })[0]).toMatchObject(given);
  });

  test('integers of 64 bits and more come back to the unit', async () => {
    const store = await newStore();
    const largest = 2n ** 64n - 1n;
    const given = fill({
      fillRecordId: largest,
      baseAssetAmountFilled: largest,
      quoteAssetAmountFilled: 2n ** 63n,
      takerFee: 2n ** 63n - 1n,
      makerFee: -(2n ** 63n),
      oraclePrice: -(2n ** 63n),
    });
    const rate = fundingRate({
      index: 1,
      cumulativeFundingRateLong: 2n ** 127n - 1n,
      cumulativeFundingRateShort: -(2n ** 127n),
    });
    store.writeBatch({ transactions: [transaction({ fills: [given], fundingRates: [rate] })] });
    expect(readTrades(store, { market: 'perp_0', limit: 1 })[0]).toMatchObject(given);
    expect(readFundingRates(store, { market: 'perp_0', limit: 1 })[0]).toMatchObject(rate);
    expect(store.readCandles({ market: 'perp_0', minutes: 1, limit: 1 })[0]?.base).toBe(largest);
  });

  test('a log that was cut is completed by the whole one', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: [oneFill(1, {}, { isTruncated: true })] });
    expect(store.countTruncated()).toBe(1);
    const whole = transaction({ fills: [fill(), fill({ index: 1, fillRecordId: 2n })] });
    const completed = store.writeBatch({ transactions: [whole] });
    expect(completed.records.map(({ index }) => index)).toEqual([1]);
    expect(store.countTruncated()).toBe(0);
    store.writeBatch({ transactions: [oneFill(1, {}, { isTruncated: true })] });
    expect(store.countTruncated()).toBe(0);
  });

  test('cut logs are counted through removal, retention and moves', async () => {
    const store = await newStore();
    const cut = [1, 2, 3].map((slot) =>
      oneFill(slot, { ts: MIDNIGHT + slot }, { isTruncated: true }),
    );
    store.writeBatch({ transactions: cut });
    expect(store.countTruncated()).toBe(3);
    expect([...store.findTruncated([signature(2), signature(9)])]).toEqual([signature(2)]);
    store.removeTransactions([signature(3)]);
    expect(store.countTruncated()).toBe(2);
    store.retireRows({ recordsBefore: { trade: MIDNIGHT + 2 } });
    expect(store.countTruncated()).toBe(1);
  });

  test('a transaction that left nothing is known until it is not needed any more', async () => {
    const store = await newStore();
    const [empty, full] = [
      transaction({ slot: 3, isFinal: true }),
      oneFill(4, {}, { isFinal: true }),
    ];
    store.writeBatch({ transactions: [empty, full, transaction({ slot: 5 })] });
    expect([...store.findStored([signature(3), signature(4), signature(8)])]).toEqual([
      signature(3),
      signature(4),
    ]);
    expect(store.retireRows({ emptyUpToSlot: 10 })).toMatchObject({ empty: 1, hasMore: false });
    expect(store.findStored([signature(3), signature(4), signature(5)]).size).toBe(2);
    expect(store.readTotals()).toEqual({ trades: 1, fundingRates: 0, transactions: 2 });
  });

  test('each kind is counted, less what a fork and the retention take away', async () => {
    const store = await newStore();
    const action = (slot: number, name: 'place' | 'cancel') =>
      transaction({ slot, fills: [fill({ action: name, ts: MIDNIGHT + slot })] });
    const transactions = [oneFill(1), action(2, 'place'), action(3, 'cancel'), action(4, 'cancel')];
    store.writeBatch({ transactions });
    const trades = { trades: 1, fundingRates: 0 };
    expect(store.readTotals()).toEqual({ ...trades, orderAction: 3, transactions: 4 });
    store.removeTransactions([signature(4)]);
    expect(store.readTotals()).toEqual({ ...trades, orderAction: 2, transactions: 3 });
    store.retireRows({ recordsBefore: { orderAction: MIDNIGHT + 3 } });
    expect(store.readTotals()).toEqual({ ...trades, orderAction: 1, transactions: 2 });
  });

  test('marks are stored with what they speak of, and taken away by null', async () => {
    const folder = newFolder();
    const store = await newStore(folder);
    store.writeBatch({ transactions: [oneFill(1)], progress: { newest: 'a', oldest: 'b' } });
    store.writeBatch({ transactions: [], progress: { newest: 'c', oldest: null } });
    store.close();
    expect([...(await newStore(folder)).readProgress()]).toEqual([['newest', 'c']]);
  });
});

describe('the order of trades', () => {
  test('settling gives the final place; another slot is only named', async () => {
    const store = await newStore();
    const pair = [0, 1].map((place) =>
      transaction({
        slot: 7,
        place,
        signature: signature(place),
        fills: [fill({ fillRecordId: BigInt(place) })],
      }),
    );
    store.writeBatch({ transactions: pair });
    expect(store.readUnfinalised({ slotAfter: 6, slotUpTo: 7 })).toHaveLength(2);
    const { change, elsewhere } = store.finaliseTransactions([
      { signature: signature(0), slot: 7, place: 1 },
      { signature: signature(1), slot: 8, place: 0 },
      { signature: signature(55), slot: 7, place: 2 },
    ]);
    expect([...change.markets]).toEqual([]);
    expect(elsewhere).toEqual([signature(1)]);
    store.finaliseTransactions([{ signature: signature(1), slot: 7, place: 0 }], {
      finalised: '7',
    });
    expect(store.readUnfinalised({ slotAfter: 0, slotUpTo: 100 })).toEqual([]);
    const rows = readTrades(store, { market: 'perp_0', limit: 9 });
    expect(rows.map(({ fillRecordId, place }) => [fillRecordId, place])).toEqual([
      [1n, 0],
      [0n, 1],
    ]);
    expect(store.readProgress().get('finalised')).toBe('7');
  });

  test('a transfer of a position is kept, and shown on no page', async () => {
    const store = await newStore();
    store.writeBatch({
      transactions: [
        oneFill(1),
        oneFill(2, { actionExplanation: 'transferPerpPosition' }),
        oneFill(3),
      ],
    });
    const ids = (query: object) =>
      readTrades(store, { market: 'perp_0', limit: 9, ...query }).map(
        ({ fillRecordId }) => fillRecordId,
      );
    expect(ids({})).toEqual([3n, 1n]);
    expect(ids({ offset: 1 })).toEqual([1n]);
    expect(store.readTotals().trades).toBe(3);
    expect(store.findGaps().holes).toBe(0);
    expect(store.readCandles({ market: 'perp_0', minutes: 1, limit: 9 })[0]?.count).toBe(2);
  });

  test('markets are kept apart', async () => {
    const store = await newStore();
    store.writeBatch({
      transactions: [
        oneFill(1),
        oneFill(2, { marketType: 'spot' }),
        oneFill(3, { marketIndex: 1 }),
      ],
    });
    expect(readTrades(store, { market: 'spot_0', limit: 9 }).map(({ slot }) => slot)).toEqual([2]);
    expect(readTrades(store, { market: 'perp_1', limit: 9 }).map(({ slot }) => slot)).toEqual([3]);
    expect(store.listMarkets()).toEqual(['perp_0', 'spot_0', 'perp_1']);
  });
});

describe('funding rates', () => {
  test('a page holds what is not older than it says', async () => {
    const store = await newStore();
    const hours = Array.from({ length: 50 }, (_, hour) =>
      transaction({
        slot: hour + 1,
        fundingRates: [fundingRate({ ts: MIDNIGHT + hour * 3_600, recordId: BigInt(hour) })],
      }),
    );
    store.writeBatch({ transactions: hours });
    const page = readFundingRates(store, {
      market: 'perp_0',
      limit: 100,
      since: MIDNIGHT + 40 * 3_600,
    });
    expect(page.map(({ recordId }) => Number(recordId))).toEqual([
      49, 48, 47, 46, 45, 44, 43, 42, 41, 40,
    ]);
    const before = { slot: 45, id: 0n };
    const rest = readFundingRates(store, { market: 'perp_0', limit: 2, since: MIDNIGHT, before });
    expect(rest.map(({ recordId }) => recordId)).toEqual([43n, 42n]);
    expect(readFundingRates(store, { market: 'perp_0', limit: 9, since: MIDNIGHT * 2 })).toEqual(
      [],
    );
    expect(readFundingRates(store, { market: 'perp_1', limit: 9 })).toEqual([]);
  });
});
