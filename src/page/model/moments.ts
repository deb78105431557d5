/**
 * Moments of the journal: the stored time range, and the text format of moments. Times are Unix
 * milliseconds.
 */
import type { JournalAnswer } from '@slotbook/client';

/** The stored range, from the oldest moment to the newest, and the gaps in it. */
export interface Kept {
  readonly firstTs: number;
  readonly lastTs: number;
  readonly gaps: readonly { readonly fromTs: number; readonly toTs: number }[];
}

/** Returns the stored range of a journal; undefined while it is empty. */
export function keptOf({ ranges, gaps }: JournalAnswer): Kept | undefined {
  const first = ranges[0];
  const last = ranges.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return {
    firstTs: first.first.ts,
    lastTs: last.last.ts,
    gaps: gaps.map(({ from, to }) => ({ fromTs: from.ts, toTs: to.ts })),
  };
}

/** Returns the stored moment at a time; for a time in a gap, the nearest moment before the gap. */
export function heldMoment({ firstTs, lastTs, gaps }: Kept, ts: number): number {
  const gap = gaps.find(({ fromTs, toTs }) => ts > fromTs && ts < toTs);
  return Math.round(Math.min(lastTs, Math.max(firstTs, gap?.fromTs ?? ts)));
}

/** The time zone of displayed times. */
export type Zone = 'utc' | 'local';

/** Returns the distance of a time zone from UTC at a moment, milliseconds. */
export function zoneOffsetMs(ts: number, zone: Zone): number {
  return zone === 'utc' ? 0 : -new Date(ts).getTimezoneOffset() * 60_000;
}

/** The displayed name of a time zone. */
export function zoneName(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : 'local';
}

/** Formats a moment with date and milliseconds: `2026-11-23 03:12:04.120`. */
export function momentText(ts: number, zone: Zone = 'utc'): string {
  return new Date(ts + zoneOffsetMs(ts, zone)).toISOString().slice(0, 23).replace('T', ' ');
}

/** Parses a moment, or a time on the day of `nearTs`; undefined for an invalid text. */
export function parseMoment(text: string, nearTs: number, zone: Zone = 'utc'): number | undefined {
  const [, day, time] =
    /^(?:(\d{4}-\d\d-\d\d)[ T])?(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?:Z| UTC)?$/.exec(
      text.trim(),
    ) ?? [];
  if (time === undefined) return undefined;
  const ts = Date.parse(`${day ?? momentText(nearTs, zone).slice(0, 10)}T${time}Z`);
  return Number.isNaN(ts) ? undefined : ts - zoneOffsetMs(ts, zone);
}
