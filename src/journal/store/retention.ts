import type { JournalMoment } from '../../contract/journal-source.js';
import { SLOT_MS_MAX } from '../model/limits.js';

const DAY_MS = 86_400_000;

/** The facts of a file for retention. */
export interface RetainedFile {
  readonly first: JournalMoment;
  readonly bytes: number;
}

/** The maximum to keep. */
export interface RetentionPolicy {
  /** 0 for all. */
  readonly days: number;
  /** 0 for no limit. */
  readonly bytesMax: number;
}

/**
 * Returns the number of files to delete, oldest first. The files are in order; the last file, which
 * is being written, always stays.
 *
 * Age is the sum of the files' durations, each measured by the slower of clock and slots, so that a
 * step of the local or a recorded clock makes no file old. No time passes between two chains.
 */
export function countRetired(files: readonly RetainedFile[], policy: RetentionPolicy): number {
  return Math.max(countTooOld(files, policy.days), countTooMany(files, policy.bytesMax));
}

function countTooOld(files: readonly RetainedFile[], days: number): number {
  if (days === 0) return 0;
  let ageMs = 0;
  // A file ends at the start of the next file, which determines its age.
  for (let at = files.length - 2; at >= 0; at -= 1) {
    if (ageMs > days * DAY_MS) return at + 1;
    ageMs += passedMs(files[at], files[at + 1]);
  }
  return 0;
}

function passedMs(before: RetainedFile | undefined, after: RetainedFile | undefined): number {
  if (before === undefined || after === undefined) return 0;
  const byClock = after.first.ts - before.first.ts;
  const bySlots = (after.first.slot - before.first.slot) * SLOT_MS_MAX;
  return Math.max(0, Math.min(byClock, bySlots));
}

function countTooMany(files: readonly RetainedFile[], bytesMax: number): number {
  if (bytesMax === 0) return 0;
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  let count = 0;
  for (; count < files.length - 1 && bytes > bytesMax; count += 1)
    bytes -= files[count]?.bytes ?? 0;
  return count;
}
