/** A candle as the service writes it, and the bodies that hold candles. */
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
    /** Of the last trade in it; left out of a candle without one, and in answers of pages. */
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
