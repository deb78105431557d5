// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** What is asked of the paths. */
import type { MarketType } from '../keys.js';

/** Names a market: by its name in any case, or by type and index. */
export type MarketName =
  | { readonly marketName: string }
  | { readonly marketType: MarketType; readonly marketIndex: number };

/** What a book shows beside resting orders, and how. */
export type BookOptions = {
  /** Levels a side. Where the service runs with --compat-defaults, 100 by default under /dlob, and includeVamm is true there. */
  readonly depth?: number;
  /** Adds the levels of the market's AMM, source vamm; to /l3 nothing: an AMM has no orders. */
  readonly includeVamm?: boolean;
  /** Adds the quotes of makers that have no order on chain, source indicative. */
  readonly includeIndicative?: boolean;
  /** Moves levels that cross apart, around the oracle price. */
  readonly uncross?: boolean;
};

/** A past moment, of a service that keeps a journal; without any of these it is now. */
export type MomentQuery = {
  /** The book after the last turn of at most this slot; without any of these four, that of now. */
  readonly slot?: number;
  /** The book after the last turn of at most this time, unix milliseconds. */
  readonly ts?: number;
  /** The run of the book that is meant, as bodies name it; needed with seq. */
  readonly epoch?: string;
  /** The book when the market came to this sequence number; not for a batch. */
  readonly seq?: number;
};

/** What is asked of /l2. */
export type L2Query = MarketName & BookOptions & {
  /** Ticks a group; not given means every level by itself. */
  readonly grouping?: number;
};

/** What is asked of /l3. */
export type L3Query = MarketName & {
  /** Orders a side; not given means all. */
  readonly depth?: number;
  /** Only the orders of this user account. */
  readonly maker?: string;
  /** Adds the quotes of makers that have no order on chain, source indicative. */
  readonly includeIndicative?: boolean;
  /** Moves levels that cross apart, around the oracle price. */
  readonly uncross?: boolean;
};

/** An order that /match walks for. Give `size` or `quote`. */
export type MatchQuery = MarketName & {
  /** What the taker does. */
  readonly side: 'buy' | 'sell';
  /** Base to fill, at 1e9; or quote. */
  readonly size?: bigint;
  /** Quote to spend, or to receive, at 1e6; or size. */
  readonly quote?: bigint;
  /** The unfilled rest of a limit order stays in the book. */
  readonly orderType?: 'market' | 'limit';
  /** The worst price, at 1e6; a limit order needs it. */
  readonly limitPrice?: bigint;
  /** The limit order must not take. */
  readonly postOnly?: boolean;
  /** The order only reduces the position; needs position. */
  readonly reduceOnly?: boolean;
  /** Signed base of the position in this market, at 1e9; used with reduceOnly. */
  readonly position?: bigint;
  /** Price at the auction's start, at 1e6; with the next two. */
  readonly auctionStart?: bigint;
  /** Price at the auction's end, at 1e6. */
  readonly auctionEnd?: bigint;
  /** Slots of the auction; 0 for none. */
  readonly auctionDuration?: number;
  /** Slots that have passed of the auction, 0 when not given. */
  readonly slotsElapsed?: number;
  /** An offer of a competing maker in the auction, `price:size` at 1e6 and 1e9; given once for each. */
  readonly jit?: readonly { readonly price: bigint; readonly size: bigint }[];
  /** The user account that sends the order, which does not meet its own. */
  readonly taker?: string;
  /** The taker's fee tier. */
  readonly feeTier?: number;
  /** The taker was referred, and gets the discount. */
  readonly referred?: boolean;
  /** spec fills in the order auction, book, AMM, external venues; onchain in that of the Drift v2 program. */
  readonly model?: 'spec' | 'onchain';
  /** Whether the AMM fills. */
  readonly includeVamm?: boolean;
  /** Whether indicative quotes compete in the auction. */
  readonly includeIndicative?: boolean;
};

/** A page of a market's records. */
export interface PageQuery {
  /** Name of the market in any case, such as SOL-PERP. marketName or marketIndex instead of it return the form of the Drift v2 data API. */
  readonly symbol: string;
  /** Trades at most. */
  readonly limit?: number;
  /** Pages to skip, 0 is the newest; pageIndex times limit is at most 100000. Not together with before. */
  readonly pageIndex?: number;
  /** The cursor X-Next-Cursor of an earlier response: returns what is older. */
  readonly before?: string;
}

/** What is asked of /candles. */
export interface CandlesQuery {
  /** Name of the market in any case, such as SOL-PERP, or its key, such as perp_0. */
  readonly symbol: string;
  /** Length of a candle in minutes; D (or 1440) a day, W a week, M a month of UTC. */
  readonly resolution: string;
  /** Oldest start of a candle in unix seconds, inclusive. */
  readonly from?: number;
  /** Newest start of a candle in unix seconds, inclusive; not given means now. */
  readonly to?: number;
  /** Candles, the newest of the range, at most. */
  readonly limit?: number;
}

/** A market and the time whose liquidity is read. */
export type LiquidityQuery = MarketName & {
  /** Time of the oldest row in unix seconds; not given means an hour before to. */
  readonly from?: number;
  /** Time of the newest row in unix seconds; not given means now. */
  readonly to?: number;
  /** Seconds between two rows; by default the fewest with at most 1000 rows. */
  readonly resolution?: '10' | '30' | '60' | '300' | '900' | '3600';
};

/** A page of a market's records in the form of the Drift v2 data API. */
export interface RecordsQuery {
  /** Name of the market in any case, such as SOL-PERP, or its key, such as perp_0. */
  readonly symbol: string;
  /** Trades at most. */
  readonly limit?: number;
  /** The nextPage of an earlier response. */
  readonly page?: string;
}
