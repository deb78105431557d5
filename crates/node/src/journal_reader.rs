//! Reads segments of a journal into a core.

use napi::Result;
use napi::bindgen_prelude::{Buffer, BufferSlice};
use napi_derive::napi;
use slotbook_core::decode::key;
use slotbook_core::reader::{LastTurn, Step, Until};
use slotbook_journal::{Head, Moment, Origin};
use slotbook_protocol::model::units::Slot;

use crate::convert::{market_of, negative, program_of, whole};
use crate::core::Core;
use crate::journal::JournalProblem;

/// How far `readTo` reads.
#[napi(object)]
pub struct JournalUntil {
    /// The highest slot of a turn to apply; all turns by default.
    pub slot_max: Option<f64>,
    /// The latest time of a turn to apply, Unix milliseconds; all turns by default.
    pub ts_ms_max: Option<f64>,
    /// The market of which `seq` is.
    pub market: Option<u32>,
    /// The sequence number of the market at which reading stops.
    pub seq: Option<f64>,
    /// Maximum number of turns that this call applies; unlimited by default.
    pub turns_max: Option<u32>,
}

/// The end of a turn.
#[napi(object)]
pub struct JournalMoment {
    /// The chain's slot.
    pub slot: f64,
    /// Unix milliseconds.
    pub ts_ms: f64,
}

/// The position of a reader.
#[napi(object)]
pub struct JournalPosition {
    /// Turns applied.
    pub turns: f64,
    /// Accounts applied, those of the checkpoint excepted.
    pub updates: f64,
    /// The time of the last turn, Unix milliseconds.
    pub ts_ms: f64,
    /// The chain's slot.
    pub slot: f64,
    /// Bytes of the file in the whole blocks that were read.
    pub position: f64,
    /// Pushed bytes that do not form a whole block yet.
    pub waiting: f64,
    /// The publications of the last turn, in the format of `markPublished`.
    pub marks: Buffer,
}

/// When an account was written last.
#[napi(object)]
pub struct JournalAccount {
    /// Its address, base58.
    pub pubkey: String,
    /// The slot.
    pub slot: f64,
}

/// Where a segment begins.
#[napi(object)]
pub struct JournalSegmentHead {
    /// The program whose accounts are held, base58.
    pub program_id: String,
    /// The name of the epoch of the book.
    pub epoch: String,
    /// The creation time of the segment, Unix milliseconds by its writer's clock.
    pub created_ms: f64,
    /// The time of the last turn before the segment, Unix milliseconds.
    pub ts_ms: f64,
    /// The chain's slot then.
    pub slot: f64,
    /// Accounts of its checkpoint.
    pub accounts: f64,
    /// The sequence numbers of the markets at that time, by their ids.
    pub seqs: Vec<f64>,
}

/// Reads one segment of a journal into a core: its checkpoint first, then turn by turn.
#[napi]
pub struct JournalReader {
    pub(crate) reader: slotbook_core::reader::JournalReader,
}

#[napi]
impl JournalReader {
    /// Creates a reader. Throws when `program_id` is not a base58 key.
    #[napi(constructor)]
    pub fn new(program_id: String) -> Result<Self> {
        Ok(Self { reader: slotbook_core::reader::JournalReader::new(program_of(&program_id)?) })
    }

    /// Adds bytes of the segment's file, in order and in pieces of any size.
    #[napi]
    pub fn push(&mut self, bytes: &[u8]) {
        self.reader.push(bytes);
    }

    /// Returns the head of the segment; null when more bytes are needed, or when `problem` has an
    /// error.
    #[napi]
    pub fn head(&mut self) -> Option<JournalSegmentHead> {
        self.reader.head().map(head_of)
    }

    /// Restores the checkpoint into an empty core, or applies the next turn and writes its report
    /// into `report`, like `endTurn`. Returns 0 when more bytes are needed, which at the end of a
    /// file means a complete or torn end; 1 for a turn; 2 for the checkpoint; -1 when `problem` has
    /// an error, and then a turn may be partly applied. Another negative number is the negative of
    /// the number of words that `report` needs.
    #[napi]
    pub fn read_turn(&mut self, core: &mut Core, mut report: BufferSlice<'_>) -> i32 {
        let words_max = core.core.report_words_max();
        if report.len() / size_of::<u32>() < words_max {
            return negative(words_max);
        }
        let step = self.reader.read_next(&mut core.core, &Until::END);
        if step == Step::Turn {
            core.core.write_report(&mut report);
        }
        step as i32
    }

    /// Applies turns that are not later than `until`. Returns the same as `readTurn`, except that
    /// it never returns 1 but 3 when the next turn is later, or the sequence number or the number
    /// of turns is reached. Restoring the checkpoint is a separate call.
    #[napi]
    pub fn read_to(&mut self, core: &mut Core, until: JournalUntil) -> i32 {
        self.reader.read_to(&mut core.core, &until.into()) as i32
    }

    /// Continues from the core's present state: reads the segment's checkpoint but does not restore
    /// it.
    #[napi]
    pub fn go_on(&mut self) {
        self.reader.go_on();
    }

    /// From now on applies only updates up to this slot, whichever turn they came in: of a turn of
    /// a later slot, the accounts of earlier slots but not the time. The result is a book that was
    /// never published, so its hashes are not compared.
    #[napi]
    pub fn take_slots_to(&mut self, slot: f64) {
        self.reader.take_slots_to(Slot(whole(slot)));
    }

    /// Call this before the bytes of a separate tail, of the current segment or of the next
    /// segment, when `readTurn` has returned 0. Otherwise `problem` has an error.
    #[napi]
    pub fn begin_tail(&mut self) {
        self.reader.begin_tail();
    }

    /// From now on computes the digest of the records between two turns with a hash.
    #[napi]
    pub fn keep_digest(&mut self) {
        self.reader.keep_digest();
    }

    /// Returns the SHA-256 of the records since the turn with a hash before the last turn; null
    /// when the last turn has no hash.
    #[napi]
    pub fn digest(&self) -> Option<Buffer> {
        self.reader.last().digest.map(|digest| digest.to_vec().into())
    }

    /// Drops the bytes after the last complete turn: their writer stopped within a turn, and
    /// another writer continues.
    #[napi]
    pub fn drop_rest(&mut self) {
        self.reader.drop_rest();
    }

    /// Starts to log the inputs of the core whose book this reader has read, after all its turns
    /// were applied: first the accounts, then a checkpoint. Returns false when the book is within a
    /// turn or a snapshot.
    #[napi]
    pub fn continue_in(&self, core: &mut Core) -> bool {
        self.reader.continue_in(&mut core.core)
    }

    /// The slot and time of the next turn, without applying it; null when more bytes are needed, at
    /// the checkpoint, and when `problem` has an error.
    #[napi]
    pub fn next_moment(&mut self) -> Option<JournalMoment> {
        let Moment { ts_ms, slot } = self.reader.next_moment()?;
        Some(JournalMoment { slot: slot as f64, ts_ms: ts_ms as f64 })
    }

    /// The position of the reader.
    #[napi]
    pub fn position(&self) -> JournalPosition {
        let LastTurn { moment, marks, turns, updates, .. } = self.reader.last();
        JournalPosition {
            turns: *turns as f64,
            updates: *updates as f64,
            ts_ms: moment.ts_ms as f64,
            slot: moment.slot as f64,
            position: self.reader.position() as f64,
            waiting: self.reader.waiting() as f64,
            marks: marks.clone().into(),
        }
    }

    /// The bytes of accounts (base58) as of the last applied turn; null for unknown accounts and
    /// invalid keys.
    #[napi]
    pub fn accounts(&self, keys: Vec<String>) -> Vec<Option<Buffer>> {
        let keys: Vec<_> = keys.iter().map(|text| key(text.as_bytes()).ok()).collect();
        let accounts = self.reader.accounts(&keys).into_iter();
        accounts.map(|bytes| bytes.map(Into::into)).collect()
    }

    /// Returns the accounts, including closed ones, whose state as of the last turn is of this slot
    /// or a later one.
    #[napi]
    pub fn written_from(&self, slot: f64) -> Vec<JournalAccount> {
        let account = |Origin { pubkey, slot, .. }| JournalAccount {
            pubkey: pubkey.to_string(),
            slot: slot as f64,
        };
        self.reader.written_from(Slot(whole(slot))).map(account).collect()
    }

    /// Call this at the end of the file, when `readTurn` or `readTo` has returned 0. Returns null
    /// when all bytes were read, otherwise the reason why the last block is incomplete, as after a
    /// crash; when `problem` has an error, the segment is damaged.
    #[napi]
    pub fn finish(&mut self) -> Option<JournalProblem> {
        self.reader.finish().map(Into::into)
    }

    /// Frees the memory of the reader immediately; nothing more can be read.
    #[napi]
    pub fn release(&mut self) {
        self.reader.release();
    }

    /// The error in the segment; null without one.
    #[napi]
    pub fn problem(&self) -> Option<JournalProblem> {
        self.reader.problem().cloned().map(Into::into)
    }
}

impl From<JournalUntil> for Until {
    fn from(until: JournalUntil) -> Self {
        let most = |number: Option<f64>| number.map_or(u64::MAX, whole);
        let market = until.market.and_then(market_of);
        Self {
            slot_max: most(until.slot_max),
            ts_ms_max: most(until.ts_ms_max),
            seq: market.map(|market| (market, most(until.seq))),
            turns_max: until.turns_max.unwrap_or(u32::MAX),
        }
    }
}

fn head_of(head: &Head) -> JournalSegmentHead {
    JournalSegmentHead {
        program_id: head.program.to_string(),
        epoch: head.epoch.clone(),
        created_ms: head.created_ms as f64,
        ts_ms: head.ts_ms as f64,
        slot: head.slot as f64,
        accounts: head.accounts as f64,
        seqs: head.seqs.iter().map(|seq| *seq as f64).collect(),
    }
}
