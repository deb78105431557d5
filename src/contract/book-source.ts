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

/** What a body shows: equal versions of one market in one epoch have equal bodies. */
export interface MarketVersion {
  readonly seq: number;
  readonly slot: number;
  readonly state: FeedState;
  /** Of the orders in auction, which are not in the book: another number when they changed. */
  readonly auctions: number;
}

/** Counters of the book for /metrics. */
export interface BookStats {
  readonly users: number;
  /** Order slots with an open order. */
  readonly orders: number;
  /** Open orders that are in a book. */
  readonly shown: number;
  /** Of them, those of each market, by its id. */
  readonly shownByMarket: readonly number[];
  /** `shown` where the AMM of a market is in its book, else why it is not; null for spot markets. */
  readonly vammByMarket: readonly (string | null)[];
  /** Open orders that are not, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Accounts out of the book because their bytes are malformed. */
  readonly quarantined: number;
  /** Pairs of a maker and a market with indicative quotes. */
  readonly quotingMakers: number;
  /** Sides of indicative quotes. */
  readonly quotes: number;
}

/** The markets that are listed, by name. */
export interface MarketDirectory {
  /** In the order of their ids. The same array until a market is new or different. */
  markets(): readonly MarketInfo[];
  /** The market of a name, in any case. */
  findMarket(name: string): MarketInfo | undefined;
}

/**
 * The book as the server reads it. A body or frame is a view on the engine's own buffer: bodies share
 * one and frames of topics another, each valid until the next of its kind.
 */
export interface BookSource {
  /** Names this run on this chain; every body carries it. */
  readonly epoch: string;
  /** Grows with everything that may change a body or the markets: the same turn, the same bodies. */
  readonly turn: number;
  /** How fresh the source is, as every body says. */
  readonly state: FeedState;
  /** What statistics take from the book, by market id, as of now; a new array at each call. */
  readChainStats(): readonly ChainStats[];
  l2(request: L2Request): Uint8Array;
  l3(request: L3Request): Uint8Array;
  auctions(request: AuctionsRequest): Uint8Array;
  /**
   * What an order that is sent now would get. Throws for one that could not be placed an error with the
   * code `INVALID_MATCH` or `MATCH_OUT_OF_RANGE`, whose context names the parameter.
   */
  match(request: MatchRequest): Uint8Array;
  /** The finished frame of the compatible order book channel. */
  orderbookFrame(request: OrderbookFrameRequest): Uint8Array;
  /** The user accounts (base58) whose orders are best on a side, each once, best first. */
  topMakers(request: TopMakersRequest): readonly string[];
  /** The finished body of the open orders of a user account (base58). Throws for a text that is no key. */
  openOrders(account: string): string;
  /** Whether there is a user account with this key (base58). */
  hasUser(key: string): boolean;
  /** The version that bodies of this market would show now. */
  version(market: number): MarketVersion;
  /** The name of a streaming topic: other topics have other names. Throws for a maker that is no key. */
  topicName(spec: TopicSpec): string;
  /**
   * Opens a streaming topic, whose first publication is the book of now; `recvNs` is when the newest
   * part of that was received. Returns a handle for the methods below.
   */
  openTopic(spec: TopicSpec, recvNs?: bigint): number;
  closeTopic(handle: number): void;
  /** Publishes what has changed since the last publication; null when nothing has. */
  topicDelta(handle: number, times?: FrameTimes): TopicDelta | null;
  /** The snapshot of the last publication: the next delta links to it. */
  topicSnapshot(handle: number, request: TopicSnapshotRequest): Uint8Array;
  /** The slot and the state of now, and the seq of the last publication. */
  topicHeartbeat(handle: number): Uint8Array;
  stats(): BookStats;
}
