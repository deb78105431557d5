//! Defects of a journal, and their location.

use std::fmt;

/// The reasons why bytes are not a readable journal. Codes are part of the interface and never
/// renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The bytes violate the format; the text names the record.
    Malformed(&'static str),
    /// The segment has another format version.
    VersionMismatch {
        /// The segment's version.
        found: u32,
        /// The supported version.
        known: u32,
    },
    /// A block does not match its CRC-32.
    CrcMismatch,
    /// A length exceeds its named limit.
    BytesExceeded {
        /// The limit's name.
        limit: &'static str,
        /// The limit's value.
        max: usize,
        /// The length.
        found: usize,
    },
}

impl Fault {
    /// The stable code of the fault.
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

pub(crate) const fn check_length(
    limit: &'static str,
    found: usize,
    max: usize,
) -> Result<(), Fault> {
    if found <= max { Ok(()) } else { Err(Fault::BytesExceeded { limit, max, found }) }
}

/// A fault and its location in the segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalError {
    /// The fault.
    pub fault: Fault,
    /// The start of the block, as a byte offset in the segment's file.
    pub block_at: u64,
    /// The start of the record, as an offset in the uncompressed bytes of the segment.
    pub record_at: u64,
}

impl fmt::Display for JournalError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, block_at, record_at } = self;
        write!(out, "{fault} (block at byte {block_at}, record at plain byte {record_at})")
    }
}

impl std::error::Error for JournalError {}
