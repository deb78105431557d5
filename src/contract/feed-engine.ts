import type {
  AccountProblem,
  AccountSnapshot,
  LayoutSample,
  RawAccount,
  SnapshotReport,
} from './accounts.js';
import type { FeedState } from './feed-status.js';
import type { IndicativeOutcome, IndicativePolicy, MakerQuotes } from './indicative.js';

/** The ids of the markets that one turn changed; each is in at most one list. */
export interface MarketChanges {
  /** The book changed. */
  readonly dirty: readonly number[];
  /** Markets in which only the AMM's levels changed, and possibly indicative quotes. */
  readonly requoted: readonly number[];
  /** Only indicative quotes changed. */
  readonly indicated: readonly number[];
  /** Whether state or epoch changed, which changes every body of every market. */
  readonly allChanged: boolean;
}

/** The changes of one turn. */
export interface TurnChanges extends MarketChanges {
  /** The first 64 accounts that could not be applied. */
  readonly problems: readonly AccountProblem[];
  /** Whether a `MarketInfo` is new or changed; the set of oracles may then differ. */
  readonly marketsChanged: boolean;
}

/** The feed's interface to the engine: the inputs are account bytes, time and state. */
export interface FeedEngine {
  /** Adds an account to this turn. */
  push(account: RawAccount): void;
  /** Adds a closed account to this turn. */
  pushClosed(pubkey: string, slot: number): void;
  /** Whether the turn should end now, so that its accounts do not take much memory. */
  readonly isFull: boolean;
  /** Applies the added inputs, before the end of the turn. */
  applyAdded(): void;
  setClock(slot: number, unixSeconds: number): void;
  setState(state: FeedState): void;
  /** Ends the turn: applies the added inputs. `tsMs` is the time in bodies. */
  endTurn(tsMs: number): TurnChanges;
  /**
   * Decodes all accounts of a scan or, given `keys`, of getMultipleAccounts. The body must not
   * change until the promise settles.
   */
  decodeSnapshot(body: Uint8Array, keys?: readonly string[]): Promise<AccountSnapshot>;
  beginSnapshot(snapshot: AccountSnapshot): void;
  /**
   * Applies up to `count` accounts from index `from` on; returns the number of applied accounts.
   */
  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number;
  endSnapshot(): SnapshotReport;
  /** Returns the oracle accounts that markets name. */
  oracleKeys(): readonly string[];
  /**
   * Returns the accounts of a snapshot that the book lacks or holds in an older state, as of the
   * last turn.
   */
  lackingAccounts(snapshot: AccountSnapshot): readonly string[];
  /** Returns the accounts of the book that are missing in a later snapshot. */
  goneAccounts(snapshot: AccountSnapshot): readonly string[];
  /** Returns the program accounts in a snapshot. */
  foundAccounts(snapshot: AccountSnapshot): readonly string[];
  /**
   * Returns the first `count` users of a snapshot for the check of the layout, by the markets as of
   * the last turn.
   */
  layoutSamples(snapshot: AccountSnapshot, count: number): readonly LayoutSample[];
  /** Returns whether the book has a user account with this key, as of the last turn. */
  hasUser(pubkey: string): boolean;
  /**
   * Returns at most `count` users with open orders, or all users where there are no more, from the
   * end of the previous page.
   */
  usersInTurn(from: number, count: number): UserPage;
  /** Returns the counts that a snapshot of all users must match, as of the last turn. */
  readCensus(): Census;
}

/** The exchange's own counts of its users, and the number of accounts in the book. */
export interface Census {
  /**
   * The number of user accounts according to the State account, including idle ones; 0 without a
   * State.
   */
  readonly subAccounts: number;
  /**
   * The number of perp positions according to the market accounts: one for each user and market.
   */
  readonly positions: number;
  /** The number of user and market accounts in the book, including quarantined ones. */
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
  /** Returns the earliest expiry of a quote, unix milliseconds; null without quotes. */
  indicativeDueMs(): number | null;
}

/** An engine whose source may switch to another chain. */
export interface EpochEngine extends FeedEngine, QuoteEngine {
  readonly epoch: string;
  setEpoch(epoch: string): void;
}
