import type { Engine } from '../../engine/engine.js';
import type { EngineError } from '../../engine/errors.js';
import { type JournalReader, lostEndError } from '../../engine/journal-reader.js';
import type { SegmentInfo } from './segment-info.js';

/** A completely read file, and its book. */
export interface ReadFile {
  readonly engine: Engine;
  readonly reader: JournalReader;
}

/**
 * Why a file's end does not reach the next one's start; null when nothing is missing between them.
 * Without a next one it may be truncated. Throws an EngineError when it is damaged.
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

/** Whether the markets have these sequence numbers: several turns may share a moment. */
function hasSeqs(engine: Engine, seqs: readonly number[]): boolean {
  const { length } = engine.markets();
  return length === seqs.length && seqs.every((seq, id) => engine.version(id).seq === seq);
}
