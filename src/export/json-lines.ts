import type { RowBlock, RowColumn } from '../contract/row-block.js';
import { type Cell, cellsOf } from './row-cells.js';
import { LineEncoder, type RowEncoder } from './row-format.js';

/**
 * Encodes each row as a JSON object with the columns as members: times in unix milliseconds,
 * decimals as texts.
 */
export function jsonLines(): RowEncoder {
  return new LineEncoder(lineOf);
}

function lineOf({ columns }: RowBlock): Cell {
  const members = columns.map(memberOf);
  return (row) => {
    let line = '{';
    for (const member of members) line += member(row);
    return `${line}}\n`;
  };
}

function memberOf(column: RowColumn, at: number): Cell {
  const cell = cellsOf(column);
  const name = `${at === 0 ? '' : ','}${JSON.stringify(column.name)}:`;
  if (column.kind === 'text') return (row) => name + JSON.stringify(cell(row));
  if (column.kind === 'decimal') return (row) => `${name}"${cell(row)}"`;
  return (row) => name + cell(row);
}
