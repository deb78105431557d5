import type { AccountProblem } from '../contract/accounts.js';
import type { FeedState } from '../contract/feed-status.js';
import type { Sources } from './sources.js';

/** What one turn of the event loop changed. */
export interface EngineTurn {
  /** Ids of the markets in which anything changed that is shown to everybody. */
  readonly dirty: readonly number[];
  /** Ids of the other markets in which the AMM's levels changed, and with them perhaps indicative quotes. */
  readonly requoted: readonly number[];
  /** Ids of the other markets in which nothing but indicative quotes changed. */
  readonly indicated: readonly number[];
  /** Accounts that reached the book, those that changed nothing included. */
  readonly applied: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Older than what the book has. */
  readonly stale: number;
  /** Not accounts a book is made of. */
  readonly ignored: number;
  readonly closed: number;
  /** All problems of the turn; `problems` holds the first 64 of them. */
  readonly problemCount: number;
  readonly problems: readonly AccountProblem[];
  /** True when {@link MarketInfo} of any market is new or different. */
  readonly marketsChanged: boolean;
}

/** What is known of a market. Prices at 1e6, sizes in the market's own `decimals`. */
export interface MarketInfo {
  readonly id: number;
  readonly symbol: string;
  readonly account: string;
  readonly marketType: 'perp' | 'spot';
  readonly marketIndex: number;
  readonly status: string;
  readonly tickSize: bigint;
  readonly stepSize: bigint;
  readonly minOrderSize: bigint;
  readonly decimals: number;
  /** The token that is traded; null for perps. */
  readonly mint: string | null;
  readonly oracle: string;
  readonly oracleSource: string;
  /** Why the book is empty by rule; null when it may show orders. */
  readonly emptyReason: string | null;
}

/** What accounts and oracles say of a market for statistics. Prices at 1e6, base at 1e9. */
export interface ChainFigures {
  /** Of the oracle's account; while that cannot be read what the program saw last, else 0. */
  readonly oraclePrice: bigint;
  /** Null for spot markets. */
  readonly perp: PerpFigures | null;
}

/** The part of them that only perp markets have. */
export interface PerpFigures {
  /** Sums of the users' positions; that of the shorts is not above zero. */
  readonly baseLong: bigint;
  readonly baseShort: bigint;
  /** The last funding rate, quote for a base and hour, at 1e9. */
  readonly fundingRate: bigint;
  /** The program's own running average of the rates of 24 hours. */
  readonly fundingRate24h: bigint;
  /** The oracle's average price of the last funding. */
  readonly fundingOracleTwap: bigint;
  /** When the rate was last set, unix seconds; 0 before the first. */
  readonly fundingTs: bigint;
}

/** What an answer shows: equal versions of one market in one epoch have equal bodies. */
export interface Version {
  readonly seq: number;
  readonly slot: number;
  readonly state: FeedState;
  /** Of the orders in auction, which are not of the book: another number when they changed. */
  readonly auctions: number;
}

export interface L2Request extends Sources {
  /** A market id of {@link MarketInfo}. */
  readonly market: number;
  /** Levels a side, at least 1. */
  readonly depth: number;
  /** The grid in ticks; left out for every level. */
  readonly grouping?: number | undefined;
  /** Whether orders that cross are moved apart; left out for no. */
  readonly uncross?: boolean | undefined;
}

export interface L3Request extends Sources {
  readonly market: number;
  /** Orders a side, at least 1; left out for all. */
  readonly depth?: number | undefined;
  /** Only the orders of this user account (base58). */
  readonly maker?: string | undefined;
  /** Whether orders that cross are moved apart, as in /l2; left out for no. */
  readonly uncross?: boolean | undefined;
}

/** A channel of the compatible order book; its name says all of this but the depth. */
export interface FrameRequest extends Sources {
  readonly market: number;
  /** Levels a side, at least 1. */
  readonly depth: number;
  /** The grid in ticks; left out for every level. 1 is another channel than none. */
  readonly grouping?: number | undefined;
}

export interface AuctionsRequest {
  readonly market: number;
}

export interface TopMakersRequest {
  readonly market: number;
  readonly side: 'bid' | 'ask';
  /** Makers at most. */
  readonly limit: number;
}

/** What the core holds. */
export interface EngineStats {
  readonly users: number;
  /** Order slots with an open order. */
  readonly orders: number;
  /** Open orders that stand in a book. */
  readonly shown: number;
  /** Of them, those of each market, by its id. */
  readonly shownByMarket: readonly number[];
  /** `shown` where the AMM of a market is in its book, else why it is not; null for spot markets. */
  readonly vammByMarket: readonly (string | null)[];
  /** Open orders that do not, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Accounts out of the book because their bytes are malformed. */
  readonly quarantined: number;
  /** Pairs of a maker and a market with indicative quotes, and the sides quoted. */
  readonly quotingMakers: number;
  readonly quotes: number;
  /** Finished bodies kept, their bytes, and how often one was asked for and was there. */
  readonly bodies: number;
  readonly bodyBytes: number;
  readonly bodyUses: number;
  readonly bodyHits: number;
}
