import type { StoredInteger } from './columns.js';
import type { StoreError } from './error.js';

/** A bound value; numbers are integers, and go only to columns of small integers. */
export type Bound = StoredInteger | number | Uint8Array | null;
/** A row as an array, with bigint integers. */
export type Row = readonly unknown[];

/** A table, and its columns in the order of a row's values. */
export interface RowShape {
  readonly table: string;
  readonly columns: readonly string[];
}

/** The change that a write made, for readers of the same database. */
export interface StoredChange {
  readonly markets: readonly number[];
  /**
   * Whether the write only added new transactions: no removals, and no records for stored
   * transactions.
   */
  readonly isNewAlone: boolean;
}

/**
 * The storage of a store: a file or a Postgres server. All methods are synchronous, because the
 * worker has no other work meanwhile, and every failure is a StoreError. Statements use the SQL
 * that both support, with `?` or `?1` as placeholders.
 */
export interface Connection {
  /** A name that may be displayed: a path, or an address without user and password. */
  readonly file: string;
  readonly engine: 'file' | 'postgres';
  /** The identity of the storage; another file at the same path has another identity. */
  readonly identity: string | null;
  readRows(sql: string, bound?: readonly Bound[]): readonly Row[];
  /** Returns the first row of a query, or null. */
  readRow(sql: string, bound?: readonly Bound[]): Row | null;
  changeRows(sql: string, bound?: readonly Bound[]): number;
  /** Inserts a row that is known to be new. */
  addRow(shape: RowShape, values: readonly Bound[]): void;
  /** Inserts a row without its column `id`; returns the assigned id. */
  addNumberedRow(shape: RowShape, values: readonly Bound[]): number;
  /** Publishes the change of the current transaction to readers of the same database. */
  recordChange(change: StoredChange): void;
  runSnapshot<T>(read: () => T): T;
  /** Runs `work` in a transaction. */
  runTransaction<T>(work: () => T): T;
  /** Converts an error of other code that uses the connection to a StoreError. */
  toStoreError(error: unknown): StoreError;
  /** Returns whether the open storage is still the one under its name. */
  isInPlace(): boolean;
  /** Closes the storage; later calls fail. */
  close(): void;
  /** Abandons a storage that is no longer under its name; later calls fail with `reason`. */
  abandon(reason: StoreError): void;
}
