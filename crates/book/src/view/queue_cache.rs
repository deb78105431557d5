//! What readers of orders keep from one read to the next: buffers, and long queues as far as they
//! are sorted.

use super::queue::QueueEntry;
use crate::Side;
use crate::limits::{CACHED_QUEUE_ORDERS_MAX, CACHED_QUEUES_MAX};
use crate::model::market::MarketId;

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
