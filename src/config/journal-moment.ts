import { invalid } from './config-error.js';
import { findTimeMs } from './time-text.js';

/** A moment of a journal: the last turn up to a slot, or up to a time in unix milliseconds. */
export type JournalMomentSetting = { readonly slot: number } | { readonly tsMs: number };

/**
 * The smallest number that is read as unix milliseconds (in 2001). Slots remain smaller for some
 * thousand years.
 */
const TS_MS_MIN = 1_000_000_000_000;

/** Parses the moment of `--at`. Throws a ConfigError. */
export function parseMoment(text: string): JournalMomentSetting {
  const moment = findMoment(text);
  if (moment !== null) return moment;
  throw invalid(
    'at',
    text,
    'must be a slot, unix milliseconds, or a time such as 2026-11-01T12:00Z',
  );
}

/** Parses a moment, with times in the formats of {@link findTimeMs}; null for an invalid text. */
export function findMoment(text: string): JournalMomentSetting | null {
  if (/^\d{1,15}$/.test(text)) {
    const number = Number(text);
    return number < TS_MS_MIN ? { slot: number } : { tsMs: number };
  }
  const tsMs = findTimeMs(text);
  return tsMs === null ? null : { tsMs };
}
