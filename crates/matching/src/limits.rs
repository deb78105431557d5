//! Every maximum of this crate, with its reason.

/// Fills of one walk. A body of so many is 1.3 MB and takes 3 ms to make, which is as much as one
/// answer may hold up the service's loop; the walk stops there with
/// [`crate::Reason::FillsExceeded`], and what it has not filled is unfilled.
pub const FILLS_MAX: usize = 8_192;

/// Offers of an auction. The exchange's makers of one market are a few dozen.
pub const JIT_OFFERS_MAX: usize = 256;

/// Levels of external venues that are held a side: some venues of a few sizes each.
pub const EXTERNAL_LEVELS_MAX: usize = 64;

/// Levels that are read when a side is set; a caller that gives more has made a mistake.
pub const EXTERNAL_LEVELS_GIVEN_MAX: usize = 1_024;

/// A token with more decimals than this is read as if it had these: ten to their power is a `u128`.
pub const TOKEN_DECIMALS_MAX: u32 = 38;

/// Resting orders that are passed to one fill of the program's. A transaction names at most 64
/// accounts, and a maker needs two; the program itself tries no more than seven of its orders.
pub const MAKERS_PASSED_MAX: usize = 24;
