//! The book's time, and the freshness of its source.

use slotbook_protocol::model::clock::SlotClock;
use slotbook_protocol::model::units::{Slot, UnixSeconds};

/// The chain's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// The slot, and how long slots are.
    pub(crate) slots: SlotClock,
    pub(crate) now: UnixSeconds,
}

impl Clock {
    pub(crate) const fn slot(&self) -> Slot {
        self.slots.slot
    }
}

/// How current the book's source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FeedState {
    /// A snapshot is being read; the book may be incomplete.
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
