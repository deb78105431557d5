/** Integer arithmetic that bigint has no operator for. */

/** Powers of ten, the units of the program: prices 1e6, base 1e9, weights and ratios 1e4. */
export const E3 = 1_000n;
export const E4 = 10_000n;
export const E6 = 1_000_000n;
export const E9 = 1_000_000_000n;

/** Up to here the square root of a double, rounded down, is exact. */
const EXACT_ROOT_MAX = 0x10_0000_0000_0000n;

export function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

export function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

/** A quotient of positive integers, rounded up. */
export function divCeil(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** The square root of an integer that is not negative, rounded down. */
export function isqrt(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))));
  if (value <= EXACT_ROOT_MAX) return root;
  // The double is off by a part in 2^52; one step of Newton brings it above the root or onto it.
  root = (root + value / root + 1n) >> 1n;
  while (root * root > value) root = (root + value / root) >> 1n;
  while ((root + 1n) * (root + 1n) <= value) root += 1n;
  return root;
}
