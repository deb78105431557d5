/** The tables of small texts by name: `progress` and `meta`. */
import type { Connection } from './connection.js';
import { replaceText } from './insert-text.js';
import { requireSum, rowSum } from './row-sum.js';

type MarkTable = 'progress' | 'meta';

const columns = ['name', 'value', 'sum'];
const writeTexts: Readonly<Record<MarkTable, string>> = {
  progress: replaceText({ table: 'progress', columns }, ['name']),
  meta: replaceText({ table: 'meta', columns }, ['name']),
};

/** Stores a mark, which replaces a mark of the same name. */
export function writeMark(
  connection: Connection,
  table: MarkTable,
  { name, value }: { readonly name: string; readonly value: string },
): void {
  connection.changeRows(writeTexts[table], [name, value, rowSum([name, value])]);
}

/** Returns the marks with a name prefix, by name. Throws a StoreError on a checksum mismatch. */
export function readMarks(
  connection: Connection,
  table: MarkTable,
  prefix = '',
): ReadonlyMap<string, string> {
  const text = `select name, value, sum from ${table} where substr(name, 1, ?) = ?`;
  const rows = connection.readRows(text, [BigInt(prefix.length), prefix]);
  return new Map(
    rows.map(([name, value, sum]) => {
      requireSum(table, sum, rowSum([name, value]));
      return [String(name), String(value)];
    }),
  );
}
