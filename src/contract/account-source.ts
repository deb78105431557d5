import type { TopicDelta, TopicSnapshotRequest } from './topics.js';

/**
 * An account as base64: empty for one of another program, null for one that does not exist,
 * undefined for one that the node refuses.
 */
export type ReadAccount = string | null | undefined;

/** Reads accounts, in the order of their keys. */
export type ReadAccounts = (keys: readonly string[]) => Promise<readonly ReadAccount[]>;

/** Reads which of a wallet's first user accounts exist, base58. */
export type ReadWallet = (authority: string) => Promise<readonly string[]>;

/** The server's interface to the accounts of the book; all accounts are base58 texts. */
export interface AccountSource {
  /** The number of user and market accounts in the book; another number means others. */
  readonly count: number;
  /** Whether the book holds the user account. */
  holds(account: string): boolean;
  /** Returns the user accounts of a wallet that the book holds. */
  ofAuthority(authority: string): readonly string[];
  /**
   * Renders the body of /accounts/{account}: of the given bytes where the book does not hold the
   * account, null without both. Throws for bytes of no user account.
   */
  render(account: string, data?: Uint8Array): string | null;
  /**
   * Opens the topic of an account as it is at these unix milliseconds, of the given bytes where the
   * book does not hold it; returns false for an account of neither.
   */
  watch(account: string, nowMs: number, data?: Uint8Array): boolean;
  unwatch(account: string): void;
  /** Returns the watched accounts that were written since the last call. */
  takeTouched(): readonly string[];
  /** Adds what became of a fill, as JSON, to the next delta of a watched account. */
  noteTrade(account: string, text: string): void;
  /** Publishes the changes of a watched account, of bytes as above; null when there are none. */
  renderDelta(account: string, nowMs: number, data?: Uint8Array): TopicDelta | null;
  /** Renders the last publication of a watched account, which the next delta continues. */
  renderSnapshot(account: string, request: TopicSnapshotRequest): Uint8Array;
  /** Renders the current slot and state of a watched account, with the seq of the last publication. */
  renderHeartbeat(account: string, nowMs: number): Uint8Array;
}
