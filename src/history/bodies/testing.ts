/** Rows in memory, for tests of bodies: the store's queries in plain code. */
import {
  fillBytes,
  fundingRateBytes,
  loggedRecords,
} from '../../../test/support/logged-records.js';
import type { HistoryMarket, RecordPosition, RecordRow } from '../model/records.js';
import { marketCode } from '../store/columns.js';
import { type Fill, type FundingRate, fill, fundingRate } from '../store/testing.js';
import type { RecordPageQuery } from '../store/types.js';
import type { RowReader } from './make-body.js';

/** A perp market and a spot market of six decimals. */
export const SOL_PERP: HistoryMarket = {
  key: 'perp_0',
  symbol: 'SOL-PERP',
  marketType: 'perp',
  marketIndex: 0,
  decimals: 9,
};
export const USDT: HistoryMarket = {
  key: 'spot_5',
  symbol: 'USDT',
  marketType: 'spot',
  marketIndex: 5,
  decimals: 6,
};

/** The account of all roles. */
export const KEY = 'J7GaZ3MytLoudXZevXjVfSkNqmiqSMyWjWRzdAPwQEFg';

/** A trade between two users, the first of its market. */
export function tradeRow(change: Partial<Fill & Placed> = {}): RecordRow {
  const one = fill({
    index: 1,
    ts: 1_700_000_000,
    filler: KEY,
    fillerReward: 10_000n,
    baseAssetAmountFilled: 1_500_000_000n,
    quoteAssetAmountFilled: 225_000_000n,
    takerFee: 225_000n,
    makerFee: -45_000n,
    referrerReward: 0,
    taker: KEY,
    takerOrderBaseAssetAmount: 2_000_000_000n,
    takerOrderCumulativeBaseAssetAmountFilled: 1_500_000_000n,
    takerOrderCumulativeQuoteAssetAmountFilled: 225_000_000n,
    maker: KEY,
    makerOrderId: 4_294_967_295,
    makerOrderBaseAssetAmount: 1_500_000_000n,
    makerOrderCumulativeBaseAssetAmountFilled: 1_500_000_000n,
    makerOrderCumulativeQuoteAssetAmountFilled: 225_000_000n,
    oraclePrice: 150_012_345n,
    makerExistingQuoteEntryAmount: null,
    makerExistingBaseAssetAmount: null,
    ...change,
  });
  return rowOf({ index: one.index, bytes: fillBytes(one) }, { txSig: '5'.repeat(88), ...change });
}

/** A funding rate, the first of its market. */
export function fundingRow(change: Partial<FundingRate & Placed> = {}): RecordRow {
  const rate = fundingRate({
    ts: 1_700_000_000,
    fundingRate: 1_500_000n,
    fundingRateLong: 1_500_000n,
    fundingRateShort: 1_400_000n,
    cumulativeFundingRateLong: 123_456_789_012n,
    cumulativeFundingRateShort: -123_456_789_012n,
    oraclePriceTwap: 150_000_000n,
    markPriceTwap: 150_123_400n,
    periodRevenue: -5_000_001n,
    baseAssetAmountWithAmm: -7_000_000_000n,
    ...change,
  });
  const logged = { index: rate.index, bytes: fundingRateBytes(rate) };
  return rowOf(logged, { txSig: '4'.repeat(88), ...change });
}

/** The place of a record. */
type Placed = Pick<RecordRow, 'slot' | 'place' | 'txSig'>;

function rowOf(
  record: { readonly index: number; readonly bytes: Uint8Array },
  { slot = 1_000, place = 0, txSig = '' }: Partial<Placed>,
): RecordRow {
  const [logged] = loggedRecords([record]);
  if (logged === undefined) throw new Error('Invariant: a record has a head');
  const { parties: _, fill: __, id, ...rest } = logged;
  return { program: 'drift', slot, place, txSig, ...rest, id: id ?? -1n };
}

/** A store of arrays. Tests may append rows at any time, in any order. */
export class MemoryRows implements RowReader {
  readonly tradeRows: RecordRow[] = [];
  readonly fundingRows: RecordRow[] = [];
  rowsRead = 0;

  readRecords({ kind, market, ...rest }: RecordPageQuery): readonly RecordRow[] {
    const rows = kind === 'trade' ? this.tradeRows : this.fundingRows;
    return this.#page(
      rows.filter((row) => row.kind === kind && row.market === marketCode(market)),
      rest,
    );
  }

  buckets(): [] {
    return [];
  }

  lastBucketBefore(): null {
    return null;
  }

  #page(
    rows: readonly RecordRow[],
    { limit, offset = 0, before, since = 0 }: Omit<RecordPageQuery, 'kind' | 'market'>,
  ): readonly RecordRow[] {
    const found = rows
      .filter((row) => row.ts >= since && (before === undefined || compare(row, before) < 0))
      .sort((left, right) => compare(right, left))
      .slice(offset, offset + limit);
    this.rowsRead += found.length;
    return found;
  }
}

function compare(left: RecordPosition, right: RecordPosition): number {
  return left.slot - right.slot || Number(left.id - right.id);
}
