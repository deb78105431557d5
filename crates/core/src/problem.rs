//! An account's error, as data for the caller.

use slotbook_book::BookError;
use slotbook_protocol::model::units::Pubkey;
use slotbook_wire::writer::{JsonWriter, members};

use crate::limits::PROBLEMS_STORED_MAX;
use crate::text::text;

/// The reasons why an account could not be applied. Codes are part of the interface and never
/// renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A record of the batch does not have the length that it states.
    MalformedRecord,
    /// A key or an owner is not base58 of 32 bytes.
    InvalidKey,
    /// The data is not base64.
    InvalidBase64,
    /// The data is not zstd.
    InvalidZstd,
    /// The data is larger than an account can be.
    AccountBytesExceeded(usize),
    /// The book does not take it.
    Book(BookError),
}

impl Fault {
    fn code(&self) -> &'static str {
        match self {
            Self::MalformedRecord => "MALFORMED_RECORD",
            Self::InvalidKey => "INVALID_KEY",
            Self::InvalidBase64 => "INVALID_BASE64",
            Self::InvalidZstd => "INVALID_ZSTD",
            Self::AccountBytesExceeded(_) => "ACCOUNT_BYTES_EXCEEDED",
            Self::Book(BookError::Malformed { .. }) => "MALFORMED_ACCOUNT",
            Self::Book(BookError::LimitExceeded { .. }) => "LIMIT_EXCEEDED",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::MalformedRecord => "a batch record is shorter than it states".to_owned(),
            Self::InvalidKey => "a key is not base58 of 32 bytes".to_owned(),
            Self::InvalidBase64 => "account data is not base64".to_owned(),
            Self::InvalidZstd => "account data is not zstd".to_owned(),
            Self::AccountBytesExceeded(bytes_max) => {
                format!("account data is larger than {bytes_max} bytes")
            }
            Self::Book(error) => error.to_string(),
        }
    }
}

/// Problems since they were last taken: all are counted, the first ones are stored with their text.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    count: u32,
    stored: Vec<(Option<Pubkey>, Fault)>,
}

impl Problems {
    pub(crate) fn note(&mut self, pubkey: Option<Pubkey>, fault: Fault) {
        self.count = self.count.saturating_add(1);
        if self.stored.len() < PROBLEMS_STORED_MAX {
            self.stored.push((pubkey, fault));
        }
    }

    /// Problems since the last [`Problems::clear`].
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.stored.clear();
    }

    /// The stored problems as a JSON array of `{pubkey, code, message}`.
    pub(crate) fn text(&self) -> String {
        text(|json| {
            json.raw(b"[");
            json.list(&self.stored, |json, (pubkey, fault)| {
                members!(
                    json,
                    b"{\"pubkey\":" => or_null(pubkey.as_ref(), JsonWriter::key),
                    b",\"code\":" => string(fault.code()),
                    b",\"message\":" => string(&fault.message()),
                    b"}",
                );
            });
            json.raw(b"]");
        })
    }
}
