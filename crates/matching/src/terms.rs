//! The terms of a market, and price comparison for a taker.

use slotbook_book::{EmptyReason, MarketInfo};
use slotbook_protocol::model::enums::{Direction, MarketStatus, MarketType};
use slotbook_protocol::model::units::{BaseQty, Price};

/// The market data that a walk needs in addition to the liquidity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarketTerms {
    /// Perp or spot.
    pub market_type: MarketType,
    /// Smallest price step, 1e6; at least 1.
    pub tick: Price,
    /// Smallest step of a size, in base units; at least 1.
    pub step: BaseQty,
    /// Smallest size of an order that is not reduce-only, in base units.
    pub min_order_size: BaseQty,
    /// Decimals of a base size: 9 for perps, the token's for spot.
    pub decimals: u32,
    /// Whether the market is a prediction market, whose maximum price is 1,000,000.
    pub is_prediction: bool,
    /// Percent by which the market's fees and rebates differ from the fee tiers.
    pub fee_adjustment: i16,
    /// Fee that takers pay in addition to their tier's fee, in tenths of a basis point.
    pub taker_fee_addon_tenth_bps: u16,
    /// Whether only reduce-only orders may fill.
    pub is_reduce_only: bool,
    /// The reason why nothing fills; `None` for an open market.
    pub closed: Option<EmptyReason>,
}

impl MarketTerms {
    /// An open perp market.
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
            taker_fee_addon_tenth_bps: 0,
            is_reduce_only: false,
            closed: None,
        }
    }

    /// Returns the terms of a market of the book, open unless `closed` gives a reason.
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
            taker_fee_addon_tenth_bps: info.taker_fee_addon_tenth_bps,
            is_reduce_only: info.status == MarketStatus::ReduceOnly,
            closed,
        }
    }
}

/// Returns whether `price` is worse than `other` for the taker.
pub(crate) fn is_worse(taker: Direction, price: Price, other: Price) -> bool {
    match taker {
        Direction::Long => price > other,
        Direction::Short => price < other,
    }
}

pub(crate) fn best_of(taker: Direction, prices: impl Iterator<Item = Price>) -> Option<Price> {
    match taker {
        Direction::Long => prices.min(),
        Direction::Short => prices.max(),
    }
}
