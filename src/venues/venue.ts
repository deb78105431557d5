/**
 * What a venue outside of the chain's program is to the service: levels for a spot market.
 */

/** A spot market as a venue has to know it. */
export interface VenueMarket {
  /** The book's number of the market. */
  readonly id: number;
  readonly symbol: string;
  /** The mint of what is traded, and its decimals. */
  readonly base: Token;
  /** The mint of what it is priced in, and its decimals. */
  readonly quote: Token;
}

/** A token by its mint (base58). */
export interface Token {
  readonly mint: string;
  /** Decimals of an amount of it, 0 to 19. */
  readonly decimals: number;
}

/** So much at this price. */
export interface VenueLevel {
  /** Quote for one whole base, at 1e6, above 0. */
  readonly price: bigint;
  /** Base at 1e9, above 0. */
  readonly size: bigint;
}

/** Levels of both sides, best first. A taker buys at asks and sells at bids. */
export interface VenueLevels {
  readonly bids: readonly VenueLevel[];
  readonly asks: readonly VenueLevel[];
}

/** Levels as they were read. */
export interface VenueSnapshot extends VenueLevels {
  /** When the oldest part of them was asked for, by the monotonic clock that the venue was given. */
  readonly askedMs: number;
}

/** A place where a spot taker may trade besides the exchange's own book. */
export interface Venue {
  /** For metrics and logs; it holds no key. */
  readonly name: string;
  /**
   * The levels of a market as of now.
   *
   * # Errors
   * VenueError, when any part of them cannot be had or makes no sense.
   */
  fetchLevels(market: VenueMarket, signal: AbortSignal): Promise<VenueSnapshot>;
}
