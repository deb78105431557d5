import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { readNumber } from './columns.js';
import type { Bound, Connection, Row } from './connection.js';
import type { StoreTables } from './schema.js';

/**
 * Builds queries with Kysely, checked against the table types; they run synchronously, because a
 * worker with one file and one thread gains nothing from promises. Statements that run for every
 * record are written as text, because building one takes longer (about 20 us) than running it
 * (about 10 us).
 */
export const queries = new Kysely<StoreTables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** A query built by Kysely. */
interface Compilable {
  compile(): CompiledQuery;
}

/** The rows of a query. */
export function rowsOf(connection: Connection, query: Compilable): readonly Row[] {
  const { sql, parameters } = query.compile();
  return connection.readRows(sql, parameters as readonly Bound[]);
}

/** Returns the first row of a query, or null. */
export function firstRowOf(connection: Connection, query: Compilable): Row | null {
  const { sql, parameters } = query.compile();
  return connection.readRow(sql, parameters as readonly Bound[]);
}

/** Runs a statement; returns the number of changed rows. */
export function changeRows(connection: Connection, query: Compilable): number {
  const { sql, parameters } = query.compile();
  return connection.changeRows(sql, parameters as readonly Bound[]);
}

/**
 * Returns the markets of a table, with one seek for each market, because a walk over all rows would
 * take seconds.
 */
export function marketsIn(
  connection: Connection,
  table: 'trades' | 'funding_rates' | 'candles' | 'uncharted',
): readonly number[] {
  const codes: number[] = [];
  for (let last = -1; ; ) {
    const [code] =
      connection.readRow(`select market from ${table} where market > ? order by market limit 1`, [
        last,
      ]) ?? [];
    if (code === undefined) return codes;
    last = readNumber(code);
    codes.push(last);
  }
}
