/** Rows of a table for a file, column by column. */
export interface RowBlock {
  /** The number of values in each column. */
  readonly count: number;
  readonly columns: readonly RowColumn[];
}

/** One column. Every block of a table has the same columns. */
export type RowColumn = { readonly name: string } & RowValues;

/** The values of a column. */
type RowValues =
  /** Unix milliseconds. */
  | { readonly kind: 'time'; readonly values: BigInt64Array }
  | { readonly kind: 'integer'; readonly values: BigInt64Array }
  /** Integers in the smallest unit, with `places` decimal places. */
  | { readonly kind: 'decimal'; readonly places: number; readonly values: Decimals }
  | { readonly kind: 'text'; readonly values: readonly string[] }
  | { readonly kind: 'flag'; readonly values: readonly boolean[] };

/** Integers of any size. */
export type Decimals = BigInt64Array | BigUint64Array | readonly bigint[];
