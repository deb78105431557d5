//! Which part of a book is shown.

use slotbook_book::MarketId;
use slotbook_protocol::units::{Price, Pubkey};

use crate::sources::Sources;

/// Which part of a book an /l2 body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct L2Request {
    /// The market.
    pub market: MarketId,
    /// Levels a side at most; after grouping.
    pub depth_levels: usize,
    /// The grid in ticks; 0 and 1 show every level.
    pub grouping_ticks: u32,
    /// What is shown beside orders. The book's quotes must be refreshed for it.
    pub sources: Sources,
}

impl L2Request {
    /// The width of a group, 1e6; `None` where every level is shown by itself.
    pub(crate) fn grid(&self, tick: Price) -> Option<Price> {
        let ticks = u64::from(self.grouping_ticks);
        (ticks > 1).then(|| Price(tick.0.saturating_mul(ticks)))
    }
}

/// Which part of a book an /l3 body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct L3Request {
    /// The market.
    pub market: MarketId,
    /// Orders a side at most.
    pub depth_orders: usize,
    /// Only the orders of this user account; `None` shows all.
    pub maker: Option<Pubkey>,
    /// What is shown beside orders: indicative quotes, since an AMM has no orders.
    pub sources: Sources,
}
