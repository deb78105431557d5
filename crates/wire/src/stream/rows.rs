//! The rows of one side: those that are published, and those that the book shows now.

use std::cmp::Ordering;

use slotbook_book::Side;
use slotbook_protocol::units::Price;

use crate::l3::OrderLine;
use crate::level::SourcedLevel;

/// A row of a side. Rows stand in the order of the book.
pub(super) trait Row: Copy + PartialEq {
    /// What stands before what on this side.
    fn place(&self, other: &Self, side: Side) -> Ordering;
    /// 1e6.
    fn price(&self) -> Price;
    /// At 1e9.
    fn size(&self) -> u128;
}

impl Row for SourcedLevel {
    #[inline]
    fn place(&self, other: &Self, side: Side) -> Ordering {
        by_price(self.price, other.price, side)
    }

    #[inline]
    fn price(&self) -> Price {
        self.price
    }

    #[inline]
    fn size(&self) -> u128 {
        self.size()
    }
}

impl Row for OrderLine {
    fn place(&self, other: &Self, side: Side) -> Ordering {
        let queue = |line: &Self| (line.slot, line.order_id, line.maker);
        by_price(self.price, other.price, side).then_with(|| queue(self).cmp(&queue(other)))
    }

    fn price(&self) -> Price {
        self.price
    }

    fn size(&self) -> u128 {
        self.size
    }
}

#[inline]
fn by_price(a: Price, b: Price, side: Side) -> Ordering {
    match side {
        Side::Bid => b.cmp(&a),
        Side::Ask => a.cmp(&b),
    }
}

/// The rows of now, as far as they are not those that are published: most changes leave all rows
/// before them as they were, and these are not copied.
#[derive(Debug)]
pub(super) struct Fresh<R> {
    /// How many rows from the best on are the published ones.
    same: usize,
    rest: Vec<R>,
}

impl<R> Default for Fresh<R> {
    fn default() -> Self {
        Self { same: 0, rest: Vec::new() }
    }
}

impl<R: Row> Fresh<R> {
    pub(super) fn clear(&mut self) {
        self.same = 0;
        self.rest.clear();
    }

    /// The rows of now are the published ones.
    pub(super) fn keep_all(&mut self, shown: &[R]) {
        self.same = shown.len();
        self.rest.clear();
    }

    /// Adds the next row of now; `shown` are the published rows, always the same ones.
    #[inline]
    pub(super) fn push(&mut self, shown: &[R], row: R) {
        if self.rest.is_empty() && shown.get(self.same) == Some(&row) {
            self.same += 1;
        } else {
            self.rest.push(row);
        }
    }

    pub(super) fn same(&self) -> usize {
        self.same
    }

    /// The rows from the first that is another on.
    pub(super) fn rest(&self) -> &[R] {
        &self.rest
    }

    /// Whether the rows of now are the published ones.
    pub(super) fn is_all_same(&self, shown: &[R]) -> bool {
        self.rest.is_empty() && self.same == shown.len()
    }

    /// A row of now.
    #[inline]
    pub(super) fn get<'a>(&'a self, shown: &'a [R], index: usize) -> Option<&'a R> {
        match index.checked_sub(self.same) {
            Some(index) => self.rest.get(index),
            None => shown.get(index),
        }
    }

    /// Makes the rows of now the published ones.
    pub(super) fn publish(&self, shown: &mut Vec<R>) {
        shown.truncate(self.same);
        shown.extend_from_slice(&self.rest);
    }
}
