/** Requests to the book. A `market` is a `MarketInfo.id`. */

/**
 * The truth values of a book's request, each by its member: the parameter, its description, and its
 * bit in the options of the core (`crates/wire/src/request.rs`; bit 8 is the binary encoding).
 */
export const BOOK_FLAGS = {
  vamm: {
    bit: 1,
    param: 'includeVamm',
    text: "Adds the levels of the market's AMM, source vamm; to /l3 nothing: an AMM has no orders.",
  },
  indicative: {
    bit: 2,
    param: 'includeIndicative',
    text: 'Adds the quotes of makers that have no order on chain, source indicative.',
  },
  uncross: {
    bit: 4,
    param: 'uncross',
    text: 'Moves levels that cross apart, around the oracle price.',
  },
} as const;

/** The truth values of a book's request; each is false by default. */
export type BookFlags = { readonly [Flag in keyof typeof BOOK_FLAGS]?: boolean | undefined };

/** The liquidity of a book besides orders. */
export type LiquiditySources = Pick<BookFlags, 'vamm' | 'indicative'>;

/** A book by level. */
export interface L2Request extends BookFlags {
  readonly market: number;
  /** Levels a side, at least 1. */
  readonly depth: number;
  /** Ticks per price group; by default ungrouped. */
  readonly grouping?: number | undefined;
  /** Whether the body is binary (docs/binary-bodies.md); default JSON. */
  readonly binary?: boolean | undefined;
}

/** The levels of a book as numbers. */
export type LevelsRequest = Omit<L2Request, 'uncross' | 'binary'>;

/** A book by order. */
export interface L3Request extends BookFlags {
  readonly market: number;
  /** Orders a side, at least 1; default all. */
  readonly depth?: number | undefined;
  /** Only the orders of this user account (base58). */
  readonly maker?: string | undefined;
  /** Whether the body is binary, as in /l2. */
  readonly binary?: boolean | undefined;
}

/**
 * A topic of the compatible channel `orderbook`; the channel's name contains all parameters except
 * the depth. A `grouping` of 1 and no grouping are different channels.
 */
export type OrderbookFrameRequest = LiquiditySources &
  Pick<L2Request, 'market' | 'depth' | 'grouping'>;

/** The orders of a market that are in auction. */
export type AuctionsRequest = Pick<L2Request, 'market'>;

/** The makers at the top of one side. */
export interface TopMakersRequest {
  readonly market: number;
  readonly side: 'bid' | 'ask';
  /** Maximum makers. */
  readonly limit: number;
}

/** A taker order sent now. Prices at 1e6, sizes at 1e9, quote amounts at 1e6. */
export interface MatchRequest {
  readonly market: number;
  readonly side: 'buy' | 'sell';
  /** The base to fill; exactly one of `size` and `quote` is given. */
  readonly size?: bigint | undefined;
  /** Maximum quote to spend or to receive. */
  readonly quote?: bigint | undefined;
  /** A limit order needs a price, and its remainder rests in the book. */
  readonly orderType: 'market' | 'limit';
  /** The worst price. */
  readonly limitPrice?: bigint | undefined;
  /** Whether the order must rest completely, or is rejected; default no. */
  readonly postOnly?: boolean | undefined;
  /** Whether the order only reduces `position`, which is then required; default no. */
  readonly reduceOnly?: boolean | undefined;
  /** The position of the taker; negative for a short position. */
  readonly position?: bigint | undefined;
  /** The auction's first price, last price and duration in slots, 0 to 255: all three or none. */
  readonly auctionStart?: bigint | undefined;
  readonly auctionEnd?: bigint | undefined;
  readonly auctionDuration?: number | undefined;
  /** The number of slots since the order was placed; default 0. */
  readonly slotsElapsed?: number | undefined;
  /** Offers in the auction, 256 at most. */
  readonly jit?: readonly JitOffer[] | undefined;
  /** The account of the sender (base58), whose own orders are skipped. */
  readonly taker?: string | undefined;
  /** The fee tier, 0 to 5; default 0. Spot markets have only the first tier. */
  readonly feeTier?: number | undefined;
  /** Whether the taker was referred; default no. */
  readonly referred?: boolean | undefined;
  /** The matching model; default `spec`. */
  readonly model?: 'spec' | 'onchain' | undefined;
  /** Whether the AMM fills; default yes. */
  readonly includeVamm?: boolean | undefined;
  /** Whether indicative quotes compete in the auction; default no. */
  readonly includeIndicative?: boolean | undefined;
}

/** A competing maker's offer in an auction. */
export interface JitOffer {
  readonly price: bigint;
  readonly size: bigint;
}
