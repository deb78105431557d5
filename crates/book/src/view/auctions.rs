//! Orders in auction, as rows.
//!
//! Joining and leaving a market's list takes constant time; the timers and updates that move orders
//! between ladders do both. Reading a list is O(length).

use slotbook_protocol::model::clock::SlotClock;
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::price::limit_price_program;
use slotbook_protocol::model::units::{BaseQty, OraclePrice, Price, Pubkey, Slot};

use crate::book::Book;
use crate::ladder::arena::NONE;
use crate::markets::market::Market;
use crate::model::market::MarketId;
use crate::orders::order_store::open_order;
use crate::orders::rules::auction_end;

/// One order in auction, with its fill prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuctionRow {
    /// The order as stored in its account.
    pub order: Order,
    /// The user account that placed it.
    pub maker: Pubkey,
    /// The unfilled size, in the market's base units.
    pub size: BaseQty,
    /// The price in the auction's first slot; `None` when the program defines none.
    pub start: Option<Price>,
    /// The price in the auction's last slot; `None` when the program defines none.
    pub end: Option<Price>,
    /// The price at the book's slot; before the auction's first slot, the price in the first slot.
    pub current: Option<Price>,
    /// Number of auction slots after the book's slot; 0 in the last slot.
    pub slots_left: u64,
}

impl Book {
    /// Appends the orders of a market that are in auction at the book's slot, sorted by order slot,
    /// then id, then maker. Appends nothing for an unknown market or an empty book; offset orders
    /// are omitted while there is no oracle price.
    ///
    /// Orders in auction are taking orders: limit orders that do not rest yet, and market, oracle
    /// and triggered orders until their auctions end. The book's rules apply to them, except those
    /// about resting.
    pub fn auctions(&self, id: MarketId, rows: &mut Vec<AuctionRow>) {
        let shown = self.markets.get(id).filter(|market| market.empty.is_none());
        let Some(market) = shown else { return };
        let first = rows.len();
        let mut handles = Vec::with_capacity(market.ladders.auctions.len);
        let mut handle = market.ladders.auctions.head;
        while handle != NONE {
            handles.push(handle);
            handle = self.orders.arena.node(handle).next;
        }
        // The list is in the order of arrival, which must not affect the output, so it is sorted.
        handles.sort_unstable();
        rows.extend(handles.into_iter().filter_map(|handle| self.auction_row(market, handle)));
        let key = |row: &AuctionRow| (row.order.slot, row.order.order_id, row.maker);
        rows[first..].sort_by_key(key);
    }

    /// Returns a number that changes whenever a market's auctions do while seq, slot and state are
    /// equal; `None` for an unknown market.
    #[must_use]
    pub fn auctions_revision(&self, id: MarketId) -> Option<u64> {
        self.markets.get(id).map(|market| market.ladders.auctions.revision)
    }

    pub(super) fn auction_row(&self, market: &Market, handle: u32) -> Option<AuctionRow> {
        let order = open_order(self.orders.arena.raw(handle))?;
        let oracle = market.oracle_price();
        if oracle.is_none() && is_at_offset(&order) {
            return None;
        }
        let slots = self.markets.clock().slots;
        let price = |slot| price_at(&order, &slots.at(slot), market, oracle);
        let last = Slot(auction_end(&order, &slots).0 - 1);
        Some(AuctionRow {
            order,
            maker: self.orders.maker(handle),
            size: BaseQty(self.orders.arena.node(handle).size),
            start: price(order.slot),
            end: price(last),
            current: price(slots.slot.max(order.slot)),
            slots_left: last.0.saturating_sub(slots.slot.0),
        })
    }
}

/// Returns whether the auction price moves with the oracle.
fn is_at_offset(order: &Order) -> bool {
    match order.has_auction_price(&order.slot.into()) {
        true => order.has_offset_auction(),
        false => order.oracle_price_offset.0 != 0,
    }
}

/// Returns the fill price of an order at a slot of its auction; `None` for a market order without
/// prices, and for a fixed-price auction whose price gets worse.
fn price_at(
    order: &Order,
    slots: &SlotClock,
    market: &Market,
    oracle: Option<OraclePrice>,
) -> Option<Price> {
    let (tick, is_prediction) = (market.info.tick, market.info.is_prediction);
    let price = limit_price_program(order, slots, tick, oracle, None, is_prediction, None);
    price.ok().flatten()
}
