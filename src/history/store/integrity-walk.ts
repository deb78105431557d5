import { CHECKED_ROWS_PER_SLICE } from '../model/limits.js';
import { CANDLE_COLUMNS, sumOfCandle } from './candle-rows.js';
import type { CandleTables } from './candle-tables.js';
import { readNumber } from './columns.js';
import type { Bound, Connection, Row } from './connection.js';
import { isDamage } from './error.js';
import { PARTY_KEY, RECORD_COLUMNS, RECORD_KEY, sumOfRecord } from './record-rows.js';
import { blobSum, rowSum } from './row-sum.js';
import type { CandleMinutes } from './types.js';

/** The result of one slice of a check. */
export interface CheckedSlice {
  readonly rows: number;
  /** Damaged rows and unreadable tables; repaired candles are not listed. */
  readonly damaged: readonly string[];
  /** Whether all tables were read; the next slice then starts again. */
  readonly isEnd: boolean;
}

/** A table or an index, and the check of its rows. */
interface CheckedTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly index?: string;
  /** The columns to read: first the key, last `sum` if the rows have one. */
  readonly columns: readonly string[];
  /** Absent for rows without a checksum. */
  readonly sumOf?: (row: Row) => number;
  /**
   * SQL that is 1 for a row that the indexes (or the table) also contain and whose transaction
   * exists.
   */
  readonly isFound: string;
}

/** SQL of the same record in two tables. */
const sameRecord = RECORD_KEY.map((column) => `i.${column} = r.${column}`).join(' and ');

const hasEvent = `exists (select 1 from records i indexed by records_by_event where ${sameRecord})`;
const hasTime = `exists (select 1 from records i indexed by records_by_time
  where ${sameRecord} and i.ts = r.ts)`;
const hasTransaction = 'exists (select 1 from transactions x where x.id = r.tx)';
const hasRecord = `exists (select 1 from records i not indexed where ${sameRecord})`;

function blobTable(name: string, column: string): CheckedTable {
  return {
    name,
    key: ['id'],
    columns: ['id', column, 'sum'],
    sumOf: ([, bytes]) => (bytes instanceof Uint8Array ? blobSum(bytes) : Number.NaN),
    isFound: `exists (select 1 from ${name} i where i.${column} = r.${column} and i.id = r.id)`,
  };
}

function textTable(name: string, key: string, columns: readonly string[]): CheckedTable {
  const sumOf = ([, ...values]: Row): number => rowSum(values.slice(0, columns.length));
  return { name, key: [key], columns: [key, ...columns, 'sum'], sumOf, isFound: '1' };
}

const tables: readonly CheckedTable[] = [
  {
    name: 'records',
    columns: RECORD_COLUMNS,
    key: RECORD_KEY,
    sumOf: sumOfRecord,
    isFound: `${hasEvent} and ${hasTime} and ${hasTransaction}`,
  },
  // Each entry has a row, which reveals lost rows.
  {
    name: 'records',
    key: ['tx', 'idx'],
    index: 'records_by_event',
    columns: RECORD_KEY,
    isFound: hasRecord,
  },
  { name: 'parties', key: PARTY_KEY, columns: PARTY_KEY, isFound: hasRecord },
  {
    name: 'candles',
    key: ['market', 'minutes', 'start'],
    columns: CANDLE_COLUMNS,
    sumOf: sumOfCandle,
    isFound: '1',
  },
  blobTable('transactions', 'signature'),
  textTable('progress', 'name', ['name', 'value']),
  textTable('meta', 'name', ['name', 'value']),
];

/**
 * Reads the whole file a few rows at a time, by key, and compares each row with its checksum and
 * the indexes. Damaged candles are computed again from finer data.
 */
export class IntegrityWalk {
  readonly #connection: Connection;
  readonly #candles: CandleTables;
  #tableAt = 0;
  /** The key of the last read row; null at the start of a table. */
  #after: readonly unknown[] | null = null;

  constructor(connection: Connection, candles: CandleTables) {
    this.#connection = connection;
    this.#candles = candles;
  }

  /** Checks the next rows. */
  checkSlice(): CheckedSlice {
    const table = tables[this.#tableAt];
    if (table === undefined) throw new Error('Invariant: a walk is within its tables');
    try {
      const rows = this.#readRows(table);
      const damaged = rows.filter((row) => !this.#isSound(table, row));
      const isEnd = rows.length < CHECKED_ROWS_PER_SLICE && this.#leaveTable();
      return { rows: rows.length, damaged: this.#mendRows(table, damaged), isEnd };
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { rows: 0, damaged: [table.name], isEnd: this.#leaveTable() };
    }
  }

  #readRows(table: CheckedTable): readonly Row[] {
    const { name, key, index, columns, isFound } = table;
    const keys = key.map((column) => `r.${column}`).join();
    const places = key.map(() => '?').join();
    const where = this.#after === null ? '' : `where (${keys}) > (${places})`;
    const isFile = this.#connection.engine === 'file';
    const rows = this.#connection.readRows(
      `select ${columns.map((column) => `r.${column}`).join()}, ${isFile ? isFound : '1'} from ${name} r
        ${index === undefined || !isFile ? '' : `indexed by ${index}`} ${where} order by ${keys} limit ${CHECKED_ROWS_PER_SLICE}`,
      (this.#after ?? []) as Bound[],
    );
    const last = rows.at(-1);
    if (last !== undefined) this.#after = keyOf(table, last);
    return rows;
  }

  /** Moves to the next table; returns whether it was the last one. */
  #leaveTable(): boolean {
    this.#after = null;
    this.#tableAt = (this.#tableAt + 1) % tables.length;
    return this.#tableAt === 0;
  }

  #isSound({ columns, sumOf }: CheckedTable, row: Row): boolean {
    const sum = sumOf?.(row);
    const stored = row[columns.length - 1];
    const isSame = sum === undefined || stored === null || Number(stored) === sum;
    return isSame && row[columns.length] === 1n;
  }

  /** Repairs candles; returns the names of the rows that stay damaged. */
  #mendRows(table: CheckedTable, damaged: readonly Row[]): readonly string[] {
    const names = damaged.map((row) => nameOf(table, row));
    if (table.name !== 'candles' || damaged.length === 0) return names;
    try {
      return this.#connection.runTransaction(() =>
        names.filter((_, at) => !this.#repairCandle(damaged[at] ?? [])),
      );
    } catch (error) {
      if (!isDamage(error)) throw error;
      return names;
    }
  }

  #repairCandle([code, minutes, start]: Row): boolean {
    return this.#candles.repairBucket({
      code: readNumber(code),
      minutes: readNumber(minutes) as CandleMinutes,
      start: readNumber(start),
    });
  }
}

function keyOf({ key, columns }: CheckedTable, row: Row): readonly unknown[] {
  return key.map((column) => row[columns.indexOf(column)]);
}

function nameOf(table: CheckedTable, row: Row): string {
  return `${table.name} ${keyOf(table, row).join()}`;
}
