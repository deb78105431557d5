//! Errors of a benchmark before the measurement.

use std::fmt;

use slotbook_book::{BookError, RestoreError};

/// Why a benchmark command failed.
#[derive(Debug)]
pub enum BenchError {
    /// A file or a pipe failed.
    Io(std::io::Error),
    /// A workload file was not written by this generator.
    Malformed {
        /// The part that is wrong.
        what: &'static str,
        /// Its offset in the file.
        at: usize,
    },
    /// The book refused an account of the workload.
    Refused(BookError),
    /// A captured book was not restored.
    Restore(RestoreError),
    /// The book does not show a market of the workload.
    UnknownMarket(u16),
    /// A command that is not understood.
    UnknownCommand(String),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(cause) => write!(f, "input or output failed: {cause}"),
            Self::Malformed { what, at } => write!(f, "the workload's {what} at {at} is malformed"),
            Self::Refused(cause) => write!(f, "the book refused an account: {cause}"),
            Self::Restore(cause) => write!(f, "the book was not restored: {cause}"),
            Self::UnknownMarket(index) => write!(f, "perp market {index} is not in the book"),
            Self::UnknownCommand(command) => write!(f, "command was {command}, see commands.rs"),
        }
    }
}

impl std::error::Error for BenchError {}

impl From<BookError> for BenchError {
    fn from(cause: BookError) -> Self {
        Self::Refused(cause)
    }
}

impl From<RestoreError> for BenchError {
    fn from(cause: RestoreError) -> Self {
        Self::Restore(cause)
    }
}
