/** What the feed asks of the engine. The engine fits it by shape, and so does a fake in a test. */

/** How fresh the book is; every body carries it. */
export type FeedState = 'rebuilding' | 'live' | 'lagging' | 'stale';

/** An account as the RPC delivers it, undecoded. */
export interface RawAccount {
  readonly pubkey: string;
  readonly owner: string;
  readonly slot: number;
  readonly data: string;
  readonly encoding: 'base64' | 'base64+zstd';
}

/** An account that could not be taken in. */
export interface FeedProblem {
  readonly pubkey: string | null;
  readonly code: string;
  readonly message: string;
}

/** What one turn of the loop changed. */
export interface FeedTurn {
  /** Ids of the markets in which anything changed that is shown to everybody. */
  readonly dirty: readonly number[];
  /** Ids of the other markets in which the AMM's levels changed, and with them perhaps indicative quotes. */
  readonly requoted: readonly number[];
  /** Ids of the other markets in which nothing but indicative quotes changed. */
  readonly indicated: readonly number[];
  readonly problems: readonly FeedProblem[];
  /** True when a market is new or different, and with it perhaps the oracles. */
  readonly marketsChanged: boolean;
}

/** A decoded reading of many accounts; only the engine knows what it holds. */
export interface FeedSnapshot {
  readonly slot: number;
  readonly count: number;
  /** Entries that could not be decoded and are not among the `count`. */
  readonly problemCount: number;
  /** The first of them. */
  readonly problems: readonly FeedProblem[];
}

/** What a snapshot found to differ. */
export interface FeedSnapshotReport {
  readonly seen: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** The book's door for account bytes, time and state. */
export interface FeedEngine {
  push(account: RawAccount): void;
  close(pubkey: string, slot: number): void;
  setClock(slot: number, unixSeconds: number): void;
  setState(state: FeedState): void;
  endTurn(tsMs: number): FeedTurn;
  decodeSnapshot(body: Uint8Array): Promise<FeedSnapshot>;
  beginSnapshot(snapshot: FeedSnapshot): void;
  applySnapshot(snapshot: FeedSnapshot, from: number, count: number): number;
  endSnapshot(): FeedSnapshotReport;
  oracleKeys(): readonly string[];
}

/** One side of an indicative quote: 1e6 the price, 1e9 the size, both of 64 bits. */
export interface FeedQuotedSide {
  readonly price: bigint;
  readonly size: bigint;
}

/** An indicative quote; null where a side is not quoted. */
export interface FeedQuote {
  readonly bid: FeedQuotedSide | null;
  readonly ask: FeedQuotedSide | null;
  readonly isOracleOffset: boolean;
}

/** All quotes of one maker in one market, and when they were sent. */
export interface FeedQuotes {
  /** The engine's number of the market. */
  readonly market: number;
  readonly maker: string;
  readonly quotes: readonly FeedQuote[];
  /** Unix milliseconds. */
  readonly tsMs: number;
}

/** Whether quotes may be better than everything else, or only join it. */
export type FeedQuotePolicy = 'join' | 'improve';

/** The book's door for indicative quotes. */
export interface QuoteEngine<Outcome extends string = string> {
  setIndicativePolicy(policy: FeedQuotePolicy): void;
  /** `changed` when anything shown may have changed. */
  setIndicative(quotes: FeedQuotes): Outcome;
  /** Before this, in unix milliseconds, no quote expires; null when there is none. */
  indicativeDueMs(): number | null;
}
