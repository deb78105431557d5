//! The buffers that readers of orders reuse.

use slotbook_protocol::model::units::Price;

use super::places::LongLists;
use super::queue::{QueueCache, QueueEntry};

/// Buffers for reading orders. Use them with one book only.
#[derive(Debug, Default)]
pub struct QueueScratch {
    pub(crate) queue: Vec<QueueEntry>,
    pub(crate) cache: QueueCache,
    pub(super) lists: LongLists,
    pub(super) own: Vec<(Price, QueueEntry)>,
}
