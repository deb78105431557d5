//! The book of one program on one chain, and its bodies, frames and logs.

use slotbook_book::{
    AuctionRow, Book, BookConfig, EmptyReason, FeedState, MarketInfo, Side, SnapshotReport,
};
use slotbook_journal::Input;
use slotbook_matching::ExternalBook;
use slotbook_protocol::model::units::{Slot, UnixSeconds};
use slotbook_wire::cache::{BodyCache, CACHE_LIMITS};
use slotbook_wire::render::{L2Request, L3Request, Rows};
use slotbook_wire::uncross::Crossing;
use slotbook_wire::walk::WalkScratch;

use crate::decode::Decoder;
use crate::input_log::InputLog;
use crate::intake::TurnCounts;
use crate::problem::Problems;
use crate::snapshot::PackedSnapshot;
use crate::topics::Topics;
use crate::watched::WatchedUsers;

/// What a body of the cache shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BodyKey {
    L2(L2Request),
    L3(L3Request),
    Makers { market: u16, side: Side, limit: u32 },
    Auctions { market: u16 },
    Frame(L2Request),
}

/// The order book of one program on one chain.
pub struct Core {
    pub(crate) book: Book,
    pub(crate) epoch: String,
    /// Increases with each epoch, so that bodies of earlier epochs are outdated.
    pub(crate) epoch_number: u64,
    pub(crate) decoder: Decoder,
    pub(crate) bodies: BodyCache<BodyKey>,
    pub(crate) rows: Rows,
    pub(crate) auctions: Vec<AuctionRow>,
    pub(crate) crossing: Crossing,
    pub(crate) topics: Topics,
    pub(crate) users: WatchedUsers,
    pub(crate) external: ExternalBook,
    pub(crate) walk: WalkScratch,
    /// The last /match body; its memory is reused.
    pub(crate) match_body: Vec<u8>,
    pub(crate) level_rows: Vec<u8>,
    pub(crate) problems: Problems,
    pub(crate) counts: TurnCounts,
    /// The markets when `market_set` last grew.
    pub(crate) known_markets: Vec<(MarketInfo, Option<EmptyReason>)>,
    pub(crate) market_set: u32,
    pub(crate) log: InputLog,
    /// The sequence numbers of the last leaf, by market id.
    pub(crate) leaf_seqs: Vec<u64>,
}

impl Core {
    /// A book that has seen nothing.
    #[must_use]
    pub fn new(config: impl Into<BookConfig>, epoch: String) -> Self {
        Self {
            book: Book::new(config.into()),
            epoch,
            epoch_number: 0,
            decoder: Decoder::default(),
            bodies: BodyCache::new(CACHE_LIMITS),
            rows: Rows::default(),
            auctions: Vec::new(),
            crossing: Crossing::default(),
            topics: Topics::default(),
            users: WatchedUsers::default(),
            external: ExternalBook::default(),
            walk: WalkScratch::default(),
            match_body: Vec::new(),
            level_rows: Vec::new(),
            problems: Problems::default(),
            counts: TurnCounts::default(),
            known_markets: Vec::new(),
            market_set: 0,
            log: InputLog::default(),
            leaf_seqs: Vec::new(),
        }
    }

    /// The book, to be read.
    #[must_use]
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// Returns the name of the epoch, which bodies contain. Reading a journal changes it as well.
    #[must_use]
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Starts a new epoch, because the source is another chain. Every body is rendered again, with
    /// this name.
    pub fn set_epoch(&mut self, epoch: &str) {
        self.log.note(&Input::Epoch(epoch));
        self.log.want_checkpoint();
        epoch.clone_into(&mut self.epoch);
        self.epoch_number = self.epoch_number.wrapping_add(1);
    }

    /// Moves the chain's time.
    pub fn set_clock(&mut self, slot: u64, unix_seconds: i64) {
        let before = (self.book.slot().0, self.book.unix_seconds().0);
        if (slot, unix_seconds) == before {
            return;
        }
        self.log.note(&Input::Clock { slot, unix_seconds });
        self.book.set_clock(Slot(slot), UnixSeconds(unix_seconds));
    }

    /// Sets the freshness of the source: 0 rebuilding, 1 live, 2 lagging, 3 stale. Returns false
    /// for any other number.
    pub fn set_state(&mut self, state: u8) -> bool {
        let state = match state {
            0 => FeedState::Rebuilding,
            1 => FeedState::Live,
            2 => FeedState::Lagging,
            3 => FeedState::Stale,
            _ => return false,
        };
        if state != self.book.state() {
            self.log.note(&Input::FeedState(state as u8));
            self.book.set_state(state);
        }
        true
    }

    /// Returns the problems since the last call, the first 64 of them, as a JSON array of `{pubkey,
    /// code, message}`, and resets their count.
    pub fn take_problems(&mut self) -> String {
        let text = self.problems.text();
        self.problems.clear();
        text
    }

    /// Starts a snapshot taken at this slot.
    pub fn begin_snapshot(&mut self, slot: u64) {
        self.log.note(&Input::SnapshotBegin { slot });
        self.book.begin_snapshot(Slot(slot));
    }

    /// Applies `count` accounts of a decoded snapshot from index `from` on. Returns the number of
    /// accounts applied.
    pub fn apply_snapshot(&mut self, snapshot: &PackedSnapshot, from: usize, count: usize) -> u32 {
        let mut taken = 0;
        let mut intake = self.intake();
        for update in snapshot.updates(from, count) {
            intake.apply(update);
            taken += 1;
        }
        taken
    }

    /// Ends a snapshot: removes the users that it did not contain.
    pub fn end_snapshot(&mut self) -> SnapshotReport {
        self.log.note(&Input::SnapshotEnd);
        let report = self.book.end_snapshot();
        for pubkey in self.book.forgotten() {
            self.log.note(&Input::Forgotten(*pubkey));
        }
        report
    }
}
