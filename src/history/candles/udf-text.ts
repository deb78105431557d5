/** Candles as the columns that TradingView's UDF has of bars. */
import { BASE_PLACES, formatDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import type { Candle } from './candle.js';

/** Bars, ascending; without any, where the next older one starts, or null where there is none. */
export function udfText(candles: readonly Candle[], olderTs: number | null): string {
  if (candles.length === 0) {
    return olderTs === null ? '{"s":"no_data"}' : `{"s":"no_data","nextTime":${olderTs}}`;
  }
  const column = (textOf: (candle: Candle) => string | number): string =>
    `[${candles.map(textOf).join()}]`;
  const price = (value: bigint): string => formatDecimal(value, QUOTE_PLACES);
  return (
    `{"s":"ok","t":${column(({ ts }) => ts)},"o":${column(({ fillOpen }) => price(fillOpen))},` +
    `"h":${column(({ fillHigh }) => price(fillHigh))},` +
    `"l":${column(({ fillLow }) => price(fillLow))},` +
    `"c":${column(({ fillClose }) => price(fillClose))},` +
    `"v":${column(({ baseVolume }) => formatDecimal(baseVolume, BASE_PLACES))}}`
  );
}
