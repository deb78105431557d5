import type { Bound, RowShape } from './connection.js';

/** Rows of one statement, largest first; few sizes, so that few statements are prepared. */
const ROWS_AT_ONCE = [64, 8, 1] as const;
/** The maximum number of waiting rows of a table: some megabytes of trades. */
const WAITING_ROWS_MAX = 8_192;

type Values = readonly Bound[];

/**
 * New rows of a transaction of a file: a statement costs as much as a row, and neighbours of a
 * sorted table lie on the same page.
 */
export class WaitingRows {
  readonly #insert: (sql: string, bound: readonly Bound[]) => unknown;
  readonly #rows = new Map<RowShape, Values[]>();

  constructor(insert: (sql: string, bound: readonly Bound[]) => unknown) {
    this.#insert = insert;
  }

  addRow(shape: RowShape, values: Values): void {
    const rows = this.#rows.get(shape) ?? [];
    if (rows.push(values) === 1) this.#rows.set(shape, rows);
    if (rows.length === WAITING_ROWS_MAX) this.#insertRows(shape);
  }

  /** Inserts the rows of the tables that a statement names. */
  insertBefore(sql: string): void {
    for (const shape of this.#rows.keys()) if (isNamed(sql, shape.table)) this.#insertRows(shape);
  }

  insertAll(): void {
    for (const shape of this.#rows.keys()) this.#insertRows(shape);
  }

  #insertRows(shape: RowShape): void {
    // By the first columns of the key, of which integers are in each of our tables.
    const byKey = (a: Values, b: Values): number => compare(a[0], b[0]) || compare(a[1], b[1]);
    const rows = this.#rows.get(shape)?.sort(byKey) ?? [];
    this.#rows.delete(shape);
    let at = 0;
    for (const count of ROWS_AT_ONCE) {
      for (; at + count <= rows.length; at += count) {
        this.#insert(textOf(shape, count), rows.slice(at, at + count).flat());
      }
    }
  }
}

/** Columns such as `has_records` do not name the table. */
function isNamed(sql: string, table: string): boolean {
  return sql.includes(table) && new RegExp(`\\b${table}\\b`).test(sql);
}

function compare(a: Bound = null, b: Bound = null): number {
  if (a === null || b === null || a === b) return 0;
  return a < b ? -1 : 1;
}

function textOf({ table, columns }: RowShape, count: number): string {
  const places = `(${columns.map(() => '?').join()})`;
  const rows = Array.from({ length: count }, () => places);
  return `insert into ${table} (${columns.join()}) values ${rows.join()}`;
}
