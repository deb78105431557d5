//! Levels of venues outside the exchange, for spot markets.

use slotbook_protocol::units::{BaseQty, Price};

/// One price of an external venue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalLevel {
    /// The price, 1e6.
    pub price: Price,
    /// What is there, in the market's base units.
    pub size: BaseQty,
}
