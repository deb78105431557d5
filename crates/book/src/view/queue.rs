//! The orders of one price, in the order in which they fill, and what readers keep of them from one
//! read to the next: buffers, and long queues as far as they are sorted.

use std::cmp::Ordering;

use slotbook_protocol::order::{OrderView, bit_flags};
use slotbook_protocol::units::{BaseQty, Price, Pubkey, Slot};

use crate::ladder::arena::{NONE, user_of};
use crate::ladder::merged::{Merged, Piece};
use crate::limits::{CACHED_QUEUE_ORDERS_MAX, CACHED_QUEUES_MAX};
use crate::model::market::MarketId;
use crate::orders::order_store::OrderStore;
use crate::{OrderRow, Side};

/// An order in the queue of its price, with what is needed to sort it: to fetch that from the order
/// for each comparison costs ten times the comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueEntry {
    /// See [`rank_of`].
    rank: u128,
    /// The shown size, in the market's base units.
    pub(crate) size: u64,
    pub(crate) handle: u32,
}

/// Order slot, then order id, then the beginning of the maker's key.
#[inline]
fn rank_of(slot: Slot, order_id: u32, maker: &Pubkey) -> u128 {
    let [first, second, third, fourth, ..] = maker.0;
    let maker = u32::from_be_bytes([first, second, third, fourth]);
    (u128::from(slot.0) << 64) | (u128::from(order_id) << 32) | u128::from(maker)
}

#[expect(clippy::cast_possible_truncation, reason = "takes the parts of a rank apart")]
impl QueueEntry {
    #[inline]
    fn slot(&self) -> Slot {
        Slot((self.rank >> 64) as u64)
    }

    #[inline]
    fn order_id(&self) -> u32 {
        (self.rank >> 32) as u32
    }
}

/// Splits a queue, in no order, into the orders of a user and the others.
pub(crate) fn own_first(
    queue: &mut [QueueEntry],
    user: usize,
) -> (&mut [QueueEntry], &[QueueEntry]) {
    let mut own = 0;
    for index in 0..queue.len() {
        if user_of(queue[index].handle) == user {
            queue.swap(index, own);
            own += 1;
        }
    }
    let (own, others) = queue.split_at_mut(own);
    (own, others)
}

impl OrderStore {
    /// Replaces `queue` by the orders of the next pieces, which have this price, in no order.
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
    fn append_list(&self, head: u32, queue: &mut Vec<QueueEntry>) {
        let mut handle = head;
        while handle != NONE {
            let view = OrderView::new(self.arena.raw(handle));
            let node = self.arena.node(handle);
            let rank = rank_of(view.slot(), view.order_id(), &self.maker(handle));
            queue.push(QueueEntry { rank, size: node.size, handle });
            handle = node.next;
        }
    }

    /// Sorts the first `count` orders of a queue and returns them: a caller that needs few of a
    /// long queue does not wait for the rest.
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

    /// Order slot, then order id, then maker key; of one maker the first slot of the account.
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

    /// In line, so that a caller that needs few of the facts does not fetch the order's bytes for
    /// the rest.
    #[inline]
    pub(crate) fn row(&self, price: Price, entry: &QueueEntry, ahead: u128) -> OrderRow {
        let view = OrderView::new(self.arena.raw(entry.handle));
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

/// Memory that reading orders needs beside the rows. To be used with one book only.
#[derive(Debug, Default)]
pub struct QueueScratch {
    pub(crate) queue: Vec<QueueEntry>,
    pub(crate) cache: QueueCache,
    pub(crate) prices: Vec<u64>,
}

/// The queue of a price. Equal keys have equal orders: a market whose orders change gets another
/// sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueKey {
    pub(crate) market: MarketId,
    pub(crate) side: Side,
    pub(crate) price: u64,
    pub(crate) seq: u64,
}

impl QueueKey {
    /// Whether the other queue is of the same side at another sequence number.
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

/// The queues, in no order.
#[derive(Debug, Default)]
pub(crate) struct QueueCache {
    queues: Vec<CachedQueue>,
    orders: usize,
}

impl QueueCache {
    /// Moves a cached queue into `entries`; returns how many of its first orders are sorted. `None`,
    /// and `entries` as it was, when it is not cached.
    pub(crate) fn remove(&mut self, key: QueueKey, entries: &mut Vec<QueueEntry>) -> Option<usize> {
        let index = self.queues.iter().position(|queue| queue.key == key)?;
        let queue = self.queues.swap_remove(index);
        self.orders -= queue.entries.len();
        *entries = queue.entries;
        Some(queue.sorted)
    }

    /// Adds a queue and drops those of its side at other sequence numbers. A full cache is emptied
    /// first.
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
