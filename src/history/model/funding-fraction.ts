/** A funding rate as a fraction of the price, in integers. */

/** Decimals of a rate as a fraction: the lowest raw rate has some digits at any price. */
export const FRACTION_PLACES = 18;

/** Raw rates are at 1e9 and prices at 1e6. */
const RATE_PLACES = 9;
const PRICE_PLACES = 6;
const SCALE = 10n ** BigInt(FRACTION_PLACES + PRICE_PLACES - RATE_PLACES);

/**
 * (rate / 1e9) / (oracle price / 1e6) at 1e18, to the nearest, halves away from zero; 0 where the
 * oracle had no price.
 */
export function fundingFraction(rate: bigint, oraclePrice: bigint): bigint {
  return oraclePrice <= 0n ? 0n : divideNearest(rate * SCALE, oraclePrice);
}

/** A quotient to the nearest, halves away from zero. The divisor is positive. */
export function divideNearest(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n);
  return dividend < 0n ? -rounded : rounded;
}
