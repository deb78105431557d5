import type { Engine } from '../../engine/engine.js';
import type { EngineError } from '../../engine/errors.js';
import { type JournalReader, lostEndError } from '../../engine/journal-reader.js';
import type { SegmentInfo } from './segment-info.js';

/** A file that was read, and the book it was read into. */
export interface ReadFile {
  readonly engine: Engine;
  readonly reader: JournalReader;
}

/**
 * Of a file that was read to its end: why that is not where the next one begins; null when nothing is missing between them. Without a
 * next one it may be torn. Throws an EngineError where it is damaged.
 */
export function findLostEnd(
  { engine, reader }: ReadFile,
  next: Pick<SegmentInfo, 'first' | 'seqs'> | undefined,
): EngineError | null {
  const tear = reader.finish();
  if (next === undefined) return null;
  const { slot, tsMs } = reader.position();
  const isAtMoment = slot === next.first.slot && tsMs === next.first.ts;
  const isWhole = tear === null && isAtMoment && hasSeqs(engine, next.seqs);
  return isWhole ? null : lostEndError(reader);
}

/** Whether the markets have these sequence numbers: a moment may have more turns than one. */
function hasSeqs(engine: Engine, seqs: readonly number[]): boolean {
  const { length } = engine.markets();
  return length === seqs.length && seqs.every((seq, id) => engine.version(id).seq === seq);
}
