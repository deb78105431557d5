import type { RowBlock } from '../contract/row-block.js';
import { type Cell, cellsOf, columnOf } from './row-cells.js';
import { LineEncoder, type RowEncoder } from './row-format.js';

/** The Tardis data type: `incremental_book_L2` or `trades`. */
type TardisTable = 'book' | 'trades';

/** The column of each table that is between the times and the side, and its name in slotbook. */
const OWN_COLUMN = { book: ['is_snapshot', 'isSnapshot'], trades: ['id', 'id'] } as const;

/** Encodes the CSV format of Tardis, with slotbook as the exchange; times are microseconds. */
export function tardisCsv(table: TardisTable, symbol: string): RowEncoder {
  const [name, own] = OWN_COLUMN[table];
  const head = `exchange,symbol,timestamp,local_timestamp,${name},side,price,amount\n`;
  const cell = /[",\r\n]/.test(symbol) ? `"${symbol.replaceAll('"', '""')}"` : symbol;
  return new LineEncoder((block) => lineOf(block, `slotbook,${cell},`, own), head);
}

function lineOf(block: RowBlock, start: string, own: string): Cell {
  const cells = [own, 'side', 'price', 'amount'].map((name) => cellsOf(columnOf(block, name)));
  const ts = cellsOf(columnOf(block, 'ts'));
  return (row) => {
    const time = `${ts(row)}000`;
    let line = `${start}${time},${time}`;
    for (const cell of cells) line += `,${cell(row)}`;
    return `${line}\n`;
  };
}
