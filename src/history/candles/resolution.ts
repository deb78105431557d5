/**
 * The resolutions of candles, and the starts of their buckets. All times are unix seconds; all
 * buckets begin at a UTC boundary: weeks on Monday, months on the first.
 */

import {
  RESOLUTION_MINUTES,
  RESOLUTION_NAMES,
  RESOLUTIONS,
  type Resolution,
  type ResolutionName,
} from '../../contract/resolutions.js';
import type { CandleMinutes } from '../store/types.js';

/** Monday 1970-01-05, the first Monday after the epoch, which is a Thursday. */
const mondaySeconds = 4 * 86_400;

const resolutionByMinutes = new Map(
  RESOLUTIONS.map((resolution) => [RESOLUTION_MINUTES[resolution], resolution]),
);

/** The resolutions in minutes, as the store names them; shortest first. */
export const CANDLE_MINUTES = RESOLUTIONS.map((resolution) => RESOLUTION_MINUTES[resolution]);

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

/** Returns the start of the bucket that contains a time. */
export function bucketStart(resolution: Resolution, ts: number): number {
  return bucketAfter(resolution, ts, 0);
}

/**
 * Returns the start of the bucket that is `steps` buckets after the bucket of a time; before it
 * when negative.
 */
export function bucketAfter(resolution: Resolution, ts: number, steps: number): number {
  if (resolution === 'M') return monthStart(ts, steps);
  const length = RESOLUTION_MINUTES[resolution] * 60;
  const origin = resolution === 'W' ? mondaySeconds : 0;
  return (Math.floor((ts - origin) / length) + steps) * length + origin;
}

function monthStart(ts: number, steps: number): number {
  const date = new Date(ts * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + steps, 1) / 1_000;
}
