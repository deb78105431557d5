//! Oracles: how each kind of account is read, when a price is valid, and the market makers' oracle.

mod decode;
mod validity;

pub(crate) use decode::decode_oracle;
pub use decode::{
    PYTH_PROGRAM, PYTH_RECEIVER_PROGRAM, SWITCHBOARD_ON_DEMAND_PROGRAM, SWITCHBOARD_PROGRAM,
    quote_asset_reading,
};
pub use validity::{
    MmOracle, OracleGuardRails, OracleValidity, mm_oracle_diverges, mm_oracle_reading,
    usable_for_offset_orders, validity,
};

use crate::model::units::{OraclePrice, Slot};

/// What an oracle's account says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleReading {
    /// The price, 1e6. Zero and negative prices are read, and then found invalid.
    pub price: OraclePrice,
    /// How far the price may be off, 1e6.
    pub confidence: u64,
    /// The slot at which the price was published; the delay is counted from it.
    pub slot: Slot,
    /// The publisher's own order of its prices: microseconds for Lazer, seconds for pull feeds.
    pub sequence_id: Option<u64>,
    /// Whether enough publishers support the price.
    pub has_sufficient_data: bool,
    /// The feed's average in the SDK; `None` for sources without one there.
    pub average: Option<OracleAverage>,
}

/// The average of a feed as the SDK shows it. No rule of the program reads it. Of a pull feed and of
/// Lazer the SDK shows the published price in both places, before a stable coin is held at one.
///
/// Source: sdk/src/oracles `getOraclePriceDataFromBuffer` of `PythClient`, `PythPullClient` and
/// `PythLazerClient`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleAverage {
    /// The SDK's `twap`, 1e6.
    pub price: i64,
    /// The SDK's `twapConfidence`, 1e6.
    pub confidence: i64,
}
