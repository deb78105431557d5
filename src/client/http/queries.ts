/** The queries of the paths. */
import type { MarketType } from '../keys.js';

/** Names a market: by its name in any case, or by type and index. */
export type MarketName =
  | { readonly marketName: string }
  | { readonly marketType: MarketType; readonly marketIndex: number };

/** The liquidity of a book besides resting orders, and its format. */
export type BookOptions = {
  /** From 1 to 1,000. */
  readonly depth?: number;
  readonly includeVamm?: boolean;
  readonly includeIndicative?: boolean;
  readonly uncross?: boolean;
};

/**
 * A past moment, for a service with a journal: `slot` or `ts`, or `epoch` with `seq`. By default
 * the present.
 */
export type MomentQuery = {
  /** The book after the last turn of at most this slot. */
  readonly slot?: number;
  /** The book after the last turn of at most this time, Unix milliseconds. */
  readonly ts?: number;
  /** The run of the service that is meant. */
  readonly epoch?: string;
  /** The book at this sequence number of the market. */
  readonly seq?: number;
};

/** The query of /l2. */
export type L2Query = MarketName &
  BookOptions & { /** Ticks a group. */ readonly grouping?: number };
/** The query of /l3. */
export type L3Query = MarketName &
  Omit<BookOptions, 'includeVamm'> & { /** Only this user account's. */ readonly maker?: string };

/** An order that /match walks for; amounts are raw. Give `size` (base) or `quote`. */
export type MatchQuery = MarketName & {
  readonly side: 'buy' | 'sell';
  readonly size?: bigint;
  readonly quote?: bigint;
  readonly orderType?: 'market' | 'limit';
  readonly limitPrice?: bigint;
  readonly postOnly?: boolean;
  readonly reduceOnly?: boolean;
  readonly position?: bigint;
  readonly auctionStart?: bigint;
  readonly auctionEnd?: bigint;
  readonly auctionDuration?: number;
  readonly slotsElapsed?: number;
  /** Offers of competing makers in the auction. */
  readonly jit?: readonly { readonly price: bigint; readonly size: bigint }[];
  readonly taker?: string;
  readonly feeTier?: number;
  readonly referred?: boolean;
  readonly model?: 'spec' | 'onchain';
  readonly includeVamm?: boolean;
  readonly includeIndicative?: boolean;
};

/** A page of a market's records. */
export interface PageQuery {
  readonly symbol: string;
  readonly limit?: number;
  /** 0 is the newest. */
  readonly pageIndex?: number;
  /** `nextCursor` of an earlier page. */
  readonly before?: string;
}

/** Records, newest first. */
export interface Page<T> {
  readonly records: readonly T[];
  /** Where the next page begins; null when this is the last. */
  readonly nextCursor: string | null;
}

/** The query of /candles: starts in unix seconds, both inclusive. */
export interface CandlesQuery {
  readonly symbol: string;
  readonly resolution: string;
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
}

/** A page of a market's records in the form of the Drift v2 data API. */
export interface RecordsQuery {
  readonly symbol: string;
  /** From 1 to 1,000; of funding rates to 750. */
  readonly limit?: number;
  /** `nextCursor` of an earlier page of the same form. */
  readonly page?: string;
}

/** The time up to now, or 1 to 24 whole hours (unix seconds, the second exclusive). */
export type VolumeSpan =
  | '1h'
  | '24h'
  | '30d'
  | { readonly startTs: number; readonly endTs: number };
