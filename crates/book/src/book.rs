//! The book's state.

use std::collections::HashSet;

use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::{Pubkey, Slot};

use crate::config::BookConfig;
use crate::markets::exchange::Exchange;
use crate::markets::market_table::MarketTable;
use crate::model::clock::FeedState;
use crate::orders::changed_parts::ChangedParts;
use crate::orders::order_store::OrderStore;

/// The order book of every market of one program.
#[derive(Debug)]
pub struct Book {
    pub(crate) orders: OrderStore,
    pub(crate) markets: MarketTable,
    pub(crate) state: FeedState,
    pub(crate) last_turn: Option<(Slot, FeedState)>,
    /// Accounts that are excluded from the book because their bytes are malformed.
    pub(crate) quarantined: HashSet<Pubkey>,
    pub(crate) snapshot: SnapshotProgress,
    /// The users that the last snapshot removed.
    pub(crate) forgotten: Vec<Pubkey>,
    /// See [`Book::changed_parts`].
    pub(crate) changed_parts: Option<ChangedParts>,
    /// A buffer for the bytes of one account.
    pub(crate) patched: Vec<u8>,
}

/// Differences between a snapshot and the book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotReport {
    /// User accounts in the snapshot.
    pub seen: usize,
    /// Accounts that the book lacked.
    pub added: usize,
    /// Number of accounts that the book had in an older, different state: the differences that an
    /// audit counts.
    pub changed: usize,
    /// Number of accounts that the book had and the snapshot did not contain.
    pub removed: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SnapshotProgress {
    /// Number of the snapshot; each account that it contains stores the number.
    pub(crate) generation: u32,
    pub(crate) slot: Slot,
    pub(crate) is_open: bool,
    /// Whether the snapshot began while the book was rebuilding, so that it overrides every earlier
    /// state.
    pub(crate) replaces: bool,
    pub(crate) report: SnapshotReport,
}

impl Book {
    /// Creates an empty book: no markets, slot 0, state `Rebuilding`.
    #[must_use]
    pub fn new(config: BookConfig) -> Self {
        Self {
            orders: OrderStore::default(),
            markets: MarketTable::new(config),
            state: FeedState::Rebuilding,
            last_turn: None,
            quarantined: HashSet::new(),
            snapshot: SnapshotProgress::default(),
            forgotten: Vec::new(),
            changed_parts: None,
            patched: Vec::new(),
        }
    }

    /// Changes the rules of an empty book, which reads a journal, to those of its accounts.
    pub fn set_rules(&mut self, rules: Program) {
        if self.market_count() == 0 && self.orders.present_users == 0 {
            self.markets.exchange.rules = rules;
        }
    }

    /// Returns the configuration with which the book was created.
    #[must_use]
    pub fn config(&self) -> BookConfig {
        let Exchange { program, rules, .. } = self.markets.exchange;
        BookConfig { program, rules }
    }
}
