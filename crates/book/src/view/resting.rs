//! The orders of a side as an iterator, for callers that do not know how many they need.

use slotbook_protocol::units::Price;

use super::queue::{QueueKey, QueueScratch};
use crate::book::Book;
use crate::ladder::merged::Merged;
use crate::limits::CACHED_QUEUE_ORDERS_MIN;
use crate::model::market::MarketId;
use crate::orders::order_store::OrderStore;
use crate::{OrderRow, Side};

/// Orders of a queue that are sorted at first, at least; each later time three times as many as are
/// sorted already.
const SORTED_FIRST: usize = 16;

/// The part of a long queue that is sorted at first: to select it costs a pass over the queue, and
/// to sort it costs less than that.
const SORTED_FIRST_PART: usize = 16;

impl Book {
    /// The orders of a side in book order: price, then order slot, then id, then maker. Price levels
    /// behind the last order read are not visited, and of a long queue only the front is sorted,
    /// once while the market does not change.
    pub fn resting<'a>(
        &'a self,
        id: MarketId,
        side: Side,
        scratch: &'a mut QueueScratch,
    ) -> Resting<'a> {
        scratch.queue.clear();
        let side_key = self.markets.get(id).and_then(|market| {
            // Within a turn orders change under the same number: no queue of it is cached.
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

/// The orders of a side, best first. See [`Book::resting`].
#[derive(Debug)]
pub struct Resting<'a> {
    orders: &'a OrderStore,
    pieces: Merged<'a>,
    scratch: &'a mut QueueScratch,
    /// The key of the side's queues but for their price; `None` where no queue is cached.
    side_key: Option<QueueKey>,
    /// The key of the current queue, when it is to be cached.
    key: Option<QueueKey>,
    price: Price,
    next: usize,
    /// The number of the queue's first orders that are sorted.
    sorted: usize,
    ahead: u128,
}

impl Resting<'_> {
    /// Reads the queue of the next price; returns false when there is none.
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

    /// Caches the current queue, if it is a long one.
    fn cache_queue(&mut self) {
        if let Some(key) = self.key.take() {
            let QueueScratch { queue, cache, .. } = &mut *self.scratch;
            cache.insert(key, std::mem::take(queue), self.sorted);
        }
    }

    /// Sorts more of the queue's front: the orders that are read share the cost.
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
