import type { RowBlock } from '../contract/row-block.js';
import type { Cell } from './row-cells.js';

/** Encodes blocks of rows as a file. */
export interface RowEncoder {
  /** Encodes a block; the first result includes the file's header. */
  encodeBlock(block: RowBlock): Uint8Array;
  /** Returns the bytes after the last block; requires at least one block. */
  finish(): Uint8Array;
}

/**
 * Number of rows that are encoded as one text: longer texts survive the garbage collector's first
 * generation, which costs more.
 */
const ROWS_AT_ONCE = 1_024;

/** Encodes rows as lines of text. */
export class LineEncoder implements RowEncoder {
  readonly #lineOf: (block: RowBlock) => Cell;
  #head: string;

  /** `lineOf` renders a row as a line with its line break; `head` includes its own line break. */
  constructor(lineOf: (block: RowBlock) => Cell, head = '') {
    this.#lineOf = lineOf;
    this.#head = head;
  }

  encodeBlock(block: RowBlock): Uint8Array {
    const line = this.#lineOf(block);
    const pieces: Uint8Array[] = [];
    let text = this.#head;
    this.#head = '';
    for (let row = 0; row < block.count; row += 1) {
      text += line(row);
      if (row % ROWS_AT_ONCE > 0) continue;
      pieces.push(Buffer.from(text));
      text = '';
    }
    return Buffer.concat([...pieces, Buffer.from(text)]);
  }

  finish(): Uint8Array {
    return new Uint8Array();
  }
}
