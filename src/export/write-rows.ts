/** Rows of any source as a file that other tools load. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowBlock } from '../contract/row-block.js';
import type { RowEncoder } from './row-format.js';
import { WholeFile } from './whole-file.js';

/** What is written, and where. */
export interface WrittenRows {
  /** Null is a pause in which a stop is noticed. */
  readonly blocks: Iterable<RowBlock | null> | AsyncIterable<RowBlock | null>;
  readonly encoder: RowEncoder;
  readonly file: string;
  readonly stop: AbortSignal;
}

/** How it ended: there is a file only when all rows are in it. */
export type WriteEnd = 'written' | 'stopped' | 'empty';

/** Writes rows block by block. The file has its name when it is whole. Throws what the file system and the source throw. */
export async function writeRows({ blocks, encoder, file, stop }: WrittenRows): Promise<WriteEnd> {
  const whole = new WholeFile(file);
  let isEmpty = true;
  try {
    for await (const block of blocks) {
      if (block !== null) whole.write(encoder.encodeBlock(block));
      isEmpty &&= block === null;
      await nextTurn();
      if (stop.aborted) return 'stopped';
    }
    if (isEmpty) return 'empty';
    whole.write(encoder.finish());
    whole.finish();
    return 'written';
  } finally {
    whole.close();
  }
}
