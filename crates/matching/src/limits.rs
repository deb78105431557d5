//! The limits of this crate, each with its reason.

/// Fills of one walk. A body of this size is 1.3 MB and takes 3 ms to render, the longest that one
/// response may block the event loop; the walk stops with [`crate::Reason::FillsExceeded`] and
/// leaves the rest unfilled.
pub const FILLS_MAX: usize = 8_192;

/// Offers of an auction. A market has a few dozen makers.
pub const JIT_OFFERS_MAX: usize = 256;

/// External levels per side: a few venues with a few sizes each.
pub const EXTERNAL_LEVELS_MAX: usize = 64;

/// Input levels per call; a caller that passes more has a bug.
pub const EXTERNAL_LEVELS_GIVEN_MAX: usize = 1_024;

/// Larger token decimals are clamped to this: 10^38 fits a `u128`.
pub const TOKEN_DECIMALS_MAX: u32 = 38;

/// Resting orders passed to one program fill. A transaction names at most 64 accounts, and a maker
/// needs two; the program itself tries at most seven of its orders.
pub const MAKERS_PASSED_MAX: usize = 24;
