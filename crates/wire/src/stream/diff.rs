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

#[cfg(test)]
mod tests {
    use super::super::rows::Now;
    use super::*;
    use crate::level::SourcedLevel;
    use proptest::prelude::*;
    use slotbook_protocol::model::units::{Price, Slot, UnixSeconds};
    use std::collections::BTreeMap;

    /// Rows in book order, without duplicate places.
    fn sorted<R: Row>(side: Side, mut rows: Vec<R>) -> Vec<R> {
        rows.sort_by(|a, b| a.place(b, side));
        rows.dedup_by(|a, b| a.place(b, side).is_eq());
        rows
    }

    fn side() -> impl Strategy<Value = Side> {
        any::<bool>().prop_map(|is_bid| if is_bid { Side::Bid } else { Side::Ask })
    }

    /// Few prices and sizes, so that levels stay, change only their sources, appear and disappear.
    fn levels() -> impl Strategy<Value = Vec<SourcedLevel>> {
        let level = (0_u64..24, 0_u128..3, 0_u128..3).prop_map(|(price, dlob, vamm)| {
            SourcedLevel { price: Price(price), sizes: [dlob, vamm, 3 - dlob.max(vamm)] }
        });
        proptest::collection::vec(level, 0..30)
    }

    /// Makers with few orders each, so that orders stay, move and disappear.
    fn orders() -> impl Strategy<Value = Vec<OrderLine>> {
        let place = (100_u64..103, 0_u128..2, 0_u64..3);
        let orders = proptest::collection::btree_map((0_u8..4, 0_u32..4), place, 0..16);
        orders.prop_map(|orders| {
            let lines = orders.into_iter().map(|((maker, id), (price, queue, slot))| {
                line((maker, id), Price(price), queue, slot)
            });
            lines.collect()
        })
    }

    fn line((maker, order_id): (u8, u32), price: Price, queue: u128, slot: u64) -> OrderLine {
        OrderLine {
            price,
            size: 5,
            queue,
            oracle_price_offset: 0,
            maker: Pubkey([maker; 32]),
            order_id,
            slot: Slot(slot),
            max_ts: UnixSeconds(0),
            reduce_only: false,
            post_only: true,
            signed_msg: false,
        }
    }

    /// The differences of `new` from `old`.
    fn fresh<R: Row>(side: Side, old: &[R], new: &[R]) -> Fresh<R> {
        let mut fresh = Fresh::default();
        new.iter().for_each(|row| fresh.push((old, side), *row));
        fresh.end(old);
        fresh
    }

    proptest! {
        #[test]
        fn levels_and_their_differences_make_the_new_levels(
            side in side(), old in levels(), new in levels(),
        ) {
            let (old, new) = (sorted(side, old), sorted(side, new));
            let mut fresh = fresh(side, &old, &new);
            let mut book: BTreeMap<u64, SourcedLevel> =
                old.iter().map(|level| (level.price.0, *level)).collect();
            let mut places = Vec::new();
            fresh.differences().for_each(|difference| {
                let (level, had) = match difference {
                    Difference::Came(level) => (level, book.insert(level.price.0, *level)),
                    Difference::Became(level) => (level, book.insert(level.price.0, *level)),
                    Difference::Went(level) => (level, book.remove(&level.price.0)),
                };
                match difference {
                    Difference::Came(_) => assert_eq!(had, None),
                    Difference::Became(_) => assert_ne!(had.unwrap(), *level),
                    Difference::Went(_) => assert_eq!(had.unwrap(), *level),
                }
                places.push(*level);
            });
            prop_assert!(places.is_sorted_by(|a, b| a.place(b, side).is_lt()), "best first");
            prop_assert_eq!(sorted(side, book.into_values().collect()), new.clone());
            prop_assert!(fresh.rows(&old).map(Now::row).eq(&new));
            let same = fresh.same().min(old.len());
            prop_assert_eq!(&old[..same], &new[..same]);
            let mut published = old;
            fresh.publish(&mut published);
            prop_assert_eq!(published, new);
        }

        #[test]
        fn orders_and_their_changes_make_the_new_orders(
            side in side(), old in orders(), new in orders(),
        ) {
            let (old, new) = (sorted(side, old), sorted(side, new));
            let fresh = fresh(side, &old, &new);
            let mut changes = OrderChanges::default();
            changes.find(side, &fresh);
            let mut book: BTreeMap<OrderKey, OrderLine> =
                old.iter().map(|line| (key(line), *line)).collect();
            for line in &changes.went {
                prop_assert_eq!(book.remove(&key(line)), Some(*line), "what went was there");
            }
            for line in &changes.became {
                let had = book.insert(key(line), *line);
                prop_assert!(had.is_some_and(|had| had != *line), "what changed was another");
            }
            for line in &changes.came {
                prop_assert_eq!(book.insert(key(line), *line), None, "what came was not there");
            }
            prop_assert_eq!(sorted(side, book.into_values().collect()), new);
        }
    }
}
