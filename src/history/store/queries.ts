import { readNumber } from './columns.js';
import type { Connection } from './connection.js';

/**
 * Returns the markets of a table, with one seek for each market, because a walk over all rows would
 * take seconds.
 */
export function marketsIn(
  connection: Connection,
  table: 'candles' | 'uncharted',
): readonly number[] {
  const text = `select market from ${table} where market > ? order by market limit 1`;
  const codes: number[] = [];
  for (let last = -1; ; ) {
    const [code] = connection.readRow(text, [last]) ?? [];
    if (code === undefined) return codes;
    last = readNumber(code);
    codes.push(last);
  }
}
