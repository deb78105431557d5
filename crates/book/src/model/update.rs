//! An account update: its content, its order against other updates, its effect and its errors.

use std::fmt;

use slotbook_protocol::model::ProtocolError;
use slotbook_protocol::model::units::{Pubkey, Slot};

/// How an update is ordered relative to the book's state of the same account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// A live update, ordered by arrival: a lower slot is a revert.
    Arrival,
    /// A snapshot's update, which yields to a live update of the same slot or a later one, unless
    /// the snapshot replaces the book ([`crate::Book::begin_snapshot`]).
    Snapshot,
    /// An update ordered by slot, then by this write version.
    WriteVersion(u64),
}

/// An account as a feed delivers it.
#[derive(Clone, Copy, Debug)]
pub struct AccountUpdate<'a> {
    /// The account's address.
    pub pubkey: Pubkey,
    /// The program that owns it.
    pub owner: Pubkey,
    /// The slot of this state.
    pub slot: Slot,
    /// How the update is ordered relative to other states.
    pub gate: Gate,
    /// The account's bytes; empty for a closed account.
    pub data: &'a [u8],
}

/// The effect of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// The book took a new state of the account.
    Changed,
    /// The book had an identical state.
    Unchanged,
    /// The update is older than the book's state.
    Stale,
    /// The book does not use such accounts.
    Ignored,
    /// The account is closed, and its orders have left the book.
    Closed,
}

/// The reasons why an update was not applied. The rest of the book is not affected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookError {
    /// The layout of the account is invalid. The account leaves the book until a valid state
    /// arrives.
    Malformed {
        /// The account.
        pubkey: Pubkey,
        /// The defect of its bytes.
        cause: ProtocolError,
    },
    /// A table has reached its limit.
    LimitExceeded {
        /// The rejected account.
        pubkey: Pubkey,
        /// The limit's name.
        limit: &'static str,
        /// Its value.
        max: usize,
    },
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { pubkey, cause } => write!(f, "account {pubkey}: {cause}"),
            Self::LimitExceeded { pubkey, limit, max } => {
                write!(f, "account {pubkey}: {limit} is at its maximum of {max}")
            }
        }
    }
}

impl std::error::Error for BookError {}

/// The version of an account's newest applied state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) slot: u64,
    pub(crate) write_version: u64,
    /// Whether any state was applied.
    pub(crate) seen: bool,
}

impl Version {
    /// Returns whether the update is newer. `replaces` is set for a snapshot of a rebuilding book,
    /// which overrides all slots.
    pub(crate) fn admits(&self, update: &AccountUpdate<'_>, replaces: bool) -> bool {
        match update.gate {
            _ if !self.seen => true,
            Gate::Arrival => true,
            Gate::Snapshot => replaces || update.slot.0 > self.slot,
            Gate::WriteVersion(version) => {
                (update.slot.0, version) > (self.slot, self.write_version)
            }
        }
    }

    /// Stores the version of an admitted update.
    pub(crate) fn accept(&mut self, update: &AccountUpdate<'_>) {
        self.slot = update.slot.0;
        self.seen = true;
        self.write_version = match update.gate {
            Gate::WriteVersion(version) => version,
            Gate::Arrival | Gate::Snapshot => 0,
        };
    }
}
