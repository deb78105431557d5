/** Rows in memory, for tests of bodies: the store's queries in plain code. */
import {
  type FundingRow,
  type HistoryMarket,
  marketKeyOf,
  type TradeRow,
} from '../model/records.js';
import type { RecordPageQuery, RecordPosition } from '../store/types.js';
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

const KEY = 'J7GaZ3MytLoudXZevXjVfSkNqmiqSMyWjWRzdAPwQEFg';

/** A trade between two users, the first of its market. */
export function tradeRow(change: Partial<TradeRow> = {}): TradeRow {
  return {
    slot: 1_000,
    place: 0,
    index: 1,
    txSig: '5'.repeat(88),
    ts: 1_700_000_000,
    action: 'fill',
    actionExplanation: 'orderFilledWithMatch',
    marketIndex: 0,
    marketType: 'perp',
    filler: KEY,
    fillerReward: 10_000n,
    fillRecordId: 1n,
    baseAssetAmountFilled: 1_500_000_000n,
    quoteAssetAmountFilled: 225_000_000n,
    takerFee: 225_000n,
    makerFee: -45_000n,
    referrerReward: 0,
    quoteAssetAmountSurplus: 0n,
    spotFulfillmentMethodFee: null,
    taker: KEY,
    takerOrderId: 7,
    takerOrderDirection: 'long',
    takerOrderBaseAssetAmount: 2_000_000_000n,
    takerOrderCumulativeBaseAssetAmountFilled: 1_500_000_000n,
    takerOrderCumulativeQuoteAssetAmountFilled: 225_000_000n,
    maker: KEY,
    makerOrderId: 4_294_967_295,
    makerOrderDirection: 'short',
    makerOrderBaseAssetAmount: 1_500_000_000n,
    makerOrderCumulativeBaseAssetAmountFilled: 1_500_000_000n,
    makerOrderCumulativeQuoteAssetAmountFilled: 225_000_000n,
    oraclePrice: 150_012_345n,
    bitFlags: 0,
    takerExistingQuoteEntryAmount: null,
    takerExistingBaseAssetAmount: null,
    makerExistingQuoteEntryAmount: null,
    makerExistingBaseAssetAmount: null,
    ...change,
  };
}

/** A funding rate, the first of its market. */
export function fundingRow(change: Partial<FundingRow> = {}): FundingRow {
  return {
    slot: 1_000,
    place: 0,
    index: 0,
    txSig: '4'.repeat(88),
    ts: 1_700_000_000,
    recordId: 1n,
    marketIndex: 0,
    fundingRate: 1_500_000n,
    fundingRateLong: 1_500_000n,
    fundingRateShort: 1_400_000n,
    cumulativeFundingRateLong: 123_456_789_012n,
    cumulativeFundingRateShort: -123_456_789_012n,
    oraclePriceTwap: 150_000_000n,
    markPriceTwap: 150_123_400n,
    periodRevenue: -5_000_001n,
    baseAssetAmountWithAmm: -7_000_000_000n,
    baseAssetAmountWithUnsettledLp: 0n,
    ...change,
  };
}

/** A store of arrays. Tests may append rows at any time, in any order. */
export class MemoryRows implements RowReader {
  readonly tradeRows: TradeRow[] = [];
  readonly fundingRows: FundingRow[] = [];
  rowsRead = 0;

  readTrades({ market, ...rest }: RecordPageQuery): readonly TradeRow[] {
    return this.#page(
      this.tradeRows.filter((row) => marketKeyOf(row) === market),
      rest,
    );
  }

  readFundingRates({ market, ...rest }: RecordPageQuery): readonly FundingRow[] {
    const rows = this.fundingRows.filter((row) => market === `perp_${row.marketIndex}`);
    return this.#page(rows, rest);
  }

  buckets(): [] {
    return [];
  }

  lastBucketBefore(): null {
    return null;
  }

  #page<Row extends RecordPosition & { readonly ts: number }>(
    rows: readonly Row[],
    { limit, offset = 0, before, since = 0 }: Omit<RecordPageQuery, 'market'>,
  ): readonly Row[] {
    const found = rows
      .filter((row) => row.ts >= since && (before === undefined || compare(row, before) < 0))
      .sort((left, right) => compare(right, left))
      .slice(offset, offset + limit);
    this.rowsRead += found.length;
    return found;
  }
}

function compare(left: RecordPosition, right: RecordPosition): number {
  return left.slot - right.slot || left.place - right.place || left.index - right.index;
}
