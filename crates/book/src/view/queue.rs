//! The queue of one price in fill order, and the buffers and partly sorted long queues that readers
//! reuse between reads.

use std::cmp::Ordering;

use slotbook_protocol::model::order::bit_flags;
use slotbook_protocol::model::units::{BaseQty, Price, Pubkey, Slot};

use crate::ladder::arena::{Entry, NONE, user_of};
use crate::ladder::merged::{Merged, Piece};
use crate::limits::{CACHED_QUEUE_ORDERS_MAX, CACHED_QUEUES_MAX};
use crate::model::market::MarketId;
use crate::orders::order_store::OrderStore;
use crate::{OrderRow, Side};

/// An order in a queue with its sort key, because loading the key from the order for each
/// comparison costs ten times the comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueEntry {
    /// See [`rank_of`].
    pub(super) rank: u128,
    /// The visible size, in the market's base units.
    pub(crate) size: u64,
    pub(crate) handle: u32,
}

#[inline]
fn rank_of(slot: Slot, order_id: u32, maker: &Pubkey) -> u128 {
    let [first, second, third, fourth, ..] = maker.0;
    let maker = u32::from_be_bytes([first, second, third, fourth]);
    (u128::from(slot.0) << 64) | (u128::from(order_id) << 32) | u128::from(maker)
}

#[expect(clippy::cast_possible_truncation, reason = "takes the parts of a rank apart")]
impl QueueEntry {
    #[inline]
    pub(super) fn slot(&self) -> Slot {
        Slot((self.rank >> 64) as u64)
    }

    #[inline]
    pub(super) fn order_id(&self) -> u32 {
        (self.rank >> 32) as u32
    }
}

impl OrderStore {
    /// Replaces `queue` by the unsorted orders of the next pieces that have this price.
    pub(crate) fn read_queue(
        &self,
        price: u64,
        pieces: &mut Merged<'_>,
        queue: &mut Vec<QueueEntry>,
    ) {
        queue.clear();
        while let Some(piece) = pieces.next_at(price) {
            match piece {
                Piece::Fixed(level) => self.append_list(level.head, queue),
                Piece::Offset(parts) => {
                    parts.iter().for_each(|part| self.append_list(part.head, queue));
                }
            }
        }
    }

    #[inline]
    pub(super) fn append_list(&self, head: u32, queue: &mut Vec<QueueEntry>) {
        let mut handle = head;
        while handle != NONE {
            let entry = self.arena.entry(handle);
            queue.push(self.entry_of(handle, entry));
            handle = entry.node.next;
        }
    }

    /// Returns an order with its sort key.
    #[inline]
    pub(super) fn queue_entry(&self, handle: u32) -> QueueEntry {
        self.entry_of(handle, self.arena.entry(handle))
    }

    #[inline]
    fn entry_of(&self, handle: u32, Entry { raw, node }: &Entry) -> QueueEntry {
        let view = raw.view();
        let rank = rank_of(view.slot(), view.order_id(), &self.maker(handle));
        QueueEntry { rank, size: node.size, handle }
    }

    /// Sorts and returns the first `count` orders of a queue, so that a caller that needs few
    /// orders of a long queue does not pay for the rest.
    pub(crate) fn sort_front<'q>(
        &self,
        queue: &'q mut [QueueEntry],
        count: usize,
    ) -> &'q [QueueEntry] {
        if count < queue.len() {
            queue.select_nth_unstable_by(count, |a, b| self.compare(a, b));
        }
        let count = count.min(queue.len());
        let front = &mut queue[..count];
        front.sort_unstable_by(|a, b| self.compare(a, b));
        front
    }

    /// Compares by order slot, order id, maker key, then slot index within the account.
    #[inline]
    pub(crate) fn compare(&self, a: &QueueEntry, b: &QueueEntry) -> Ordering {
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
    pub(crate) fn maker(&self, handle: u32) -> Pubkey {
        self.users.get(user_of(handle)).key
    }

    /// Inlined, so that a caller that needs few fields does not load the order's bytes for the
    /// others.
    #[inline]
    pub(crate) fn row(&self, price: Price, entry: &QueueEntry, ahead: u128) -> OrderRow {
        let view = self.arena.raw(entry.handle).view();
        OrderRow {
            price,
            size: BaseQty(entry.size),
            queue: ahead,
            maker: self.maker(entry.handle),
            order_id: entry.order_id(),
            slot: entry.slot(),
            max_ts: view.max_ts(),
            reduce_only: view.reduce_only(),
            post_only: view.post_only(),
            signed_msg: view.bit_flags() & bit_flags::SIGNED_MESSAGE != 0,
            oracle_price_offset: view.oracle_price_offset().0,
        }
    }
}

/// Identifies the queue of a price. Equal keys mean equal orders, because a change of orders
/// changes the sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueKey {
    pub(crate) market: MarketId,
    pub(crate) side: Side,
    pub(crate) price: u64,
    pub(crate) seq: u64,
}

impl QueueKey {
    /// Returns whether the other queue is of the same side at another sequence number.
    fn replaces(&self, other: &Self) -> bool {
        (self.market, self.side) == (other.market, other.side) && self.seq != other.seq
    }
}

#[derive(Debug)]
struct CachedQueue {
    key: QueueKey,
    entries: Vec<QueueEntry>,
    sorted: usize,
}

#[derive(Debug, Default)]
pub(crate) struct QueueCache {
    queues: Vec<CachedQueue>,
    orders: usize,
}

impl QueueCache {
    /// Moves a cached queue into `entries`; returns the number of sorted orders at its front.
    /// `None`, with `entries` unchanged, when the queue is not cached.
    pub(crate) fn remove(&mut self, key: QueueKey, entries: &mut Vec<QueueEntry>) -> Option<usize> {
        let index = self.queues.iter().position(|queue| queue.key == key)?;
        let queue = self.queues.swap_remove(index);
        self.orders -= queue.entries.len();
        *entries = queue.entries;
        Some(queue.sorted)
    }

    /// Adds a queue, and drops queues of its side at other sequence numbers. A full cache is
    /// cleared first.
    pub(crate) fn insert(&mut self, key: QueueKey, entries: Vec<QueueEntry>, sorted: usize) {
        if entries.len() > CACHED_QUEUE_ORDERS_MAX {
            return;
        }
        self.queues.retain(|queue| !key.replaces(&queue.key));
        self.orders = self.queues.iter().map(|queue| queue.entries.len()).sum();
        let is_full = self.queues.len() == CACHED_QUEUES_MAX
            || self.orders + entries.len() > CACHED_QUEUE_ORDERS_MAX;
        if is_full {
            self.queues.clear();
            self.orders = 0;
        }
        self.orders += entries.len();
        self.queues.push(CachedQueue { key, entries, sorted });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_stays_within_its_bounds() {
        let entry = QueueEntry { rank: 0, size: 1, handle: 0 };
        let mut cache = QueueCache::default();
        for (count, length) in [(3 * CACHED_QUEUES_MAX, 1), (9, CACHED_QUEUE_ORDERS_MAX / 4)] {
            for price in 0..count {
                let key =
                    QueueKey { market: MarketId(0), side: Side::Bid, price: price as u64, seq: 1 };
                cache.insert(key, vec![entry; length], 0);
                let orders = cache.queues.iter().map(|queue| queue.entries.len()).sum::<usize>();
                assert_eq!(orders, cache.orders);
                assert!(
                    cache.queues.len() <= CACHED_QUEUES_MAX && orders <= CACHED_QUEUE_ORDERS_MAX
                );
                let mut found = Vec::new();
                assert_eq!(cache.remove(key, &mut found), Some(0));
                assert_eq!(found.len(), length);
                cache.insert(key, found, 0);
            }
        }
    }
}
