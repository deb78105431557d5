//! The program's own sequence.
//!
//! [`program::fill`] is the program's fill of one perp order on plain values. Around it, this room
//! decides what a filler would pass to it: the best resting orders, and the offers of the auction.
//! One fill is walked; what it leaves unfilled, later ones could fill.

pub mod makers;
pub mod methods;
mod perp;
pub mod program;
mod spot;

use slotbook_protocol::enums::MarketType;

use crate::liquidity::Liquidity;
use crate::taker::Taker;
use crate::tally::Tally;

/// Fills the taker as the program does.
pub(crate) fn walk(taker: &Taker, liquidity: Liquidity<'_>, tally: &mut Tally) {
    match tally.market.market_type {
        MarketType::Perp => perp::walk(taker, liquidity, tally),
        MarketType::Spot => spot::walk(taker, liquidity, tally),
    }
}
