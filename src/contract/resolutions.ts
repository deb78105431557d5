/** The lengths of candles. */

/**
 * Nominal minutes of each candle length by name, the shortest first: minutes, a day, a week from
 * Monday and a month, all in UTC. A month has 30 days in this table; candles use calendar months.
 */
export const RESOLUTION_MINUTES = {
  '1': 1,
  '5': 5,
  '15': 15,
  '60': 60,
  '240': 240,
  D: 1_440,
  W: 10_080,
  M: 43_200,
} as const;

/** The name of a length. */
export type Resolution = keyof typeof RESOLUTION_MINUTES;

/** The names, the shortest first. */
export const RESOLUTIONS = Object.keys(RESOLUTION_MINUTES) as readonly Resolution[];

/** A resolution as clients name it; `1440` is another name of `D`. */
export type ResolutionName = Resolution | '1440';

/** The names by which clients ask. */
export const RESOLUTION_NAMES: readonly ResolutionName[] = [...RESOLUTIONS, '1440'];

/** The length of a name. */
export function resolutionOf(name: ResolutionName): Resolution {
  return name === '1440' ? 'D' : name;
}

const LONGEST_MONTH_SECONDS = 31 * 86_400;

/** Returns the seconds of the longest candle of a resolution. */
export function resolutionSecondsMax(resolution: Resolution): number {
  return resolution === 'M' ? LONGEST_MONTH_SECONDS : RESOLUTION_MINUTES[resolution] * 60;
}
