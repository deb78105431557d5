import type { MarketKey } from './markets.js';
import type { Resolution } from './resolutions.js';

/**
 * The formats of rows: `spec` is slotbook's own; `records` is that of the Drift v2 data API, an
 * envelope around decimal texts; `named` is that of the same API's older paths with `marketName` or
 * `marketIndex`.
 */
export type BodyForm = 'spec' | 'records' | 'named';

interface PageQuery {
  readonly market: MarketKey;
  /** Maximum rows. */
  readonly limit: number;
  /** The number of pages of `limit` rows to skip, from the newest; excludes `before`. */
  readonly pageIndex?: number;
  /** A cursor from an earlier response, which selects older rows. */
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
  /** The time of the oldest rows, unix seconds. */
  readonly since: number;
}

/** Candles of a market. */
export interface CandlesQuery {
  readonly kind: 'candles';
  readonly market: MarketKey;
  readonly resolution: Resolution;
  /** Maximum candles: the newest in the range. */
  readonly limit: number;
  /** The earliest start of a candle, unix seconds, inclusive; absent for no bound. */
  readonly from?: number;
  /** The latest start, likewise; absent for `now`. */
  readonly to?: number;
  /** Unix seconds: no candle begins later. */
  readonly now: number;
  /**
   * The format and order: `spec` is ascending, `records` descending, and `udf`, the columns of
   * TradingView's UDF, ascending.
   */
  readonly form: BodyForm | 'udf';
}

/** The records of a market on one day, oldest first, in pages of one size. */
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
  /** `csv` has one column for each member of `records`. */
  readonly form: 'records' | 'csv';
}

/** The kinds of records that are served by account. */
export type AccountRecordKind =
  | 'trade'
  | 'fundingPayment'
  | 'deposit'
  | 'settlePnl'
  | 'liquidation'
  | 'order'
  | 'newUser';

/** Records of one account in all markets, newest first, as records. */
export interface AccountRecordsQuery {
  readonly kind: 'account';
  readonly records: AccountRecordKind;
  /** A user account, or for `newUser` an authority; in base58. */
  readonly account: string;
  /** Only records of this market. */
  readonly market?: MarketKey;
  /** Whether records of spot markets are left out. */
  readonly isPerp?: boolean;
  /** Maximum rows. */
  readonly limit: number;
  /** A cursor from an earlier response, which selects older rows. */
  readonly before?: string;
}

/** Everything that was logged of one order. */
export interface OrderQuery {
  readonly kind: 'order';
  /** The user account that placed it, in base58. */
  readonly account: string;
  readonly orderId: number;
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
  | AccountRecordsQuery
  | OrderQuery
  | VolumesQuery
  | FundingMeansQuery;

/** A finished body. */
export interface HistoryBody {
  /** JSON, or CSV if requested; the bytes must not be changed. */
  readonly body: Uint8Array;
  /** The cursor of the next page, for `before`; null on the last page. */
  readonly nextCursor: string | null;
  /** Whether no later version changes the result; absent means that it may change. */
  readonly isFinal?: boolean;
}
