/** Indicative quotes: what a maker would trade at, without an order on chain. */

/** One side of an indicative quote. */
export interface QuotedSide {
  /** 1e6 as a signed 64-bit number: the price, or what is added to the oracle's. */
  readonly price: bigint;
  /** 1e9 as an unsigned 64-bit number; the book shows nothing for 0. */
  readonly size: bigint;
}

/** A quote as its maker gives it; null where a side is not quoted. */
export interface IndicativeQuote {
  readonly bid: QuotedSide | null;
  readonly ask: QuotedSide | null;
  /** Whether the prices are offsets from the oracle's. */
  readonly isOracleOffset: boolean;
}

/** All quotes of one maker in one market, which replace those before. An empty list withdraws them. */
export interface MakerQuotes {
  /** A market id of `MarketInfo`. */
  readonly market: number;
  /** The public key of the maker (base58). */
  readonly maker: string;
  readonly quotes: readonly IndicativeQuote[];
  /** When they were received, in unix milliseconds. */
  readonly tsMs: number;
}

/** The result of a {@link MakerQuotes}. Unless it is `changed` or `unchanged`, those before stay. */
export type IndicativeOutcome =
  | 'changed'
  | 'unchanged'
  | 'unknownMarket'
  | 'invalidMaker'
  | 'quotesExceeded'
  | 'makersExceeded'
  | 'priceOutOfRange'
  | 'sizeOutOfRange';

/** Whether indicative quotes may improve the top of the book, or only join it. */
export type IndicativePolicy = 'join' | 'improve';

/** Where the quotes of makers go; it adds the time of their receipt. */
export interface QuoteSink {
  /** A promise where another machine has the book; it rejects with the error that the maker is sent. */
  setQuotes(quotes: Omit<MakerQuotes, 'tsMs'>): IndicativeOutcome | Promise<IndicativeOutcome>;
}

/** The sockets of makers at other services of the same book: a maker has one of all. */
export interface OtherMakerSockets {
  /** Tells them that a maker (base58) has signed here. */
  announceMaker(maker: string): void;
  /** From now on calls with each maker that has signed there. */
  onMakerElsewhere(closeSocket: (maker: string) => void): void;
}
