//! Checkpoints: serialises the state that accounts do not contain, and restores a book from the
//! accounts and that state.
//!
//! Most of a book is a function of the last bytes of its accounts and of the clock: the place of
//! each order, timers, oracle readings, AMM quotes. [`crate::Book::capture`] writes the rest:
//! market ids and counters, clock and turn, which oracles were read, closed and malformed accounts,
//! an open snapshot, and indicative quotes.

pub(crate) mod bytes;
mod capture;
mod named;
mod restore;
mod state;

use std::fmt;

use slotbook_protocol::model::units::Pubkey;

use crate::model::update::AccountUpdate;

/// The accounts of a checkpoint. They may be scattered in memory.
pub trait Accounts {
    /// Calls `take` with each account whose key `wants` accepts, always in the same order, and with
    /// its number in a numbered source.
    fn each(
        &mut self,
        is_wanted: &dyn Fn(&Pubkey) -> bool,
        take: &mut dyn FnMut(&AccountUpdate<'_>, Option<u32>),
    );
}

impl<'a, I: Iterator<Item = AccountUpdate<'a>> + Clone> Accounts for I {
    fn each(
        &mut self,
        is_wanted: &dyn Fn(&Pubkey) -> bool,
        take: &mut dyn FnMut(&AccountUpdate<'_>, Option<u32>),
    ) {
        let wanted = self.clone().filter(|update| is_wanted(&update.pubkey));
        wanted.for_each(|update| take(&update, None));
    }
}

/// The reasons why a captured state and its accounts cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// The state has another format version.
    Version(u64),
    /// The state's bytes violate the format of [`crate::Book::capture`].
    Malformed(&'static str),
    /// The state names an account that is missing among the accounts.
    AccountMissing(Pubkey),
    /// An account's bytes are malformed.
    AccountMalformed(Pubkey),
    /// The number of user accounts differs from that of the captured book.
    UsersMismatch {
        /// User accounts of the captured book.
        captured: usize,
        /// User accounts in the input.
        given: usize,
    },
}

impl RestoreError {
    /// The stable name of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Version(_) => "STATE_VERSION",
            Self::Malformed(_) => "STATE_MALFORMED",
            Self::AccountMissing(_) => "STATE_ACCOUNT_MISSING",
            Self::AccountMalformed(_) => "STATE_ACCOUNT_MALFORMED",
            Self::UsersMismatch { .. } => "STATE_USERS_MISMATCH",
        }
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(found) => {
                write!(f, "version of the state was {found}, must be {}", state::VERSION)
            }
            Self::Malformed(what) => write!(f, "state of the book is malformed: {what}"),
            Self::AccountMissing(key) => write!(f, "account {key} of the book is missing"),
            Self::AccountMalformed(key) => write!(f, "account {key} of the book is malformed"),
            Self::UsersMismatch { captured, given } => {
                write!(f, "user accounts were {given}, must be the {captured} that were captured")
            }
        }
    }
}

impl std::error::Error for RestoreError {}
