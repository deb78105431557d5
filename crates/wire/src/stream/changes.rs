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
    shown: [Vec<R>; 2],
    fresh: Fresh<R>,
    seq: Option<u64>,
}

impl<R> Default for ReadRows<R> {
    fn default() -> Self {
        Self { shown: Default::default(), fresh: Fresh::default(), seq: None }
    }
}

impl<R: Row> ReadRows<R> {
    /// Reads each side that may be another one: `each_row` gives its rows to the function that it is called
    /// with, and `compare` gets what is not as it was.
    fn read(
        &mut self,
        book: &Book,
        market: MarketId,
        mut each_row: impl FnMut(Side, &mut dyn FnMut(R)),
        mut compare: impl FnMut(Side, &Fresh<R>),
    ) {
        let Self { shown, fresh, seq } = self;
        for (shown, side) in shown.iter_mut().zip(Side::BOTH) {
            if seq.is_some_and(|seq| !book.orders_changed_since(market, side, seq)) {
                continue;
            }
            fresh.clear();
            each_row(side, &mut |row| fresh.push((shown, side), row));
            fresh.end(shown);
            compare(side, fresh);
            fresh.publish(shown);
        }
        *seq = book.seq(market);
    }
}

/// The levels of orders, as /l2 shows them without a grid.
#[derive(Debug)]
pub struct LevelChanges {
    request: L2Request,
    rows: ReadRows<SourcedLevel>,
}

impl LevelChanges {
    /// Of a market of which nothing was read.
    #[must_use]
    pub fn new(market: MarketId, depth_levels: usize) -> Self {
        let (grouping_ticks, sources) = (1, Sources::NONE);
        let request = L2Request { market, depth_levels, grouping_ticks, sources };
        Self { request, rows: ReadRows::default() }
    }

    /// Calls `take` with each level that is not as it was at the call before, at the first call with all levels.
    pub fn read(&mut self, book: &Book, mut take: impl FnMut(Side, Difference<'_, SourcedLevel>)) {
        let Self { request, rows } = self;
        rows.read(
            book,
            request.market,
            |side, push| each_level(book, request, side, push),
            |side, fresh| fresh.differences().for_each(|difference| take(side, difference)),
        );
    }
}

/// All resting orders, as /l3 shows them.
#[derive(Debug)]
pub struct OrderRowChanges {
    request: L3Request,
    rows: ReadRows<OrderLine>,
    scratch: Rows,
    changes: OrderChanges,
}

impl OrderRowChanges {
    /// Of a market of which nothing was read.
    #[must_use]
    pub fn new(market: MarketId) -> Self {
        let (depth_orders, maker, sources) = (usize::MAX, None, Sources::NONE);
        let request = L3Request { market, depth_orders, maker, sources };
        let (rows, scratch) = (ReadRows::default(), Rows::default());
        Self { request, rows, scratch, changes: OrderChanges::default() }
    }

    /// Calls `take` with each order that is not as it was at the call before, at the first call with all orders: of a
    /// side first those that went, then those that are another, then those that came. The orders ahead of one are
    /// not a part of it: their `queue` is 0.
    pub fn read(&mut self, book: &Book, mut take: impl FnMut(Side, Difference<'_, OrderLine>)) {
        let Self { request, rows, scratch, changes } = self;
        rows.read(
            book,
            request.market,
            |side, push| {
                let alone = |line| push(OrderLine { queue: 0, ..line });
                each_order(book, request, side, scratch, alone);
            },
            |side, fresh| {
                changes.find(side, fresh);
                changes.went.iter().for_each(|line| take(side, Difference::Went(line)));
                changes.became.iter().for_each(|line| take(side, Difference::Became(line)));
                changes.came.iter().for_each(|line| take(side, Difference::Came(line)));
            },
        );
    }
}
