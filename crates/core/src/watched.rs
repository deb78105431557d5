//! The topics of accounts, and which of these accounts have changed.

use std::collections::{HashMap, HashSet};

use slotbook_protocol::model::units::Pubkey;
use slotbook_wire::stream::user::{UserScratch, UserTopic};

/// The watched accounts.
#[derive(Debug, Default)]
pub(crate) struct WatchedUsers {
    pub(crate) topics: HashMap<Pubkey, UserTopic>,
    /// Those that were written since they were last taken.
    pub(crate) touched: HashSet<Pubkey>,
    pub(crate) scratch: UserScratch,
    /// The account whose frame was published and not taken.
    pub(crate) unsent: Option<Pubkey>,
}

impl WatchedUsers {
    /// Notes that an account was written.
    #[inline]
    pub(crate) fn note(&mut self, key: &Pubkey) {
        if !self.topics.is_empty() && self.topics.contains_key(key) {
            self.touched.insert(*key);
        }
    }
}
