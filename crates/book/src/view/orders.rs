//! What a book shows: levels, orders in their queue, and the facts beside them.

use std::cmp::Ordering;

use slotbook_protocol::order::{OrderView, bit_flags};
use slotbook_protocol::units::{BaseQty, Price, Pubkey, Slot};

use crate::book::Book;
use crate::ladder::arena::{NONE, Place, user_of};
use crate::ladder::chunks::Cursor;
use crate::ladder::fixed::{FixedLevel, Ladder};
use crate::ladder::offset::{Part, Segment, Segments};
use crate::markets::market::Market;
use crate::model::clock::FeedState;
use crate::model::market::EmptyReason;
use crate::model::market::{MarketId, OracleState, PerpFigures};
use crate::view::queue_cache::KeptQueues;
use crate::{Level, OrderRow, Side};

/// The facts that one body carries beside its levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Sequence number of this market in this epoch.
    pub seq: u64,
    /// The chain's slot.
    pub slot: Slot,
    /// Unix milliseconds of the turn that last changed slot, state or this market.
    pub ts_ms: u64,
    /// How fresh the source is.
    pub state: FeedState,
    /// Slot of the market account's newest state.
    pub market_slot: Slot,
    /// The oracle readings; the MM reading priced the offset orders.
    pub oracle: OracleState,
    /// The oracle price the program saw last, 1e6: shown when the oracle's account is absent.
    pub last_oracle_price: i64,
    /// How far above the oracle the market has traded, 1e6: mark minus oracle, both over five
    /// minutes; 0 for spot markets, which have no mark.
    pub premium: i64,
    /// Why the book is empty, when a rule empties it.
    pub empty_reason: Option<EmptyReason>,
}

impl Book {
    /// The levels of a side, best first. Nothing for an unknown market, or one that shows nothing.
    pub fn levels(&self, id: MarketId, side: Side) -> Levels<'_> {
        Levels(self.merged(id, side))
    }

    /// The best price of a side.
    #[must_use]
    pub fn best(&self, id: MarketId, side: Side) -> Option<Price> {
        self.merged::<Level>(id, side).next().map(|level| level.price)
    }

    /// Appends at most `limit` orders of a side in book order: price, then order slot, then id,
    /// then maker.
    pub fn orders(&self, id: MarketId, side: Side, limit: usize, rows: &mut Vec<OrderRow>) {
        self.orders_again(id, side, limit, (&mut QueueScratch::default(), rows));
    }

    /// As [`Book::orders`], for who reads often: nothing is allocated once the longest queue was
    /// read.
    pub fn orders_again(
        &self,
        id: MarketId,
        side: Side,
        limit: usize,
        (scratch, rows): (&mut QueueScratch, &mut Vec<OrderRow>),
    ) {
        let mut left = limit;
        self.each_queue(id, side, scratch, &mut |price, queue| {
            let mut ahead = 0u128;
            for place in self.front(queue, left) {
                let row = self.row(price, place, ahead);
                ahead += u128::from(row.size.0);
                rows.push(row);
            }
            left -= left.min(queue.len());
            left > 0
        });
    }

    /// As [`Book::orders_again`], of one maker: all that is ahead of an order counts, but only the
    /// queues that the maker stands in are looked at.
    pub fn orders_of(
        &self,
        (id, side, maker): (MarketId, Side, &Pubkey),
        limit: usize,
        (scratch, rows): (&mut QueueScratch, &mut Vec<OrderRow>),
    ) {
        let Some(user) = self.users.find(maker) else { return };
        let mut prices = std::mem::take(&mut scratch.prices);
        self.prices_of(id, side, user, &mut prices);
        let mut left = limit;
        let mut each = |price, queue: &mut [QueuePlace]| {
            let (own, others) = own_first(queue, user);
            own.sort_unstable_by(|a, b| self.compare(a, b));
            for (index, place) in own.iter().take(left).enumerate() {
                let before = |other: &&QueuePlace| self.compare(other, place).is_lt();
                let ahead = own[..index].iter().chain(others.iter().filter(before));
                let ahead = ahead.map(|other| u128::from(other.size)).sum();
                rows.push(self.row(price, place, ahead));
            }
            left -= left.min(own.len());
            left > 0
        };
        self.each_queue_at(id, side, Some(&prices), (scratch, &mut each));
        scratch.prices = prices;
    }

    /// Appends at most `limit` distinct makers of a side, best order first.
    pub fn top_makers(&self, id: MarketId, side: Side, limit: usize, makers: &mut Vec<Pubkey>) {
        let first = makers.len();
        self.each_queue(id, side, &mut QueueScratch::default(), &mut |_, queue| {
            for place in self.front(queue, usize::MAX) {
                let maker = self.maker(place.handle);
                if makers.len() - first < limit && !makers[first..].contains(&maker) {
                    makers.push(maker);
                }
            }
            makers.len() - first < limit
        });
    }

    /// The facts beside a market's levels, as of the last turn; `None` for an unknown market.
    #[must_use]
    pub fn header(&self, id: MarketId) -> Option<Header> {
        let market = self.markets.get(id.index())?;
        Some(Header {
            seq: market.seq,
            slot: self.slot,
            ts_ms: market.ts_ms,
            state: self.state,
            market_slot: market.market_slot(),
            oracle: market.oracle,
            last_oracle_price: market.oracle_fields.last_price,
            premium: market.oracle_fields.premium,
            empty_reason: market.empty,
        })
    }

    /// What a perp market's account says for statistics; `None` for other markets.
    #[must_use]
    pub fn perp_figures(&self, id: MarketId) -> Option<PerpFigures> {
        self.markets.get(id.index())?.figures
    }

    /// Orders that the market's book shows, both sides together; `None` for an unknown market.
    #[must_use]
    pub fn shown_orders(&self, id: MarketId) -> Option<usize> {
        self.markets.get(id.index()).map(|market| market.shown_orders())
    }

    /// The market's sequence number: grows with every turn that changes what it shows.
    #[must_use]
    pub fn seq(&self, id: MarketId) -> Option<u64> {
        self.markets.get(id.index()).map(|market| market.seq)
    }

    /// Whether a side may show other orders than it did at a sequence number of its market: who has
    /// read them then need not read them again when it does not. True for an unknown market.
    #[must_use]
    pub fn orders_changed_since(&self, id: MarketId, side: Side, seq: u64) -> bool {
        self.markets.get(id.index()).is_none_or(|market| market.side_seqs[side.index()] > seq)
    }

    /// Calls `each` with the queue of every price, best first, until it returns false. The queue
    /// is in no order: see [`Book::front`].
    fn each_queue(
        &self,
        id: MarketId,
        side: Side,
        scratch: &mut QueueScratch,
        each: EachQueue<'_>,
    ) {
        self.each_queue_at(id, side, None, (scratch, each));
    }

    /// As [`Book::each_queue`], at these prices alone, which come best first.
    fn each_queue_at(
        &self,
        id: MarketId,
        side: Side,
        prices: Option<&[u64]>,
        (scratch, each): (&mut QueueScratch, EachQueue<'_>),
    ) {
        let queue = &mut scratch.queue;
        let mut prices = prices.map(|prices| prices.iter().peekable());
        let mut pieces = self.merged::<OrderLists<'_>>(id, side);
        while let Some(piece) = pieces.next() {
            if let Some(prices) = &mut prices {
                let Some(next) = prices.peek() else { return };
                if piece.price != **next {
                    continue;
                }
                prices.next();
            }
            queue.clear();
            self.enqueue(&piece, queue);
            while let Some(same) = pieces.next_at(piece.price) {
                self.enqueue(&same, queue);
            }
            if !each(Price(piece.price), queue) {
                return;
            }
        }
    }

    /// Puts the first `count` of a queue in order and answers them: who asks for few of a long
    /// queue does not wait for the rest.
    fn front<'q>(&self, queue: &'q mut [QueuePlace], count: usize) -> &'q [QueuePlace] {
        if count < queue.len() {
            queue.select_nth_unstable_by(count, |a, b| self.compare(a, b));
        }
        let count = count.min(queue.len());
        let front = &mut queue[..count];
        front.sort_unstable_by(|a, b| self.compare(a, b));
        front
    }

    /// The prices at which a user has shown orders, each once, best first.
    fn prices_of(&self, id: MarketId, side: Side, user: usize, prices: &mut Vec<u64>) {
        prices.clear();
        let Some(market) = self.markets.get(id.index()) else { return };
        let nodes = &self.arena.block(user).nodes;
        for node in nodes.iter().filter(|node| node.market == id.0) {
            match node.place {
                Place::Fixed(at) if at == side => prices.push(node.key),
                Place::Offset(at) if at == side => prices.extend(market.pricing.map(|pricing| {
                    market.offset[side.index()].price_of(node.key.cast_signed(), pricing)
                })),
                _ => {}
            }
        }
        prices.sort_unstable_by_key(|price| if side == Side::Bid { !price } else { *price });
        prices.dedup();
    }

    pub(crate) fn enqueue(&self, piece: &OrderLists<'_>, queue: &mut Vec<QueuePlace>) {
        match piece.lists {
            Lists::Fixed(head) => self.enqueue_list(head, queue),
            Lists::Offset(parts) => {
                parts.iter().for_each(|part| self.enqueue_list(part.head, queue));
            }
        }
    }

    #[inline]
    fn enqueue_list(&self, head: u32, queue: &mut Vec<QueuePlace>) {
        let mut handle = head;
        while handle != NONE {
            let view = OrderView::new(self.arena.raw(handle));
            let node = self.arena.node(handle);
            let rank = rank_of(view.slot(), view.order_id(), &self.maker(handle));
            queue.push(QueuePlace { rank, size: node.size, handle });
            handle = node.next;
        }
    }

    /// Order slot, then order id, then maker key; of one maker the first slot of the account.
    #[inline]
    pub(crate) fn compare(&self, a: &QueuePlace, b: &QueuePlace) -> Ordering {
        match a.rank.cmp(&b.rank) {
            Ordering::Equal => self.compare_equal_ranks(a.handle, b.handle),
            order => order,
        }
    }

    #[cold]
    fn compare_equal_ranks(&self, a: u32, b: u32) -> Ordering {
        self.maker(a).cmp(&self.maker(b)).then(a.cmp(&b))
    }

    #[inline]
    fn maker(&self, handle: u32) -> Pubkey {
        self.users.get(user_of(handle)).key
    }

    /// In line, so that who needs a few of the facts does not fetch the order's bytes for the rest.
    #[inline]
    pub(crate) fn row(&self, price: Price, place: &QueuePlace, ahead: u128) -> OrderRow {
        let view = OrderView::new(self.arena.raw(place.handle));
        OrderRow {
            price,
            size: BaseQty(place.size),
            queue: ahead,
            maker: self.maker(place.handle),
            order_id: place.order_id(),
            slot: place.slot(),
            max_ts: view.max_ts(),
            reduce_only: view.reduce_only(),
            post_only: view.post_only(),
            signed_msg: view.bit_flags() & bit_flags::SIGNED_MESSAGE != 0,
            oracle_price_offset: view.oracle_price_offset().0,
        }
    }

    pub(crate) fn merged<'a, P: Piece<'a>>(&'a self, id: MarketId, side: Side) -> Merged<'a, P> {
        let shown = self.markets.get(id.index()).filter(|market| market.empty.is_none());
        Merged::new(shown, side)
    }
}

/// What is done with the queue of a price; false ends it.
type EachQueue<'a> = &'a mut dyn FnMut(Price, &mut [QueuePlace]) -> bool;

/// What reading orders needs beside the rows, kept to be used again with the same book.
#[derive(Debug, Default)]
pub struct QueueScratch {
    pub(crate) queue: Vec<QueuePlace>,
    pub(crate) kept: KeptQueues,
    prices: Vec<u64>,
}

/// An order in the queue of its price, with what is needed to put it in order: to fetch that from
/// the order for each comparison costs ten times the comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuePlace {
    /// See [`rank_of`].
    rank: u128,
    /// The shown size, in the market's base units.
    size: u64,
    handle: u32,
}

/// Order slot, then order id, then the beginning of the maker's key.
#[inline]
fn rank_of(slot: Slot, order_id: u32, maker: &Pubkey) -> u128 {
    let [first, second, third, fourth, ..] = maker.0;
    let maker = u32::from_be_bytes([first, second, third, fourth]);
    (u128::from(slot.0) << 64) | (u128::from(order_id) << 32) | u128::from(maker)
}

#[expect(clippy::cast_possible_truncation, reason = "takes the parts of a rank apart")]
impl QueuePlace {
    #[inline]
    fn slot(&self) -> Slot {
        Slot((self.rank >> 64) as u64)
    }

    #[inline]
    fn order_id(&self) -> u32 {
        (self.rank >> 32) as u32
    }
}

/// Parts a queue, in no order, into the orders of a user and the others.
fn own_first(queue: &mut [QueuePlace], user: usize) -> (&mut [QueuePlace], &[QueuePlace]) {
    let mut own = 0;
    for index in 0..queue.len() {
        if user_of(queue[index].handle) == user {
            queue.swap(index, own);
            own += 1;
        }
    }
    let (own, others) = queue.split_at_mut(own);
    (own, others)
}

/// The levels of one side, best first. See [`Book::levels`].
#[derive(Debug)]
pub struct Levels<'a>(Merged<'a, Level>);

impl Iterator for Levels<'_> {
    type Item = Level;

    #[inline]
    fn next(&mut self) -> Option<Level> {
        let mut level = self.0.next()?;
        while let Some(same) = self.0.next_at(level.price.0) {
            level.size += same.size;
            level.order_count += same.order_count;
        }
        Some(level)
    }
}

/// What a reader takes of the orders that stand together at a price: a fixed level, or the part of
/// an offset bucket that rounds to one price.
pub(crate) trait Piece<'a>: Copy {
    fn of_fixed(price: u64, level: &'a FixedLevel) -> Self;
    fn of_offset(segment: &Segment<'a>) -> Self;
    fn price(&self) -> u64;
}

impl<'a> Piece<'a> for Level {
    #[inline]
    fn of_fixed(price: u64, level: &'a FixedLevel) -> Self {
        Self { price: Price(price), size: level.size.get(), order_count: level.order_count }
    }

    #[inline]
    fn of_offset(segment: &Segment<'a>) -> Self {
        let Segment { price, size, order_count, .. } = *segment;
        Self { price: Price(price), size, order_count }
    }

    #[inline]
    fn price(&self) -> u64 {
        self.price.0
    }
}

/// A piece with the lists of its orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderLists<'a> {
    pub(crate) price: u64,
    pub(crate) order_count: u32,
    lists: Lists<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Lists<'a> {
    Fixed(u32),
    Offset(&'a [Part]),
}

impl<'a> Piece<'a> for OrderLists<'a> {
    fn of_fixed(price: u64, level: &'a FixedLevel) -> Self {
        Self { price, order_count: level.order_count, lists: Lists::Fixed(level.head) }
    }

    fn of_offset(segment: &Segment<'a>) -> Self {
        let Segment { price, order_count, .. } = *segment;
        Self { price, order_count, lists: Lists::Offset(segment.parts) }
    }

    fn price(&self) -> u64 {
        self.price
    }
}

/// Fixed and oracle-offset pieces of one side, merged best first.
#[derive(Debug)]
pub(crate) struct Merged<'a, P> {
    side: Side,
    ladder: Option<&'a Ladder>,
    levels: Option<Cursor<'a, FixedLevel>>,
    segments: Option<Segments<'a>>,
    fixed: Option<P>,
    offset: Option<P>,
}

impl<'a, P: Piece<'a>> Merged<'a, P> {
    fn new(market: Option<&'a Market>, side: Side) -> Self {
        let ladder = market.map(|market| &market.fixed[side.index()]);
        let segments = market.and_then(|market| {
            let offsets = &market.offset[side.index()];
            let pricing = market.pricing.filter(|_| !offsets.is_empty())?;
            Some(offsets.segments(pricing))
        });
        let levels = ladder.map(Ladder::levels);
        let mut merged = Self { side, ladder, levels, segments, fixed: None, offset: None };
        merged.fixed = merged.next_fixed();
        merged.offset = merged.next_offset();
        merged
    }

    /// The next piece, if it has this price.
    #[inline]
    pub(crate) fn next_at(&mut self, price: u64) -> Option<P> {
        if self.fixed.as_ref().is_some_and(|piece| piece.price() == price) {
            let next = self.next_fixed();
            return std::mem::replace(&mut self.fixed, next);
        }
        if self.offset.as_ref().is_some_and(|piece| piece.price() == price) {
            let next = self.next_offset();
            return std::mem::replace(&mut self.offset, next);
        }
        None
    }

    #[inline]
    fn next_fixed(&mut self) -> Option<P> {
        let ladder = self.ladder?;
        let level = self.levels.as_mut()?.next()?;
        Some(P::of_fixed(ladder.price(level), level))
    }

    #[inline]
    fn next_offset(&mut self) -> Option<P> {
        self.segments.as_mut()?.next().map(|segment| P::of_offset(&segment))
    }
}

impl<'a, P: Piece<'a>> Iterator for Merged<'a, P> {
    type Item = P;

    #[inline]
    fn next(&mut self) -> Option<P> {
        let take_offset = match (&self.fixed, &self.offset) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(fixed), Some(offset)) => self.side.is_better(offset.price(), fixed.price()),
        };
        if take_offset {
            let next = self.next_offset();
            return std::mem::replace(&mut self.offset, next);
        }
        let next = self.next_fixed();
        std::mem::replace(&mut self.fixed, next)
    }
}
