import type { JournalMoment } from '../contract/journal-source.js';
import { EngineError } from '../engine/errors.js';
import type { SegmentInfo } from './store/segment-info.js';
import { segmentName } from './store/segment-name.js';

/** An unreadable range of a journal. */
export interface ReplayHole {
  /** The name of the damaged file. */
  readonly name: string;
  /** With the error code, and the offset. */
  readonly reason: string;
  /** The slot of the last turn before the hole; 0 before the first turn. */
  readonly fromSlot: number;
  /** The checkpoint after it. */
  readonly to: JournalMoment;
}

/**
 * The number of the damaged file, the next readable file, and the slot of the last turn before the
 * damage.
 */
interface HolePlace {
  readonly number: number;
  readonly next: SegmentInfo;
  readonly fromSlot: number;
}

/** Returns the range that is lost with a damaged file. */
export function holeOf({ code, message }: EngineError, place: HolePlace): ReplayHole {
  const { number, next, fromSlot } = place;
  const name = segmentName(number);
  return { name, reason: `${code}: ${message}`, fromSlot, to: next.first };
}

/** The hole as a line of text. */
export function holeText({ name, reason, fromSlot, to }: ReplayHole): string {
  return `hole: ${name}: ${reason}: there is nothing from slot ${fromSlot} to slot ${to.slot}`;
}

/**
 * Error codes of a file that is unreadable from an offset on; a book that differs from the written
 * one ends a replay instead.
 */
const HOLE_CODES: readonly string[] = [
  'MALFORMED_JOURNAL',
  'JOURNAL_VERSION_MISMATCH',
  'JOURNAL_CRC_MISMATCH',
  'JOURNAL_BYTES_EXCEEDED',
];

/** Returns whether the rest of a file is unreadable but the next file can be read. */
export function isUnreadable(error: unknown): error is EngineError {
  return error instanceof EngineError && HOLE_CODES.includes(error.code);
}
