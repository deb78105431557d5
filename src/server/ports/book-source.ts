/**
 * What the server asks of the book. The engine fits this by shape; the server never sees the addon.
 */

/** A market as /markets shows it. */
export interface MarketRow {
  readonly id: number;
  readonly symbol: string;
  readonly marketType: 'perp' | 'spot';
  readonly marketIndex: number;
  readonly status: string;
  /** Price steps, 1e6. */
  readonly tickSize: bigint;
  /** Size steps, in the market's own base decimals. */
  readonly stepSize: bigint;
  readonly minOrderSize: bigint;
  readonly decimals: number;
  readonly oracle: string;
  readonly oracleSource: string;
  /** Why the book shows no orders whatever is on chain; null when it shows them. */
  readonly emptyReason: string | null;
}

/** What one body shows: equal versions of a market mean equal bodies. */
export interface MarketVersion {
  readonly seq: number;
  readonly slot: number;
  readonly state: string;
  /** Of the orders in auction, which are not of the book: another number when they changed. */
  readonly auctions?: number;
}

/** Counters of the core for /metrics. */
export interface BookStats {
  readonly users: number;
  readonly orders: number;
  readonly shown: number;
  /** Of them, those of each market, by its id. */
  readonly shownByMarket: readonly number[];
  /** `shown` where the AMM of a market is in its book, else why it is not; null for spot markets. */
  readonly vammByMarket: readonly (string | null)[];
  readonly leftOut: Readonly<Record<string, number>>;
  readonly quarantined: number;
  /** Pairs of a maker and a market with indicative quotes, and the sides quoted. */
  readonly quotingMakers: number;
  readonly quotes: number;
}

/** What accounts and oracles say of a market for statistics. Prices at 1e6, base at 1e9. */
export interface ChainFigures {
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

/** The book as the server reads it. Bodies are valid until the next call. */
export interface BookSource {
  readonly epoch: string;
  /** Grows with everything that may change a body or the markets: the same number, the same answers. */
  readonly turn: number;
  /** How fresh the source is, as every body says. */
  readonly state: string;
  /** The same array until a market is new or different. */
  markets(): readonly MarketRow[];
  /** What statistics take from the book, by market id, as of now; made anew at each call. */
  chainFigures(): readonly ChainFigures[];
  /** By name, in any case. */
  findMarket(name: string): MarketRow | undefined;
  l2(query: L2Request): Uint8Array;
  l3(query: L3Request): Uint8Array;
  auctions(query: AuctionsRequest): Uint8Array;
  /**
   * What an order that is sent now would get. Throws for one that could not be placed an error with the
   * code `INVALID_MATCH` or `MATCH_OUT_OF_RANGE`, whose context names the parameter.
   */
  match(query: MatchRequest): Uint8Array;
  /** The finished frame of the compatible order book channel. */
  orderbookFrame(query: FrameRequest): Uint8Array;
  /** The user accounts whose orders stand best on a side, each once, best first. */
  topMakers(query: TopMakersRequest): readonly string[];
  /** The name of a streaming topic: other topics have other names. Throws for a maker that is no key. */
  topicName(spec: StreamSpec): string;
  /**
   * Opens a streaming topic, its first publication being the book of now; `recvNs` is when the newest
   * part of that came in. Answers a handle for the methods below.
   */
  openTopic(spec: StreamSpec, recvNs?: bigint): number;
  closeTopic(handle: number): void;
  /** Publishes what has changed since the last publication; null when nothing has. */
  topicDelta(handle: number, times?: FrameTimes): TopicDelta | null;
  /** The snapshot of the last publication: the next delta links to it. */
  topicSnapshot(handle: number, answer: SnapshotAnswer): Uint8Array;
  /** The slot and the state of now, and the seq of the last publication. */
  topicHeartbeat(handle: number): Uint8Array;
  version(market: number): MarketVersion;
  stats(): BookStats;
}

/** What a book shows beside orders. */
export interface Sources {
  /** Whether it has the levels of the market's AMM. */
  readonly vamm?: boolean;
  /** Whether it has indicative quotes. */
  readonly indicative?: boolean;
}

/** A book of levels. */
export interface L2Request extends Sources {
  readonly market: number;
  /** Levels a side. */
  readonly depth: number;
  /** Ticks a group; absent means every level by itself. */
  readonly grouping?: number;
  /** Whether orders that cross are moved apart. */
  readonly uncross?: boolean;
}

/** A book of orders. */
export interface L3Request extends Sources {
  readonly market: number;
  /** Orders a side; absent means all. */
  readonly depth?: number;
  /** Only the orders of this user account. */
  readonly maker?: string;
  /** Whether orders that cross are moved apart. */
  readonly uncross?: boolean;
}

/** The orders of a market that are in auction. */
export interface AuctionsRequest {
  readonly market: number;
}

/** An order that is sent now. Prices and quote at 1e6, sizes at 1e9. */
export interface MatchRequest {
  readonly market: number;
  readonly side: 'buy' | 'sell';
  /** Base to fill; exactly one of it and `quote` is there. */
  readonly size?: bigint;
  readonly quote?: bigint;
  readonly orderType: 'market' | 'limit';
  readonly limitPrice?: bigint;
  readonly postOnly?: boolean;
  /** With `position`, which is signed. */
  readonly reduceOnly?: boolean;
  readonly position?: bigint;
  readonly auctionStart?: bigint;
  readonly auctionEnd?: bigint;
  readonly auctionDuration?: number;
  readonly slotsElapsed?: number;
  readonly jit?: readonly JitOffer[];
  /** The account that sends the order, whose own orders it does not meet. */
  readonly taker?: string;
  readonly feeTier?: number;
  readonly referred?: boolean;
  readonly model?: 'spec' | 'onchain';
  readonly includeVamm?: boolean;
  readonly includeIndicative?: boolean;
}

/** What a competing maker offers in an auction. */
export interface JitOffer {
  readonly price: bigint;
  readonly size: bigint;
}

/** A channel of the compatible order book; its name says all of this but the depth. */
export interface FrameRequest extends Sources {
  readonly market: number;
  /** Levels a side. */
  readonly depth: number;
  /** Ticks a group; absent means every level by itself, and is another channel than 1. */
  readonly grouping?: number;
}

/** A streaming topic: every subscriber of it gets the same bytes. */
export interface StreamSpec extends Sources {
  readonly channel: 'book' | 'bbo' | 'l3';
  readonly market: number;
  /** Levels of a side, or orders of `l3`; `bbo` has none. */
  readonly depth?: number;
  /** Ticks a group, of `book`; absent and 1 mean every level by itself. */
  readonly grouping?: number;
  /** Only the orders of this user account, of `l3`. */
  readonly maker?: string;
  /** Whether frames carry their times. */
  readonly timing?: boolean;
}

/** What a frame says about time, in unix nanoseconds; 0 where it is not known. */
export interface FrameTimes {
  /** Receipt of the first notification of the turn. */
  readonly recvNs: bigint;
  /** Making of the frame. */
  readonly sendNs: bigint;
}

/** How a snapshot is asked for. */
export interface SnapshotAnswer {
  /** The JSON text of the request's id; empty for none. */
  readonly id: string;
  /** Whether the reader must forget what it had. */
  readonly reset: boolean;
  /** When the frame is made, for a topic with timing. */
  readonly sendNs?: bigint;
}

/** A frame for all subscribers of a topic. */
export interface TopicDelta {
  /** Valid until the book is asked again. */
  readonly frame: Uint8Array;
  /** The seq that a reader must have; of no meaning when `reset`. */
  readonly prev: number;
  /** The seq that a reader has with it. */
  readonly seq: number;
  /** The frame is no delta but the snapshot of another epoch: nothing before it can be resumed. */
  readonly reset: boolean;
}

/** The makers at the top of one side. */
export interface TopMakersRequest {
  readonly market: number;
  readonly side: 'bid' | 'ask';
  /** Makers at most. */
  readonly limit: number;
}
