//! What can be wrong with an update.

use std::fmt;

use slotbook_protocol::ProtocolError;
use slotbook_protocol::units::Pubkey;

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
