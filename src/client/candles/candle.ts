/** The lengths of candles. */
import type { Resolution } from '../generated/lists.js';
import type { Named } from '../stream/market-socket.js';

const DAY_S = 86_400;

/** Returns the shortest and the longest distance between two consecutive candles, seconds. */
export function lengthOf(resolution: Resolution): { readonly minS: number; readonly maxS: number } {
  if (resolution === 'M') return { minS: 28 * DAY_S, maxS: 31 * DAY_S };
  const days = { D: 1, W: 7 }[resolution as string];
  const seconds = days === undefined ? Number(resolution) * 60 : days * DAY_S;
  return { minS: seconds, maxS: seconds };
}

/**
 * Returns a key that is equal for candles of one market and resolution; `D` is another name of
 * `1440`.
 */
export function seriesKey({ symbol, resolution }: Named): string {
  return `${symbol} ${resolution === 'D' ? '1440' : resolution}`.toLowerCase();
}
