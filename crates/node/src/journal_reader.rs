//! Segments of a journal, read into a core.

use std::collections::{HashMap, HashSet};

use napi::Result;
use napi::bindgen_prelude::{Buffer, BufferSlice};
use napi_derive::napi;
use slotbook_book::MarketId;
use slotbook_journal::turn_log::put_input;
use slotbook_journal::{
    Found, Gate, Head, Input, JournalError, Moment, Origin, Reader, StoredAccount,
};
use slotbook_protocol::model::units::Pubkey;

use crate::core::{Core, negative, program_of, whole};
use crate::decode::key;
use crate::intake::word_count;
use crate::journal::{JournalProblem, problem_at};

/// What a call of the reader found.
const NEEDS_BYTES: i32 = 0;
pub(crate) const TURN: i32 = 1;
const CHECKPOINT: i32 = 2;
const REACHED: i32 = 3;
const FAILED: i32 = -1;

/// How far `readTo` reads.
#[napi(object)]
#[derive(Default)]
pub struct JournalUntil {
    /// The highest slot of a turn that is applied; all by default.
    pub slot_max: Option<f64>,
    /// The latest time of a turn that is applied, Unix milliseconds; all by default.
    pub ts_ms_max: Option<f64>,
    /// The market of which `seq` is.
    pub market: Option<u32>,
    /// Reads no further when the market has this sequence number, or a higher one.
    pub seq: Option<f64>,
    /// Turns that this call applies at most; all by default.
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

/// Where a reader stands.
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
    /// Bytes of the file in whole blocks that were read.
    pub position: f64,
    /// Bytes that were given and hold no whole block.
    pub waiting: f64,
    /// What the last turn published, as `markPublished` takes it.
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
    /// The name of the run of the book.
    pub epoch: String,
    /// When the segment was begun, Unix milliseconds of its writer's clock.
    pub created_ms: f64,
    /// The time of the last turn before it, Unix milliseconds.
    pub ts_ms: f64,
    /// The chain's slot then.
    pub slot: f64,
    /// Accounts of its checkpoint.
    pub accounts: f64,
    /// The sequence numbers of the markets then, by their ids.
    pub seqs: Vec<f64>,
}

/// What the last turn was.
#[derive(Default)]
struct LastTurn {
    moment: Moment,
    marks: Vec<u8>,
    hash: Vec<u8>,
    turns: u64,
    updates: u64,
}

/// Reads one segment of a journal into a core: its checkpoint first, then turn by turn.
#[napi]
pub struct JournalReader {
    reader: Reader,
    program: Pubkey,
    is_restored: bool,
    /// Whether the core is already where the checkpoint is.
    goes_on: bool,
    last: LastTurn,
    filter: SlotFilter,
    problem: Option<JournalProblem>,
}

#[napi]
impl JournalReader {
    /// A reader that has read nothing. Throws when `program_id` is not a base58 key.
    #[napi(constructor)]
    pub fn new(program_id: String) -> Result<Self> {
        Ok(Self {
            reader: Reader::new(),
            program: program_of(&program_id)?,
            is_restored: false,
            goes_on: false,
            last: LastTurn::default(),
            filter: SlotFilter::default(),
            problem: None,
        })
    }

    /// Adds bytes of the segment's file, pieces of any size in their order.
    #[napi]
    pub fn push(&mut self, bytes: &[u8]) {
        self.reader.push(bytes);
    }

    /// Where the segment begins; null when more bytes are needed, or when `problem` says what is wrong.
    #[napi]
    pub fn head(&mut self) -> Option<JournalSegmentHead> {
        if self.problem.is_some() {
            return None;
        }
        match self.reader.find_head() {
            Ok(head) => head.map(head_of),
            Err(error) => {
                self.problem = Some(problem_at(&error));
                None
            }
        }
    }

    /// Restores the checkpoint into a core that has seen nothing, or applies the next turn to it and writes what it did
    /// into `report`, as `endTurn` does. Returns 0 when more bytes are needed, which at the end of a file means that
    /// it ends here, be it whole or torn; 1 for a turn, 2 for the checkpoint; -1 when `problem` says what is wrong:
    /// the core may then have a part of a turn. Below -1 it is the words that `report` must have.
    #[napi]
    pub fn read_turn(&mut self, core: &mut Core, mut report: BufferSlice<'_>) -> i32 {
        if word_count(&report) < core.report_words_max() {
            return negative(core.report_words_max());
        }
        let code = self.read_next(core, &Until::END);
        if code == TURN {
            core.write_report(&mut report);
        }
        code
    }

    /// Applies turns as long as they are not later than `until`. Returns as `readTurn`, but never 1: 3 when the next turn
    /// is later, or the sequence number or the count of turns is reached. The checkpoint is a step of its own.
    #[napi]
    pub fn read_to(&mut self, core: &mut Core, until: JournalUntil) -> i32 {
        let until = Until::of(&until);
        for _ in 0..until.turns_max {
            if until.is_reached(core) && self.is_restored {
                return REACHED;
            }
            match self.read_next(core, &until) {
                TURN => {}
                code => return code,
            }
        }
        REACHED
    }

    /// The segment goes on where the core stands: its checkpoint is read, and nothing of it is restored.
    #[napi]
    pub fn go_on(&mut self) {
        self.goes_on = true;
    }

    /// From now on only what tells of slots up to this one is applied, in whatever turn it came: of a turn of a later slot,
    /// accounts of these slots, and nothing of the time. The book is then none that was shown, and its hashes are not compared.
    #[napi]
    pub fn take_slots_to(&mut self, slot: f64) {
        self.filter.slot_max = Some(whole(slot));
    }

    /// To be called where a tail that is apart begins, of the segment whose checkpoint was read or of the one after it, when
    /// `readTurn` has returned 0. Without it `problem` says what is wrong.
    #[napi]
    pub fn begin_tail(&mut self) {
        if let (None, Err(error)) = (&self.problem, self.reader.begin_tail()) {
            self.problem = Some(problem_at(&error));
        }
    }

    /// Forgets what was pushed behind the last turn: its writer has ended within one, and another one goes on.
    #[napi]
    pub fn drop_rest(&mut self) {
        self.reader.drop_rest();
    }

    /// Begins to log the inputs of the core whose book was read here, all turns of which were applied: its accounts first, and
    /// then a checkpoint. Returns false when the book is within a turn or a snapshot.
    #[napi]
    pub fn continue_in(&self, core: &mut Core) -> bool {
        let mut accounts = Vec::new();
        let put = |StoredAccount { origin, owner, data }: StoredAccount<'_>| {
            put_input(&mut accounts, &Input::Account { origin, owner, data });
        };
        let unpacked = self.reader.each_account(|_| true, put);
        unpacked.is_ok() && core.start_log(accounts, self.last.moment.ts_ms)
    }

    /// The moment of the next turn, which is not applied; null when more bytes are needed, at the checkpoint, and when
    /// `problem` says what is wrong.
    #[napi]
    pub fn next_moment(&mut self) -> Option<JournalMoment> {
        // To look for the checkpoint is to take it.
        if self.problem.is_some() || !self.is_restored {
            return None;
        }
        match self.reader.find() {
            Ok(Found::Turn(Moment { ts_ms, slot })) => {
                Some(JournalMoment { slot: slot as f64, ts_ms: ts_ms as f64 })
            }
            Ok(_) => None,
            Err(error) => {
                self.problem = Some(problem_at(&error));
                None
            }
        }
    }

    /// Where the reader stands.
    #[napi]
    pub fn position(&self) -> JournalPosition {
        let LastTurn { moment, marks, turns, updates, .. } = &self.last;
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

    /// The bytes of accounts (base58) as of the last turn that was applied; null for those that it has none of, and for what is no key.
    #[napi]
    pub fn accounts(&self, keys: Vec<String>) -> Vec<Option<Buffer>> {
        let wanted: Vec<_> = keys.iter().map(|text| key(text.as_bytes()).ok()).collect();
        let mut found = HashMap::new();
        let read = self.reader.each_account(
            |pubkey| wanted.contains(&Some(*pubkey)),
            |account| {
                found.insert(account.origin.pubkey, account.data.to_vec());
            },
        );
        read.expect("Invariant: what a reader has stored can be unpacked");
        wanted.iter().map(|key| Some(found.get(&(*key)?)?.clone().into())).collect()
    }

    /// The accounts, closed ones among them, whose states as of the last turn are of this slot or a later one.
    #[napi]
    pub fn written_from(&self, slot: f64) -> Vec<JournalAccount> {
        let recent = self.reader.origins().filter(|origin| origin.slot >= whole(slot));
        recent
            .map(|Origin { pubkey, slot, .. }| JournalAccount {
                pubkey: pubkey.to_string(),
                slot: slot as f64,
            })
            .collect()
    }

    /// To be called at the end of the file, when `readTurn` or `readTo` has returned 0. Returns null when all bytes were
    /// read, else why the last ones are no whole block, as a tear leaves them; with `problem` the segment is damaged.
    #[napi]
    pub fn finish(&mut self) -> Option<JournalProblem> {
        if self.problem.is_none() {
            match self.reader.finish() {
                Ok(tear) => return tear.as_ref().map(problem_at),
                Err(error) => self.problem = Some(problem_at(&error)),
            }
        }
        self.problem.clone()
    }

    /// Gives back the memory of what was read at once; nothing more can be read.
    #[napi]
    pub fn release(&mut self) {
        self.reader = Reader::new();
    }

    /// What is wrong with the segment; null while nothing is.
    #[napi]
    pub fn problem(&self) -> Option<JournalProblem> {
        self.problem.clone()
    }
}

impl JournalReader {
    /// The end of the last turn, or that before the checkpoint; 0 before either.
    pub(crate) fn moment(&self) -> Moment {
        self.last.moment
    }

    /// Takes the next step that is not later than `until`.
    pub(crate) fn read_next(&mut self, core: &mut Core, until: &Until) -> i32 {
        if self.problem.is_some() {
            return FAILED;
        }
        let step = match self.reader.find() {
            Ok(Found::Nothing) => return NEEDS_BYTES,
            Ok(Found::Turn(moment)) if until.is_before(&moment) => return REACHED,
            Ok(Found::Turn(moment)) => self.apply_turn(core, moment).map(|()| TURN),
            Ok(Found::Checkpoint) => self.restore(core).map(|()| CHECKPOINT),
            Err(error) => Err(problem_at(&error)),
        };
        step.unwrap_or_else(|problem| {
            self.problem = Some(problem);
            FAILED
        })
    }

    fn restore(&mut self, core: &mut Core) -> std::result::Result<(), JournalProblem> {
        self.is_restored = true;
        let Some(head) = self.reader.head() else { return Ok(()) };
        if head.program != self.program {
            let code = "JOURNAL_PROGRAM_MISMATCH".to_owned();
            let message = format!("program was {}, must be {}", head.program, self.program);
            return Err(JournalProblem { code, message, position: 0.0 });
        }
        self.last.moment = Moment { ts_ms: head.ts_ms, slot: head.slot };
        if self.goes_on {
            return Ok(());
        }
        core.restore_checkpoint(&self.reader)
    }

    fn apply_turn(
        &mut self,
        core: &mut Core,
        moment: Moment,
    ) -> std::result::Result<(), JournalProblem> {
        let Self { reader, last, filter, .. } = self;
        last.moment = moment;
        last.turns += 1;
        let applied = reader.apply_turn(|input| {
            match input {
                Input::Account { .. } => last.updates += 1,
                Input::TurnEnd { marks, hash, .. } => {
                    last.marks.clear();
                    last.marks.extend_from_slice(marks);
                    last.hash.clear();
                    last.hash.extend_from_slice(hash);
                }
                _ => {}
            }
            filter.take(input, moment).iter().for_each(|input| core.apply_input(input));
        });
        applied.map_err(|error: JournalError| problem_at(&error))?;
        self.check_hash(core)
    }

    /// Compares the book with the hash of the turn that was applied, where it has one.
    fn check_hash(&self, core: &mut Core) -> std::result::Result<(), JournalProblem> {
        let LastTurn { hash, moment, .. } = &self.last;
        let is_other_book = self.filter.has_left_out;
        if hash.is_empty() || is_other_book || *hash == core.hash_of_all() {
            return Ok(());
        }
        let (Moment { ts_ms, slot }, position) = (*moment, self.reader.position() as f64);
        let code = "JOURNAL_HASH_MISMATCH".to_owned();
        let message = format!(
            "the book is not the one that was written, at slot {slot}, {ts_ms} ms (before byte {position})"
        );
        Err(JournalProblem { code, message, position })
    }
}

/// What tells of slots up to one. A service receives what is of a slot until the next one is announced or later, and its turns end when
/// it has time, so that a turn of a later slot may tell of an earlier one.
#[derive(Default)]
struct SlotFilter {
    slot_max: Option<u64>,
    skips_snapshot: bool,
    has_left_out: bool,
    /// Accounts whose last bytes are of a later slot, and were left out.
    ahead: HashSet<Pubkey>,
    /// The time of the last turn of these slots, Unix milliseconds.
    ts_ms: u64,
}

impl SlotFilter {
    /// The input, where it is to be applied. A turn of a later slot ends at the time of the last of these slots.
    fn take<'a>(&mut self, input: Input<'a>, turn: Moment) -> Option<Input<'a>> {
        let Some(slot_max) = self.slot_max else { return Some(input) };
        let is_later = turn.slot > slot_max;
        self.ts_ms = if is_later { self.ts_ms } else { turn.ts_ms };
        if let Input::SnapshotBegin { slot } = input {
            self.skips_snapshot = slot > slot_max;
        }
        let taken = match input {
            Input::Account { origin, owner, data } => self
                .origin_up_to(slot_max, origin)
                .map(|origin| Input::Account { origin, owner, data }),
            Input::Damaged(origin) => self.origin_up_to(slot_max, origin).map(Input::Damaged),
            Input::TurnEnd { marks, hash, .. } => {
                Some(Input::TurnEnd { ts_ms: self.ts_ms, marks, hash })
            }
            Input::SnapshotBegin { .. } | Input::SnapshotEnd if !self.skips_snapshot => Some(input),
            Input::SnapshotBegin { .. } | Input::SnapshotEnd => None,
            _ => (!is_later).then_some(input),
        };
        self.has_left_out |= taken.is_none();
        taken
    }

    /// A snapshot that is older than what the service had of an account mentions it without bytes of its own: to the book
    /// that lacks the newer ones it says no more than that the account is there, as one of no slot does.
    fn origin_up_to(&mut self, slot_max: u64, origin: Origin) -> Option<Origin> {
        if origin.slot > slot_max {
            self.ahead.insert(origin.pubkey);
            return None;
        }
        if origin.gate != Gate::Snapshot {
            self.ahead.remove(&origin.pubkey);
        } else if self.ahead.contains(&origin.pubkey) {
            return Some(Origin { slot: 0, ..origin });
        }
        Some(origin)
    }
}

/// `JournalUntil` with what it leaves out.
pub(crate) struct Until {
    slot_max: u64,
    ts_ms_max: u64,
    market: Option<MarketId>,
    seq: u64,
    turns_max: u32,
}

impl Until {
    /// To the end of the segment.
    const END: Self =
        Self { slot_max: u64::MAX, ts_ms_max: u64::MAX, market: None, seq: 0, turns_max: u32::MAX };

    pub(crate) fn of(until: &JournalUntil) -> Self {
        let most = |number: Option<f64>| number.map_or(u64::MAX, whole);
        Self {
            slot_max: most(until.slot_max),
            ts_ms_max: most(until.ts_ms_max),
            market: until.market.and_then(|id| u16::try_from(id).ok()).map(MarketId),
            seq: most(until.seq),
            turns_max: until.turns_max.unwrap_or(u32::MAX),
        }
    }

    fn is_before(&self, moment: &Moment) -> bool {
        moment.slot > self.slot_max || moment.ts_ms > self.ts_ms_max
    }

    fn is_reached(&self, core: &Core) -> bool {
        let seq = self.market.and_then(|market| core.book.seq(market));
        seq.is_some_and(|seq| seq >= self.seq)
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
