import type { AccountSource } from './account-source.js';
import type { BookLevels } from './book-levels.js';
import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  LevelsRequest,
  MatchRequest,
  OrderbookFrameRequest,
  TopMakersRequest,
} from './book-requests.js';
import type { FeedState } from './feed-status.js';
import type { ChainStats, MarketInfo } from './markets.js';
import type { ProgramName } from './program.js';
import type { TopicSource, TopicSpec } from './topics.js';

/** The version of a market's bodies: in one epoch, equal versions mean equal bodies. */
export interface MarketVersion {
  readonly seq: number;
  readonly slot: number;
  readonly state: FeedState;
  /** The revision of the orders in auction, which the book does not contain. */
  readonly auctions: number;
}

/** Counters of the book for /metrics. */
export interface BookStats {
  readonly users: number;
  /** Order slots with an open order. */
  readonly orders: number;
  /** Open orders shown in a book. */
  readonly shown: number;
  /** The number of visible orders of each market, by its id. */
  readonly shownByMarket: readonly number[];
  /**
   * `shown` when the book contains the market's AMM, otherwise the reason of its exclusion; null
   * for spot markets.
   */
  readonly vammByMarket: readonly (string | null)[];
  /** The number of open orders that are not visible, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Quarantined accounts, whose bytes are malformed. */
  readonly quarantined: number;
  /** The number of pairs of maker and market with indicative quotes. */
  readonly quotingMakers: number;
  /** Sides of indicative quotes. */
  readonly quotes: number;
}

/** The listed markets, by name. */
export interface MarketDirectory {
  /**
   * Returns the markets in the order of their ids. Returns the same array until a market is added
   * or changed.
   */
  markets(): readonly MarketInfo[];
  /** The market with a key, as `perp_7`, or the first one with a name on chain, in any case. */
  findMarket(name: string): MarketInfo | undefined;
}

/**
 * The server's interface to the book. A body or frame is a view of the engine's buffer: all bodies
 * share one buffer, all frames of topics another, and each view is valid until the next one in its
 * buffer.
 */
export interface BookSource {
  /** The program whose rules and layouts the accounts of the book have. */
  readonly program: ProgramName;
  /** Identifies this run on this chain; every body contains it. */
  readonly epoch: string;
  /** Grows with every change of a body or of the markets: within one turn, bodies stay equal. */
  readonly turn: number;
  /** The accounts of the book. */
  readonly accounts: AccountSource;
  /** The freshness of the source, which every body contains. */
  readonly state: FeedState;
  /** The current statistics of the book, by market id; a new array at each call. */
  readChainStats(): readonly ChainStats[];
  l2(request: L2Request): Uint8Array;
  levels(request: LevelsRequest): BookLevels;
  l3(request: L3Request): Uint8Array;
  auctions(request: AuctionsRequest): Uint8Array;
  /**
   * Renders the simulated fills of an order. An invalid order throws an error with the code
   * `INVALID_MATCH` or `MATCH_OUT_OF_RANGE`, whose context names the parameter.
   */
  match(request: MatchRequest): Uint8Array;
  /** Renders a frame of the compatible order book channel. */
  orderbookFrame(request: OrderbookFrameRequest): Uint8Array;
  /**
   * Returns the user accounts (base58) with the best orders of a side, without duplicates, best
   * first.
   */
  topMakers(request: TopMakersRequest): readonly string[];
  /** Renders the body of a user account's open orders (base58). Throws for an invalid key. */
  openOrders(account: string): string;
  /** Returns whether there is a user account with this key (base58). */
  hasUser(key: string): boolean;
  /** The current version of a market's bodies. */
  version(market: number): MarketVersion;
  /** Returns the unique name of a streaming topic. Throws for an invalid maker key. */
  topicName(spec: TopicSpec): string;
  /** The open topics of the streaming channels. */
  readonly topics: TopicSource;
  stats(): BookStats;
}
