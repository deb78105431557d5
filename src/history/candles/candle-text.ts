/** Renders candles as JSON, with decimal numbers in human units made from integers. */
import { BASE_PLACES, formatDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import type { ResolutionName } from '../../contract/resolutions.js';
import type { Candle } from './candle.js';

/** The market and the resolution of a candle outside of a list. */
export interface CandleLabel {
  readonly symbol: string;
  readonly resolution: ResolutionName;
}

/** Renders a candle of a list, without market and resolution, because the request names them. */
export function candleText(candle: Candle): string {
  return `{${candleMembers(candle)}}`;
}

/** Renders a candle of a stream, with its last trade, if any. */
export function labelledCandleText(candle: Candle, { symbol, resolution }: CandleLabel): string {
  const { lastTradeTs, lastFillRecordId } = candle;
  const label = `"symbol":${JSON.stringify(symbol)},"resolution":"${resolution}"`;
  const last =
    lastFillRecordId === null
      ? ''
      : `,"lastTradeTs":${lastTradeTs},"lastFillRecordId":"${lastFillRecordId}"`;
  return `{${label},${candleMembers(candle)}${last}}`;
}

/** Renders the members in the order of the Drift v2 data API, on which existing clients rely. */
function candleMembers(candle: Candle): string {
  const price = (name: string, value: bigint): string =>
    `"${name}":${formatDecimal(value, QUOTE_PLACES)}`;
  return [
    `"ts":${candle.ts}`,
    price('fillOpen', candle.fillOpen),
    price('fillHigh', candle.fillHigh),
    price('fillClose', candle.fillClose),
    price('fillLow', candle.fillLow),
    price('oracleOpen', candle.oracleOpen),
    price('oracleHigh', candle.oracleHigh),
    price('oracleClose', candle.oracleClose),
    price('oracleLow', candle.oracleLow),
    price('quoteVolume', candle.quoteVolume),
    `"baseVolume":${formatDecimal(candle.baseVolume, BASE_PLACES)}`,
  ].join(',');
}
