//! Parameters of book bodies.

use slotbook_book::MarketId;
use slotbook_protocol::model::units::{Price, Pubkey};

use crate::sources::Sources;

/// Parameters of an /l2 body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct L2Request {
    /// The market.
    pub market: MarketId,
    /// Maximum levels a side, after grouping.
    pub depth_levels: usize,
    /// Ticks in each price group; 0 and 1 show every level.
    pub grouping_ticks: u32,
    /// Liquidity in addition to orders. The book's quotes must be refreshed for it.
    pub sources: Sources,
}

impl L2Request {
    /// All levels of the orders up to a depth; other requests are this one with more members.
    #[must_use]
    pub const fn plain(market: MarketId, depth_levels: usize) -> Self {
        Self { market, depth_levels, grouping_ticks: 1, sources: Sources::NONE }
    }

    /// The width of a price group, 1e6; `None` without grouping.
    pub(crate) fn grid(&self, tick: Price) -> Option<Price> {
        let ticks = u64::from(self.grouping_ticks);
        (ticks > 1).then(|| Price(tick.0.saturating_mul(ticks)))
    }
}

/// Parameters of an /l3 body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct L3Request {
    /// The market.
    pub market: MarketId,
    /// Maximum orders a side.
    pub depth_orders: usize,
    /// The user account whose orders alone are included; `None` includes all.
    pub maker: Option<Pubkey>,
    /// Liquidity in addition to orders: indicative quotes only, because an AMM has no orders.
    pub sources: Sources,
}
