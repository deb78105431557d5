import { describe, expect, test } from 'vitest';
import type { Bound } from './connection.js';
import { WaitingRows } from './waiting-rows.js';

const records = { table: 'records', columns: ['account', 'id', 'name'] };
const others = { table: 'others', columns: ['account', 'id', 'name'] };

function inserting() {
  const rows: (readonly Bound[])[] = [];
  const statements: string[] = [];
  const waiting = new WaitingRows((sql, bound) => {
    statements.push(sql);
    for (let at = 0; at < bound.length; at += 3) rows.push(bound.slice(at, at + 3));
  });
  return { waiting, rows, statements };
}

describe('rows that wait for the end of their transaction', () => {
  test.each([0, 1, 7, 8, 63, 64, 200, 8_192, 8_195])('%i rows are inserted once', (count) => {
    const { waiting, rows, statements } = inserting();
    const given = Array.from({ length: count }, (_, id) => [BigInt(count - id), id, 'a'] as const);
    for (const row of given) waiting.addRow(records, row);
    waiting.insertAll();
    expect(new Set(rows.map(([, id]) => id)).size).toBe(count);
    expect(rows).toHaveLength(count);
    expect(statements.length).toBeLessThanOrEqual(count / 64 + 16);
    waiting.insertAll();
    expect(rows).toHaveLength(count);
  });

  test('neighbours of the key are inserted together', () => {
    const { waiting, rows } = inserting();
    for (const row of [
      [5n, 2, 'a'],
      [-7n, 3, 'b'],
      [5n, 1, 'c'],
    ]) {
      waiting.addRow(records, row);
    }
    waiting.insertAll();
    expect(rows.map(([, , name]) => name).join('')).toBe('bca');
  });

  test('a statement finds the rows of the tables that it names, and no others', () => {
    const { waiting, rows, statements } = inserting();
    waiting.addRow(records, [1n, 1, 'a']);
    waiting.addRow(others, [2n, 2, 'b']);
    waiting.insertBefore('update transactions set has_records = 1');
    expect(rows).toEqual([]);
    waiting.insertBefore('delete from records where id = 1');
    expect(rows).toEqual([[1n, 1, 'a']]);
    expect(statements).toEqual(['insert into records (account,id,name) values (?,?,?)']);
    waiting.insertAll();
    expect(rows).toHaveLength(2);
  });
});
