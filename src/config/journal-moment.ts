import { invalid } from './config-error.js';

/** A moment of a journal: the last turn up to a slot, or up to a time in unix milliseconds. */
export type JournalMomentSetting = { readonly slot: number } | { readonly tsMs: number };

/** Numbers from here on are unix milliseconds, as of 2001; slots are below for some thousand years. */
const TS_MS_MIN = 1_000_000_000_000;

/** Reads the moment of `--at`. Throws a ConfigError. */
export function parseMoment(text: string): JournalMomentSetting {
  const moment = findMoment(text);
  if (moment !== null) return moment;
  throw invalid(
    'at',
    text,
    'must be a slot, unix milliseconds, or a time such as 2026-11-01T12:00Z',
  );
}

/** The moment that a text names; null for none. */
export function findMoment(text: string): JournalMomentSetting | null {
  const isWhole = /^\d{1,15}$/.test(text);
  if (isWhole && Number(text) < TS_MS_MIN) return { slot: Number(text) };
  const tsMs = isWhole ? Number(text) : Date.parse(text);
  return Number.isFinite(tsMs) ? { tsMs } : null;
}
