//! Iterates over the orders of a side, for callers that do not know how many they need.

use slotbook_protocol::model::units::Price;

use super::queue::QueueKey;
use super::scratch::QueueScratch;
use crate::book::Book;
use crate::ladder::merged::Merged;
use crate::limits::CACHED_QUEUE_ORDERS_MIN;
use crate::model::market::MarketId;
use crate::orders::order_store::OrderStore;
use crate::{OrderRow, Side};

/// Minimum number of orders in the first sort of a queue; each later sort triples the sorted front.
const SORTED_FIRST: usize = 16;

/// Divisor of a long queue's length for the first sort: selecting a front costs one pass over the
/// queue, more than sorting it.
const SORTED_FIRST_PART: usize = 16;

impl Book {
    /// Iterates over the orders of a side in book order: by price, then order slot, then id, then
    /// maker. Visits only the levels that are read, and sorts only the front of a long queue, once
    /// for each change of the market.
    pub fn resting<'a>(
        &'a self,
        id: MarketId,
        side: Side,
        scratch: &'a mut QueueScratch,
    ) -> Resting<'a> {
        scratch.queue.clear();
        let side_key = self.markets.get(id).and_then(|market| {
            // Within a turn, the sequence number stays the same while orders change: cache nothing.
            let is_settled = !market.dirty_sides[side.index()];
            let seq = market.side_seqs[side.index()];
            is_settled.then_some(QueueKey { market: id, side, price: 0, seq })
        });
        Resting {
            orders: &self.orders,
            pieces: self.merged(id, side),
            scratch,
            side_key,
            key: None,
            price: Price(0),
            next: 0,
            sorted: 0,
            ahead: 0,
        }
    }
}

/// Iterator over the orders of a side, best first. See [`Book::resting`].
#[derive(Debug)]
pub struct Resting<'a> {
    orders: &'a OrderStore,
    pieces: Merged<'a>,
    scratch: &'a mut QueueScratch,
    /// The cache key of the side's queues without the price; `None` when queues are not cached.
    side_key: Option<QueueKey>,
    /// The cache key of the current queue, if the queue will be cached.
    key: Option<QueueKey>,
    price: Price,
    next: usize,
    /// The number of sorted orders at the front.
    sorted: usize,
    ahead: u128,
}

impl Resting<'_> {
    /// Reads the queue of the next price; returns false at the end.
    fn read_queue(&mut self) -> bool {
        self.cache_queue();
        let Some((price, piece)) = self.pieces.first() else { return false };
        self.price = Price(price);
        (self.next, self.sorted, self.ahead) = (0, 0, 0);
        if piece.order_count() >= CACHED_QUEUE_ORDERS_MIN {
            self.key = self.side_key.map(|key| QueueKey { price, ..key });
        }
        let QueueScratch { queue, cache, .. } = &mut *self.scratch;
        if let Some(sorted) = self.key.and_then(|key| cache.remove(key, queue)) {
            self.sorted = sorted;
            while self.pieces.next_at(price).is_some() {}
            return true;
        }
        self.orders.read_queue(price, &mut self.pieces, queue);
        true
    }

    fn cache_queue(&mut self) {
        if let Some(key) = self.key.take() {
            let QueueScratch { queue, cache, .. } = &mut *self.scratch;
            cache.insert(key, std::mem::take(queue), self.sorted);
        }
    }

    /// Extends the sorted front; its cost is shared by the orders that are read.
    fn sort_more(&mut self) {
        let rest = &mut self.scratch.queue[self.sorted..];
        let count = (3 * self.sorted).max(SORTED_FIRST).max(rest.len() / SORTED_FIRST_PART);
        self.sorted += self.orders.sort_front(rest, count).len();
    }
}

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        self.cache_queue();
    }
}

impl Iterator for Resting<'_> {
    type Item = OrderRow;

    #[inline]
    fn next(&mut self) -> Option<OrderRow> {
        while self.next == self.scratch.queue.len() {
            if !self.read_queue() {
                return None;
            }
        }
        if self.next == self.sorted {
            self.sort_more();
        }
        let row = self.orders.row(self.price, &self.scratch.queue[self.next], self.ahead);
        self.next += 1;
        self.ahead += u128::from(row.size.0);
        Some(row)
    }
}
