import type { JournalMoment } from '../contract/journal-source.js';
import { EngineError } from '../engine/errors.js';
import type { SegmentInfo } from './store/segment-info.js';
import { segmentName } from './store/segment-name.js';

/** What of a journal cannot be read. */
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

/** The number of a damaged file, the file with which it goes on, and the slot of the last turn before the damage. */
export interface HolePlace {
  readonly number: number;
  readonly next: SegmentInfo;
  readonly fromSlot: number;
}

/** What a damaged file has lost. */
export function holeOf({ code, message }: EngineError, place: HolePlace): ReplayHole {
  const { number, next, fromSlot } = place;
  const name = segmentName(number);
  return { name, reason: `${code}: ${message}`, fromSlot, to: next.first };
}

/** The hole as a line. */
export function holeText({ name, reason, fromSlot, to }: ReplayHole): string {
  return `hole: ${name}: ${reason}: there is nothing from slot ${fromSlot} to slot ${to.slot}`;
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
