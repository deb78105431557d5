import type { MarketKey } from './markets.js';

/**
 * How rows are written: `spec` in slotbook's own form, `records` as the Drift v2 data API
 * writes them, an envelope around decimals as text, and `named` as it does on the older paths that name
 * a market by `marketName` or `marketIndex`.
 */
export type BodyForm = 'spec' | 'records' | 'named';

/**
 * Lengths of candles, in minutes; then a day, a week from Monday and a month, all of UTC. `1440`, which
 * clients may ask for as well, is `D` here.
 */
export type Resolution = '1' | '5' | '15' | '60' | '240' | 'D' | 'W' | 'M';

interface PageQuery {
  readonly market: MarketKey;
  /** Rows at most. */
  readonly limit: number;
  /** Pages of `limit` rows to skip, the newest first; not together with `before`. */
  readonly pageIndex?: number;
  /** A cursor of an earlier response: rows older than it. */
  readonly before?: string;
  readonly form: BodyForm;
}

/** Trades of a market, newest first. */
export interface TradesQuery extends PageQuery {
  readonly kind: 'trades';
}

/** Funding rates of a market, newest first. */
export interface FundingRatesQuery extends PageQuery {
  readonly kind: 'fundingRates';
  /** Rows of this time and later, in unix seconds. */
  readonly since: number;
}

/** Candles of a market. */
export interface CandlesQuery {
  readonly kind: 'candles';
  readonly market: MarketKey;
  readonly resolution: Resolution;
  /** Candles at most: the newest in the range. */
  readonly limit: number;
  /** The older bound of a candle's start, in unix seconds, inclusive; absent for none. */
  readonly from?: number;
  /** The newer bound, likewise; absent for `now`. */
  readonly to?: number;
  /** Unix seconds: there is no candle that begins later. */
  readonly now: number;
  /** `spec` is ascending, `records` descending; `udf` has the columns of TradingView's UDF, ascending. */
  readonly form: BodyForm | 'udf';
}

/** The records of one day of a market, oldest first, in pages of one size. */
export interface ArchiveQuery {
  readonly kind: 'archive';
  readonly market: MarketKey;
  readonly records: 'trades' | 'fundingRates';
  /** Unix seconds, inclusive. */
  readonly from: number;
  /** Unix seconds, exclusive. */
  readonly to: number;
  /** 1 is the first. */
  readonly page: number;
  /** `csv` has the members of `records` as columns. */
  readonly form: 'records' | 'csv';
}

/** Trades of one user account in all markets, newest first, as records. */
export interface AccountTradesQuery {
  readonly kind: 'accountTrades';
  /** In base58. */
  readonly account: string;
  /** Only trades of this market. */
  readonly market?: MarketKey;
  /** Rows at most. */
  readonly limit: number;
  /** A cursor of an earlier response: rows older than it. */
  readonly before?: string;
}

/** Sums of what was traded, of all markets. */
export interface VolumesQuery {
  readonly kind: 'volumes';
  /** Unix seconds, inclusive. */
  readonly from: number;
  /** Unix seconds, exclusive. */
  readonly to: number;
}

/** The mean funding rates of all perpetual markets. */
export interface FundingMeansQuery {
  readonly kind: 'fundingMeans';
  /** The end of the periods, unix seconds. */
  readonly now: number;
}

/** What the history can be asked. */
export type HistoryQuery =
  | TradesQuery
  | FundingRatesQuery
  | CandlesQuery
  | ArchiveQuery
  | AccountTradesQuery
  | VolumesQuery
  | FundingMeansQuery;

/** A finished body. */
export interface HistoryBody {
  /** JSON, or CSV where that was asked for; its bytes stay as they are. */
  readonly body: Uint8Array;
  /** Where the next page begins, for `before`; null when there is none. */
  readonly nextCursor: string | null;
  /** Whether nothing that was requested can change any more; absent means that it can. */
  readonly isFinal?: boolean;
}
