//! The sequence in which the program itself fills an order.
//!
//! [`program::fill`] reimplements the program's fill of one perp order on plain values. This module
//! chooses the input that a filler would pass: the best resting orders, and the offers of the
//! auction. It simulates one fill; later fills may take the unfilled remainder.

pub mod makers;
pub mod methods;
mod perp;
pub mod program;
mod spot;

use slotbook_protocol::model::enums::MarketType;

use crate::liquidity::Liquidity;
use crate::taker::Taker;
use crate::tally::Tally;

pub(crate) fn walk(taker: &Taker, liquidity: Liquidity<'_>, tally: &mut Tally) {
    match tally.market.market_type {
        MarketType::Perp => perp::walk(taker, liquidity, tally),
        MarketType::Spot => spot::walk(taker, liquidity, tally),
    }
}
