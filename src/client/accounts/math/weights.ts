/**
 * Weights and ratios that depend on the size of a position.
 *
 * Source: sdk/src/math/margin.ts of @drift-labs/sdk 2.163.0-beta.0, which mirrors
 * programs/drift/src/math/margin.rs `calculate_size_premium_liability_weight` and
 * `calculate_size_discount_asset_weight`.
 */
import { abs, E4, E6, isqrt, max, min } from './integer.js';

/** Sizes are at 1e9; the root of ten times a size is at 1e5. */
const ROOT_UNIT = 100_000n;
/**
 * The product of the root unit and the unit of the factor (1e6), divided by the unit of a weight
 * (1e4).
 */
const PREMIUM_UNIT = (ROOT_UNIT * E6) / E4;
/** Numerator of the discounted weight, 1.1: sizes whose premium exceeds a tenth are discounted. */
const DISCOUNT_START = (11n * E6 * E4) / 10n;

/** Returns the factor by which a margin depends on size: the square root of the size, at 1e5. */
function sizeRoot(size: bigint): bigint {
  return isqrt(abs(size) * 10n + 1n);
}

/**
 * Returns the weight of a liability of a size (1e9) by a factor (1e6), at 1e4; the result may be
 * below the base weight.
 */
export function unboundedPremium(size: bigint, factor: bigint, weight: bigint): bigint {
  if (factor === 0n) return weight;
  return weight - weight / 5n + (sizeRoot(size) * factor) / PREMIUM_UNIT;
}

/**
 * Returns the weight of a liability of a size (1e9) by a factor (1e6), at least the base weight,
 * 1e4.
 */
export function sizePremium(size: bigint, factor: bigint, weight: bigint): bigint {
  return max(weight, unboundedPremium(size, factor, weight));
}

/**
 * Returns the weight of an asset of a size (1e9) by a factor (1e6), at most the base weight, 1e4.
 */
export function sizeDiscount(size: bigint, factor: bigint, weight: bigint): bigint {
  if (factor === 0n) return weight;
  return min(weight, DISCOUNT_START / (E6 + (sizeRoot(size) * factor) / ROOT_UNIT));
}
