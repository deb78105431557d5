/** Rows of a table on their way to a file, column by column. */
export interface RowBlock {
  /** How many values each column has. */
  readonly count: number;
  readonly columns: readonly RowColumn[];
}

/** One column. The same columns come in every block of a table. */
export type RowColumn = { readonly name: string } & RowValues;

/** What a column has. */
export type RowValues =
  /** Unix milliseconds. */
  | { readonly kind: 'time'; readonly values: BigInt64Array }
  | { readonly kind: 'integer'; readonly values: BigInt64Array }
  /** Whole numbers of the smallest unit, so many `places` behind the point. */
  | { readonly kind: 'decimal'; readonly places: number; readonly values: Decimals }
  | { readonly kind: 'text'; readonly values: readonly string[] }
  | { readonly kind: 'flag'; readonly values: readonly boolean[] };

/** Whole numbers of any size. */
export type Decimals = BigInt64Array | BigUint64Array | readonly bigint[];
