//! The book's state: its parts, each of which changes without the others.

use std::collections::HashSet;

use slotbook_protocol::units::{Pubkey, Slot};

use crate::markets::market_table::MarketTable;
use crate::model::clock::FeedState;
use crate::orders::order_store::OrderStore;

/// What a book is of.
#[derive(Clone, Copy, Debug)]
pub struct BookConfig {
    /// The exchange's program: the owner of user and market accounts.
    pub program: Pubkey,
}

/// The order book of every market of one program.
#[derive(Debug)]
pub struct Book {
    pub(crate) orders: OrderStore,
    pub(crate) markets: MarketTable,
    pub(crate) state: FeedState,
    /// Slot and state at the end of the last turn.
    pub(crate) last_turn: Option<(Slot, FeedState)>,
    /// Accounts that are out of the book because their bytes are malformed.
    pub(crate) quarantined: HashSet<Pubkey>,
    pub(crate) snapshot: SnapshotProgress,
    /// The users that the last snapshot forgot.
    pub(crate) forgotten: Vec<Pubkey>,
    /// See [`Book::changed_orders`].
    pub(crate) changed_orders: Option<u32>,
}

/// What a snapshot found to differ from the book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotReport {
    /// User accounts the snapshot held.
    pub seen: usize,
    /// Accounts the book did not have.
    pub added: usize,
    /// Accounts the book had in another, older state: what an audit counts as differences.
    pub changed: usize,
    /// Accounts the book had and the chain no longer has.
    pub removed: usize,
}

/// A snapshot that is being applied.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SnapshotProgress {
    /// Numbers snapshots, so that an account knows the last one that mentioned it.
    pub(crate) generation: u32,
    pub(crate) slot: Slot,
    /// It has begun and not ended.
    pub(crate) is_open: bool,
    /// The book was being rebuilt when the snapshot began: it wins against every earlier state.
    pub(crate) replaces: bool,
    pub(crate) report: SnapshotReport,
}

impl Book {
    /// A book that has seen nothing: no markets, slot 0, state `Rebuilding`.
    #[must_use]
    pub fn new(config: BookConfig) -> Self {
        Self {
            orders: OrderStore::new(),
            markets: MarketTable::new(config.program),
            state: FeedState::Rebuilding,
            last_turn: None,
            quarantined: HashSet::new(),
            snapshot: SnapshotProgress::default(),
            forgotten: Vec::new(),
            changed_orders: None,
        }
    }

    /// What the book is of.
    #[must_use]
    pub fn config(&self) -> BookConfig {
        BookConfig { program: self.markets.exchange.program }
    }
}
