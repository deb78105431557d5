//! Views of a book: levels, orders in their queues, auctions, quotes, and header facts.

pub(crate) mod account;
pub(crate) mod auctions;
pub(crate) mod facts;
pub(crate) mod hashes;
pub(crate) mod integrity;
pub(crate) mod lacking;
pub(crate) mod open_orders;
pub(crate) mod orders;
pub(crate) mod places;
pub(crate) mod queue;
mod quotes;
pub(crate) mod resting;
pub(crate) mod scratch;
