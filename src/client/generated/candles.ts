// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** Candles of paths and of channels. */
import { decimal, integer, type Of, object, whole } from '../fields.js';

/** A candle; prices and volumes are decimals for people. */
export const candle = object({
  /** Start, unix time in seconds. */
  ts: whole,
  /** Close of the candle before; of the first, its first trade. */
  fillOpen: decimal,
  /** Highest price, the open included. */
  fillHigh: decimal,
  /** Lowest price, the open included. */
  fillLow: decimal,
  /** Price of the last trade. */
  fillClose: decimal,
  /** Base that was traded. */
  baseVolume: decimal,
}, {
  /** Quote that was paid for it. */
  quoteVolume: decimal,
  /** Of the oracle, likewise. */
  oracleOpen: decimal,
  /** Of the oracle, likewise. */
  oracleHigh: decimal,
  /** Of the oracle, likewise. */
  oracleLow: decimal,
  /** Of the oracle, likewise. */
  oracleClose: decimal,
  lastTradeTs: decimal,
  lastFillRecordId: integer,
});

/** A candle. */
export type Candle = Of<typeof candle>;
