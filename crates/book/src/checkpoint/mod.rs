//! A book as its accounts and what they do not tell, and the same book made of both.
//!
//! Most of a book is a function of the last bytes of its accounts and of the clock: where orders stand,
//! their timers, oracles as they are read, quotes of AMMs. [`crate::Book::capture`] writes the rest: the
//! numbers of markets and their counters, the clock and the turn, which oracles were read, closed and
//! malformed accounts, a snapshot that is being applied, and indicative quotes.

pub(crate) mod bytes;
mod capture;
mod named;
mod restore;
mod state;

use std::fmt;

use slotbook_protocol::units::Pubkey;

use crate::model::update::AccountUpdate;

/// The accounts that a book is restored from. They need not lie in memory together.
pub trait Accounts {
    /// Calls `take` with the accounts whose keys are wanted, each time in the same order.
    fn each(
        &mut self,
        is_wanted: &dyn Fn(&Pubkey) -> bool,
        take: &mut dyn FnMut(&AccountUpdate<'_>),
    );
}

impl<'a, I: Iterator<Item = AccountUpdate<'a>> + Clone> Accounts for I {
    fn each(
        &mut self,
        is_wanted: &dyn Fn(&Pubkey) -> bool,
        take: &mut dyn FnMut(&AccountUpdate<'_>),
    ) {
        self.clone().filter(|update| is_wanted(&update.pubkey)).for_each(|update| take(&update));
    }
}

/// Why a captured state and its accounts do not make a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// The state was written in another version of its form.
    Version(u64),
    /// The state's bytes are not what [`crate::Book::capture`] writes.
    Malformed(&'static str),
    /// The state names an account that is not among the accounts.
    AccountMissing(Pubkey),
    /// An account's bytes are not those that a book was made of.
    AccountMalformed(Pubkey),
    /// The user accounts are not those of the book that was captured.
    UsersMismatch {
        /// User accounts of the book that was captured.
        captured: usize,
        /// User accounts among those that were given.
        given: usize,
    },
}

impl RestoreError {
    /// The error's name, which stays.
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
