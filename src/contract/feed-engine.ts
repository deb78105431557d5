import type { AccountProblem, AccountSnapshot, RawAccount, SnapshotReport } from './accounts.js';
import type { FeedState } from './feed-status.js';
import type { IndicativeOutcome, IndicativePolicy, MakerQuotes } from './indicative.js';

/** The markets that one turn of the event loop changed, by id; each is in one list at most. */
export interface MarketChanges {
  /** Something changed that every view of the market shows. */
  readonly dirty: readonly number[];
  /** Only the AMM's levels changed, and with them perhaps indicative quotes. */
  readonly requoted: readonly number[];
  /** Only indicative quotes changed. */
  readonly indicated: readonly number[];
  /** The state or the epoch is another one, and so is every body of every market. */
  readonly allChanged: boolean;
}

/** What one turn of the event loop changed. */
export interface TurnChanges extends MarketChanges {
  /** The first 64 accounts that could not be applied. */
  readonly problems: readonly AccountProblem[];
  /** Whether a `MarketInfo` is new or different, and with it perhaps the oracles. */
  readonly marketsChanged: boolean;
}

/** The engine as the feed drives it: account bytes, time and state go in. */
export interface FeedEngine {
  /** Adds an account to this turn. */
  push(account: RawAccount): void;
  /** Adds to this turn that an account is gone. */
  pushClosed(pubkey: string, slot: number): void;
  setClock(slot: number, unixSeconds: number): void;
  setState(state: FeedState): void;
  /** Applies what was added. `tsMs` is the time that bodies carry. */
  endTurn(tsMs: number): TurnChanges;
  /**
   * Decodes all accounts of a scan or, with their keys, those of getMultipleAccounts. The body must
   * not change until the promise settles.
   */
  decodeSnapshot(body: Uint8Array, keys?: readonly string[]): Promise<AccountSnapshot>;
  beginSnapshot(snapshot: AccountSnapshot): void;
  /** Applies `count` accounts from index `from` on; returns how many there were. */
  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number;
  endSnapshot(): SnapshotReport;
  /** The accounts of the oracles that markets name. */
  oracleKeys(): readonly string[];
  /** The accounts of a snapshot that the book, as of the last turn, has in an older state or not. */
  lackingAccounts(snapshot: AccountSnapshot): readonly string[];
  /** The accounts that the book has and a snapshot of them has not, though it is later than their last write. */
  goneAccounts(snapshot: AccountSnapshot): readonly string[];
  /** The accounts of the program in a snapshot. */
  foundAccounts(snapshot: AccountSnapshot): readonly string[];
  /** Whether the book, as of the last turn, has a user account of this key. */
  hasUser(pubkey: string): boolean;
  /** At most `count` users with open orders, from the place where the page before ended. */
  usersWithOrders(from: number, count: number): UserPage;
  /** What a snapshot of all users must agree with, as of the last turn. */
  readCensus(): Census;
}

/** What the accounts of the exchange say of its users, and how many accounts are held. */
export interface Census {
  /** User accounts that State counts, idle ones among them; 0 without a State. */
  readonly subAccounts: number;
  /** Perp positions that the markets count, one for each user in each market. */
  readonly positions: number;
  /** User and market accounts that are held, and the quarantined ones. */
  readonly accounts: number;
  /** Accounts out of the book because their bytes are malformed. */
  readonly quarantined: number;
}

/** Some of the users with open orders. */
export interface UserPage {
  readonly keys: readonly string[];
  /** Where the next page begins; 0 after the last one. */
  readonly next: number;
}

/** The engine as indicative quotes enter it. */
export interface QuoteEngine {
  setIndicativePolicy(policy: IndicativePolicy): void;
  setIndicative(quotes: MakerQuotes): IndicativeOutcome;
  /** No quote expires before this, in unix milliseconds; null when there is none. */
  indicativeDueMs(): number | null;
}

/** An engine whose source can become another chain. */
export interface EpochEngine extends FeedEngine, QuoteEngine {
  readonly epoch: string;
  setEpoch(epoch: string): void;
}
