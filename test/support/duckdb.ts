/** Files as DuckDB loads them. */
import type { TestContext } from 'vitest';

/** Runs queries in a database in memory; a query names a file as a table, in quotes. */
export interface Duckdb {
  /** The rows as texts, in which a null is null. */
  readonly query: (sql: string) => Promise<readonly (readonly unknown[])[]>;
}

/** Calls `run` with a database; skips the test where DuckDB is not built for the machine. */
export async function withDuckdb(
  context: TestContext,
  run: (duckdb: Duckdb) => Promise<void>,
): Promise<void> {
  const duckdb = await import('@duckdb/node-api').catch(() => null);
  if (duckdb === null) return context.skip('needs @duckdb/node-api');
  const instance = await duckdb.DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const query: Duckdb['query'] = async (sql) => {
    const reader = await connection.runAndReadAll(sql);
    return reader.getRowsJson() as readonly (readonly unknown[])[];
  };
  try {
    await run({ query });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
