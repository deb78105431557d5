/** Stores and records for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Fill,
  type FundingRate,
  fillBytes,
  fundingRateBytes,
  loggedRecords,
  readFill,
  readRate,
} from '../../../test/support/logged-records.js';
import type { MarketKey } from '../../contract/markets.js';
import { candleRules } from '../candles/rules.js';
import type { RecordRow, TransactionRecords } from '../model/records.js';
import { encodeBase58 } from './base58.js';
import { marketCode } from './columns.js';
import { kindCode } from './record-rows.js';
import { type HistoryStore, openStore } from './store.js';
import type { RecordPageQuery, StoreOptions } from './types.js';

export type { Fill, FundingRate } from '../../../test/support/logged-records.js';

/** A genesis hash of a fictitious chain. */
export const GENESIS = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';

/** A time on the minute, the hour and the day. */
export const MIDNIGHT = 1_700_006_400;

/** Folders that `cleanUp` removes. */
const folders: string[] = [];
const stores: HistoryStore[] = [];

let open: (options: StoreOptions) => Promise<HistoryStore> = openStore;

/** Runs the tests on another engine, which has a store for each folder. */
export function openStoresBy(opener: typeof open): void {
  open = opener;
}

/** An empty folder. */
export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-store-'));
  folders.push(folder);
  return folder;
}

/** A store in a folder, by default a new one; spot markets have six decimals. */
export async function newStore(
  folder = newFolder(),
  decimalsOf: (market: MarketKey) => number | null = spotDecimals,
): Promise<HistoryStore> {
  const store = await open({ folder, genesisHash: GENESIS, rules: candleRules, decimalsOf });
  stores.push(store);
  return store;
}

/** Spot markets of the tests have six decimals. */
export function spotDecimals(_market: MarketKey): number | null {
  return 6;
}

/** Closes the stores and removes the folders that were made here. */
export function cleanUp(): void {
  for (const store of stores.splice(0)) store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Reads the whole file of a store and returns its defects; none of a database, whose server checks it. */
export function defectsOf(store: HistoryStore): readonly string[] {
  return store.runRead(({ connection }) => {
    if (connection.engine === 'postgres') return [];
    const rows = connection.readRows('pragma integrity_check(100)');
    return rows.map(([problem]) => String(problem)).filter((problem) => problem !== 'ok');
  });
}

/** Makes the candles of a market anew from its trades, where they are kept. */
export function rebuildCandles(store: HistoryStore, market: MarketKey): void {
  store.runRead(({ connection, candles }) => {
    const code = marketCode(market);
    const times = 'select ts from records where kind = ? and market = ?';
    const starts = 'select start from candles where market = ? and minutes = 1';
    const rows = connection.readRows(`${times} union ${starts}`, [kindCode('trade'), code, code]);
    connection.runTransaction(() => {
      for (const [ts] of rows) candles.markStale(code, Number(ts));
      candles.writeChanges();
    });
  });
}

/** The key of an account, by number. */
export function accountKey(number: number): string {
  return encodeBase58(bytesOf(number, 32));
}

/** A signature, by number. */
export function signature(number: number): string {
  return encodeBase58(bytesOf(number, 64));
}

function bytesOf(number: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length).fill(7);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

/** A fill of SOL-PERP against a maker: by default 2 base at a price of 100. */
export function fill(parts: Partial<Fill> = {}): Fill {
  return {
    index: 0,
    ts: MIDNIGHT,
    action: 'fill',
    actionExplanation: 'orderFilledWithMatch',
    marketIndex: 0,
    marketType: 'perp',
    filler: accountKey(1),
    fillerReward: 1_000n,
    fillRecordId: 1n,
    baseAssetAmountFilled: 2_000_000_000n,
    quoteAssetAmountFilled: 200_000_000n,
    takerFee: 20_000n,
    makerFee: -4_000n,
    referrerReward: 5,
    quoteAssetAmountSurplus: 0n,
    spotFulfillmentMethodFee: null,
    taker: accountKey(2),
    takerOrderId: 7,
    takerOrderDirection: 'long',
    takerOrderBaseAssetAmount: 4_000_000_000n,
    takerOrderCumulativeBaseAssetAmountFilled: 2_000_000_000n,
    takerOrderCumulativeQuoteAssetAmountFilled: 200_000_000n,
    maker: accountKey(3),
    makerOrderId: 9,
    makerOrderDirection: 'short',
    makerOrderBaseAssetAmount: 2_000_000_000n,
    makerOrderCumulativeBaseAssetAmountFilled: 2_000_000_000n,
    makerOrderCumulativeQuoteAssetAmountFilled: 200_000_000n,
    oraclePrice: 100_500_000n,
    bitFlags: 0,
    takerExistingQuoteEntryAmount: null,
    takerExistingBaseAssetAmount: null,
    makerExistingQuoteEntryAmount: 1n,
    makerExistingBaseAssetAmount: 2n,
    ...parts,
  };
}

/** A funding rate of SOL-PERP. */
export function fundingRate(parts: Partial<FundingRate> = {}): FundingRate {
  return {
    index: 0,
    ts: MIDNIGHT,
    recordId: 1n,
    marketIndex: 0,
    fundingRate: 12_000_000n,
    fundingRateLong: 12_000_000n,
    fundingRateShort: 11_000_000n,
    cumulativeFundingRateLong: 5_000_000_000n,
    cumulativeFundingRateShort: -5_000_000_000n,
    oraclePriceTwap: 100_000_000n,
    markPriceTwap: 100_100_000n,
    periodRevenue: -1n,
    baseAssetAmountWithAmm: -3_000_000_000n,
    baseAssetAmountWithUnsettledLp: 0n,
    ...parts,
  };
}

/** A transaction of a slot; by default its place is 0 and its signature derives from the slot. */
export function transaction({
  fills = [],
  fundingRates = [],
  ...parts
}: Partial<TransactionRecords> & {
  readonly fills?: readonly Fill[];
  readonly fundingRates?: readonly FundingRate[];
} = {}): TransactionRecords {
  const slot = parts.slot ?? 1;
  const records = [
    ...fills.map((one) => ({ index: one.index, bytes: fillBytes(one) })),
    ...fundingRates.map((one) => ({ index: one.index, bytes: fundingRateBytes(one) })),
  ];
  return {
    signature: signature(slot),
    slot,
    place: 0,
    isFinal: false,
    isTruncated: false,
    records: loggedRecords(records),
    ...parts,
  };
}

/** A transaction with one fill. */
export function oneFill(
  slot: number,
  parts: Partial<Fill> = {},
  more: Partial<TransactionRecords> = {},
): TransactionRecords {
  return transaction({
    slot,
    fills: [fill({ fillRecordId: BigInt(slot), ts: MIDNIGHT + slot, ...parts })],
    ...more,
  });
}

/** A stored fill with its place. */
export type TradeRow = Fill & Pick<RecordRow, 'slot' | 'place' | 'txSig'>;

/** The trades of a market, newest first, decoded apart from the core. */
export function readTrades(
  store: Pick<HistoryStore, 'readRecords'>,
  query: Omit<RecordPageQuery, 'kind'>,
): readonly TradeRow[] {
  return store.readRecords({ kind: 'trade', ...query }).map(fillOf);
}

/** Decodes a stored fill apart from the core. */
export function fillOf({ slot, place, txSig, index, bytes }: RecordRow): TradeRow {
  return { ...readFill(bytes, index), slot, place, txSig };
}

/** The funding rates of a market, likewise. */
export function readFundingRates(
  store: Pick<HistoryStore, 'readRecords'>,
  query: Omit<RecordPageQuery, 'kind'>,
): readonly (FundingRate & Pick<RecordRow, 'slot' | 'place' | 'txSig'>)[] {
  return store.readRecords({ kind: 'fundingRate', ...query }).map((row) => {
    const { slot, place, txSig, index, bytes } = row;
    return { ...readRate(bytes, index), slot, place, txSig };
  });
}
