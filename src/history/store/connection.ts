import type { StoredInteger } from './columns.js';
import type { StoreError } from './error.js';

/** What may be bound; a number is a whole one and goes to columns that hold small integers only. */
export type Bound = StoredInteger | number | Uint8Array | null;
/** A row as an array, its integers as bigint. */
export type Row = readonly unknown[];

/** A table, and columns of it in the order of the values of its rows. */
export interface RowShape {
  readonly table: string;
  readonly columns: readonly string[];
}

/** What a write changed, for those who read the same database. */
export interface StoredChange {
  /** Codes of markets. */
  readonly markets: readonly number[];
  /** Whether it is new transactions alone: nothing was taken away, and none that was stored before has got records. */
  readonly isNewAlone: boolean;
}

/** What a step of dropping a day has taken away. */
export interface DroppedRows {
  readonly rows: number;
  readonly transactions: number;
  /** Whether the day needs further steps. */
  readonly hasMore: boolean;
}

/**
 * What a store is kept in: a file or a Postgres server. Everything is synchronous, because its worker has
 * nothing else to do meanwhile, and every failure is a StoreError. Texts are in the SQL that both know, with
 * `?` or `?1` for what is bound.
 */
export interface Connection {
  /** What is open, as it may be shown: a path, or an address without user and password. */
  readonly file: string;
  readonly engine: 'file' | 'postgres';
  /** Names it among all others; another file at the same path has another name. */
  readonly identity: string | null;
  /** All rows of a query. */
  readRows(sql: string, bound?: readonly Bound[]): readonly Row[];
  /** The first row of a query, or null. */
  readRow(sql: string, bound?: readonly Bound[]): Row | null;
  /** Changes rows and returns how many. */
  changeRows(sql: string, bound?: readonly Bound[]): number;
  /** Adds a row that is known to be new. */
  addRow(shape: RowShape, values: readonly Bound[]): void;
  /** Adds a row without its column `id`, and returns the number that it got there. */
  addNumberedRow(shape: RowShape, values: readonly Bound[]): number;
  /** Tells those who read the same database what the transaction under way changes. */
  noteChange(change: StoredChange): void;
  /** A step of dropping the oldest day of a table of records that lies before a moment, unix seconds, where days lie apart. */
  dropOldestDay(table: 'trades' | 'funding_rates', before: number): DroppedRows;
  /** Reads that all see one state of what is stored. */
  runSnapshot<T>(read: () => T): T;
  /** Everything that `work` writes, or nothing of it. */
  runTransaction<T>(work: () => T): T;
  /** A StoreError for what something else threw that uses the connection. */
  toStoreError(error: unknown): StoreError;
  /** Reads everything and returns what is wrong with it. */
  checkIntegrity(): readonly string[];
  /** Whether what is open is still what is found under its name. */
  isInPlace(): boolean;
  /** Gives it back; what is asked later fails. */
  close(): void;
  /** Lets go of what is not in its place any more; whatever is asked later fails with `reason`. */
  abandon(reason: StoreError): void;
}
