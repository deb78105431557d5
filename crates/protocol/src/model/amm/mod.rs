//! A perp market's AMM: its visible liquidity and its swaps, on a constant-product curve around the
//! oracle price.
//!
//! Principal types: [`PerpAmm`], the fields of the account; [`AmmQuote`], the quotes at an oracle
//! price and a time, whose [`AmmQuote::levels`] are in the book; and [`curve::Reserves`], whose
//! swaps compute every quote and fill.
//!
//! An account may hold any bytes, so every step is checked: a value that the exchange never stores
//! gives an [`AmmError`], never a panic and never a wrong quote.
//!
//! Source: sdk/src/math/amm.ts, sdk/src/math/repeg.ts, sdk/src/dlob/orderBookLevels.ts.

use core::fmt;

mod account;
pub mod curve;
pub mod gate;
pub mod jit;
mod levels;
mod offset;
pub mod onchain;
mod quote;
mod repeg;
mod spread;
mod update;
mod wide;

pub use account::PerpAmm;
pub use levels::{AmmLevel, top_of_book_amounts};
pub use quote::AmmQuote;
pub use spread::Spreads;
pub use update::UpdatedCurve;
pub use wide::U256;

/// A side of the AMM's quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmmSide {
    /// Where the AMM buys.
    Bid,
    /// Where the AMM sells.
    Ask,
}

/// The inputs of a quote besides the account: the oracle's reading and the chain's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmmInputs {
    /// The oracle's price, 1e6.
    pub oracle_price: i64,
    /// The oracle's confidence interval, 1e6.
    pub oracle_confidence: u64,
    /// The chain's clock, unix seconds.
    pub now: i64,
    /// The latest slot.
    pub slot: u64,
}

/// Why an AMM has no quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmmError {
    /// The oracle's price is not above zero.
    OraclePrice,
    /// A number is outside the range of the rule, or becomes negative.
    Overflow,
    /// A reserve, the peg or a price is zero, and the rule divides by it.
    DivisionByZero,
}

impl fmt::Display for AmmError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::OraclePrice => "oracle price was not above zero",
            Self::Overflow => "a number of the AMM was out of range",
            Self::DivisionByZero => "a reserve, the peg or a price of the AMM was zero",
        })
    }
}

impl core::error::Error for AmmError {}

#[cfg(test)]
mod tests;
