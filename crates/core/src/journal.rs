//! The journal of a core: writes its inputs to a log, and applies inputs that were read from one.

use std::cell::Cell;

use slotbook_book::{AccountDelta, AccountUpdate, Accounts, Gate, MarketId, RestoreError};
use slotbook_journal::{
    AccountChanges, Checkpoint, Fault, Gate as LoggedGate, Input, JournalError, Origin, Reader,
    StoredAccount,
};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::{Pubkey, Slot};

use crate::core::Core;
use crate::input_log::{InputLog, LogState};
use crate::problem::Fault as ArrivalFault;

/// The reasons why turns cannot be taken from the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// More than 1 GiB waited, and the journal has ended.
    Lost,
    /// The first turns need so many bytes.
    BytesNeeded(usize),
}

impl Core {
    /// Starts to log every input, for `take_journal`. Returns false when the book has already seen
    /// an account, because its bytes are not stored.
    pub fn start_journal(&mut self) -> bool {
        if self.book.market_count() > 0 || self.book.census().accounts > 0 {
            return false;
        }
        self.start_log(Vec::new(), 0)
    }

    /// Stops to log, and forgets what waits.
    pub fn stop_journal(&mut self) {
        self.log.stop();
    }

    /// Starts a new segment after the end of the next turn.
    pub fn mark_checkpoint(&mut self) {
        self.log.want_checkpoint();
    }

    /// Records which changes are published at the end of the last turn: entries of three bytes, the
    /// market's id (u16, little endian) and the set of interval classes. Call it between two turns
    /// and before `take_journal`; otherwise the mark is a separate turn without input.
    pub fn mark_published(&mut self, marks: &[u8]) {
        self.log.mark(marks);
    }

    /// Returns the bytes of the complete turns that wait for `take_journal`.
    pub fn journal_bytes(&mut self) -> usize {
        self.log.whole_bytes()
    }

    /// Moves complete waiting turns into `out`, as many as fit, and returns their bytes; 0 when
    /// there are none.
    ///
    /// # Errors
    /// [`NotTaken`].
    pub fn take_journal(&mut self, out: &mut [u8]) -> Result<usize, NotTaken> {
        if self.log.state() == LogState::Lost {
            return Err(NotTaken::Lost);
        }
        self.log.take(out).map_err(NotTaken::BytesNeeded)
    }

    /// Logs the end of a turn, with a hash and a checkpoint when they are due.
    pub(crate) fn log_turn(&mut self, ts_ms: u64) {
        let has_changed = !self.book.changed_markets().is_empty();
        if !self.log.end_turn(ts_ms, has_changed) {
            return;
        }
        if self.log.is_hash_due() {
            let hash = self.hash_of_all();
            self.log.add_hash(hash);
        }
        if self.log.is_checkpoint_due() {
            self.with_checkpoint(ts_ms, InputLog::add_checkpoint);
        }
    }

    /// Starts to log a book whose accounts are these inputs.
    pub(crate) fn start_log(&mut self, accounts: Vec<u8>, ts_ms: u64) -> bool {
        self.with_checkpoint(ts_ms, |log, checkpoint| log.start(accounts, checkpoint))
    }

    /// Returns the sequence numbers of all markets, in the format of a checkpoint.
    fn seq_bytes(&self) -> Vec<u8> {
        let seq = |id| self.book.seq(id).unwrap_or_default().to_le_bytes();
        self.book.markets().flat_map(|market| seq(market.id)).collect()
    }

    /// Returns false when the state cannot be captured.
    fn with_checkpoint(
        &mut self,
        ts_ms: u64,
        take: impl FnOnce(&mut InputLog, &Checkpoint<'_>),
    ) -> bool {
        let mut state = Vec::new();
        if !self.capture(&mut state) {
            return false;
        }
        let seqs = self.seq_bytes();
        let Self { log, epoch, book, .. } = self;
        let (slot, unix_seconds) = (book.slot().0, book.unix_seconds().0);
        let (seqs, state) = (&seqs[..], &state[..]);
        take(log, &Checkpoint { epoch, ts_ms, slot, unix_seconds, seqs, state });
        true
    }

    /// Replaces the content of the core by the checkpoint that the reader has found.
    pub(crate) fn restore_checkpoint(&mut self, reader: &Reader) -> Result<(), JournalProblem> {
        let mut accounts = SegmentAccounts { reader, error: None };
        let rules = Cell::new(None);
        (&mut accounts).each(&|_| rules.get().is_none(), &mut |update, _| {
            rules.set(self.rules_of(update.owner, update.data));
        });
        if let Some(rules) = rules.get() {
            self.book.set_rules(rules);
        }
        let restored = self.restore(reader.state().unwrap_or_default(), &mut accounts);
        match accounts.error {
            Some(error) => Err((&error).into()),
            None => restored.map_err(|error| (&error).into()),
        }
    }

    /// Returns the program whose layout an account of the exchange has.
    fn rules_of(&self, owner: Pubkey, data: &[u8]) -> Option<Program> {
        Program::of_account(data).filter(|_| owner == self.book.config().program)
    }

    /// Takes the rules of an account into an empty book: a journal names the program's address
    /// alone, and an exchange of any rules may have an address of its own.
    fn take_rules(&mut self, owner: Pubkey, data: &[u8]) {
        if self.book.market_count() == 0
            && let Some(rules) = self.rules_of(owner, data)
        {
            self.book.set_rules(rules);
        }
    }

    /// Applies a new state of an account by its changes; returns false when they are not enough.
    pub(crate) fn apply_changes(&mut self, changes: &AccountChanges<'_>) -> bool {
        // A log takes all bytes of an account.
        if self.log.is_on() {
            return false;
        }
        let AccountChanges { number: account, origin, length, patch } = changes;
        let owner = self.book.config().program;
        let update = AccountUpdate { owner, ..closed(origin) };
        let delta = AccountDelta { account: *account, length: *length, runs: patch.runs() };
        let applied = self.book.apply_delta(&update, &delta);
        applied.map(|outcome| self.intake().note(&update, outcome)).is_some()
    }

    /// Does what an input says; `account` is its account's number in the segment.
    pub(crate) fn apply_input(&mut self, input: &Input<'_>, account: Option<u32>) {
        match *input {
            Input::Account { origin, owner, data } => {
                self.take_rules(owner, data);
                let update = AccountUpdate { owner, data, ..closed(&origin) };
                let outcome = self.book.apply_numbered(&update, account);
                self.intake().note(&update, outcome);
            }
            Input::Damaged(origin) => {
                self.intake().quarantine(closed(&origin), ArrivalFault::MalformedRecord);
            }
            Input::Clock { slot, unix_seconds } => self.set_clock(slot, unix_seconds),
            Input::FeedState(state) => {
                self.set_state(state);
            }
            Input::Epoch(epoch) => self.set_epoch(epoch),
            Input::SnapshotBegin { slot } => self.begin_snapshot(slot),
            Input::SnapshotEnd => {
                self.end_snapshot();
            }
            Input::TurnEnd { ts_ms, .. } => self.end_turn(ts_ms),
            _ => self.apply_quotes_input(input),
        }
    }

    fn apply_quotes_input(&mut self, input: &Input<'_>) {
        match *input {
            Input::QuotePolicy { improve } => self.set_indicative_improve(improve),
            Input::Quotes { market, maker, ts_ms, quotes } => {
                // A journal contains no refused quotes, so the result is not checked.
                let _changed = self.set_indicative(MarketId(market), maker, quotes, ts_ms);
            }
            Input::External { market, bids, asks } => {
                self.set_external_levels(MarketId(market), bids, asks);
            }
            // The end of a snapshot removes users itself; a segment contains no other inputs.
            _ => {}
        }
    }
}

/// The accounts of a checkpoint, unpacked one after the other.
struct SegmentAccounts<'a> {
    reader: &'a Reader,
    error: Option<JournalError>,
}

impl Accounts for &mut SegmentAccounts<'_> {
    fn each(
        &mut self,
        is_wanted: &dyn Fn(&Pubkey) -> bool,
        take: &mut dyn FnMut(&AccountUpdate<'_>, Option<u32>),
    ) {
        let unpacked = self.reader.each_account(is_wanted, |account| {
            let StoredAccount { number, origin, owner, data } = account;
            take(&AccountUpdate { owner, data, ..closed(&origin) }, Some(number));
        });
        self.error = unpacked.err();
    }
}

fn closed(origin: &Origin) -> AccountUpdate<'static> {
    let gate = match origin.gate {
        LoggedGate::Arrival => Gate::Arrival,
        LoggedGate::Snapshot => Gate::Snapshot,
        LoggedGate::WriteVersion(version) => Gate::WriteVersion(version),
    };
    let (pubkey, slot) = (origin.pubkey, Slot(origin.slot));
    AccountUpdate { pubkey, owner: Pubkey([0; 32]), slot, gate, data: &[] }
}

/// An error in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalProblem {
    /// One of the codes of a journal.
    pub code: &'static str,
    /// The error, the value and the limit.
    pub message: String,
    /// The start of the damaged block, as a byte offset in the file.
    pub position: u64,
}

impl From<&Fault> for JournalProblem {
    fn from(fault: &Fault) -> Self {
        Self { code: fault.code(), message: fault.to_string(), position: 0 }
    }
}

impl From<&JournalError> for JournalProblem {
    fn from(error: &JournalError) -> Self {
        let (code, position) = (error.fault.code(), error.block_at);
        Self { code, message: error.to_string(), position }
    }
}

impl From<&RestoreError> for JournalProblem {
    fn from(error: &RestoreError) -> Self {
        let message = format!("the checkpoint cannot be restored: {error}");
        Self { code: "MALFORMED_JOURNAL", message, position: 0 }
    }
}
