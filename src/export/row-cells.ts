import { formatDecimal } from '../amounts/decimals.js';
import type { Decimals, RowBlock, RowColumn } from '../contract/row-block.js';

/** The text of one row of a column. */
export type Cell = (row: number) => string;

/** The text of each row of a column: whole numbers, and decimals with as many digits as they need. */
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

/** The column of this name. */
export function columnOf({ columns }: RowBlock, name: string): RowColumn {
  const column = columns.find((one) => one.name === name);
  if (column === undefined) throw new Error(`Invariant: there is a column ${name}`);
  return column;
}

/** Makes a text once for rows in succession that have the same number. */
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
