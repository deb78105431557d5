//! Defects of a binary frame.

use std::fmt;

/// Why bytes are not a valid frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The first byte does not match this format version.
    NoFrame,
    /// The bytes end too early.
    Cut,
    /// More bytes follow the end of the frame.
    Behind,
    /// A number, a text or a list exceeds the maximum of any frame.
    TooLarge,
    /// A text is not UTF-8, or a keyword is unknown.
    NotText,
    /// No snapshot had this stream id.
    UnknownStream(u32),
    /// The stream id of a snapshot is not the checksum of its identity.
    WrongIdentity,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoFrame => "the first byte is not that of a frame of version 1",
            Self::Cut => "the frame ends too early",
            Self::Behind => "bytes follow the frame",
            Self::TooLarge => "a number, a text or a list is too large",
            Self::NotText => "a text is not UTF-8, or not one of the words there are",
            Self::UnknownStream(_) => "no snapshot had the number of this stream",
            Self::WrongIdentity => "the number of a snapshot is not that of its names",
        })
    }
}

impl std::error::Error for DecodeError {}
