/**
 * Weights and ratios that grow or shrink with size.
 *
 * Source: sdk/src/math/margin.ts of @drift-labs/sdk 2.163.0-beta.0, which mirrors
 * programs/drift/src/math/margin.rs `calculate_size_premium_liability_weight` and
 * `calculate_size_discount_asset_weight`.
 */
import { abs, E4, E6, isqrt, max, min } from './integer.js';

/** Sizes are 1e9; their roots, times the root of ten, are 1e5. */
const ROOT_UNIT = 100_000n;
/** Root unit times the unit of the factor (1e6), in units of a weight (1e4). */
const PREMIUM_UNIT = (ROOT_UNIT * E6) / E4;
/** Size above which the weight is discounted: where the premium exceeds a tenth. */
const DISCOUNT_START = (11n * E6 * E4) / 10n;

/** The size-dependent factor of a margin: the square root of the size at 1e5. */
function sizeRoot(size: bigint): bigint {
  return isqrt(abs(size) * 10n + 1n);
}

/** The weight of a liability of a size (1e9) by a factor (1e6), at 1e4; it may be below the base weight. */
export function unboundedPremium(size: bigint, factor: bigint, weight: bigint): bigint {
  if (factor === 0n) return weight;
  return weight - weight / 5n + (sizeRoot(size) * factor) / PREMIUM_UNIT;
}

/** The weight of a liability of a size (1e9) by a factor (1e6): at least the weight itself, 1e4. */
export function sizePremium(size: bigint, factor: bigint, weight: bigint): bigint {
  return max(weight, unboundedPremium(size, factor, weight));
}

/** The weight of an asset of a size (1e9) by a factor (1e6): at most the weight itself, 1e4. */
export function sizeDiscount(size: bigint, factor: bigint, weight: bigint): bigint {
  if (factor === 0n) return weight;
  return min(weight, DISCOUNT_START / (E6 + (sizeRoot(size) * factor) / ROOT_UNIT));
}
