//! Reads segments of a journal into a core.

use std::collections::{HashMap, HashSet};

use slotbook_book::MarketId;
use slotbook_journal::turn_log::put_input;
use slotbook_journal::{
    AccountChanges, Found, Gate, Head, Input, JournalError, Moment, Origin, Reader, StoredAccount,
    TakeInputs,
};
use slotbook_protocol::model::units::{Pubkey, Slot};

use crate::core::Core;
use crate::journal::JournalProblem;

/// What a step of a reader did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// More bytes are needed; at the end of a file this means that the file ends here, complete or
    /// torn.
    NeedsBytes = 0,
    /// A turn was applied.
    Turn = 1,
    /// The checkpoint was restored.
    Checkpoint = 2,
    /// The next turn is later than requested, or the sequence number or the count of turns is reached.
    Reached = 3,
    /// The row buffer is full.
    Full = 4,
    /// [`JournalReader::problem`] has the error; a turn may be partly applied.
    Failed = -1,
}

/// How far a journal is read.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// The highest slot of a turn to apply.
    pub slot_max: u64,
    /// The latest time of a turn to apply, Unix milliseconds.
    pub ts_ms_max: u64,
    /// The market and its sequence number at which reading stops.
    pub seq: Option<(MarketId, u64)>,
    /// Turns that a call applies at most.
    pub turns_max: u32,
}

impl Until {
    /// To the end of the segment.
    pub const END: Self =
        Self { slot_max: u64::MAX, ts_ms_max: u64::MAX, seq: None, turns_max: u32::MAX };

    fn is_before(&self, moment: &Moment) -> bool {
        moment.slot > self.slot_max || moment.ts_ms > self.ts_ms_max
    }

    fn is_reached(&self, core: &Core) -> bool {
        let reached = |(market, seq)| core.book.seq(market).is_some_and(|at| at >= seq);
        self.seq.is_some_and(reached)
    }
}

/// The last applied turn, and the number of applied turns.
#[derive(Clone, Debug, Default)]
pub struct LastTurn {
    /// The end of the turn; before the first turn, the moment of the checkpoint.
    pub moment: Moment,
    /// Turns applied.
    pub turns: u64,
    /// Accounts applied, those of the checkpoint excepted.
    pub updates: u64,
    /// The publications of the turn, in the format of `mark_published`.
    pub marks: Vec<u8>,
    /// The hash of all markets' contents after the turn; empty without one.
    hash: Vec<u8>,
    /// The digest of the records since the last turn with a hash, where the turn has one and
    /// [`JournalReader::keep_digest`] was called.
    pub digest: Option<[u8; 32]>,
}

/// Reads one segment of a journal into a core: its checkpoint first, then turn by turn.
#[derive(Default)]
pub struct JournalReader {
    reader: Reader,
    program: Pubkey,
    is_restored: bool,
    /// Whether the core is already in the state of the checkpoint.
    goes_on: bool,
    /// Whether accounts have other numbers than in the core.
    is_renumbered: bool,
    last: LastTurn,
    filter: SlotFilter,
    problem: Option<JournalProblem>,
}

impl JournalReader {
    /// Creates a reader for a segment of this program.
    #[must_use]
    pub fn new(program: Pubkey) -> Self {
        Self { program, ..Self::default() }
    }

    /// Adds bytes of the segment's file, in order and in pieces of any size.
    pub fn push(&mut self, bytes: &[u8]) {
        self.reader.push(bytes);
    }

    /// Returns the head of the segment; `None` when more bytes are needed, or when `problem` has an
    /// error.
    pub fn head(&mut self) -> Option<&Head> {
        if self.problem.is_some() {
            return None;
        }
        match self.reader.find_head() {
            Ok(head) => head,
            Err(error) => {
                self.problem = Some((&error).into());
                None
            }
        }
    }

    /// Applies turns that are not later than `until`; never returns [`Step::Turn`]. Restoring the
    /// checkpoint is a separate call.
    pub fn read_to(&mut self, core: &mut Core, until: &Until) -> Step {
        for _ in 0..until.turns_max {
            if until.is_reached(core) && self.is_restored {
                return Step::Reached;
            }
            match self.read_next(core, until) {
                Step::Turn => {}
                step => return step,
            }
        }
        Step::Reached
    }

    /// Continues from the core's present state: reads the segment's checkpoint but does not restore
    /// it.
    pub fn go_on(&mut self) {
        self.goes_on = true;
    }

    /// From now on applies only updates up to this slot, whichever turn they came in: of a turn of
    /// a later slot, the accounts of earlier slots but not the time. The result is a book that was
    /// never published, so its hashes are not compared.
    pub fn take_slots_to(&mut self, slot: Slot) {
        self.filter.slot_max = Some(slot.0);
    }

    /// From now on computes [`LastTurn::digest`].
    pub fn keep_digest(&mut self) {
        self.reader.keep_digest();
    }

    /// Call this before the bytes of a separate tail, of the current segment or of the next
    /// segment, when all bytes before the tail were read. Otherwise `problem` has an error.
    pub fn begin_tail(&mut self) {
        if self.problem.is_none() {
            match self.reader.begin_tail() {
                Ok(is_renumbered) => self.is_renumbered |= is_renumbered,
                Err(error) => self.problem = Some((&error).into()),
            }
        }
    }

    /// Drops the bytes after the last complete turn: their writer stopped within a turn, and
    /// another writer continues.
    pub fn drop_rest(&mut self) {
        self.reader.drop_rest();
    }

    /// Starts to log the inputs of the core whose book this reader has read, after all its turns
    /// were applied: first the accounts, then a checkpoint. Returns false when the book is within a
    /// turn or a snapshot.
    pub fn continue_in(&self, core: &mut Core) -> bool {
        let mut accounts = Vec::new();
        let put = |StoredAccount { origin, owner, data, .. }: StoredAccount<'_>| {
            put_input(&mut accounts, &Input::Account { origin, owner, data });
        };
        let unpacked = self.reader.each_account(|_| true, put);
        unpacked.is_ok() && core.start_log(accounts, self.last.moment.ts_ms)
    }

    /// The slot and time of the next turn, without applying it; `None` when more bytes are needed,
    /// at the checkpoint, and when `problem` has an error.
    pub fn next_moment(&mut self) -> Option<Moment> {
        // Before the checkpoint is restored, searching for the next turn would take the checkpoint.
        if self.problem.is_some() || !self.is_restored {
            return None;
        }
        match self.reader.find() {
            Ok(Found::Turn(moment)) => Some(moment),
            Ok(_) => None,
            Err(error) => {
                self.problem = Some((&error).into());
                None
            }
        }
    }

    /// The turn that was applied last.
    #[must_use]
    pub fn last(&self) -> &LastTurn {
        &self.last
    }

    /// Returns the bytes of the file in the whole blocks that were read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.reader.position()
    }

    /// Returns the pushed bytes that do not form a whole block yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.reader.waiting()
    }

    /// The bytes of accounts as of the last applied turn; `None` for unknown accounts.
    #[must_use]
    pub fn accounts(&self, keys: &[Option<Pubkey>]) -> Vec<Option<Vec<u8>>> {
        let mut found = HashMap::new();
        let read = self.reader.each_account(
            |pubkey| keys.contains(&Some(*pubkey)),
            |account| {
                found.insert(account.origin.pubkey, account.data.to_vec());
            },
        );
        read.expect("Invariant: what a reader has stored can be unpacked");
        keys.iter().map(|key| found.get(&(*key)?).cloned()).collect()
    }

    /// The accounts written or closed in this slot or later, as of the last applied turn.
    pub fn written_from(&self, slot: Slot) -> impl Iterator<Item = Origin> {
        self.reader.origins().filter(move |origin| origin.slot >= slot.0)
    }

    /// Call this at the end of the file, when more bytes are needed. Returns `None` when all bytes
    /// were read, and otherwise why the last block is incomplete; when `problem` has an error, the
    /// segment is damaged.
    pub fn finish(&mut self) -> Option<JournalProblem> {
        if self.problem.is_none() {
            match self.reader.finish() {
                Ok(tear) => return tear.as_ref().map(Into::into),
                Err(error) => self.problem = Some((&error).into()),
            }
        }
        self.problem.clone()
    }

    /// Frees the memory of the reader; nothing more can be read.
    pub fn release(&mut self) {
        self.reader = Reader::new();
    }

    /// The error in the segment, if any.
    #[must_use]
    pub fn problem(&self) -> Option<&JournalProblem> {
        self.problem.as_ref()
    }

    /// Restores the checkpoint into an empty core, or applies the next turn if it is not later than
    /// `until`.
    pub fn read_next(&mut self, core: &mut Core, until: &Until) -> Step {
        if self.problem.is_some() {
            return Step::Failed;
        }
        let step = match self.reader.find() {
            Ok(Found::Nothing) => return Step::NeedsBytes,
            Ok(Found::Turn(moment)) if until.is_before(&moment) => return Step::Reached,
            Ok(Found::Turn(moment)) => self.apply_turn(core, moment).map(|()| Step::Turn),
            Ok(Found::Checkpoint) => self.restore(core).map(|()| Step::Checkpoint),
            Err(error) => Err((&error).into()),
        };
        step.unwrap_or_else(|problem| {
            self.problem = Some(problem);
            Step::Failed
        })
    }

    fn restore(&mut self, core: &mut Core) -> Result<(), JournalProblem> {
        self.is_restored = true;
        let Some(head) = self.reader.head() else { return Ok(()) };
        if head.program != self.program {
            let code = "JOURNAL_PROGRAM_MISMATCH";
            let message = format!("program was {}, must be {}", head.program, self.program);
            return Err(JournalProblem { code, message, position: 0 });
        }
        self.last.moment = Moment { ts_ms: head.ts_ms, slot: head.slot };
        if self.goes_on {
            self.is_renumbered = true;
            return Ok(());
        }
        core.restore_checkpoint(&self.reader)
    }

    fn apply_turn(&mut self, core: &mut Core, moment: Moment) -> Result<(), JournalProblem> {
        let Self { reader, last, filter, .. } = self;
        last.moment = moment;
        last.turns += 1;
        if std::mem::take(&mut self.is_renumbered) {
            core.book.forget_source();
        }
        let applied = reader.apply_turn_to(&mut TurnInputs { core, last, filter });
        applied.map_err(|error: JournalError| JournalProblem::from(&error))?;
        let last = &mut self.last;
        last.digest = if last.hash.is_empty() { None } else { self.reader.take_digest() };
        self.check_hash(core)
    }

    /// Compares the book with the hash of the applied turn, if the turn has one.
    fn check_hash(&self, core: &mut Core) -> Result<(), JournalProblem> {
        let LastTurn { hash, moment, .. } = &self.last;
        let is_other_book = self.filter.has_left_out;
        if hash.is_empty() || is_other_book || *hash == core.hash_of_all() {
            return Ok(());
        }
        let (Moment { ts_ms, slot }, position) = (*moment, self.reader.position());
        let code = "JOURNAL_HASH_MISMATCH";
        let message = format!(
            "the book is not the one that was written, at slot {slot}, {ts_ms} ms (before byte {position})"
        );
        Err(JournalProblem { code, message, position })
    }
}

/// Passes the inputs of a turn to a core.
struct TurnInputs<'a> {
    core: &'a mut Core,
    last: &'a mut LastTurn,
    filter: &'a mut SlotFilter,
}

impl TakeInputs for TurnInputs<'_> {
    fn take(&mut self, input: Input<'_>, account: Option<u32>) {
        let Self { core, last, filter } = self;
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
        // A core that gets not every update has other bytes than the segment.
        let account = account.filter(|_| filter.slot_max.is_none());
        let input = filter.take(input, last.moment);
        input.iter().for_each(|input| core.apply_input(input, account));
    }

    fn take_changes(&mut self, changes: &AccountChanges<'_>) -> bool {
        let is_taken = self.filter.slot_max.is_none() && self.core.apply_changes(changes);
        self.last.updates += u64::from(is_taken);
        is_taken
    }
}

/// Selects updates up to a slot. A service may receive updates of a slot after the next slot is
/// announced, and may end turns late, so a turn of a later slot can contain updates of an earlier
/// slot.
#[derive(Default)]
struct SlotFilter {
    slot_max: Option<u64>,
    skips_snapshot: bool,
    has_left_out: bool,
    /// Accounts whose last bytes are of a later slot and were not applied.
    ahead: HashSet<Pubkey>,
    /// The time of the last turn of the applied slots, Unix milliseconds.
    ts_ms: u64,
}

impl SlotFilter {
    /// Returns the input if it must be applied. A turn of a later slot ends at the time of the last
    /// applied slot.
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

    /// Returns the origin of an account that a snapshot mentions without bytes, because the service
    /// had newer bytes. For a book without the newer bytes the mention only means that the account
    /// exists, like an account of slot 0.
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
