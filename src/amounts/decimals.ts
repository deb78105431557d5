/** Amounts as in the program: integers, scaled and written digit by digit, never as floats. */

/** Decimals of prices and of quote amounts. */
export const QUOTE_PLACES = 6;
/** Of base amounts. */
export const BASE_PLACES = 9;
/** Of funding rates on chain. */
export const RATE_PLACES = 9;
/** Decimal places of funding rates as fractions of the price. */
export const FRACTION_PLACES = 18;

/**
 * Returns `value` divided by ten to the power of `places`, without trailing zeros: `150.667`,
 * `-0.5`, `3`.
 */
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
 * Returns the quotient, rounded to the nearest integer, with halves away from zero. The divisor
 * must be positive.
 */
export function divideNearest(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n);
  return dividend < 0n ? -rounded : rounded;
}
