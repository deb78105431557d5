/** Candles as the column arrays of TradingView's UDF. */
import { BASE_PLACES, formatDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import type { Candle } from './candle.js';

/** Renders bars, ascending; for an empty range, the start of the next older bar, or null. */
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
