//! What is wrong with bytes that are to be a frame.

use std::fmt;

/// Why bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// They do not begin as one of this version.
    NoFrame,
    /// They end too early.
    Cut,
    /// More bytes follow than the frame has.
    Behind,
    /// A number, a text or a list is larger than any frame has it.
    TooLarge,
    /// A text is no UTF-8, or a word is none of those there are.
    NotText,
    /// No snapshot had this number.
    UnknownStream(u32),
    /// The number of a snapshot is not that of what it says.
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
