//! An update of one account: what it is, whether it is newer, what it did and what can be wrong.

use std::fmt;

use slotbook_protocol::ProtocolError;
use slotbook_protocol::units::{Pubkey, Slot};

/// How an update stands to what the book has of the same account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// From the live socket: the order of arrival is the order, and a lower slot is a revert.
    Arrival,
    /// From a snapshot: loses to a live update of the same slot or a later one, unless the
    /// snapshot replaces the book ([`crate::Book::begin_snapshot`]).
    Snapshot,
    /// Ordered by slot and this write version.
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
    /// What decides against older and newer states.
    pub gate: Gate,
    /// The account's bytes; empty for a closed account.
    pub data: &'a [u8],
}

/// What an update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// The account's state in the book is new.
    Changed,
    /// The book had just this state.
    Unchanged,
    /// Older than what the book has.
    Stale,
    /// Not an account a book is made of.
    Ignored,
    /// The account is closed, and its orders are out of the book.
    Closed,
}

/// Why an update was not applied. The book is unharmed by each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookError {
    /// The account's bytes are not what its owner writes. It is out of the book until they are.
    Malformed {
        /// The account.
        pubkey: Pubkey,
        /// What is wrong with its bytes.
        cause: ProtocolError,
    },
    /// A table is at its named maximum.
    LimitExceeded {
        /// The account that found no room.
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

/// The version of the newest state that was applied of one account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) slot: u64,
    pub(crate) write_version: u64,
    /// False until a first state is applied.
    pub(crate) seen: bool,
}

impl Version {
    /// True when the update is to be applied. `replaces` is for snapshots of a book that is being
    /// rebuilt: they win whatever the slots.
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

    /// Takes over the version of an update that was admitted.
    pub(crate) fn accept(&mut self, update: &AccountUpdate<'_>) {
        self.slot = update.slot.0;
        self.seen = true;
        self.write_version = match update.gate {
            Gate::WriteVersion(version) => version,
            Gate::Arrival | Gate::Snapshot => 0,
        };
    }
}
