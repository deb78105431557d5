/** Indicative quotes: off-chain quotes of makers. */

/** One side of an indicative quote. */
export interface QuotedSide {
  /** The price, or the offset from the oracle price, at 1e6 as a signed 64-bit number. */
  readonly price: bigint;
  /** The size, at 1e9 as an unsigned 64-bit number; a size of 0 does not appear in the book. */
  readonly size: bigint;
}

/** A quote as its maker sent it; null for a side without a quote. */
export interface IndicativeQuote {
  readonly bid: QuotedSide | null;
  readonly ask: QuotedSide | null;
  /** Whether the prices are offsets from the oracle price. */
  readonly isOracleOffset: boolean;
}

/**
 * All quotes of one maker in one market, which replace the maker's previous quotes. An empty list
 * withdraws them.
 */
export interface MakerQuotes {
  /** A market id of `MarketInfo`. */
  readonly market: number;
  /** The public key of the maker (base58). */
  readonly maker: string;
  readonly quotes: readonly IndicativeQuote[];
  /** Their arrival, in unix milliseconds. */
  readonly tsMs: number;
}

/**
 * The result of setting {@link MakerQuotes}. Unless it is `changed` or `unchanged`, the previous
 * quotes stay.
 */
export type IndicativeOutcome =
  | 'changed'
  | 'unchanged'
  | 'unknownMarket'
  | 'invalidMaker'
  | 'quotesExceeded'
  | 'makersExceeded'
  | 'priceOutOfRange'
  | 'sizeOutOfRange';

/** Whether indicative quotes may improve on the best price of the book, or only join it. */
export type IndicativePolicy = 'join' | 'improve';

/** The destination of makers' quotes, which adds the arrival time. */
export interface QuoteSink {
  /**
   * Sets quotes. Returns a promise when another machine holds the book; the promise rejects with
   * the error for the maker.
   */
  setQuotes(quotes: Omit<MakerQuotes, 'tsMs'>): IndicativeOutcome | Promise<IndicativeOutcome>;
}

/**
 * The makers' sockets at other services of the same book: each maker has at most one socket in all
 * services.
 */
export interface OtherMakerSockets {
  /** Announces that a maker (base58) has signed in here. */
  announceMaker(maker: string): void;
  /** Registers a callback for each maker that signs in at another service. */
  onMakerElsewhere(closeSocket: (maker: string) => void): void;
}
