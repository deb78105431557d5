import type { RowBlock } from '../contract/row-block.js';
import type { Cell } from './row-cells.js';

/** Makes the bytes of a file of blocks of rows. */
export interface RowEncoder {
  /** The bytes of a block, and before the first one those of the head. */
  encodeBlock(block: RowBlock): Uint8Array;
  /** The bytes behind the last block; there was one. */
  finish(): Uint8Array;
}

/** Rows whose text becomes bytes at once: longer texts outlive the collector's first generation, which costs more. */
const ROWS_AT_ONCE = 1_024;

/** Rows as lines of text. */
export class LineEncoder implements RowEncoder {
  readonly #lineOf: (block: RowBlock) => Cell;
  #head: string;

  /** `lineOf` gives the line of each row of a block, with its end, as `head` has its own. */
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
