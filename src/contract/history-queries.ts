import type { MarketKey } from './markets.js';
import type { Resolution } from './resolutions.js';

/**
 * Formats of rows: `spec` is slotbook's own, `records` the Drift v2 data API's (an envelope around
 * decimal texts), and `named` the one of that API's older paths by `marketName` or `marketIndex`.
 */
export type BodyForm = 'spec' | 'records' | 'named';

interface PageQuery {
  readonly market: MarketKey;
  /** Maximum rows. */
  readonly limit: number;
  /** Pages of `limit` rows to skip, the newest first; not together with `before`. */
  readonly pageIndex?: number;
  /** The cursor of an earlier response: returns older rows. */
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
  /** Only rows from this time on, in unix seconds. */
  readonly since: number;
}

/** Candles of a market. */
export interface CandlesQuery {
  readonly kind: 'candles';
  readonly market: MarketKey;
  readonly resolution: Resolution;
  /** Maximum candles: the newest in the range. */
  readonly limit: number;
  /** The earliest start of a candle, in unix seconds, inclusive; absent for none. */
  readonly from?: number;
  /** The latest start, likewise; absent for `now`. */
  readonly to?: number;
  /** Unix seconds: no candle begins later. */
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
  /** From 1 on. */
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
  /** Maximum rows. */
  readonly limit: number;
  /** The cursor of an earlier response: returns older rows. */
  readonly before?: string;
}

/** Traded volumes of all markets. */
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

/** The queries of the history. */
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
  /** JSON, or CSV if requested; the bytes are immutable. */
  readonly body: Uint8Array;
  /** The cursor of the next page, for `before`; null for none. */
  readonly nextCursor: string | null;
  /** Whether the result is immutable; absent for no. */
  readonly isFinal?: boolean;
}
