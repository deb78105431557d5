/** Requests to the book. A `market` is a `MarketInfo.id`. */

/** What a book shows beside orders. */
export interface LiquiditySources {
  /** The levels of the market's AMM; left out for no. */
  readonly vamm?: boolean | undefined;
  /** Indicative quotes; left out for no. */
  readonly indicative?: boolean | undefined;
}

/** A book of levels. */
export interface L2Request extends LiquiditySources {
  readonly market: number;
  /** Levels a side, at least 1. */
  readonly depth: number;
  /** Ticks a group; left out for every level by itself. */
  readonly grouping?: number | undefined;
  /** Whether orders that cross are moved apart; left out for no. */
  readonly uncross?: boolean | undefined;
  /** Whether the body is bytes, of docs/binary.md; left out for JSON text. */
  readonly binary?: boolean | undefined;
}

/** A book of orders. */
export interface L3Request extends LiquiditySources {
  readonly market: number;
  /** Orders a side, at least 1; left out for all. */
  readonly depth?: number | undefined;
  /** Only the orders of this user account (base58). */
  readonly maker?: string | undefined;
  /** Whether orders that cross are moved apart, as in /l2; left out for no. */
  readonly uncross?: boolean | undefined;
  /** Whether the body is bytes, as of /l2. */
  readonly binary?: boolean | undefined;
}

/**
 * A channel of the compatible order book; its name says all of this but the depth. A `grouping` of 1 is
 * another channel than none.
 */
export type OrderbookFrameRequest = Omit<L2Request, 'uncross' | 'binary'>;

/** The orders of a market that are in auction. */
export type AuctionsRequest = Pick<L2Request, 'market'>;

/** The makers at the top of one side. */
export interface TopMakersRequest {
  readonly market: number;
  readonly side: 'bid' | 'ask';
  /** Makers at most. */
  readonly limit: number;
}

/** An order that is sent now. Prices at 1e6, sizes at 1e9, quote amounts at 1e6. */
export interface MatchRequest {
  readonly market: number;
  readonly side: 'buy' | 'sell';
  /** Base to fill; exactly one of it and `quote` is given. */
  readonly size?: bigint | undefined;
  /** Quote to spend, or to receive, at most. */
  readonly quote?: bigint | undefined;
  /** A limit order needs a price, and rests with what is not filled. */
  readonly orderType: 'market' | 'limit';
  /** The worst price. */
  readonly limitPrice?: bigint | undefined;
  /** Rests whole, or is refused; left out for no. */
  readonly postOnly?: boolean | undefined;
  /** May only reduce `position`, which it needs; left out for no. */
  readonly reduceOnly?: boolean | undefined;
  /** The position of the taker, negative for a short one. */
  readonly position?: bigint | undefined;
  /** The auction's first and last price and its slots, 0 to 255: all three or none. */
  readonly auctionStart?: bigint | undefined;
  readonly auctionEnd?: bigint | undefined;
  readonly auctionDuration?: number | undefined;
  /** Slots since the order was placed; left out for 0. */
  readonly slotsElapsed?: number | undefined;
  /** Offers in the auction, 256 at most. */
  readonly jit?: readonly JitOffer[] | undefined;
  /** The account that sends the order, whose own orders it does not meet (base58). */
  readonly taker?: string | undefined;
  /** 0 to 5; left out for 0. Spot markets have only the first. */
  readonly feeTier?: number | undefined;
  /** Whether the taker was referred; left out for no. */
  readonly referred?: boolean | undefined;
  /** Whose rules decide; left out for `spec`. */
  readonly model?: 'spec' | 'onchain' | undefined;
  /** Whether the AMM fills; left out for yes. */
  readonly includeVamm?: boolean | undefined;
  /** Whether indicative quotes compete in the auction; left out for no. */
  readonly includeIndicative?: boolean | undefined;
}

/** What a competing maker offers in an auction. */
export interface JitOffer {
  readonly price: bigint;
  readonly size: bigint;
}
