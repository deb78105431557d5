//! The open orders of one user account, visible in the book or not.

use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::units::Pubkey;

use crate::LeftOut;
use crate::book::Book;
use crate::ladder::arena::{Place, handle_of};
use crate::limits::ORDERS_PER_USER;
use crate::markets::market::Market;
use crate::model::market::{MarketInfo, MarketKey};
use crate::orders::order_store::open_order;

/// One open order of a user account.
#[derive(Clone, Copy, Debug)]
pub struct OpenOrder<'a> {
    /// Its market.
    pub market: &'a MarketInfo,
    /// The order as stored in its account.
    pub order: Order,
    /// The reason why the book excludes the order; `None` when it does not.
    pub left_out: Option<LeftOut>,
    pub(crate) handle: u32,
}

impl Book {
    /// Appends the open orders of a user account, in the order of its slots. Appends nothing for an
    /// unknown account, and skips orders of unknown markets.
    pub fn open_orders<'a>(&'a self, user: &Pubkey, rows: &mut Vec<OpenOrder<'a>>) {
        let Some(index) = self.orders.users.find(user) else { return };
        rows.extend((0..ORDERS_PER_USER).filter_map(|slot| self.open_order(index, slot)));
    }

    fn open_order(&self, user: usize, slot: usize) -> Option<OpenOrder<'_>> {
        let handle = handle_of(user, slot);
        let order = open_order(self.orders.arena.raw(handle))?;
        let place = self.orders.arena.node(handle).place;
        let Order { market_type, market_index, .. } = order;
        let market = self.markets.find(MarketKey { market_type, market_index })?;
        Some(OpenOrder { market: &market.info, order, left_out: left_out(place, market), handle })
    }
}

fn left_out(place: Place, market: &Market) -> Option<LeftOut> {
    match place {
        Place::Out(reason) | Place::Auction(reason) => Some(reason),
        Place::Fixed(_) | Place::Offset(_) if market.empty.is_some() => Some(LeftOut::MarketEmpty),
        Place::Offset(_) if market.pricing.is_none() => Some(LeftOut::NoOraclePrice),
        Place::Fixed(_) | Place::Offset(_) => None,
    }
}
