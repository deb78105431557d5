//! The resting orders of a side one by one, for who does not know how many he needs.

use slotbook_protocol::units::Price;

use crate::Side;
use crate::book::Book;
use crate::limits::KEPT_QUEUE_ORDERS_MIN;
use crate::model::market::MarketId;
use crate::model::rows::OrderRow;
use crate::view::orders::{Merged, OrderLists, QueueScratch};
use crate::view::queue_cache::QueueKey;

/// Orders of a queue that are put in order first, at least; then three times as many as are, each
/// time.
const SORTED_FIRST: usize = 16;

/// Of a long queue one order in so many is put in order first: to find them costs a pass over all,
/// and to sort them less than that.
const SORTED_FIRST_PART: usize = 16;

impl Book {
    /// The orders of a side in book order: price, then order slot, then id, then maker. The price
    /// levels behind the last order that was asked for are not looked at, and of a long queue only
    /// its front is put in order, once while the market does not change.
    pub fn resting<'a>(
        &'a self,
        id: MarketId,
        side: Side,
        scratch: &'a mut QueueScratch,
    ) -> Resting<'a> {
        scratch.queue.clear();
        let whose = self.markets.get(id.index()).and_then(|market| {
            // Within a turn orders change under the same number: nothing is kept of it.
            let is_settled = !market.dirty_sides[side.index()];
            let seq = market.side_seqs[side.index()];
            is_settled.then_some(QueueKey { market: id, side, price: 0, seq })
        });
        let pieces = self.merged(id, side);
        let price = Price(0);
        Resting {
            book: self,
            pieces,
            scratch,
            whose,
            key: None,
            price,
            next: 0,
            sorted: 0,
            ahead: 0,
        }
    }
}

/// The orders of a side, best first. See [`Book::resting`].
#[derive(Debug)]
pub struct Resting<'a> {
    book: &'a Book,
    pieces: Merged<'a, OrderLists<'a>>,
    scratch: &'a mut QueueScratch,
    /// The key of the side's queues but for their price; `None` where none are kept.
    whose: Option<QueueKey>,
    /// The key of the queue in hand, when it is to be kept.
    key: Option<QueueKey>,
    price: Price,
    next: usize,
    /// So many of the queue's first orders are in order.
    sorted: usize,
    ahead: u128,
}

impl Resting<'_> {
    /// Reads the queue of the next price. Answers false when there is none.
    fn read_queue(&mut self) -> bool {
        self.put_back();
        let Some(piece) = self.pieces.next() else { return false };
        self.price = Price(piece.price);
        (self.next, self.sorted, self.ahead) = (0, 0, 0);
        if piece.order_count >= KEPT_QUEUE_ORDERS_MIN {
            self.key = self.whose.map(|whose| QueueKey { price: piece.price, ..whose });
        }
        let QueueScratch { queue, kept, .. } = &mut *self.scratch;
        if let Some(sorted) = self.key.and_then(|key| kept.take(key, queue)) {
            self.sorted = sorted;
            while self.pieces.next_at(piece.price).is_some() {}
            return true;
        }
        queue.clear();
        self.book.enqueue(&piece, queue);
        while let Some(same) = self.pieces.next_at(piece.price) {
            self.book.enqueue(&same, queue);
        }
        true
    }

    /// Keeps the queue in hand, if it is a long one.
    fn put_back(&mut self) {
        if let Some(key) = self.key.take() {
            let QueueScratch { queue, kept, .. } = &mut *self.scratch;
            kept.keep(key, std::mem::take(queue), self.sorted);
        }
    }

    /// Puts more of the queue's front in order: the cost is shared by the orders that are read.
    fn sort_more(&mut self) {
        let rest = &mut self.scratch.queue[self.sorted..];
        let count = (3 * self.sorted).max(SORTED_FIRST).max(rest.len() / SORTED_FIRST_PART);
        if count < rest.len() {
            rest.select_nth_unstable_by(count, |a, b| self.book.compare(a, b));
        }
        let count = count.min(rest.len());
        rest[..count].sort_unstable_by(|a, b| self.book.compare(a, b));
        self.sorted += count;
    }
}

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        self.put_back();
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
        let row = self.book.row(self.price, &self.scratch.queue[self.next], self.ahead);
        self.next += 1;
        self.ahead += u128::from(row.size.0);
        Some(row)
    }
}
