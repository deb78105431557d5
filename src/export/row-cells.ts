import { formatDecimal } from '../amounts/decimals.js';
import type { Decimals, RowBlock, RowColumn } from '../contract/row-block.js';

/** Returns the text of a column in one row. */
export type Cell = (row: number) => string;

/** Renders the rows of a column: integers, and decimals without trailing zeros. */
export function cellsOf(column: RowColumn): Cell {
  switch (column.kind) {
    case 'text': {
      const { values } = column;
      return (row) => values[row] ?? '';
    }
    case 'flag': {
      const { values } = column;
      return (row) => (values[row] === true ? 'true' : 'false');
    }
    case 'decimal': {
      const { values, places } = column;
      return onceForEqual(values, (value) => formatDecimal(value, places));
    }
    default:
      return onceForEqual(column.values, String);
  }
}

/** The column with this name. */
export function columnOf({ columns }: RowBlock, name: string): RowColumn {
  const column = columns.find((one) => one.name === name);
  if (column === undefined) throw new Error(`Invariant: there is a column ${name}`);
  return column;
}

function onceForEqual(values: Decimals, textOf: (value: bigint) => string): Cell {
  let last = 0n;
  let text = textOf(last);
  return (row) => {
    const value = values[row] ?? 0n;
    if (value !== last) {
      last = value;
      text = textOf(value);
    }
    return text;
  };
}
