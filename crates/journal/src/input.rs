//! The inputs of a book, as a journal stores them.

use slotbook_protocol::model::units::Pubkey;

/// How an update is ordered relative to the book's state of the same account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gate {
    /// Live, ordered by arrival.
    #[default]
    Arrival,
    /// From a snapshot.
    Snapshot,
    /// Ordered by slot and this write version.
    WriteVersion(u64),
}

/// The account and version of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The account's address.
    pub pubkey: Pubkey,
    /// The slot of this state.
    pub slot: u64,
    /// How the update is ordered relative to other states of the account.
    pub gate: Gate,
}

/// One input of a book. All inputs up to a turn end form one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// The state of an account; empty bytes mean that the account is closed.
    Account {
        /// The account and its version.
        origin: Origin,
        /// The program that owns it.
        owner: Pubkey,
        /// All its bytes.
        data: &'a [u8],
    },
    /// A snapshot contains the account with unchanged bytes and owner.
    Unchanged(Origin),
    /// A snapshot contains an older state of the account, which the book ignores.
    Stale(Origin),
    /// An account whose bytes were truncated.
    Damaged(Origin),
    /// The end of the snapshot removes this user from the book.
    Forgotten(Pubkey),
    /// The chain's time.
    Clock {
        /// Its slot.
        slot: u64,
        /// Unix time in seconds.
        unix_seconds: i64,
    },
    /// The freshness of the source: 0 rebuilding, 1 live, 2 lagging, 3 stale.
    FeedState(u8),
    /// The source switches to another chain.
    Epoch(&'a str),
    /// The start of a snapshot taken at this slot.
    SnapshotBegin {
        /// The slot.
        slot: u64,
    },
    /// The end of the snapshot.
    SnapshotEnd,
    /// Whether indicative quotes may improve on the best price of the book.
    QuotePolicy {
        /// True to allow improvement.
        improve: bool,
    },
    /// Replaces a maker's indicative quotes in a market.
    Quotes {
        /// The market's id in the book.
        market: u16,
        /// The maker.
        maker: Pubkey,
        /// Arrival of the quotes, Unix milliseconds.
        ts_ms: u64,
        /// The quotes, 33 bytes each, in the format of the core's callers.
        quotes: &'a [u8],
    },
    /// Replaces the external levels of a market.
    External {
        /// The market's id in the book.
        market: u16,
        /// Levels of 16 bytes: price and size.
        bids: &'a [u8],
        /// Levels of 16 bytes: price and size.
        asks: &'a [u8],
    },
    /// The end of the turn.
    TurnEnd {
        /// The time in bodies of this turn, Unix milliseconds.
        ts_ms: u64,
        /// The publications at the end of the last turn: entries of three bytes, a market's id and
        /// a set of interval classes.
        marks: &'a [u8],
        /// The hash of all markets after this turn; empty when the turn has none.
        hash: &'a [u8],
    },
    /// A new segment begins after the last turn.
    Checkpoint(Checkpoint<'a>),
}

/// The state of a book at the start of a segment, without its accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint<'a> {
    /// The name of the book's run.
    pub epoch: &'a str,
    /// The time of the last turn, Unix milliseconds.
    pub ts_ms: u64,
    /// The chain's slot.
    pub slot: u64,
    /// Unix time of the chain in seconds.
    pub unix_seconds: i64,
    /// The sequence numbers of the markets in the order of their ids, 8 bytes each.
    pub seqs: &'a [u8],
    /// The book's state that accounts do not contain, in the book's own format.
    pub state: &'a [u8],
}
