/** Bodies from a real store on disk match the written records, in any order of writing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FundingRatesQuery, TradesQuery } from '../../contract/history-queries.js';
import { bucketReader } from '../candles/read-candles.js';
import type { HistoryMarket } from '../model/records.js';
import type { HistoryStore } from '../store/store.js';
import {
  cleanUp,
  type Fill,
  fill,
  fundingRate,
  MIDNIGHT,
  newStore,
  signature,
  transaction,
} from '../store/testing.js';
import { type BodyQuery, makeBody, type RowReader } from './make-body.js';
import { SOL_PERP } from './testing.js';

const TRADES: TradesQuery = { kind: 'trades', market: 'perp_0', limit: 10, form: 'spec' };
const RATES: FundingRatesQuery = {
  ...{ kind: 'fundingRates', market: 'perp_0', limit: 1_000, since: 0, form: 'spec' },
};

afterAll(cleanUp);

function readerOf(store: HistoryStore): RowReader {
  return { ...bucketReader(store), readRecords: (query) => store.readRecords(query) };
}

function ask(store: HistoryStore, query: BodyQuery, market: HistoryMarket = SOL_PERP) {
  const context = { reader: readerOf(store), market, finalisedSlot: 0 };
  const { body, nextCursor } = makeBody(query, context);
  return { text: Buffer.from(body).toString(), next: nextCursor };
}

interface Trade {
  readonly fillRecordId: number;
  readonly txSig: string;
}

function tradesOf(store: HistoryStore, change: Partial<TradesQuery> = {}) {
  const { text, next } = ask(store, { ...TRADES, ...change });
  const trades: Trade[] = JSON.parse(text);
  return { ids: trades.map(({ fillRecordId }) => fillRecordId), next, trades };
}

function filled(id: number, at: Parameters<typeof transaction>[0] = {}, parts: Partial<Fill> = {}) {
  const fills = [fill({ fillRecordId: BigInt(id), ts: MIDNIGHT + id, ...parts })];
  return transaction({ signature: signature(id), slot: id, fills, ...at });
}

function countDown(from: number, to: number): number[] {
  return Array.from({ length: from - to + 1 }, (_, at) => from - at);
}

function walk(store: HistoryStore, limit: number, between: (page: number) => void) {
  const ids: number[] = [];
  let before: string | undefined;
  for (let page = 0; page < 1_000; page += 1) {
    const found = tradesOf(store, before === undefined ? { limit } : { limit, before });
    ids.push(...found.ids);
    if (found.next === null) return ids;
    before = found.next;
    between(page);
  }
  throw new Error('the pages have no end');
}

describe('pages of the store', () => {
  test('join while trades are written, older ones too, and each has all rows of the time', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: countDown(200, 101).map((id) => filled(id, {})) });
    let [newest, oldest] = [200, 101];
    const ids = walk(store, 9, () => {
      newest += 1;
      oldest -= 1;
      store.writeBatch({ transactions: [filled(newest, {}), filled(Math.max(oldest, 1), {})] });
    });
    expect(ids).toEqual(countDown(200, ids.at(-1) ?? 0));
    expect(ids.length).toBeGreaterThan(100);
  });

  test('join while the finalised listing moves places within slots', async () => {
    const store = await newStore();
    const slotOf = (id: number) => 10 + Math.floor(id / 8);
    const at = (id: number, place: number) => ({
      signature: signature(id),
      slot: slotOf(id),
      place,
    });
    const ids = countDown(120, 1);
    // The listing has the true order; live notifications arrived reversed.
    store.writeBatch({ transactions: ids.map((id) => filled(id, at(id, 7 - (id % 8)))) });
    const walked = walk(store, 7, (page) => {
      const settled = ids.filter((id) => slotOf(id) === slotOf(120 - page * 6));
      store.finaliseTransactions(settled.map((id) => at(id, id % 8)));
    });
    expect(walked).toEqual(ids);
  });

  test('lose nothing of a full page of the largest size', async () => {
    const store = await newStore();
    const ids = countDown(2_500, 1);
    store.writeBatch({
      transactions: ids.map((id) => filled(id, { slot: 10 + Math.floor(id / 40), place: id % 40 })),
    });
    for (const limit of [1_000, 999, 968]) expect(walk(store, limit, () => {})).toEqual(ids);
    expect(tradesOf(store, { limit: 1_000, pageIndex: 2 }).ids).toEqual(countDown(500, 1));
  });

  test('have no transaction that a fork took back, and no position transfer', async () => {
    const store = await newStore();
    const transfer = { actionExplanation: 'transferPerpPosition' };
    store.writeBatch({
      transactions: [filled(1, {}), filled(2, {}, transfer), filled(3, {}), filled(4, {})],
    });
    const first = tradesOf(store, { limit: 1 });
    expect(first.ids).toEqual([4]);
    store.removeTransactions([signature(3), signature(4)]);
    expect(tradesOf(store, { before: first.next ?? '' }).ids).toEqual([1]);
    expect(tradesOf(store, { limit: 1, pageIndex: 1 }).ids).toEqual([]);
  });
});

test('integers of any size, keys and signatures come back as they were written', async () => {
  const store = await newStore();
  const huge = fill({
    fillRecordId: 2n ** 63n - 1n,
    baseAssetAmountFilled: 2n ** 64n - 1n,
    quoteAssetAmountFilled: 2n ** 53n + 1n,
    makerFee: -(2n ** 63n),
    oraclePrice: 2n ** 62n + 1n,
  });
  store.writeBatch({ transactions: [filled(7, { fills: [huge] })] });
  const { text } = ask(store, TRADES);
  expect(text).toContain('"baseAssetAmountFilled":18446744073709551615,');
  expect(text).toContain('"quoteAssetAmountFilled":9007199254740993,');
  expect(text).toContain('"makerFee":-9223372036854775808,');
  expect(text).toContain('"fillRecordId":9223372036854775807,');
  expect(text).toContain('"oraclePrice":4611686018427387905}');
  const [trade] = JSON.parse(text);
  expect(trade).toMatchObject({ txSig: signature(7), taker: huge.taker, maker: huge.maker });
});

describe('funding rates of the store', () => {
  let store: HistoryStore;

  beforeAll(async () => {
    store = await newStore();
    const records = countDown(50, 1).map((hour) => ({
      ...{ signature: signature(hour), slot: hour * 10 },
      fundingRates: [
        fundingRate({ recordId: BigInt(hour), ts: MIDNIGHT + hour * 3_600 }),
        fundingRate({
          recordId: BigInt(hour),
          ts: MIDNIGHT + hour * 3_600,
          index: 1,
          marketIndex: 1,
        }),
      ],
    }));
    store.writeBatch({ transactions: records.map(transaction) });
  });

  test('are of their market and of the window, newest first', () => {
    const since = MIDNIGHT + 40 * 3_600;
    const rows: { ts: number; marketIndex: number }[] = JSON.parse(
      ask(store, { ...RATES, since }).text,
    );
    expect(rows.map(({ ts }) => (ts - MIDNIGHT) / 3_600)).toEqual(countDown(50, 40));
    expect(new Set(rows.map(({ marketIndex }) => marketIndex))).toEqual(new Set([0]));
    expect(ask(store, { ...RATES, since: MIDNIGHT + 10 ** 9 }).text).toBe('[]');
  });

  test('have pages that join and end with the window', () => {
    const since = MIDNIGHT + 11 * 3_600;
    const hours: number[] = [];
    let before: string | null = null;
    do {
      const page = { ...RATES, since, limit: 7, ...(before === null ? {} : { before }) };
      const { text, next } = ask(store, page);
      hours.push(...JSON.parse(text).map(({ ts }: { ts: number }) => (ts - MIDNIGHT) / 3_600));
      before = next;
    } while (before !== null);
    expect(hours).toEqual(countDown(50, 11));
  });
});

describe('candles of the store', () => {
  const query = { kind: 'candles', market: 'perp_0', resolution: '1' } as const;
  const now = MIDNIGHT + 600;
  let store: HistoryStore;

  beforeAll(async () => {
    store = await newStore();
    const at = (id: number, seconds: number, price: bigint) =>
      filled(id, {}, { ts: MIDNIGHT + seconds, quoteAssetAmountFilled: price * 2n });
    store.writeBatch({
      transactions: [at(1, 5, 100_000_000n), at(2, 50, 103_500_000n), at(3, 130, 101_000_001n)],
    });
  });

  const plain = (text: string): Record<string, number>[] => JSON.parse(text);

  test('are ascending and without a gap, flat where nobody traded', () => {
    const candles = plain(ask(store, { ...query, limit: 1_000, now, form: 'spec' }).text);
    expect(candles.map(({ ts }) => ts)).toEqual(
      Array.from({ length: 11 }, (_, minute) => MIDNIGHT + minute * 60),
    );
    expect(candles[0]).toEqual({
      ...{ ts: MIDNIGHT, fillOpen: 100, fillHigh: 103.5, fillLow: 100, fillClose: 103.5 },
      ...{ oracleOpen: 100.5, oracleHigh: 100.5, oracleLow: 100.5, oracleClose: 100.5 },
      ...{ baseVolume: 4, quoteVolume: 407 },
    });
    expect(candles[1]).toMatchObject({ fillOpen: 103.5, fillClose: 103.5, baseVolume: 0 });
    expect(candles[2]).toMatchObject({ fillOpen: 103.5, fillHigh: 103.5, fillLow: 101.000001 });
  });

  test('have inclusive bounds, and the newest when there are more than the limit', () => {
    const of = (change: object) =>
      plain(ask(store, { ...query, limit: 1_000, now, form: 'spec', ...change }).text).map(
        ({ ts = 0 }) => (ts - MIDNIGHT) / 60,
      );
    expect(of({ from: MIDNIGHT + 60, to: MIDNIGHT + 180 })).toEqual([1, 2, 3]);
    expect(of({ from: MIDNIGHT + 61, to: MIDNIGHT + 179 })).toEqual([2]);
    expect(of({ limit: 2 })).toEqual([9, 10]);
    expect(of({ limit: 2, from: MIDNIGHT })).toEqual([9, 10]);
    expect(of({ limit: 2, to: MIDNIGHT + 240 })).toEqual([3, 4]);
    expect(of({ to: MIDNIGHT - 1 })).toEqual([]);
    expect(of({ from: now + 60 })).toEqual([]);
  });

  test('as records are the same, newest first', () => {
    const asked = { ...query, limit: 4, now };
    const spec = plain(ask(store, { ...asked, form: 'spec' }).text);
    const { success, records } = JSON.parse(ask(store, { ...asked, form: 'records' }).text);
    expect([success, records]).toEqual([true, [...spec].reverse()]);
  });

  test('of a market without a trade are none', () => {
    const asked = { ...query, market: 'perp_9', limit: 10, now, form: 'spec' } as const;
    expect(ask(store, asked).text).toBe('[]');
  });
});
