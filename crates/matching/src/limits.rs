//! The limits of this crate, each with its reason.

/// Maximum fills of one walk. A body with this number of fills has 1.3 MB and takes 3 ms to render,
/// the longest time that one response may block the event loop. The walk stops with
/// [`crate::Reason::FillsExceeded`] and leaves the remainder unfilled.
pub const FILLS_MAX: usize = 8_192;

/// Maximum offers of an auction. A market has a few dozen makers.
pub const JIT_OFFERS_MAX: usize = 256;

/// Maximum external levels a side: a few venues with a few sizes each.
pub const EXTERNAL_LEVELS_MAX: usize = 64;

/// Maximum input levels of a call; a caller that passes more has a bug.
pub const EXTERNAL_LEVELS_GIVEN_MAX: usize = 1_024;

/// Maximum token decimals, to which larger decimals are clamped: 10^38 fits in a `u128`.
pub const TOKEN_DECIMALS_MAX: u32 = 38;

/// Maximum resting orders that are passed to one program fill. A transaction names at most 64
/// accounts, and a maker needs two; the program itself tries at most seven of the orders.
pub const MAKERS_PASSED_MAX: usize = 24;
