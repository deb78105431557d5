//! The JavaScript interface of the book: accounts go in, turns and versions come out.

use napi::Result;
use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;
use slotbook_book::BookConfig;
use slotbook_protocol::model::Program;

use crate::convert::{index, market_of, negative, positive, program_of, rules_of, signed, whole};
use crate::snapshot::PackedSnapshot;

/// Bytes of a number of a version.
const FLOAT_BYTES: usize = 8;

/// Bytes of a word of a report.
const WORD_BYTES: usize = 4;

/// The order book of one program on one chain.
#[napi]
pub struct Core {
    pub(crate) core: slotbook_core::core::Core,
}

#[napi]
impl Core {
    /// Creates an empty book. `rules` is the name of the program whose rules and layouts apply to
    /// `program_id`; by default the address determines the rules. Throws when `program_id` is not a
    /// base58 key, or `rules` is not a program's name, because that is an error of the
    /// configuration and not of the chain.
    #[napi(constructor)]
    pub fn new(program_id: String, epoch: String, rules: Option<String>) -> Result<Self> {
        let program = program_of(&program_id)?;
        let rules = rules.map_or_else(|| Ok(Program::of(&program)), |name| rules_of(&name))?;
        let config = BookConfig { program, rules };
        Ok(Self { core: slotbook_core::core::Core::new(config, epoch) })
    }

    /// Applies the first `length` bytes of a batch of records. Invalid records are counted as
    /// problems; the rest of the batch is applied.
    #[napi]
    pub fn apply(&mut self, batch: &[u8], length: u32) {
        self.core.apply(&batch[..index(length).min(batch.len())]);
    }

    /// Moves the chain's time.
    #[napi]
    pub fn set_clock(&mut self, slot: f64, unix_seconds: f64) {
        self.core.set_clock(whole(slot), signed(unix_seconds));
    }

    /// Sets the freshness of the source: 0 rebuilding, 1 live, 2 lagging, 3 stale. Returns false
    /// for any other number.
    #[napi]
    pub fn set_state(&mut self, state: u32) -> bool {
        u8::try_from(state).is_ok_and(|state| self.core.set_state(state))
    }

    /// Returns the name of the epoch, which bodies contain. Reading a journal changes it as well.
    #[napi]
    pub fn epoch_name(&self) -> String {
        self.core.epoch().to_owned()
    }

    /// Starts a new epoch, because the source is another chain. Every body is rendered again, with
    /// this name.
    #[napi]
    pub fn set_epoch(&mut self, epoch: String) {
        self.core.set_epoch(&epoch);
    }

    /// Applies a batch like `apply`, and ends the turn. Both are one call, because entering the
    /// addon costs more than either does for a turn without changes. Writes 32-bit words in the
    /// machine's byte order into `report`: changed, unchanged, stale, ignored, closed, applied,
    /// problems, the number of the market set and the count of changed markets, then the ids of the
    /// changed markets. The highest bit of an id means that only quotes changed, which only readers
    /// that request them get; the next bit, that only indicative quotes changed. Returns the number
    /// of words written. A negative number means that `report` is too small and is the negative of
    /// the number of words that must fit: the batch is then applied, and the turn has not ended.
    #[napi]
    pub fn end_turn(
        &mut self,
        batch: &[u8],
        length: u32,
        ts_ms: f64,
        mut report: BufferSlice<'_>,
    ) -> i32 {
        self.apply(batch, length);
        let words_max = self.core.report_words_max();
        if report.len() / WORD_BYTES < words_max {
            return negative(words_max);
        }
        self.core.end_turn(whole(ts_ms));
        positive(self.core.write_report(&mut report))
    }

    /// Returns the problems since the last call, the first 64 of them, as a JSON array of `{pubkey,
    /// code, message}`, and resets their count.
    #[napi]
    pub fn take_problems(&mut self) -> String {
        self.core.take_problems()
    }

    /// Starts a snapshot taken at this slot; `applySnapshot` and `endSnapshot` follow.
    #[napi]
    pub fn begin_snapshot(&mut self, slot: f64) {
        self.core.begin_snapshot(whole(slot));
    }

    /// Applies `count` accounts of a decoded snapshot from index `from` on. Returns the number of
    /// accounts applied.
    #[napi]
    pub fn apply_snapshot(&mut self, snapshot: &PackedSnapshot, from: u32, count: u32) -> u32 {
        self.core.apply_snapshot(&snapshot.snapshot, index(from), index(count))
    }

    /// Ends a snapshot. Writes the numbers of accounts seen, added, changed and removed into
    /// `report` as 32-bit words. Returns false when they do not fit; the snapshot has then not
    /// ended.
    #[napi]
    pub fn end_snapshot(&mut self, mut report: BufferSlice<'_>) -> bool {
        let (words, _) = report.as_chunks_mut::<WORD_BYTES>();
        let Some(words) = words.first_chunk_mut::<4>() else { return false };
        let counts = self.core.end_snapshot();
        let counts = [counts.seen, counts.added, counts.changed, counts.removed];
        *words = counts.map(|count| crate::convert::count(count).to_ne_bytes());
        true
    }

    /// Writes seq, slot, state code and auctions revision of a market into `out`, as 64-bit floats
    /// in the machine's byte order. Returns false for an unknown market, or when the numbers do not
    /// fit.
    #[napi]
    pub fn version(&self, market: u32, mut out: BufferSlice<'_>) -> bool {
        let Some(id) = market_of(market) else { return false };
        let Some(version) = self.core.version(id) else { return false };
        let (numbers, _) = out.as_chunks_mut::<FLOAT_BYTES>();
        let Some(numbers) = numbers.first_chunk_mut::<4>() else { return false };
        let (slot, state) = (version.slot as f64, f64::from(version.state));
        let auctions = self.core.auctions_revision(id) as f64;
        *numbers = [version.seq as f64, slot, state, auctions].map(f64::to_ne_bytes);
        true
    }

    /// Frees the memory of the book immediately instead of at JavaScript's next garbage collection;
    /// the core is empty after that.
    #[napi]
    pub fn release(&mut self) {
        self.core.release();
    }
}
