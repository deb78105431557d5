/**
 * The resolutions of candles, and the starts of their buckets. All times are unix seconds, all
 * buckets begin at a boundary of UTC: weeks on Monday, months on the first.
 */

import type { Resolution } from '../../contract/history-queries.js';
import type { CandleMinutes } from '../store/types.js';

/** The stored resolutions, shortest first. */
export const RESOLUTIONS = [
  '1',
  '5',
  '15',
  '60',
  '240',
  'D',
  'W',
  'M',
] as const satisfies readonly Resolution[];

/** The resolution names of the API: the day is also called `1440`. */
export const RESOLUTION_NAMES = [...RESOLUTIONS, '1440'] as const;

/** A resolution name; labels repeat the name that was requested. */
export type ResolutionName = (typeof RESOLUTION_NAMES)[number];

const daySeconds = 86_400;
const weekSeconds = 7 * daySeconds;
/** Monday 1970-01-05, the first one after the epoch, a Thursday. */
const mondaySeconds = 4 * daySeconds;

const seconds: Readonly<Record<Exclude<Resolution, 'M'>, number>> = {
  1: 60,
  5: 300,
  15: 900,
  60: 3_600,
  240: 14_400,
  D: daySeconds,
  W: weekSeconds,
};

/** Nominal minutes: a month counts as thirty days here, but follows the calendar elsewhere. */
const minutesByResolution: Readonly<Record<Resolution, CandleMinutes>> = {
  1: 1,
  5: 5,
  15: 15,
  60: 60,
  240: 240,
  D: 1_440,
  W: 10_080,
  M: 43_200,
};

const resolutionByMinutes = new Map(
  (Object.entries(minutesByResolution) as [Resolution, CandleMinutes][]).map(
    ([resolution, minutes]) => [minutes, resolution],
  ),
);

/** The store's key of a resolution. */
export function minutesOf(resolution: Resolution): CandleMinutes {
  return minutesByResolution[resolution];
}

/** The store's keys of all resolutions, shortest first. */
export const CANDLE_MINUTES: readonly CandleMinutes[] = [...resolutionByMinutes.keys()];

/** The resolution of a store's key. */
export function resolutionOfMinutes(minutes: CandleMinutes): Resolution {
  const resolution = resolutionByMinutes.get(minutes);
  if (resolution === undefined) throw new Error(`Invariant: ${minutes} minutes are a resolution`);
  return resolution;
}

/** Whether a text names a resolution. */
export function isResolutionName(text: string): text is ResolutionName {
  return (RESOLUTION_NAMES as readonly string[]).includes(text);
}

/** The resolution of a name. */
export function resolutionOf(name: ResolutionName): Resolution {
  return name === '1440' ? 'D' : name;
}

/** The start of the bucket that contains a time. */
export function bucketStart(resolution: Resolution, ts: number): number {
  return bucketAfter(resolution, ts, 0);
}

/** The start of the bucket `steps` after the bucket that contains a time; before it when negative. */
export function bucketAfter(resolution: Resolution, ts: number, steps: number): number {
  if (resolution === 'M') return monthStart(ts, steps);
  const length = seconds[resolution];
  const origin = resolution === 'W' ? mondaySeconds : 0;
  return (Math.floor((ts - origin) / length) + steps) * length + origin;
}

function monthStart(ts: number, steps: number): number {
  const date = new Date(ts * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + steps, 1) / 1_000;
}
