import type { AccountProblem, AccountSnapshot, RawAccount, SnapshotReport } from './accounts.js';
import type { FeedState } from './feed-status.js';
import type { IndicativeOutcome, IndicativePolicy, MakerQuotes } from './indicative.js';

/** The markets that one turn changed, by id; each is in at most one list. */
export interface MarketChanges {
  /** The book changed. */
  readonly dirty: readonly number[];
  /** Only the AMM's levels changed, and perhaps indicative quotes. */
  readonly requoted: readonly number[];
  /** Only indicative quotes changed. */
  readonly indicated: readonly number[];
  /** State or epoch changed, which changes every body of every market. */
  readonly allChanged: boolean;
}

/** The changes of one turn. */
export interface TurnChanges extends MarketChanges {
  /** The first 64 accounts that could not be applied. */
  readonly problems: readonly AccountProblem[];
  /** Whether a `MarketInfo` is new or changed, and perhaps the oracles. */
  readonly marketsChanged: boolean;
}

/** The feed's view of the engine: inputs are account bytes, time and state. */
export interface FeedEngine {
  /** Adds an account to this turn. */
  push(account: RawAccount): void;
  /** Adds a closed account to this turn. */
  pushClosed(pubkey: string, slot: number): void;
  /** Whether the turn should end now, so that the memory of its accounts stays small. */
  readonly isFull: boolean;
  /** Applies what was added, before the end of the turn. */
  applyAdded(): void;
  setClock(slot: number, unixSeconds: number): void;
  setState(state: FeedState): void;
  /** Applies the added inputs. `tsMs` is the time in bodies. */
  endTurn(tsMs: number): TurnChanges;
  /**
   * Decodes all accounts of a scan or, given their keys, of getMultipleAccounts. The body must not
   * change until the promise settles.
   */
  decodeSnapshot(body: Uint8Array, keys?: readonly string[]): Promise<AccountSnapshot>;
  beginSnapshot(snapshot: AccountSnapshot): void;
  /** Applies up to `count` accounts from index `from` on; returns how many there were. */
  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number;
  endSnapshot(): SnapshotReport;
  /** The accounts of the oracles that markets name. */
  oracleKeys(): readonly string[];
  /** The accounts of a snapshot that the book lacks or has in an older state, as of the last turn. */
  lackingAccounts(snapshot: AccountSnapshot): readonly string[];
  /** The accounts of the book that a later snapshot of them lacks. */
  goneAccounts(snapshot: AccountSnapshot): readonly string[];
  /** The accounts of the program in a snapshot. */
  foundAccounts(snapshot: AccountSnapshot): readonly string[];
  /** Whether the book, as of the last turn, has a user account of this key. */
  hasUser(pubkey: string): boolean;
  /** At most `count` users with open orders, from the end of the previous page. */
  usersWithOrders(from: number, count: number): UserPage;
  /** The totals that a snapshot of all users must match, as of the last turn. */
  readCensus(): Census;
}

/** The exchange's own counts of its users, and the number of accounts in the book. */
export interface Census {
  /** User accounts counted by State, idle ones included; 0 without a State. */
  readonly subAccounts: number;
  /** Perp positions counted by the markets, one for each user in each market. */
  readonly positions: number;
  /** User and market accounts in the book, quarantined ones included. */
  readonly accounts: number;
  /** Quarantined accounts, whose bytes are malformed. */
  readonly quarantined: number;
}

/** Some of the users with open orders. */
export interface UserPage {
  readonly keys: readonly string[];
  /** Start of the next page; 0 after the last one. */
  readonly next: number;
}

/** The engine's interface for indicative quotes. */
export interface QuoteEngine {
  setIndicativePolicy(policy: IndicativePolicy): void;
  setIndicative(quotes: MakerQuotes): IndicativeOutcome;
  /** The earliest expiry of a quote, in unix milliseconds; null without quotes. */
  indicativeDueMs(): number | null;
}

/** An engine whose source can switch to another chain. */
export interface EpochEngine extends FeedEngine, QuoteEngine {
  readonly epoch: string;
  setEpoch(epoch: string): void;
}
