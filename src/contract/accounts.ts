/** Accounts of the chain on their way into the book. */

/** How an account's data is written: as in a response of the RPC, or as a text with a character for each byte. */
export type AccountEncoding = 'base64' | 'base64+zstd' | 'bytes';

/** An account as the chain's nodes deliver it; nothing of it is decoded in TypeScript. */
export interface RawAccount {
  readonly pubkey: string;
  readonly owner: string;
  readonly slot: number;
  readonly data: string;
  readonly encoding: AccountEncoding;
}

/** An account that could not be applied. The rest of its batch was. */
export interface AccountProblem {
  /** Null when not even the key could be read. */
  readonly pubkey: string | null;
  readonly code: string;
  readonly message: string;
}

/** A decoded response of the RPC, in native memory until it is applied. */
export interface AccountSnapshot {
  /** The slot at which the node read the accounts. */
  readonly slot: number;
  readonly count: number;
  /** Perp positions of its users. */
  readonly positions: number;
  /** Accounts of the response that could not be decoded; they are not among the `count`. */
  readonly problemCount: number;
  /** The first 64 of them. */
  readonly problems: readonly AccountProblem[];
}

/** How a snapshot differed from the book, in user accounts. */
export interface SnapshotReport {
  readonly seen: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}
