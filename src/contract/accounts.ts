/** Accounts of the chain as inputs of the book. */

/**
 * The encoding of an account's data: as in an RPC response, or `bytes` for Latin-1 text with one
 * character per byte.
 */
type AccountEncoding = 'base64' | 'base64+zstd' | 'bytes';

/** An account from a node, which TypeScript does not decode. */
export interface RawAccount {
  readonly pubkey: string;
  readonly owner: string;
  readonly slot: number;
  readonly data: string;
  readonly encoding: AccountEncoding;
}

/** An account that could not be applied; the rest of its batch was applied. */
export interface AccountProblem {
  /** Null when the key itself is unreadable. */
  readonly pubkey: string | null;
  readonly code: string;
  readonly message: string;
}

/** A decoded RPC response, in native memory until it is applied. */
export interface AccountSnapshot {
  /** The slot at which the node read the accounts. */
  readonly slot: number;
  readonly count: number;
  /** Perp positions of its users. */
  readonly positions: number;
  /** Accounts of the response that could not be decoded; `count` excludes them. */
  readonly problemCount: number;
  /** The first 64 of them. */
  readonly problems: readonly AccountProblem[];
}

/** The differences between a snapshot and the book, as numbers of user accounts. */
export interface SnapshotReport {
  readonly seen: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** A user account in the form that the check of the layout needs. */
export interface LayoutSample {
  readonly pubkey: string;
  /**
   * The address in hex. For a user's account, it is the SHA-256 of the seeds, one byte, and `end`.
   */
  readonly address: string;
  readonly seeds: string;
  readonly end: string;
  /** The contradiction between the account's bytes and the layout; null without a contradiction. */
  readonly contradiction: string | null;
}
