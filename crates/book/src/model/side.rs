//! The two sides of a book.

use slotbook_protocol::model::enums::Direction;

/// A side of the book: bids buy, asks sell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// Best is highest.
    Bid = 0,
    /// Best is lowest.
    Ask = 1,
}

impl Side {
    /// Bids, then asks.
    pub const BOTH: [Self; 2] = [Self::Bid, Self::Ask];

    /// The direction of an order on this side.
    #[must_use]
    pub const fn direction(self) -> Direction {
        match self {
            Self::Bid => Direction::Long,
            Self::Ask => Direction::Short,
        }
    }

    /// Returns the side against which an order of this direction fills.
    #[must_use]
    pub const fn met_by(taker: Direction) -> Self {
        match taker {
            Direction::Long => Self::Ask,
            Direction::Short => Self::Bid,
        }
    }

    /// True when `price` is strictly better than `other` on this side.
    #[must_use]
    pub const fn is_better(self, price: u64, other: u64) -> bool {
        match self {
            Self::Bid => price > other,
            Self::Ask => price < other,
        }
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

impl From<Direction> for Side {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Long => Self::Bid,
            Direction::Short => Self::Ask,
        }
    }
}
