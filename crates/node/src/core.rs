//! The book as JavaScript sees it: batches in, bodies out.

use napi::bindgen_prelude::BufferSlice;
use napi::{Error, Result, Status};
use napi_derive::napi;
use slotbook_book::{
    AuctionRow, Book, BookConfig, EmptyReason, FeedState, MarketId, MarketInfo, Side,
    SnapshotReport,
};
use slotbook_journal::Input;
use slotbook_matching::ExternalBook;
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};
use slotbook_wire::auctions::render_auctions;
use slotbook_wire::cache::{BodyCache, CACHE_LIMITS, Version};
use slotbook_wire::frame::render_frame;
use slotbook_wire::render::{
    L2Request, L3Request, Rows, render_l2, render_l3, render_uncrossed_l2, render_uncrossed_l3,
};
use slotbook_wire::sources::Sources;
use slotbook_wire::stream::spec::Encoding;
use slotbook_wire::uncross::Crossing;
use slotbook_wire::walk::WalkScratch;
use slotbook_wire::writer::JsonWriter;

use crate::decode::{Decoder, key};
use crate::input_log::InputLog;
use crate::intake::{TurnCounts, WORD_BYTES, word, word_count};
use crate::problem::{Fault, Problems};
use crate::snapshot::PackedSnapshot;
use crate::text;
use crate::topics::Topics;

/// Bytes of a number of a version.
const FLOAT_BYTES: usize = 8;

/// What a body of the cache shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BodyKey {
    L2(L2Request, Encoding),
    L3(L3Request, Encoding),
    UncrossedL2(L2Request, Encoding),
    UncrossedL3(L3Request, Encoding),
    Makers { market: u16, side: Side, limit: u32 },
    Auctions { market: u16 },
    Frame(L2Request),
}

/// The order book of one program on one chain.
#[napi]
pub struct Core {
    pub(crate) book: Book,
    pub(crate) epoch: String,
    /// Grows with each epoch, so that no body of an earlier one is current.
    pub(crate) epoch_number: u64,
    pub(crate) decoder: Decoder,
    pub(crate) bodies: BodyCache<BodyKey>,
    pub(crate) rows: Rows,
    auctions: Vec<AuctionRow>,
    crossing: Crossing,
    pub(crate) topics: Topics,
    pub(crate) external: ExternalBook,
    pub(crate) walk: WalkScratch,
    /// The last /match body; the memory is used again.
    pub(crate) match_body: Vec<u8>,
    pub(crate) problems: Problems,
    pub(crate) counts: TurnCounts,
    /// The markets as they were when `market_set` last grew.
    pub(crate) known_markets: Vec<(MarketInfo, Option<EmptyReason>)>,
    pub(crate) market_set: u32,
    pub(crate) log: InputLog,
}

#[napi]
impl Core {
    /// A book that has seen nothing. Throws when `program_id` is not a base58 key: that is a
    /// mistake of the configuration and not of the chain.
    #[napi(constructor)]
    pub fn new(program_id: String, epoch: String) -> Result<Self> {
        let program = program_of(&program_id)?;
        Ok(Self {
            book: Book::new(BookConfig { program }),
            epoch,
            epoch_number: 0,
            decoder: Decoder::default(),
            bodies: BodyCache::new(CACHE_LIMITS),
            rows: Rows::default(),
            auctions: Vec::new(),
            crossing: Crossing::default(),
            topics: Topics::default(),
            external: ExternalBook::default(),
            walk: WalkScratch::default(),
            match_body: Vec::new(),
            problems: Problems::default(),
            counts: TurnCounts::default(),
            known_markets: Vec::new(),
            market_set: 0,
            log: InputLog::default(),
        })
    }

    /// Applies the first `length` bytes of a batch of records. Bad records are counted as problems
    /// and the rest of the batch goes on.
    #[napi]
    pub fn apply(&mut self, batch: &[u8], length: u32) {
        self.apply_batch(batch, length);
    }

    /// Moves the chain's time.
    #[napi]
    pub fn set_clock(&mut self, slot: f64, unix_seconds: f64) {
        self.move_clock(whole(slot), signed(unix_seconds));
    }

    /// Sets how fresh the source is: 0 rebuilding, 1 live, 2 lagging, 3 stale. Returns false for
    /// any other number.
    #[napi]
    pub fn set_state(&mut self, state: u32) -> bool {
        let state = match state {
            0 => FeedState::Rebuilding,
            1 => FeedState::Live,
            2 => FeedState::Lagging,
            3 => FeedState::Stale,
            _ => return false,
        };
        self.move_state(state);
        true
    }

    /// The name of the run of the book, as bodies carry it: a journal that is read moves it as well.
    #[napi]
    pub fn epoch_name(&self) -> String {
        self.epoch.clone()
    }

    /// Names a new epoch: the source is another chain. Every body is rendered again, with this name.
    #[napi]
    pub fn set_epoch(&mut self, epoch: String) {
        self.log.note(&Input::Epoch(&epoch));
        self.log.want_checkpoint();
        self.epoch = epoch;
        self.epoch_number = self.epoch_number.wrapping_add(1);
    }

    /// Applies a batch as `apply` does, and ends the turn: one call, since entering costs more than
    /// what either does for a turn without changes. Writes changed, unchanged, stale, ignored,
    /// closed, applied, problems, the number of the market set and the count of changed markets
    /// into `report`, then the ids of the changed markets: 32-bit words in the machine's byte
    /// order. The highest bit of an id says that only quotes changed, which are shown to readers
    /// that request them; the next one, that these are indicative quotes alone. Returns the words
    /// written; a negative number is the words that must fit, and then the batch is applied and the
    /// turn has not ended.
    #[napi]
    pub fn end_turn(
        &mut self,
        batch: &[u8],
        length: u32,
        ts_ms: f64,
        mut report: BufferSlice<'_>,
    ) -> i32 {
        self.apply_batch(batch, length);
        if word_count(&report) < self.report_words_max() {
            return negative(self.report_words_max());
        }
        self.finish_turn(whole(ts_ms));
        self.write_report(&mut report)
    }

    /// The problems since this was last called, the first 64 of them, as a JSON array of
    /// `{pubkey, code, message}`. They are counted from 0 again.
    #[napi]
    pub fn take_problems(&mut self) -> String {
        let mut out = Vec::new();
        self.problems.write(&mut out);
        self.problems.clear();
        String::from_utf8(out).unwrap_or_default()
    }

    /// Starts a snapshot taken at this slot; `applySnapshot` and `endSnapshot` follow.
    #[napi]
    pub fn begin_snapshot(&mut self, slot: f64) {
        self.begin_book_snapshot(whole(slot));
    }

    /// Applies `count` accounts of a decoded snapshot from number `from` on. Returns how many there
    /// were.
    #[napi]
    pub fn apply_snapshot(&mut self, snapshot: &PackedSnapshot, from: u32, count: u32) -> u32 {
        let [from, count] = [from, count].map(|number| usize::try_from(number).unwrap_or(0));
        let mut taken = 0;
        let mut intake = self.intake();
        for update in snapshot.updates(from, count) {
            intake.apply(update);
            taken += 1;
        }
        taken
    }

    /// Ends a snapshot. Writes accounts seen, added, changed and removed into `report` as 32-bit
    /// words; returns false when they do not fit, and then the snapshot has not ended.
    #[napi]
    pub fn end_snapshot(&mut self, mut report: BufferSlice<'_>) -> bool {
        let (words, _) = report.as_chunks_mut::<WORD_BYTES>();
        let Some(words) = words.first_chunk_mut::<4>() else { return false };
        let counts = self.end_book_snapshot();
        *words = [counts.seen, counts.added, counts.changed, counts.removed].map(word);
        true
    }

    /// Renders /l2 into `out`: `depth` levels a side, on a grid of `grouping` ticks (0 for none),
    /// orders and these sources: 1 the market's AMM, 2 indicative quotes, 3 both; as JSON
    /// text, or as bytes where `binary` is set.
    /// Returns the length of the body; 0 for an unknown market; a negative number is the length
    /// that `out` must have.
    #[napi]
    pub fn l2(
        &mut self,
        market: u32,
        depth: u32,
        grouping: u32,
        sources: u32,
        binary: bool,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let Some((request, version)) = self.prepare_l2(market, depth, grouping, sources) else {
            return 0;
        };
        let (book, epoch, encoding) = (&self.book, &self.epoch, Encoding::from(binary));
        let body = self.bodies.body(BodyKey::L2(request, encoding), version, |body| {
            render_l2(book, &request, (epoch, encoding), body);
        });
        copy_out(body, &mut out)
    }

    /// As `l2`, the book uncrossed.
    #[napi]
    pub fn uncrossed_l2(
        &mut self,
        market: u32,
        depth: u32,
        grouping: u32,
        sources: u32,
        binary: bool,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let Some((request, version)) = self.prepare_l2(market, depth, grouping, sources) else {
            return 0;
        };
        let (book, epoch, crossing) = (&self.book, &self.epoch, &mut self.crossing);
        let encoding = Encoding::from(binary);
        let body = self.bodies.body(BodyKey::UncrossedL2(request, encoding), version, |body| {
            render_uncrossed_l2(book, &request, (epoch, encoding), crossing, body);
        });
        copy_out(body, &mut out)
    }

    /// Renders /l3 into `out`: `depth` orders a side (0 for all), only those of `maker` when it is
    /// not empty, and the sources and the encoding of `l2`. Returns as `l2` does; 0 also for a maker that is not a
    /// key.
    #[napi]
    pub fn l3(
        &mut self,
        market: u32,
        depth: u32,
        maker: String,
        sources: u32,
        binary: bool,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let Some((request, version)) = self.prepare_l3(market, depth, &maker, sources) else {
            return 0;
        };
        let (book, epoch, rows) = (&self.book, &self.epoch, &mut self.rows);
        let encoding = Encoding::from(binary);
        let body = self.bodies.body(BodyKey::L3(request, encoding), version, |body| {
            render_l3(book, &request, (epoch, encoding), rows, body);
        });
        copy_out(body, &mut out)
    }

    /// As `l3`, each order at the price that the uncrossed /l2 gives its level.
    #[napi]
    pub fn uncrossed_l3(
        &mut self,
        market: u32,
        depth: u32,
        maker: String,
        sources: u32,
        binary: bool,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let Some((request, version)) = self.prepare_l3(market, depth, &maker, sources) else {
            return 0;
        };
        let (book, epoch, encoding) = (&self.book, &self.epoch, Encoding::from(binary));
        let (rows, crossing) = (&mut self.rows, &mut self.crossing);
        let body = self.bodies.body(BodyKey::UncrossedL3(request, encoding), version, |body| {
            render_uncrossed_l3(book, &request, (epoch, encoding), rows, crossing, body);
        });
        copy_out(body, &mut out)
    }

    /// Renders /auctions into `out`: the orders of a market that are in auction. Returns as `l2`
    /// does.
    #[napi]
    pub fn auctions(&mut self, market: u32, mut out: BufferSlice<'_>) -> i32 {
        let Some((id, version)) = self.version_of(market) else { return 0 };
        let version = Version { revision: self.auctions_revision(id), ..version };
        let (book, epoch, rows) = (&self.book, &self.epoch, &mut self.auctions);
        let body = self.bodies.body(BodyKey::Auctions { market: id.0 }, version, |body| {
            render_auctions(book, id, epoch, rows, body);
        });
        copy_out(body, &mut out)
    }

    /// Renders a frame of the compatible order book channel into `out`: the /l2 body of `depth`
    /// levels a side, on a grid of `grouping` ticks (0 for none), with the sources of `l2`, as a
    /// JSON text. Returns as `l2` does.
    #[napi]
    pub fn orderbook_frame(
        &mut self,
        market: u32,
        depth: u32,
        grouping: u32,
        sources: u32,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let Some((request, version)) = self.prepare_l2(market, depth, grouping, sources) else {
            return 0;
        };
        let (book, epoch) = (&self.book, &self.epoch);
        let frame = self.bodies.body(BodyKey::Frame(request), version, |frame| {
            render_frame(book, &request, epoch, frame);
        });
        copy_out(frame, &mut out)
    }

    /// The user accounts of at most `limit` distinct makers of a side (0 bids, 1 asks), best order
    /// first, as a JSON array of base58 keys. Null for an unknown market or side. Cached as bodies
    /// are: thousands of orders may stand at the best price, and have to be sorted first.
    #[napi]
    pub fn top_makers(&mut self, market: u32, side: u32, limit: u32) -> Option<String> {
        let (id, version) = self.version_of(market)?;
        let side = *Side::BOTH.get(usize::try_from(side).ok()?)?;
        let book = &self.book;
        let keys =
            self.bodies.body(BodyKey::Makers { market: id.0, side, limit }, version, |out| {
                let mut makers = Vec::new();
                let limit = usize::try_from(limit).unwrap_or(usize::MAX);
                book.top_makers(id, side, limit, &mut makers);
                text::write_keys(&makers, &mut JsonWriter::new(out));
            });
        Some(String::from_utf8_lossy(keys).into_owned())
    }

    /// Writes seq, slot, state code and the revision of the auctions of a market into `out` as
    /// 64-bit floats in the machine's byte order. Returns false for an unknown market or when they do not fit.
    #[napi]
    pub fn version(&self, market: u32, mut out: BufferSlice<'_>) -> bool {
        let Some((id, version)) = self.version_of(market) else { return false };
        let (numbers, _) = out.as_chunks_mut::<FLOAT_BYTES>();
        let Some(numbers) = numbers.first_chunk_mut::<4>() else { return false };
        let (slot, state) = (version.slot as f64, f64::from(version.state));
        let auctions = self.auctions_revision(id) as f64;
        *numbers = [version.seq as f64, slot, state, auctions].map(f64::to_ne_bytes);
        true
    }
}

impl Core {
    pub(crate) fn move_clock(&mut self, slot: u64, unix_seconds: i64) {
        let before = (self.book.slot().0, self.book.unix_seconds().0);
        if (slot, unix_seconds) == before {
            return;
        }
        self.log.note(&Input::Clock { slot, unix_seconds });
        self.book.set_clock(Slot(slot), UnixSeconds(unix_seconds));
    }

    fn move_state(&mut self, state: FeedState) {
        if state != self.book.state() {
            self.log.note(&Input::FeedState(state as u8));
            self.book.set_state(state);
        }
    }

    pub(crate) fn begin_book_snapshot(&mut self, slot: u64) {
        self.log.note(&Input::SnapshotBegin { slot });
        self.book.begin_snapshot(Slot(slot));
    }

    pub(crate) fn end_book_snapshot(&mut self) -> SnapshotReport {
        self.log.note(&Input::SnapshotEnd);
        let report = self.book.end_snapshot();
        for pubkey in self.book.forgotten() {
            self.log.note(&Input::Forgotten(*pubkey));
        }
        report
    }

    fn version_of(&self, market: u32) -> Option<(MarketId, Version)> {
        let id = MarketId(u16::try_from(market).ok()?);
        let seq = self.book.seq(id)?;
        let (slot, state) = (self.book.slot().0, self.book.state() as u8);
        Some((id, Version { seq, slot, state, epoch: self.epoch_number, revision: 0 }))
    }

    fn auctions_revision(&self, id: MarketId) -> u64 {
        self.book.auctions_revision(id).unwrap_or_default()
    }

    /// The request of these numbers, and the version of its body; `None` for an unknown market.
    fn prepare_l2(
        &mut self,
        market: u32,
        depth: u32,
        grouping_ticks: u32,
        sources: u32,
    ) -> Option<(L2Request, Version)> {
        let (market, version) = self.version_of(market)?;
        let depth_levels = usize::try_from(depth).unwrap_or(usize::MAX);
        let sources = self.prepare_sources(market, sources);
        Some((L2Request { market, depth_levels, grouping_ticks, sources }, version))
    }

    /// As `prepare_l2`; `None` also for a maker that is not a key.
    fn prepare_l3(
        &mut self,
        market: u32,
        depth: u32,
        maker: &str,
        sources: u32,
    ) -> Option<(L3Request, Version)> {
        let (market, version) = self.version_of(market)?;
        let maker = maker_of(maker).ok()?;
        let depth_orders =
            if depth == 0 { usize::MAX } else { usize::try_from(depth).unwrap_or(usize::MAX) };
        let sources = self.prepare_sources(market, sources);
        Some((L3Request { market, depth_orders, maker, sources }, version))
    }

    /// The sources that a number names; the market's quotes are made for them.
    fn prepare_sources(&mut self, id: MarketId, sources: u32) -> Sources {
        let sources = sources_of(sources);
        if !sources.is_none() {
            self.book.refresh_quotes(id);
        }
        sources
    }
}

/// The key of a program; what is none is a mistake of the configuration.
pub(crate) fn program_of(text: &str) -> Result<Pubkey> {
    key(text.as_bytes()).map_err(|_| {
        let message = format!("program id was {text}, must be base58 of 32 bytes");
        Error::new(Status::InvalidArg, message)
    })
}

/// The sources by their bits.
const VAMM: u32 = 1;
const INDICATIVE: u32 = 2;

/// The sources that a number names; bits without a source are of no meaning.
pub(crate) fn sources_of(bits: u32) -> Sources {
    Sources { vamm: bits & VAMM != 0, indicative: bits & INDICATIVE != 0 }
}

/// The maker of an /l3: `None` when the text is empty.
pub(crate) fn maker_of(text: &str) -> std::result::Result<Option<Pubkey>, Fault> {
    if text.is_empty() { Ok(None) } else { key(text.as_bytes()).map(Some) }
}

pub(crate) fn copy_out(body: &[u8], out: &mut [u8]) -> i32 {
    match out.get_mut(..body.len()) {
        Some(room) => {
            room.copy_from_slice(body);
            positive(body.len())
        }
        None => negative(body.len()),
    }
}

pub(crate) fn positive(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

pub(crate) fn negative(length: usize) -> i32 {
    -positive(length)
}

/// A number of JavaScript as an unsigned whole number; what is below 0 or no number is 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

/// A number of JavaScript as a signed whole number; no number is 0.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
fn signed(number: f64) -> i64 {
    number as i64
}
