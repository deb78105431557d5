//! Integers of margins: quotients, and weights that depend on size.

/// The unit of weights and ratios.
pub(super) const E4: i128 = 10_000;
/// The unit of prices and quote.
pub(super) const E6: i128 = 1_000_000;
/// The unit of base.
pub(super) const E9: i128 = 1_000_000_000;

/// The largest amount that a product gives; sums of a few of them fit.
const PRODUCT_MAX: i128 = 10i128.pow(36);

/// Sizes are at 1e9; the root of ten times a size is at 1e5.
const ROOT: i128 = 100_000;

/// Returns `value * numerator / denominator`, rounded toward zero, and limited where the accounts
/// hold amounts beyond any of the program.
pub(super) fn ratio(value: i128, numerator: i128, denominator: i128) -> i128 {
    let denominator = if denominator == 0 { 1 } else { denominator };
    (value.saturating_mul(numerator) / denominator).clamp(-PRODUCT_MAX, PRODUCT_MAX)
}

/// Returns the same, rounded down.
pub(super) fn ratio_down(value: i128, numerator: i128, denominator: i128) -> i128 {
    value.saturating_mul(numerator).div_euclid(denominator.max(1)).clamp(-PRODUCT_MAX, PRODUCT_MAX)
}

fn size_root(size: i128) -> i128 {
    (size.abs() * 10 + 1).isqrt()
}

/// Returns the weight of a liability of a size, 1e4, which may be below the base weight. Source:
/// sdk/src/math/margin.ts `calculateSizePremiumLiabilityWeight`.
pub(super) fn unbounded_premium(size: i128, factor: i128, weight: i128) -> i128 {
    if factor == 0 {
        return weight;
    }
    weight - weight / 5 + ratio(size_root(size), factor, ROOT * E6 / E4)
}

/// Returns the weight of a liability of a size, 1e4, at least the base weight.
pub(super) fn size_premium(size: i128, factor: i128, weight: i128) -> i128 {
    weight.max(unbounded_premium(size, factor, weight))
}

/// Returns the weight of an asset of a size, 1e4, at most the base weight. Source:
/// sdk/src/math/margin.ts `calculateSizeDiscountAssetWeight`.
pub(super) fn size_discount(size: i128, factor: i128, weight: i128) -> i128 {
    if factor == 0 {
        return weight;
    }
    weight.min(11 * E6 * E4 / 10 / (E6 + ratio(size_root(size), factor, ROOT)))
}
