/** Scales amounts and rates of the history for its bodies. */
import {
  BASE_PLACES,
  divideNearest,
  FRACTION_PLACES,
  QUOTE_PLACES,
  RATE_PLACES,
} from '../../amounts/decimals.js';

/** Converts a base amount from `decimals` to 1e9, rounded down. */
export function scaledBase(amount: bigint, decimals: number): bigint {
  if (decimals <= BASE_PLACES) return amount * 10n ** BigInt(BASE_PLACES - decimals);
  return amount / 10n ** BigInt(decimals - BASE_PLACES);
}

const FRACTION_SCALE = 10n ** BigInt(FRACTION_PLACES + QUOTE_PLACES - RATE_PLACES);

/**
 * Returns (rate / 1e9) / (oracle price / 1e6) at 1e18, rounded to the nearest, halves away from
 * zero; 0 without an oracle price.
 */
export function fundingFraction(rate: bigint, oraclePrice: bigint): bigint {
  return oraclePrice <= 0n ? 0n : divideNearest(rate * FRACTION_SCALE, oraclePrice);
}
