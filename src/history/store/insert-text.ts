/** Builds the texts of insert statements, in the SQL of both engines. */
import type { RowShape } from './connection.js';

/** Returns `insert into TABLE (A, B) values (?, ?) TAIL`. */
export function insertText(table: string, columns: readonly string[], tail = ''): string {
  const places = columns.map(() => '?').join(', ');
  return `insert into ${table} (${columns.join(', ')}) values (${places}) ${tail}`;
}

/** Returns a statement like {@link insertText} that replaces the row with the same key. */
export function replaceText({ table, columns }: RowShape, key: readonly string[]): string {
  const others = columns.filter((column) => !key.includes(column));
  const sets = others.map((column) => `${column} = excluded.${column}`).join(', ');
  return insertText(table, columns, `on conflict (${key.join(', ')}) do update set ${sets}`);
}
