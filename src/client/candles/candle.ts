/** The lengths of candles. */
import type { Resolution } from '../generated/lists.js';

const DAY_S = 86_400;

/** Seconds by which two candles that follow each other are apart: the least and the most. */
export function lengthOf(resolution: Resolution): { readonly minS: number; readonly maxS: number } {
  if (resolution === 'M') return { minS: 28 * DAY_S, maxS: 31 * DAY_S };
  const days = { D: 1, W: 7 }[resolution as string];
  const seconds = days === undefined ? Number(resolution) * 60 : days * DAY_S;
  return { minS: seconds, maxS: seconds };
}

/** Equal for candles of one market and length; `D` is another name of `1440`. */
export function seriesKey(symbol: string, resolution: string): string {
  return `${symbol.toLowerCase()} ${resolution === 'D' ? '1440' : resolution}`;
}
