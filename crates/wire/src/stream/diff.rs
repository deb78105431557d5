//! What is different between two lists of rows of one side.

use std::cmp::Ordering;

use slotbook_book::Side;
use slotbook_protocol::units::{Price, Pubkey};

use crate::l3::OrderLine;
use crate::level::SourcedLevel;

/// A row of a side. Rows stand in the order of the book, and no two at the same place.
pub(super) trait Row: Copy + PartialEq {
    /// What stands before what on this side.
    fn place(&self, other: &Self, side: Side) -> Ordering;
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

/// One row that is not as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference<'a, R> {
    /// There was none at its place.
    Came(&'a R),
    /// It was another at its place.
    Became(&'a R),
    /// There is none at its place.
    Went(&'a R),
}

/// Calls `each` with what makes `new` of `old`, best first.
pub(super) fn each_difference<'a, R: Row>(
    side: Side,
    mut old: &'a [R],
    mut new: &'a [R],
    mut each: impl FnMut(Difference<'a, R>),
) {
    loop {
        let place = match (old.first(), new.first()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(was), Some(is)) if was == is => {
                (old, new) = (&old[1..], &new[1..]);
                continue;
            }
            (Some(was), Some(is)) => was.place(is, side),
        };
        if place.is_ge() {
            each(if place.is_eq() {
                Difference::Became(&new[0])
            } else {
                Difference::Came(&new[0])
            });
            new = &new[1..];
        }
        if place.is_le() {
            if place.is_lt() {
                each(Difference::Went(&old[0]));
            }
            old = &old[1..];
        }
    }
}

/// An order by name, as readers know it.
type OrderKey = (Pubkey, u32);

/// What happened to the orders of a side, kept to be used again. An order that another price or
/// another queue gave another place is changed, not gone and come.
#[derive(Debug, Default)]
pub(super) struct OrderChanges {
    pub(super) came: Vec<OrderLine>,
    pub(super) became: Vec<OrderLine>,
    pub(super) went: Vec<OrderKey>,
}

impl OrderChanges {
    /// Finds what makes `new` of `old`.
    pub(super) fn find(&mut self, side: Side, old: &[OrderLine], new: &[OrderLine]) {
        let Self { came, became, went } = self;
        came.clear();
        became.clear();
        went.clear();
        each_difference(side, old, new, |difference| match difference {
            Difference::Came(line) => came.push(*line),
            Difference::Became(line) => became.push(*line),
            Difference::Went(line) => went.push(key(line)),
        });
        if !came.is_empty() && !went.is_empty() {
            self.find_moved(side);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.came.is_empty() && self.became.is_empty() && self.went.is_empty()
    }

    /// Makes one change of each order that went and came.
    fn find_moved(&mut self, side: Side) {
        let Self { came, became, went } = self;
        went.sort_unstable();
        let first_moved = became.len();
        came.retain(|line| {
            let moved = went.binary_search(&key(line)).is_ok();
            if moved {
                became.push(*line);
            }
            !moved
        });
        let moved = &mut became[first_moved..];
        if moved.is_empty() {
            return;
        }
        moved.sort_unstable_by_key(key);
        went.retain(|name| moved.binary_search_by_key(name, key).is_err());
        became.sort_unstable_by(|a, b| a.place(b, side));
    }
}

fn key(line: &OrderLine) -> OrderKey {
    (line.maker, line.order_id)
}
