//! What a book shows: levels, orders in their queues, auctions, and its invariants.

pub(crate) mod auctions;
pub(crate) mod integrity;
pub(crate) mod orders;
pub(crate) mod queue_cache;
pub(crate) mod resting;
