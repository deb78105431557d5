import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { loggedRecords, otherBytes, readFill } from '../../../test/support/logged-records.js';
import { MemoryStore } from '../../../test/support/memory-store.js';
import type { MarketKey } from '../../contract/markets.js';
import { candleRules } from '../candles/rules.js';
import { marketKeyOf, type RecordRow, type TransactionRecords } from '../model/records.js';
import { accountPage } from './record-pages.js';
import type { HistoryStore } from './store.js';
import {
  accountKey,
  cleanUp,
  defectsOf,
  type Fill,
  fill,
  fillOf,
  MIDNIGHT,
  newFolder,
  newStore,
  readTrades,
  rebuildCandles,
  signature,
  type TradeRow,
  transaction,
} from './testing.js';
import type { CandleMinutes } from './types.js';

/** Compares the store with a plain map of transactions, through random writes, removals and restarts. */
const markets: readonly MarketKey[] = ['perp_0', 'perp_1', 'spot_0'];
const signatures = 24;
/** The account of a settlement in each transaction. */
const SETTLER = accountKey(77);
/** The first final place: provisional places are below, so the two never collide. */
const finalPlaces = 1_000;

type Step =
  | { readonly kind: 'write'; readonly batch: readonly TransactionRecords[] }
  | { readonly kind: 'remove'; readonly numbers: readonly number[] }
  | { readonly kind: 'settle'; readonly numbers: readonly number[] }
  | { readonly kind: 'learn' }
  | { readonly kind: 'restart' };

interface Version {
  readonly number: number;
  readonly slot: number;
  readonly isFinal: boolean;
  readonly isTruncated: boolean;
}

/** The records of a transaction: constant per slot, and different in another slot. */
function recordsOf({ number, slot, isFinal, isTruncated }: Version): TransactionRecords {
  const fills = Array.from({ length: (number + slot) % 4 }, (_, index): Fill => {
    const dice = number * 31 + slot * 17 + index * 7;
    return fill({
      index,
      ts: MIDNIGHT + ((dice * 997) % 9_000),
      marketType: dice % 3 === 2 ? 'spot' : 'perp',
      marketIndex: dice % 3 === 1 ? 1 : 0,
      fillRecordId: BigInt(number * 8 + (slot % 2) * 4 + index),
      baseAssetAmountFilled: BigInt(1 + (dice % 5)) * 1_000_000_000n,
      quoteAssetAmountFilled: BigInt(1 + ((dice * 13) % 400)) * 1_000_000n,
      oraclePrice: BigInt(90 + (dice % 20)) * 1_000_000n,
    });
  });
  const settled = { ts: MIDNIGHT, user: SETTLER, marketIndex: 0, pnl: number, explanation: 0 };
  const amounts = { baseAssetAmount: slot, quoteAssetAmountAfter: 0, quoteEntryAmount: 0 };
  const bytes = otherBytes('SettlePnlRecord', { ...settled, ...amounts, settlePrice: 1 });
  const others = loggedRecords(isTruncated ? [] : [{ index: 9, bytes }]);
  const one = transaction({
    signature: signature(number),
    slot,
    place: isFinal ? finalPlaces + number : number,
    isFinal,
    isTruncated,
    fills: isTruncated ? fills.slice(0, 1) : fills,
  });
  return { ...one, records: [...one.records, ...others] };
}

/** The plain store of ingestion, and what pages of it have. */
class Model extends MemoryStore {
  /** Of spot markets; set by a step, and unset after a restart. */
  decimals: number | null = null;

  trades(market: MarketKey): readonly TradeRow[] {
    const rows = this.all.flatMap(({ records, slot, place, signature }) =>
      records
        .filter(({ kind }) => kind === 'trade')
        .map(({ bytes, index }): TradeRow => {
          return { ...readFill(bytes, index), slot, place, txSig: signature };
        }),
    );
    return rows
      .filter((row) => marketKeyOf(row) === market)
      .sort((a, b) => b.slot - a.slot || Number((b.fillRecordId ?? 0n) - (a.fillRecordId ?? 0n)));
  }
}

const version = fc.record({
  number: fc.nat(signatures - 1),
  slot: fc.integer({ min: 1, max: 9 }),
  isFinal: fc.boolean(),
  isTruncated: fc.integer({ min: 0, max: 5 }).map((dice) => dice === 0),
});
const numbers = fc.array(fc.nat(signatures - 1), { maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(version, { maxLength: 8 })
      .map((versions): Step => ({ kind: 'write', batch: versions.map(recordsOf) })),
  },
  { weight: 3, arbitrary: numbers.map((some): Step => ({ kind: 'remove', numbers: some })) },
  { weight: 2, arbitrary: numbers.map((some): Step => ({ kind: 'settle', numbers: some })) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'learn' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
);

/** Applies a step to both; a restart replaces the store. */
async function take(
  given: Step,
  both: { readonly store: HistoryStore; readonly model: Model; readonly folder: string },
): Promise<HistoryStore> {
  const { store, model } = both;
  if (given.kind === 'restart') {
    store.close();
    model.decimals = null;
    return newStore(both.folder, () => model.decimals);
  }
  if (given.kind === 'learn') {
    model.decimals = 6;
    return store;
  }
  for (const one of [store, model]) {
    if (given.kind === 'write') one.writeBatch({ transactions: given.batch });
    else if (given.kind === 'remove') one.removeTransactions(given.numbers.map(signature));
  }
  if (given.kind === 'settle') {
    const places = given.numbers.map((number) => ({
      signature: signature(number),
      slot: model.find(signature(number))?.slot ?? 1,
      place: finalPlaces + number,
    }));
    for (const one of [store, model]) one.finaliseTransactions(places);
  }
  return store;
}

/** The settlements of the account, by slot and signature: each once. */
function settlements(store: HistoryStore): readonly string[] {
  const query = { account: SETTLER, kind: 'settlePnl', markets: [0], limit: 1_000 } as const;
  const rows = store.runRead((parts) => accountPage(parts, query));
  return rows.map(({ slot, txSig, bytes }) => `${slot} ${txSig} ${hexOf(bytes)}`).sort();
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** All trades of a market, by cursors of a few rows each. */
function walked(store: HistoryStore, market: MarketKey): readonly TradeRow[] {
  const rows: RecordRow[] = [];
  for (;;) {
    const before = rows.at(-1);
    const page = store.readRecords({
      kind: 'trade',
      market,
      limit: 5,
      ...(before === undefined ? {} : { before }),
    });
    if (page.length === 0) return rows.map(fillOf);
    rows.push(...page);
  }
}

/** The sum of some fills, independent of the candle rules except for the point of each. */
function plainSum(rows: readonly TradeRow[]) {
  const points = rows
    .map((row) => {
      const { ts, oraclePrice: oracle } = row;
      const [id, base] = [row.fillRecordId ?? 0n, row.baseAssetAmountFilled ?? 0n];
      const fill = { ts, id, base, quote: row.quoteAssetAmountFilled ?? 0n, oracle };
      return candleRules.pointOf(fill, row.marketType === 'spot' ? 6 : 9);
    })
    .filter((point) => point !== null)
    .sort((a, b) => Number(a.fillRecordId - b.fillRecordId));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const sorted = (values: readonly bigint[]) => [...values].sort((a, b) => (a < b ? -1 : 1));
  const prices = sorted(points.map(({ price }) => price));
  const oracles = sorted(points.map(({ oracle }) => oracle));
  const end = ({ fillRecordId, ts, price, oracle }: typeof first) => ({
    fillRecordId,
    ts,
    price,
    oracle,
  });
  return {
    first: end(first),
    last: end(last),
    high: prices.at(-1),
    low: prices[0],
    oracleHigh: oracles.at(-1),
    oracleLow: oracles[0],
    base: points.reduce((sum, { base }) => sum + base, 0n),
    quote: points.reduce((sum, { quote }) => sum + quote, 0n),
    count: points.length,
  };
}

function expectSameCandles(
  store: HistoryStore,
  market: MarketKey,
  rows: readonly TradeRow[],
): void {
  for (const minutes of candleRules.minutes) {
    const buckets = new Map<number, TradeRow[]>();
    for (const row of rows) {
      const start = candleRules.bucketStart(minutes, row.ts);
      buckets.set(start, [...(buckets.get(start) ?? []), row]);
    }
    const expected = [...buckets]
      .sort(([a], [b]) => a - b)
      .map(([start, those]) => ({ market, minutes, start, ...plainSum(those) }));
    expect(store.readCandles({ market, minutes, limit: 1_000 })).toEqual(expected);
  }
}

function expectSame(store: HistoryStore, model: Model): void {
  for (const market of markets) {
    const rows = model.trades(market);
    expect(readTrades(store, { market, limit: 1_000 })).toEqual(rows);
    expect(walked(store, market)).toEqual(rows);
    expectSameCandles(store, market, rows);
    expect(store.findGaps(market).missing).toBe(plainMissing(rows));
    for (const [from, to] of [
      [0, 9_000],
      [61, 3_700],
      [3_599, 3_601],
      [1_000, 1_030],
    ] as const) {
      const span = { from: MIDNIGHT + from, to: MIDNIGHT + to };
      const inSpan = rows.filter(({ ts }) => ts >= span.from && ts < span.to);
      expect(store.aggregateSpan(market, span)).toEqual(plainSum(inSpan));
      const earlier = rows.filter(({ ts }) => ts < span.to);
      expect(store.lastFillBefore(market, span.to) === null).toBe(earlier.length === 0);
    }
  }
  const logged = model.all.flatMap(({ slot, signature, records }) => {
    const settled = records.filter(({ kind }) => kind === 'settlePnl');
    return settled.map(({ bytes }) => `${slot} ${signature} ${hexOf(bytes)}`);
  });
  expect(settlements(store)).toEqual(logged.sort());
  expect(store.readTotals()).toMatchObject({
    trades: markets.reduce((sum, market) => sum + model.trades(market).length, 0),
    transactions: model.all.length,
  });
  const unsettled = model.all.filter(({ isFinal }) => !isFinal);
  expect(store.readUnfinalised({ slotAfter: 0, slotUpTo: 10 })).toHaveLength(unsettled.length);
}

function plainMissing(rows: readonly TradeRow[]): bigint {
  const ids = [...new Set(rows.map(({ fillRecordId }) => fillRecordId ?? 0n))];
  const sorted = ids.sort((a, b) => (a < b ? -1 : 1));
  const [first, last] = [sorted[0], sorted.at(-1)];
  return first === undefined || last === undefined ? 0n : last - first + 1n - BigInt(ids.length);
}

afterEach(cleanUp);

describe('the store against a plain model', () => {
  test('random writes, repeats, removals, places, decimals and restarts leave the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const folder = newFolder();
        const model = new Model();
        let store = await newStore(folder, () => model.decimals);
        for (const one of steps) store = await take(one, { store, model, folder });
        model.decimals = 6;
        store.writeBatch({ transactions: [] });
        expectSame(store, model);
        const candles = candleRules.minutes.map((minutes: CandleMinutes) =>
          store.readCandles({ market: 'perp_0', minutes, limit: 1_000 }),
        );
        rebuildCandles(store, 'perp_0');
        expect(
          candleRules.minutes.map((minutes) =>
            store.readCandles({ market: 'perp_0', minutes, limit: 1_000 }),
          ),
        ).toEqual(candles);
        expect(defectsOf(store)).toEqual([]);
        cleanUp();
      }),
      { numRuns: Number(process.env['STORE_RUNS'] ?? 40) },
    );
  }, 600_000);
});
