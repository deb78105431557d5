//! The changes of one side's orders.

use slotbook_book::Side;
use slotbook_protocol::model::units::Pubkey;

use super::rows::{Difference, Fresh, Row};
use crate::l3::OrderLine;

/// The identity of an order for readers.
type OrderKey = (Pubkey, u32);

/// The changes of a side's orders, in reused buffers. An order that moved within its side is
/// changed, not removed and added.
#[derive(Debug, Default)]
pub(super) struct OrderChanges {
    pub(super) came: Vec<OrderLine>,
    pub(super) became: Vec<OrderLine>,
    pub(super) went: Vec<OrderLine>,
}

impl OrderChanges {
    pub(super) fn find(&mut self, side: Side, fresh: &Fresh<OrderLine>) {
        let Self { came, became, went } = self;
        came.clear();
        became.clear();
        went.clear();
        fresh.differences().for_each(|difference| match difference {
            Difference::Came(line) => came.push(*line),
            Difference::Became(line) => became.push(*line),
            Difference::Went(line) => went.push(*line),
        });
        if !came.is_empty() && !went.is_empty() {
            self.find_moved(side);
        }
    }

    /// Merges the removal and the addition of one order into a change.
    fn find_moved(&mut self, side: Side) {
        let Self { came, became, went } = self;
        went.sort_unstable_by_key(key);
        let first_moved = became.len();
        came.retain(|line| {
            let moved = went.binary_search_by_key(&key(line), key).is_ok();
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
        went.retain(|line| moved.binary_search_by_key(&key(line), key).is_err());
        became.sort_unstable_by(|a, b| a.place(b, side));
    }
}

fn key(line: &OrderLine) -> OrderKey {
    (line.maker, line.order_id)
}
