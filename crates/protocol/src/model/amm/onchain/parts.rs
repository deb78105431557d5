//! Units of the AMM's spreads and offsets.

/// The part 1 in the unit of spreads, percentages and prices.
pub(super) const PART: i128 = 1_000_000;

/// Parts of an adjustment: per cent.
pub(super) const PER_CENT: i128 = 100;

/// Hours a day, by which daily rates are spread.
pub(super) const HOURS_A_DAY: i128 = 24;
