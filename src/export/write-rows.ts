/** Writes rows of any source to a file for other tools. */
import type { RowBlock } from '../contract/row-block.js';
import type { Timers } from '../contract/timers.js';
import type { RowEncoder } from './row-format.js';
import type { RowOutput } from './whole-file.js';

/** The rows and their destination. */
interface WrittenRows {
  /** The blocks; null is a pause, in which the writer checks for a stop. */
  readonly blocks: Iterable<RowBlock | null> | AsyncIterable<RowBlock | null>;
  readonly encoder: RowEncoder;
  readonly output: RowOutput;
  readonly timers: Pick<Timers, 'soon'>;
  readonly stop: AbortSignal;
}

/** The result of the writing: a file gets its final name only when it contains all rows. */
type WriteEnd = 'written' | 'stopped' | 'empty';

/**
 * Writes rows block by block, and closes the output. Throws errors of the output and the source.
 */
export async function writeRows(rows: WrittenRows): Promise<WriteEnd> {
  const { blocks, encoder, output, timers, stop } = rows;
  let isEmpty = true;
  try {
    for await (const block of blocks) {
      if (block !== null) await output.write(encoder.encodeBlock(block));
      isEmpty &&= block === null;
      await new Promise<void>((resolve) => timers.soon(resolve));
      if (stop.aborted || output.isClosed) return 'stopped';
    }
    if (isEmpty) return 'empty';
    await output.write(encoder.finish());
    output.finish();
    return 'written';
  } finally {
    output.close();
  }
}
