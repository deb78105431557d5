//! What each turn changes of a market, row by row, for readers that keep rows and not frames.

use slotbook_book::{Book, MarketId, Side};

use super::diff::OrderChanges;
pub use super::rows::Difference;
use super::rows::{Fresh, Row};
use crate::l3::OrderLine;
use crate::level::SourcedLevel;
use crate::render::{L2Request, L3Request, Rows, each_level, each_order};
use crate::sources::Sources;

/// The rows of a market as they were read last, bids first.
#[derive(Debug)]
struct ReadRows<R> {
    /// None for a book without the market.
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

    /// Compares each side that may be another one: `each_row` gives its rows to the function that it is called with.
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

    /// What differed, side by side.
    fn sides(&self) -> impl Iterator<Item = (Side, &Fresh<R>)> {
        Side::BOTH.into_iter().zip(&self.fresh)
    }

    fn each_shown(&self, mut take: impl FnMut(Side, Difference<'_, R>)) {
        for (side, shown) in Side::BOTH.into_iter().zip(&self.shown) {
            shown.iter().for_each(|row| take(side, Difference::Came(row)));
        }
    }
}

/// The levels of orders, as /l2 shows them without a grid.
#[derive(Debug)]
pub struct LevelChanges {
    depth_levels: usize,
    rows: ReadRows<SourcedLevel>,
}

impl LevelChanges {
    /// Of no market, until [`LevelChanges::begin`].
    #[must_use]
    pub fn new(depth_levels: usize) -> Self {
        Self { depth_levels, rows: ReadRows::default() }
    }

    /// The book that is read next is another one than before, which has this market, or has it not.
    pub fn begin(&mut self, market: Option<MarketId>) {
        self.rows.begin(market);
    }

    /// Calls `take` with each level that is not as it was at the call before, be it in another book: first, of both
    /// sides, those that went.
    pub fn read(&mut self, book: &Book, mut take: impl FnMut(Side, Difference<'_, SourcedLevel>)) {
        let Self { depth_levels, rows } = self;
        let (depth_levels, grouping_ticks, sources) = (*depth_levels, 1, Sources::NONE);
        rows.compare(book, |market, side, push| {
            let request = L2Request { market, depth_levels, grouping_ticks, sources };
            each_level(book, &request, side, push);
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

    /// Calls `take` with all levels as of the last call of [`LevelChanges::read`], as ones that came.
    pub fn each(&self, take: impl FnMut(Side, Difference<'_, SourcedLevel>)) {
        self.rows.each_shown(take);
    }
}

/// All resting orders, as /l3 shows them.
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

    /// Calls `take` with each order that is not as it was at the call before, be it in another book: first, of both
    /// sides, those that went, as an order of the same name may have come on the other side; then those that are
    /// another, and those that came. The orders ahead of one are not a part of it: their `queue` is 0.
    pub fn read(&mut self, book: &Book, mut take: impl FnMut(Side, Difference<'_, OrderLine>)) {
        let Self { rows, scratch, changes } = self;
        rows.compare(book, |market, side, push| {
            let (depth_orders, maker, sources) = (usize::MAX, None, Sources::NONE);
            let request = L3Request { market, depth_orders, maker, sources };
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

    /// Calls `take` with all orders as of the last call of [`OrderRowChanges::read`], as ones that came.
    pub fn each(&self, take: impl FnMut(Side, Difference<'_, OrderLine>)) {
        self.rows.each_shown(take);
    }
}
