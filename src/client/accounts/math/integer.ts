/**
 * Integer functions that bigint has no operator for, and powers of ten. Units of the program:
 * prices 1e6, base 1e9, weights and ratios 1e4.
 */

/** 10^3. */
export const E3 = 1_000n;
/** 10^4, of weights and ratios. */
export const E4 = 10_000n;
/** 10^6, of prices and quote. */
export const E6 = 1_000_000n;
/** 10^9, of base. */
export const E9 = 1_000_000_000n;

/** Up to this value the square root of a double, rounded down, is exact. */
const EXACT_ROOT_MAX = 0x10_0000_0000_0000n;

/** The absolute value. */
export function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The smaller of two. */
export function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

/** The larger of two. */
export function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

/** A quotient of positive integers, rounded up. */
export function divCeil(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** Returns the square root of a non-negative integer, rounded down. */
export function isqrt(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))));
  if (value <= EXACT_ROOT_MAX) return root;
  // The double is off by one part in 2^52; one Newton step moves it to the root or above.
  root = (root + value / root + 1n) >> 1n;
  while (root * root > value) root = (root + value / root) >> 1n;
  while ((root + 1n) * (root + 1n) <= value) root += 1n;
  return root;
}
