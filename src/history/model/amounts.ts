/** Amounts as the program has them: raw integers, scaled and written digit by digit, never as floats. */

/** Decimals of prices and of quote amounts. */
export const QUOTE_PLACES = 6;
/** Decimals of base amounts in candles, volumes and bodies, and of those of perp markets on chain. */
export const BASE_PLACES = 9;
/** Decimals of funding rates on chain. */
export const RATE_PLACES = 9;

/** `value` divided by ten to the power of `places`, with as many digits as it needs: `150.667`, `-0.5`, `3`. */
export function formatDecimal(value: bigint, places: number): string {
  const text = formatFixedDecimal(value, places);
  return places === 0 ? text : text.replace(/\.?0+$/, '');
}

/** The same with all `places`: `150.667000`. */
export function formatFixedDecimal(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const sign = value < 0n ? '-' : '';
  if (places === 0) return `${sign}${digits}`;
  const point = digits.length - places;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * A base amount at 1e9, from one in `decimals`. What a token with more decimals has beyond the ninth
 * is cut off.
 */
export function scaledBase(amount: bigint, decimals: number): bigint {
  if (decimals <= BASE_PLACES) return amount * 10n ** BigInt(BASE_PLACES - decimals);
  return amount / 10n ** BigInt(decimals - BASE_PLACES);
}

/** Decimals of a funding rate as a fraction of the price: the lowest raw rate has some digits at any price. */
export const FRACTION_PLACES = 18;

const FRACTION_SCALE = 10n ** BigInt(FRACTION_PLACES + QUOTE_PLACES - RATE_PLACES);

/**
 * (rate / 1e9) / (oracle price / 1e6) at 1e18, to the nearest, halves away from zero; 0 where the
 * oracle had no price.
 */
export function fundingFraction(rate: bigint, oraclePrice: bigint): bigint {
  return oraclePrice <= 0n ? 0n : divideNearest(rate * FRACTION_SCALE, oraclePrice);
}

/** A quotient to the nearest, halves away from zero. The divisor is positive. */
export function divideNearest(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n);
  return dividend < 0n ? -rounded : rounded;
}
