//! The place of a single order in the queue of its price.

use std::collections::HashMap;

use slotbook_protocol::model::units::Price;

use super::queue::QueueEntry;
use crate::Side;
use crate::book::Book;
use crate::ladder::arena::{Entry, NONE, Node, Place};
use crate::ladder::merged::{Merged, Piece};
use crate::limits::{LISTED_ORDERS_MAX, LISTED_ORDERS_MIN, READS_BEFORE_SORT};
use crate::markets::market::Market;
use crate::model::market::MarketId;
use crate::orders::order_store::OrderStore;

/// Few, so that a place is found in few lines of the cache.
const ENTRIES_PER_MARK: usize = 8;

/// What fills before an order at its price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// Orders of all makers.
    pub orders: u64,
    /// Their sizes, in the market's base units.
    pub size: u128,
}

impl Ahead {
    fn add(&mut self, other: Self) {
        self.orders += other.orders;
        self.size += other.size;
    }

    fn of<'a>(entries: impl Iterator<Item = &'a QueueEntry>) -> Self {
        entries.fold(Self::default(), |Self { orders, size }, entry| Self {
            orders: orders + 1,
            size: size + u128::from(entry.size),
        })
    }
}

/// The list of a price, or of an offset: queues of both meet where the oracle price is, so that the
/// orders of a list are the same at every oracle price.
type ListKey = (MarketId, Place, u64);

/// A copy of a list.
#[derive(Debug, Default)]
struct LongList {
    /// See [`crate::ladder::ladders::Ladders::revisions`].
    revision: u64,
    entries: Vec<QueueEntry>,
    reads: u32,
    /// Of each [`ENTRIES_PER_MARK`] sorted entries the rank of the first, and the size that fills
    /// before it; empty while the entries are not sorted.
    marks: Vec<(u128, u128)>,
}

/// Copies of long lists, which are sorted when many orders of them are asked for. Shorter lists are
/// read where they are.
#[derive(Debug, Default)]
pub(crate) struct LongLists {
    lists: HashMap<ListKey, LongList>,
    orders: usize,
}

impl LongLists {
    /// Returns the copy of a list, which is read again after a change of its side. Full memory is
    /// cleared first.
    fn read(
        &mut self,
        orders: &OrderStore,
        (head, count, revision): (u32, usize, u64),
    ) -> &mut LongList {
        let Node { market, place, key, .. } = *orders.arena.node(head);
        let key = (market, place, key);
        let held = self.lists.get(&key).map_or(0, |list| list.entries.len());
        if self.orders - held + count > LISTED_ORDERS_MAX {
            *self = Self::default();
        }
        let list = self.lists.entry(key).or_default();
        if list.entries.is_empty() || list.revision != revision {
            self.orders -= list.entries.len();
            list.entries.clear();
            list.marks.clear();
            (list.revision, list.reads) = (revision, 0);
            orders.append_list(head, &mut list.entries);
            self.orders += list.entries.len();
        }
        list
    }
}

impl LongList {
    fn ahead_of(&mut self, orders: &OrderStore, entry: &QueueEntry) -> Ahead {
        let is_before = |other: &QueueEntry| orders.compare(other, entry).is_lt();
        if self.marks.is_empty() {
            self.reads += 1;
            if self.reads < READS_BEFORE_SORT {
                return Ahead::of(self.entries.iter().filter(|other| is_before(other)));
            }
            self.sort(orders);
        }
        let mark = self.marks.partition_point(|(rank, _)| *rank < entry.rank).saturating_sub(1);
        let start = mark * ENTRIES_PER_MARK;
        let mut ahead = Ahead { orders: start as u64, size: self.marks[mark].1 };
        ahead.add(Ahead::of(self.entries[start..].iter().take_while(|other| is_before(other))));
        ahead
    }

    fn sort(&mut self, orders: &OrderStore) {
        self.entries.sort_unstable_by(|a, b| orders.compare(a, b));
        let mut size = 0;
        for entries in self.entries.chunks(ENTRIES_PER_MARK) {
            self.marks.push((entries[0].rank, size));
            size += Ahead::of(entries.iter()).size;
        }
    }
}

impl Book {
    /// Returns the side and the price of an order that is shown; `None` for other orders.
    pub(super) fn shown_at(&self, handle: u32) -> Option<(&Market, Side, Price)> {
        let node = self.orders.arena.node(handle);
        let market = self.markets.get(node.market).filter(|market| market.empty.is_none())?;
        let (side, price) = match node.place {
            Place::Fixed(side) => (side, node.key),
            Place::Offset(side) => {
                let offsets = &market.ladders.offset[side.index()];
                (side, offsets.price_of(node.key.cast_signed(), market.pricing?))
            }
            Place::Out(_) | Place::Auction(_) => return None,
        };
        Some((market, side, Price(price)))
    }

    /// Counts the orders that fill before an order that is shown.
    pub(super) fn ahead_of(
        &self,
        entry: &QueueEntry,
        (market, side, price): (&Market, Side, Price),
        lists: &mut LongLists,
    ) -> Ahead {
        let revision = market.ladders.revisions[side.index()];
        let mut ahead = Ahead::default();
        let mut add = |head: u32, count: u32| {
            ahead.add(if count < LISTED_ORDERS_MIN {
                self.orders.ahead_in(head, entry)
            } else {
                let list = lists.read(&self.orders, (head, count as usize, revision));
                list.ahead_of(&self.orders, entry)
            });
        };
        for piece in Merged::at(&market.ladders, market.pricing, side, price.0) {
            match piece {
                Piece::Fixed(level) => add(level.head, level.order_count),
                Piece::Offset(all) => all.iter().for_each(|part| add(part.head, part.order_count)),
            }
        }
        ahead
    }
}

impl OrderStore {
    /// Counts the orders of a list that fill before an order.
    fn ahead_in(&self, head: u32, entry: &QueueEntry) -> Ahead {
        let mut ahead = Ahead::default();
        let mut handle = head;
        while handle != NONE {
            let Entry { raw, node } = self.arena.entry(handle);
            let placed = (raw.view().slot(), raw.view().order_id());
            // The maker decides between equal orders alone, and costs as much as the rest.
            let order = placed.cmp(&(entry.slot(), entry.order_id()));
            if order.then_with(|| self.compare(&self.queue_entry(handle), entry)).is_lt() {
                ahead.add(Ahead { orders: 1, size: node.size.into() });
            }
            handle = node.next;
        }
        ahead
    }
}
