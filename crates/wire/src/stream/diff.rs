//! What is different between two lists of rows of one side.

use std::cmp::Ordering;

use slotbook_book::Side;
use slotbook_protocol::units::Pubkey;

use super::rows::Row;
use crate::l3::OrderLine;

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
