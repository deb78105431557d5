//! What is wrong with a journal, and where.

use std::fmt;

/// Why bytes are not a journal that can be read. The codes are part of the interface: never renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The bytes are not what a journal's writer writes; the text says of which record.
    Malformed(&'static str),
    /// The segment is of another version.
    VersionMismatch {
        /// Its version.
        found: u32,
        /// The one that is read.
        known: u32,
    },
    /// A block does not match its CRC-32.
    CrcMismatch,
    /// Something is longer than its named limit.
    BytesExceeded {
        /// The limit's name.
        limit: &'static str,
        /// Its value.
        max: usize,
        /// What was found.
        found: usize,
    },
}

impl Fault {
    /// The code under which clients know the fault.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "MALFORMED_JOURNAL",
            Self::VersionMismatch { .. } => "JOURNAL_VERSION_MISMATCH",
            Self::CrcMismatch => "JOURNAL_CRC_MISMATCH",
            Self::BytesExceeded { .. } => "JOURNAL_BYTES_EXCEEDED",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(what) => out.write_str(what),
            Self::VersionMismatch { found, known } => {
                write!(out, "version was {found}, must be {known}")
            }
            Self::CrcMismatch => out.write_str("a block does not match its CRC-32"),
            Self::BytesExceeded { limit, max, found } => {
                write!(out, "{limit} was {found}, must be at most {max}")
            }
        }
    }
}

/// Returns the fault of a length that is over its limit.
pub(crate) const fn check_length(
    limit: &'static str,
    found: usize,
    max: usize,
) -> Result<(), Fault> {
    if found <= max { Ok(()) } else { Err(Fault::BytesExceeded { limit, max, found }) }
}

/// A fault and where in the segment it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalError {
    /// What is wrong.
    pub fault: Fault,
    /// Where the block begins, in bytes of the segment's file.
    pub block_at: u64,
    /// Where the record begins, in plain bytes of the segment.
    pub record_at: u64,
}

impl fmt::Display for JournalError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, block_at, record_at } = self;
        write!(out, "{fault} (block at byte {block_at}, record at plain byte {record_at})")
    }
}

impl std::error::Error for JournalError {}
