//! Long queues, as far as they are in order, for who walks along the same book again.

use crate::Side;
use crate::limits::{KEPT_QUEUE_ORDERS_MAX, KEPT_QUEUES_MAX};
use crate::model::market::MarketId;
use crate::view::orders::QueuePlace;

/// Whose queue it is. Of equal keys the orders are equal: a market whose orders change gets another
/// sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueKey {
    pub(crate) market: MarketId,
    pub(crate) side: Side,
    pub(crate) price: u64,
    pub(crate) seq: u64,
}

impl QueueKey {
    /// Whether the other queue is of the same side as it was before, or is now.
    fn replaces(&self, other: &Self) -> bool {
        (self.market, self.side) == (other.market, other.side) && self.seq != other.seq
    }
}

#[derive(Debug)]
struct KeptQueue {
    key: QueueKey,
    places: Vec<QueuePlace>,
    sorted: usize,
}

/// The queues, in no order.
#[derive(Debug, Default)]
pub(crate) struct KeptQueues {
    queues: Vec<KeptQueue>,
    orders: usize,
}

impl KeptQueues {
    /// Moves a queue into `places`; answers how many of its first orders are in order. `None`, and
    /// `places` as it was, when it is not kept.
    pub(crate) fn take(&mut self, key: QueueKey, places: &mut Vec<QueuePlace>) -> Option<usize> {
        let index = self.queues.iter().position(|queue| queue.key == key)?;
        let queue = self.queues.swap_remove(index);
        self.orders -= queue.places.len();
        *places = queue.places;
        Some(queue.sorted)
    }

    /// Keeps a queue instead of those of its side as it was before; of too many none but it.
    pub(crate) fn keep(&mut self, key: QueueKey, places: Vec<QueuePlace>, sorted: usize) {
        if places.len() > KEPT_QUEUE_ORDERS_MAX {
            return;
        }
        self.queues.retain(|queue| !key.replaces(&queue.key));
        self.orders = self.queues.iter().map(|queue| queue.places.len()).sum();
        let is_full = self.queues.len() == KEPT_QUEUES_MAX
            || self.orders + places.len() > KEPT_QUEUE_ORDERS_MAX;
        if is_full {
            self.queues.clear();
            self.orders = 0;
        }
        self.orders += places.len();
        self.queues.push(KeptQueue { key, places, sorted });
    }
}
