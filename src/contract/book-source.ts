import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  MatchRequest,
  OrderbookFrameRequest,
  TopMakersRequest,
} from './book-requests.js';
import type { FeedState } from './feed-status.js';
import type { ChainStats, MarketInfo } from './markets.js';
import type { FrameTimes, TopicDelta, TopicSnapshotRequest, TopicSpec } from './topics.js';

/** The version of a market's bodies: equal versions in one epoch have equal bodies. */
export interface MarketVersion {
  readonly seq: number;
  readonly slot: number;
  readonly state: FeedState;
  /** Revision of the orders in auction, which are not in the book. */
  readonly auctions: number;
}

/** Counters of the book for /metrics. */
export interface BookStats {
  readonly users: number;
  /** Order slots with an open order. */
  readonly orders: number;
  /** Open orders shown in a book. */
  readonly shown: number;
  /** Shown orders of each market, by its id. */
  readonly shownByMarket: readonly number[];
  /**
   * `shown` where the AMM of a market is in its book, else the reason of its exclusion; null for
   * spot markets.
   */
  readonly vammByMarket: readonly (string | null)[];
  /** Open orders that are not shown, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Quarantined accounts, whose bytes are malformed. */
  readonly quarantined: number;
  /** Pairs of a maker and a market with indicative quotes. */
  readonly quotingMakers: number;
  /** Sides of indicative quotes. */
  readonly quotes: number;
}

/** The listed markets, by name. */
export interface MarketDirectory {
  /** In the order of their ids. The same array until a market is new or changed. */
  markets(): readonly MarketInfo[];
  /** The market with a name, in any case. */
  findMarket(name: string): MarketInfo | undefined;
}

/**
 * The server's view of the book. A body or frame is a view on the engine's buffer: bodies share one
 * buffer and frames of topics another, each valid until the next of its kind.
 */
export interface BookSource {
  /** Identifies this run on this chain; every body contains it. */
  readonly epoch: string;
  /** Grows with every change of a body or the markets: equal turns have equal bodies. */
  readonly turn: number;
  /** The freshness of the source, as in every body. */
  readonly state: FeedState;
  /** The current statistics of the book, by market id; a new array at each call. */
  readChainStats(): readonly ChainStats[];
  l2(request: L2Request): Uint8Array;
  l3(request: L3Request): Uint8Array;
  auctions(request: AuctionsRequest): Uint8Array;
  /**
   * The simulated fills of an order. An invalid order throws an error with the code `INVALID_MATCH`
   * or `MATCH_OUT_OF_RANGE`, whose context names the parameter.
   */
  match(request: MatchRequest): Uint8Array;
  /** The finished frame of the compatible order book channel. */
  orderbookFrame(request: OrderbookFrameRequest): Uint8Array;
  /** The user accounts (base58) with the best orders on a side, without duplicates, best first. */
  topMakers(request: TopMakersRequest): readonly string[];
  /** The finished body of a user account's open orders (base58). Throws for an invalid key. */
  openOrders(account: string): string;
  /** Whether there is a user account with this key (base58). */
  hasUser(key: string): boolean;
  /** The current version of a market's bodies. */
  version(market: number): MarketVersion;
  /** The unique name of a streaming topic. Throws for an invalid maker key. */
  topicName(spec: TopicSpec): string;
  /**
   * Opens a streaming topic with the current book; `recvNs` is the arrival of its newest update.
   * Returns a handle for the methods below.
   */
  openTopic(spec: TopicSpec, recvNs?: bigint): number;
  closeTopic(handle: number): void;
  /** Publishes the changes since the last publication; null for none. */
  topicDelta(handle: number, times?: FrameTimes): TopicDelta | null;
  /** The snapshot of the last publication, which the next delta follows. */
  topicSnapshot(handle: number, request: TopicSnapshotRequest): Uint8Array;
  /** The current slot and state, and the seq of the last publication. */
  topicHeartbeat(handle: number): Uint8Array;
  stats(): BookStats;
}
