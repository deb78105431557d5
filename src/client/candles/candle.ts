/** A candle as the service writes it, the bodies that hold candles, and their lengths. */
import { decimal, integer, list, type Of, object, whole } from '../fields.js';

/** A candle; prices and volumes are decimals for people. */
export const candle = object(
  {
    /** Unix seconds at which it begins. */
    ts: whole,
    fillOpen: decimal,
    fillHigh: decimal,
    fillLow: decimal,
    fillClose: decimal,
    baseVolume: decimal,
  },
  {
    quoteVolume: decimal,
    oracleOpen: decimal,
    oracleHigh: decimal,
    oracleLow: decimal,
    oracleClose: decimal,
    /** Of the last trade in it; left out of a candle without one, and in responses of pages. */
    lastTradeTs: decimal,
    lastFillRecordId: integer,
  },
);

/** The body of /candles, oldest first. */
export const candles = list(candle);

/** The body of /market/{symbol}/candles/{resolution}, newest first. */
export const candleRecords = object({ records: candles });

/** A candle. */
export type Candle = Of<typeof candle>;

/** Lengths of candles, as the interface names them: minutes; then a day, a week and a month of UTC. */
export type Resolution = '1' | '5' | '15' | '60' | '240' | '1440' | 'D' | 'W' | 'M';

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
