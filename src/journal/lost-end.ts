import type { EngineError } from '../engine/errors.js';
import { type JournalReader, lostEndError } from '../engine/journal-reader.js';
import type { SegmentInfo } from './store/segment-info.js';

/**
 * Of a file that was read to its end: why that is not where the next one begins; null when nothing is missing between them. Without a
 * next one it may be torn. Throws an EngineError where it is damaged.
 */
export function findLostEnd(
  reader: JournalReader,
  next: Pick<SegmentInfo, 'first'> | undefined,
): EngineError | null {
  const tear = reader.finish();
  if (next === undefined) return null;
  const { slot, tsMs } = reader.position();
  const isAtNext = tear === null && slot === next.first.slot && tsMs === next.first.ts;
  return isAtNext ? null : lostEndError(reader);
}
