//! The inputs of a book: accounts, snapshots, the clock, turns and indicative quotes.

pub(crate) mod accounts;
pub(crate) mod delta;
mod indicative;
mod snapshot;
mod turn;
