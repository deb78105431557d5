//! What moves a book, as a journal holds it.

use slotbook_protocol::units::Pubkey;

/// How an update stands to what the book has of the same account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gate {
    /// From a live subscription: the order of arrival is the order.
    #[default]
    Arrival,
    /// From a snapshot.
    Snapshot,
    /// Ordered by slot and this write version.
    WriteVersion(u64),
}

/// Of which account an input is, and which state of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The account's address.
    pub pubkey: Pubkey,
    /// The slot of this state.
    pub slot: u64,
    /// What decides against older and newer states.
    pub gate: Gate,
}

/// One input of a book. Everything up to an end of turn is one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// An account; without bytes it is closed.
    Account {
        /// The account and its state.
        origin: Origin,
        /// The program that owns it.
        owner: Pubkey,
        /// All its bytes.
        data: &'a [u8],
    },
    /// A snapshot has the account as the book does: its bytes and its owner are those before.
    Unchanged(Origin),
    /// A snapshot has an older state of an account than the book, which keeps its own.
    Stale(Origin),
    /// An account whose bytes did not arrive whole.
    Damaged(Origin),
    /// The end of the snapshot made the book forget this user.
    Forgotten(Pubkey),
    /// The chain's time.
    Clock {
        /// Its slot.
        slot: u64,
        /// Its seconds since 1970.
        unix_seconds: i64,
    },
    /// How fresh the source is: 0 rebuilding, 1 live, 2 lagging, 3 stale.
    FeedState(u8),
    /// The source is another chain from now on.
    Epoch(&'a str),
    /// A snapshot taken at this slot begins.
    SnapshotBegin {
        /// The slot.
        slot: u64,
    },
    /// The snapshot is complete.
    SnapshotEnd,
    /// Whether indicative quotes may be better than everything else.
    QuotePolicy {
        /// True when they may.
        improve: bool,
    },
    /// A maker's indicative quotes of a market replace those before.
    Quotes {
        /// The market's id in the book.
        market: u16,
        /// The maker.
        maker: Pubkey,
        /// When they were received, Unix milliseconds.
        ts_ms: u64,
        /// The quotes, 33 bytes each, as the book's binding takes them.
        quotes: &'a [u8],
    },
    /// What external venues offer in a market replaces what they offered before.
    External {
        /// The market's id in the book.
        market: u16,
        /// Levels of 16 bytes: price and size.
        bids: &'a [u8],
        /// As the bids.
        asks: &'a [u8],
    },
    /// The turn ends.
    TurnEnd {
        /// The Unix milliseconds that bodies of this turn carry.
        ts_ms: u64,
        /// What is published now: entries of three bytes, a market's id and a set of intervals.
        marks: &'a [u8],
        /// The hash of what all markets hold after this turn; empty when none was taken.
        hash: &'a [u8],
    },
    /// A new segment begins behind the turn that ended last.
    Checkpoint(Checkpoint<'a>),
}

/// Where a book stands at the beginning of a segment, but for its accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint<'a> {
    /// The name of the run of the book.
    pub epoch: &'a str,
    /// The time of the last turn, Unix milliseconds.
    pub ts_ms: u64,
    /// The chain's slot.
    pub slot: u64,
    /// The chain's seconds since 1970.
    pub unix_seconds: i64,
    /// The sequence numbers of the markets in the order of their ids, 8 bytes each.
    pub seqs: &'a [u8],
    /// What the book has besides accounts, in a form of its own.
    pub state: &'a [u8],
}
