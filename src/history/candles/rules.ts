/** What candles mean, as the store asks for it: it names resolutions by their minutes. */
import type { CandleMinutes, CandleRules } from '../store/types.js';
import { aggregateOf, mergedAggregates } from './aggregate.js';
import { bucketAfter, bucketStart, type Resolution } from './resolution.js';
import { candleTrade } from './trade.js';

/** Nominal minutes: a month is thirty days here, and whatever it has in the calendar elsewhere. */
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

/** By what the store names a resolution. */
export function minutesOf(resolution: Resolution): CandleMinutes {
  return minutesByResolution[resolution];
}

/** The resolution of what the store names it by. */
export function resolutionOfMinutes(minutes: CandleMinutes): Resolution {
  const resolution = resolutionByMinutes.get(minutes);
  if (resolution === undefined) throw new Error(`Invariant: ${minutes} minutes are a resolution`);
  return resolution;
}

/** The rules of candles. */
export const candleRules: CandleRules = {
  minutes: [...resolutionByMinutes.keys()],
  bucketStart: (minutes, ts) => bucketStart(resolutionOfMinutes(minutes), ts),
  bucketEnd: (minutes, ts) => bucketAfter(resolutionOfMinutes(minutes), ts, 1),
  pointOf: candleTrade,
  ofPoint: aggregateOf,
  merge: mergedAggregates,
};
