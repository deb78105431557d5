/** Candles as JSON, with numbers in human units written from the integers. */
import { BASE_PLACES, formatDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import type { Candle } from './candle.js';
import type { ResolutionName } from './resolution.js';

/** What a candle is of, where it does not stand among its like. */
export interface CandleLabel {
  readonly symbol: string;
  /** The name that the client requested. */
  readonly resolution: ResolutionName;
}

/** A candle of a list, without market and resolution: the request names them. */
export function candleText(candle: Candle): string {
  return `{${candleMembers(candle)}}`;
}

/** A candle of a stream. It names its last trade when it has one. */
export function labelledCandleText(candle: Candle, { symbol, resolution }: CandleLabel): string {
  const { lastTradeTs, lastFillRecordId } = candle;
  const label = `"symbol":${JSON.stringify(symbol)},"resolution":"${resolution}"`;
  const last =
    lastFillRecordId === null
      ? ''
      : `,"lastTradeTs":${lastTradeTs},"lastFillRecordId":"${lastFillRecordId}"`;
  return `{${label},${candleMembers(candle)}${last}}`;
}

/** The order of the system that clients in use know. */
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
