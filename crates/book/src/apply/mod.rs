//! What changes a book: accounts, snapshots, the clock and turns.

pub(crate) mod accounts;
pub(crate) mod snapshot;
pub(crate) mod turn;
