//! Where the book stands in time, and how fresh its source is.

use slotbook_protocol::units::{Slot, UnixSeconds};

/// The chain's time as the book knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    pub(crate) slot: Slot,
    pub(crate) now: UnixSeconds,
}

/// How fresh the book's source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FeedState {
    /// A snapshot is being read; what is shown may have holes.
    Rebuilding = 0,
    /// Complete and current.
    Live = 1,
    /// Complete, but the source is late.
    Lagging = 2,
    /// The source has been silent for long.
    Stale = 3,
}

impl FeedState {
    /// The name in response bodies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rebuilding => "rebuilding",
            Self::Live => "live",
            Self::Lagging => "lagging",
            Self::Stale => "stale",
        }
    }
}
