/** Round values for the labels of an axis. */

/** Steps of an axis of time, minutes. */
const MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1_440];

/** Returns the smallest of 1, 2 and 5 times a power of ten that is at least `least`, above 0. */
export function priceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((times) => times * power >= least) ?? 10) * power;
}

/** Returns the smallest round step of time that is at least `leastMs`; a day at most. */
export function timeStepMs(leastMs: number): number {
  return (MINUTES.find((minutes) => minutes * 60_000 >= leastMs) ?? 1_440) * 60_000;
}

/** Returns the multiples of a step from `low` to `high`, ascending. */
export function multiplesWithin(
  { low, high }: { readonly low: number; readonly high: number },
  step: number,
): readonly number[] {
  const first = Math.ceil(low / step);
  const count = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}
