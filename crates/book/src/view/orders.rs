//! The levels of a side, and its orders in book order.

use slotbook_protocol::model::units::{Price, Pubkey};

use super::queue::QueueEntry;
use super::scratch::QueueScratch;
use crate::book::Book;
use crate::ladder::arena::handle_of;
use crate::ladder::merged::{Levels, Merged};
use crate::limits::ORDERS_PER_USER;
use crate::model::market::MarketId;
use crate::{OrderRow, Side};

/// Selects the first orders of a side.
#[derive(Clone, Copy, Debug)]
pub struct OrdersQuery {
    /// The market; an unknown market has no orders.
    pub market: MarketId,
    /// The side.
    pub side: Side,
    /// Maximum rows.
    pub limit: usize,
}

/// Called with the unsorted queue of a price; returning false stops the reading.
type EachQueue<'a> = &'a mut dyn FnMut(Price, &mut [QueueEntry]) -> bool;

impl Book {
    /// Returns the levels of a side, best first; none for an unknown market or an empty book.
    pub fn levels(&self, id: MarketId, side: Side) -> Levels<'_> {
        Levels(self.merged(id, side))
    }

    /// The best price of a side.
    #[must_use]
    #[inline]
    pub fn best(&self, id: MarketId, side: Side) -> Option<Price> {
        self.markets.get(id)?.ladders.best[side.index()]
    }

    /// Appends at most `limit` orders of a side in book order: by price, then order slot, then id,
    /// then maker.
    pub fn orders(&self, market: MarketId, side: Side, limit: usize, rows: &mut Vec<OrderRow>) {
        let query = OrdersQuery { market, side, limit };
        self.orders_with(query, &mut QueueScratch::default(), rows);
    }

    /// Works like [`Book::orders`], with a reusable buffer: no allocation once the longest queue
    /// was read.
    pub fn orders_with(
        &self,
        query: OrdersQuery,
        scratch: &mut QueueScratch,
        rows: &mut Vec<OrderRow>,
    ) {
        let mut left = query.limit;
        self.each_queue(query, &mut scratch.queue, &mut |price, queue| {
            let mut ahead = 0u128;
            for entry in self.orders.sort_front(queue, left) {
                let row = self.orders.row(price, entry, ahead);
                ahead += u128::from(row.size.0);
                rows.push(row);
            }
            left -= left.min(queue.len());
            left > 0
        });
    }

    /// Works like [`Book::orders_with`] for one maker: queue sizes count all orders, but only the
    /// queues that contain the maker are read.
    pub fn orders_of_maker(
        &self,
        maker: &Pubkey,
        query: OrdersQuery,
        QueueScratch { own, lists, .. }: &mut QueueScratch,
        rows: &mut Vec<OrderRow>,
    ) {
        let Some(user) = self.orders.users.find(maker) else { return };
        own.clear();
        own.extend((0..ORDERS_PER_USER).filter_map(|slot| {
            let handle = handle_of(user, slot);
            let (market, side, price) = self.shown_at(handle)?;
            let is_asked = (market.info.id, side) == (query.market, query.side);
            is_asked.then(|| (price, self.orders.queue_entry(handle)))
        }));
        own.sort_unstable_by(|(a, first), (b, second)| {
            let by_price = if query.side == Side::Bid { b.cmp(a) } else { a.cmp(b) };
            by_price.then_with(|| self.orders.compare(first, second))
        });
        let Some(market) = self.markets.get(query.market) else { return };
        for (price, entry) in own.iter().take(query.limit) {
            let ahead = self.ahead_of(entry, (market, query.side, *price), lists);
            rows.push(self.orders.row(*price, entry, ahead.size));
        }
    }

    /// Returns whether the book has a user account with this key, with or without orders.
    #[must_use]
    pub fn has_user(&self, key: &Pubkey) -> bool {
        let index = self.orders.users.find(key);
        index.is_some_and(|index| self.orders.users.get(index).present)
    }

    /// Appends at most `limit` distinct makers of a side, sorted by their best orders.
    pub fn top_makers(&self, id: MarketId, side: Side, limit: usize, makers: &mut Vec<Pubkey>) {
        let first = makers.len();
        let query = OrdersQuery { market: id, side, limit };
        self.each_queue(query, &mut Vec::new(), &mut |_, queue| {
            for entry in self.orders.sort_front(queue, usize::MAX) {
                let maker = self.orders.maker(entry.handle);
                if makers.len() - first < limit && !makers[first..].contains(&maker) {
                    makers.push(maker);
                }
            }
            makers.len() - first < limit
        });
    }

    /// Calls `each` with the queue of every price of a side, best first, until it returns false.
    fn each_queue(&self, query: OrdersQuery, queue: &mut Vec<QueueEntry>, each: EachQueue<'_>) {
        let mut pieces = self.merged(query.market, query.side);
        while let Some((price, _)) = pieces.first() {
            self.orders.read_queue(price, &mut pieces, queue);
            if !each(Price(price), queue) {
                return;
            }
        }
    }

    /// Returns the visible pieces of a side, best first; none for an unknown market.
    pub(crate) fn merged(&self, id: MarketId, side: Side) -> Merged<'_> {
        match self.markets.get(id) {
            Some(market) => market.merged(side),
            None => Merged::new(None, None, side),
        }
    }
}
