import type { JournalMoment } from '../../contract/journal-source.js';
import { SLOT_MS_MAX } from '../model/limits.js';

const DAY_MS = 86_400_000;

/** What retention has to know of a file. */
export interface RetainedFile {
  /** The moment of its checkpoint. */
  readonly first: JournalMoment;
  readonly bytes: number;
}

/** What is to be kept at most. */
export interface RetentionPolicy {
  /** 0 for all. */
  readonly days: number;
  /** 0 for no limit. */
  readonly bytesMax: number;
}

/**
 * How many files, from the oldest on, are to be deleted. The files are in their order, and the last one,
 * which is being written, always stays.
 *
 * Age is counted in what the files themselves tell, from each to the next, and by the slower of the clock and the
 * slots: a clock that jumps, here or there, makes nothing old. Between two chains no time passes.
 */
export function countRetired(files: readonly RetainedFile[], policy: RetentionPolicy): number {
  return Math.max(countTooOld(files, policy.days), countTooMany(files, policy.bytesMax));
}

function countTooOld(files: readonly RetainedFile[], days: number): number {
  if (days === 0) return 0;
  let ageMs = 0;
  // A file ends where the next one begins, so it is as old as that one.
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
