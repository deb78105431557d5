import type { JournalMoment } from '../contract/journal-source.js';
import { EngineError } from '../engine/errors.js';

/** What of a journal cannot be played. */
export interface ReplayHole {
  /** The name of the damaged file. */
  readonly name: string;
  /** With its code, and the byte. */
  readonly reason: string;
  /** The slot of the last turn before it; 0 before the first. */
  readonly fromSlot: number;
  /** The checkpoint behind it. */
  readonly to: JournalMoment;
}

/** What makes a file unreadable from some byte on; a book that is not the one that was written ends a replay. */
const HOLE_CODES: readonly string[] = [
  'MALFORMED_JOURNAL',
  'JOURNAL_VERSION_MISMATCH',
  'JOURNAL_CRC_MISMATCH',
  'JOURNAL_BYTES_EXCEEDED',
];

/** Whether a file cannot be read any further, and the next one can. */
export function isUnreadable(error: unknown): error is EngineError {
  return error instanceof EngineError && HOLE_CODES.includes(error.code);
}
