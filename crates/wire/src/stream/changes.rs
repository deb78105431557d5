//! The changes of a market's rows in each turn, for readers that store rows instead of frames.

use slotbook_book::{Book, MarketId, Side};

use super::diff::OrderChanges;
pub use super::rows::Difference;
use super::rows::{Fresh, Row};
use crate::l3::OrderLine;
use crate::level::SourcedLevel;
use crate::render::{L2Request, L3Request, Rows, each_level, each_order};

/// The rows of the last reading, bids first.
#[derive(Debug)]
struct ReadRows<R> {
    /// `None` for a book without the market.
    market: Option<MarketId>,
    shown: [Vec<R>; 2],
    fresh: [Fresh<R>; 2],
    seq: Option<u64>,
}

impl<R> Default for ReadRows<R> {
    fn default() -> Self {
        let (shown, fresh) = Default::default();
        Self { market: None, shown, fresh, seq: None }
    }
}

impl<R: Row> ReadRows<R> {
    fn begin(&mut self, market: Option<MarketId>) {
        self.market = market;
        self.seq = None;
    }

    /// Compares each side that may have changed; `each_row` passes the side's rows to the given
    /// function.
    fn compare(
        &mut self,
        book: &Book,
        mut each_row: impl FnMut(MarketId, Side, &mut dyn FnMut(R)),
    ) {
        let Self { market, shown, fresh, seq } = self;
        for ((shown, fresh), side) in shown.iter().zip(fresh).zip(Side::BOTH) {
            fresh.clear();
            let may_differ =
                |market| seq.is_none_or(|seq| book.orders_changed_since(market, side, seq));
            if !market.is_none_or(may_differ) {
                continue;
            }
            if let Some(market) = *market {
                each_row(market, side, &mut |row| fresh.push((shown, side), row));
            }
            fresh.end(shown);
        }
        *seq = market.and_then(|market| book.seq(market));
    }

    fn publish(&mut self) {
        let Self { shown, fresh, .. } = self;
        fresh.iter_mut().zip(shown).for_each(|(fresh, shown)| fresh.publish(shown));
    }

    fn sides(&self) -> impl Iterator<Item = (Side, &Fresh<R>)> {
        Side::BOTH.into_iter().zip(&self.fresh)
    }

    fn each_shown(&self, mut take: impl FnMut(Side, Difference<'_, R>)) {
        for (side, shown) in Side::BOTH.into_iter().zip(&self.shown) {
            shown.iter().for_each(|row| take(side, Difference::Came(row)));
        }
    }
}

/// The changes of order levels, which are those of /l2 without grouping.
#[derive(Debug)]
pub struct LevelChanges {
    depth_levels: usize,
    rows: ReadRows<SourcedLevel>,
}

impl LevelChanges {
    /// Without a market, until [`LevelChanges::begin`].
    #[must_use]
    pub fn new(depth_levels: usize) -> Self {
        Self { depth_levels, rows: ReadRows::default() }
    }

    /// Switches to another book; `market` is the market's id in that book, if it has the market.
    pub fn begin(&mut self, market: Option<MarketId>) {
        self.rows.begin(market);
    }

    /// Calls `take` with each level that differs from the last call, even if the last call read
    /// another book; the removed levels of both sides come first.
    pub fn read(&mut self, book: &Book, mut take: impl FnMut(Side, Difference<'_, SourcedLevel>)) {
        let Self { depth_levels, rows } = self;
        rows.compare(book, |market, side, push| {
            each_level(book, &L2Request::plain(market, *depth_levels), side, push);
        });
        for is_went in [true, false] {
            for (side, fresh) in rows.sides() {
                fresh
                    .differences()
                    .filter(|difference| matches!(difference, Difference::Went(_)) == is_went)
                    .for_each(|difference| take(side, difference));
            }
        }
        rows.publish();
    }

    /// Calls `take` with all levels of the last [`LevelChanges::read`], as added levels.
    pub fn each(&self, take: impl FnMut(Side, Difference<'_, SourcedLevel>)) {
        self.rows.each_shown(take);
    }
}

/// The changes of all resting orders, which are those of /l3.
#[derive(Debug, Default)]
pub struct OrderRowChanges {
    rows: ReadRows<OrderLine>,
    scratch: Rows,
    changes: [OrderChanges; 2],
}

impl OrderRowChanges {
    /// As [`LevelChanges::begin`].
    pub fn begin(&mut self, market: Option<MarketId>) {
        self.rows.begin(market);
    }

    /// Calls `take` with each order that differs from the last call, even if the last call read
    /// another book. The removed orders of both sides come first, because an order id may reappear
    /// on the other side; changed and added orders follow. Queue positions are not compared:
    /// `queue` is 0.
    pub fn read(&mut self, book: &Book, mut take: impl FnMut(Side, Difference<'_, OrderLine>)) {
        let Self { rows, scratch, changes } = self;
        rows.compare(book, |market, side, push| {
            let request = L3Request::plain(market, usize::MAX);
            let alone = |line| push(OrderLine { queue: 0, ..line });
            each_order(book, &request, side, scratch, alone);
        });
        for ((side, fresh), changes) in rows.sides().zip(&mut *changes) {
            changes.find(side, fresh);
            changes.went.iter().for_each(|line| take(side, Difference::Went(line)));
        }
        for (side, changes) in Side::BOTH.into_iter().zip(changes) {
            changes.became.iter().for_each(|line| take(side, Difference::Became(line)));
            changes.came.iter().for_each(|line| take(side, Difference::Came(line)));
        }
        rows.publish();
    }

    /// Calls `take` with all orders of the last [`OrderRowChanges::read`], as added orders.
    pub fn each(&self, take: impl FnMut(Side, Difference<'_, OrderLine>)) {
        self.rows.each_shown(take);
    }
}
