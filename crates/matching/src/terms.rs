//! The terms of a market, and which of two prices is worse for a taker.

use slotbook_book::{EmptyReason, MarketInfo};
use slotbook_protocol::enums::{Direction, MarketStatus, MarketType};
use slotbook_protocol::units::{BaseQty, Price};

/// What of a market the walk needs, beside its liquidity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarketTerms {
    /// Perp or spot.
    pub market_type: MarketType,
    /// Smallest price step, 1e6; at least 1.
    pub tick: Price,
    /// Smallest size step, in base units; at least 1.
    pub step: BaseQty,
    /// Smallest order that is not reduce-only, in base units.
    pub min_order_size: BaseQty,
    /// Decimals of a base size: 9 for perps, the token's for spot.
    pub decimals: u32,
    /// True for prediction markets, whose prices end at 1,000,000.
    pub is_prediction: bool,
    /// Percent by which the market's fees and rebates differ from their tiers'.
    pub fee_adjustment: i16,
    /// Only reduce-only orders may fill.
    pub is_reduce_only: bool,
    /// Why nothing fills here by rule; `None` where orders may.
    pub closed: Option<EmptyReason>,
}

impl MarketTerms {
    /// A perp market that is open.
    #[must_use]
    pub const fn perp(tick: Price, step: BaseQty, min_order_size: BaseQty) -> Self {
        Self {
            market_type: MarketType::Perp,
            tick,
            step,
            min_order_size,
            decimals: 9,
            is_prediction: false,
            fee_adjustment: 0,
            is_reduce_only: false,
            closed: None,
        }
    }

    /// The terms of a market of the book, open unless `closed` says why not.
    #[must_use]
    pub fn of(info: &MarketInfo, closed: Option<EmptyReason>) -> Self {
        Self {
            market_type: info.market_type,
            tick: info.tick,
            step: info.step,
            min_order_size: info.min_order_size,
            decimals: info.decimals,
            is_prediction: info.is_prediction,
            fee_adjustment: info.fee_adjustment,
            is_reduce_only: info.status == MarketStatus::ReduceOnly,
            closed,
        }
    }
}

/// Whether a taker pays more, or gets less, at `price` than at `other`.
pub(crate) fn is_worse(taker: Direction, price: Price, other: Price) -> bool {
    match taker {
        Direction::Long => price > other,
        Direction::Short => price < other,
    }
}

/// The best of some prices for a taker.
pub(crate) fn best_of(taker: Direction, prices: impl Iterator<Item = Price>) -> Option<Price> {
    match taker {
        Direction::Long => prices.min(),
        Direction::Short => prices.max(),
    }
}
