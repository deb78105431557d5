//! The levels of a side, and its orders in book order.

use slotbook_protocol::model::units::{Price, Pubkey};

use super::queue::QueueScratch;
use super::queue::{QueueEntry, own_first};
use crate::book::Book;
use crate::ladder::arena::Place;
use crate::ladder::merged::{Levels, Merged};
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

/// What fills before an order at its price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Orders of all makers.
    pub orders: u64,
    /// Their sizes, in the market's base units.
    pub size: u128,
}

impl Ahead {
    fn of<'a>(entries: impl Iterator<Item = &'a QueueEntry>) -> Self {
        entries.fold(Self::default(), |Self { orders, size }, entry| Self {
            orders: orders + 1,
            size: size + u128::from(entry.size),
        })
    }
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
        scratch: &mut QueueScratch,
        rows: &mut Vec<OrderRow>,
    ) {
        let Some(user) = self.orders.users.find(maker) else { return };
        self.each_own(user, query, scratch, &mut |price, entry, ahead| {
            rows.push(self.orders.row(price, entry, ahead.size));
        });
    }

    /// Calls `each` with the visible orders of a user on a side, best first.
    pub(super) fn each_own(
        &self,
        user: usize,
        query: OrdersQuery,
        scratch: &mut QueueScratch,
        each: &mut dyn FnMut(Price, &QueueEntry, Ahead),
    ) {
        let QueueScratch { queue, prices, .. } = scratch;
        self.prices_of(query.market, query.side, user, prices);
        let mut left = query.limit;
        let mut of_price = |price, queue: &mut [QueueEntry]| {
            let (own, others) = own_first(queue, user);
            own.sort_unstable_by(|a, b| self.orders.compare(a, b));
            for (index, entry) in own.iter().take(left).enumerate() {
                let before = |other: &&QueueEntry| self.orders.compare(other, entry).is_lt();
                let ahead = own[..index].iter().chain(others.iter().filter(before));
                each(price, entry, Ahead::of(ahead));
            }
            left -= left.min(own.len());
            left > 0
        };
        self.each_queue_at(query, prices, queue, &mut of_price);
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

    /// Works like [`Book::each_queue`], for the given prices, best first.
    fn each_queue_at(
        &self,
        query: OrdersQuery,
        prices: &[u64],
        queue: &mut Vec<QueueEntry>,
        each: EachQueue<'_>,
    ) {
        let mut prices = prices.iter().peekable();
        let mut pieces = self.merged(query.market, query.side);
        while let Some((price, _)) = pieces.first() {
            let Some(next) = prices.peek() else { return };
            if price != **next {
                pieces.next_at(price);
                continue;
            }
            prices.next();
            self.orders.read_queue(price, &mut pieces, queue);
            if !each(Price(price), queue) {
                return;
            }
        }
    }

    /// Returns the prices of a user's visible orders, without duplicates, best first.
    fn prices_of(&self, id: MarketId, side: Side, user: usize, prices: &mut Vec<u64>) {
        prices.clear();
        let Some(market) = self.markets.get(id) else { return };
        let offsets = &market.ladders.offset[side.index()];
        let nodes = self.orders.arena.block(user).entries().map(|entry| &entry.node);
        for node in nodes.filter(|node| node.market == id) {
            match node.place {
                Place::Fixed(at) if at == side => prices.push(node.key),
                Place::Offset(at) if at == side => {
                    let price = |pricing| offsets.price_of(node.key.cast_signed(), pricing);
                    prices.extend(market.pricing.map(price));
                }
                _ => {}
            }
        }
        prices.sort_unstable_by_key(|price| if side == Side::Bid { !price } else { *price });
        prices.dedup();
    }

    /// Returns the visible pieces of a side, best first; none for an unknown market.
    pub(crate) fn merged(&self, id: MarketId, side: Side) -> Merged<'_> {
        match self.markets.get(id) {
            Some(market) => market.merged(side),
            None => Merged::new(None, None, side),
        }
    }
}
