//! The journal as JavaScript sees it: turn logs out of the core, segments from them, and back.

use napi::Result;
use napi::bindgen_prelude::{Buffer, BufferSlice};
use napi_derive::napi;
use slotbook_book::{AccountUpdate, Accounts, Gate, MarketId, RestoreError};
use slotbook_journal::{
    Checkpoint, Fault, Gate as LoggedGate, Input, JournalError, Origin, Piece, Reader,
    StoredAccount, Writer,
};
use slotbook_protocol::model::units::{Pubkey, Slot};

use crate::core::{Core, negative, positive, program_of, whole};
use crate::input_log::LogState;
use crate::problem::Fault as ArrivalFault;

/// What `takeJournal` returns when more waited than may.
const JOURNAL_LOST: i32 = i32::MIN;

#[napi]
impl Core {
    /// Begins to log every input, for `takeJournal`. Returns false when the book has seen an account, whose
    /// bytes are not held.
    #[napi]
    pub fn start_journal(&mut self) -> bool {
        if self.book.market_count() > 0 || self.book.census().accounts > 0 {
            return false;
        }
        self.start_log(Vec::new(), 0)
    }

    /// Stops to log, and forgets what waits.
    #[napi]
    pub fn stop_journal(&mut self) {
        self.log.stop();
    }

    /// Begins a new segment behind the next turn that ends.
    #[napi]
    pub fn mark_checkpoint(&mut self) {
        self.log.want_checkpoint();
    }

    /// Says what is published at the end of the last turn: entries of three bytes, the market's id (u16,
    /// little endian) and the set of interval classes. Between two turns, and before `takeJournal`; else it is a
    /// turn of its own, without input.
    #[napi]
    pub fn mark_published(&mut self, marks: &[u8]) {
        self.log.mark(marks);
    }

    /// Bytes of whole turns that wait for `takeJournal`.
    #[napi]
    pub fn journal_bytes(&mut self) -> f64 {
        self.log.whole_bytes() as f64
    }

    /// Moves whole turns that wait into `out`, as many as fit. Returns their bytes, 0 when there are none; a negative number
    /// is the bytes that must fit for the first; -2147483648 when more than 1 GiB waited, and then the journal has ended.
    #[napi]
    pub fn take_journal(&mut self, mut out: BufferSlice<'_>) -> i32 {
        if self.log.state() == LogState::Lost {
            return JOURNAL_LOST;
        }
        match self.log.take(&mut out) {
            Ok(length) => positive(length),
            Err(length) => negative(length),
        }
    }
}

impl Core {
    /// Logs the end of a turn, with its hash and the checkpoint behind it when they are due.
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
            self.log_checkpoint(ts_ms);
        }
    }

    /// Begins to log a book of which these inputs are the accounts.
    pub(crate) fn start_log(&mut self, accounts: Vec<u8>, ts_ms: u64) -> bool {
        let mut state = Vec::new();
        if !self.capture(&mut state) {
            return false;
        }
        let seqs = self.seq_bytes();
        let Self { log, epoch, book, .. } = self;
        let (slot, unix_seconds) = (book.slot().0, book.unix_seconds().0);
        let (seqs, state) = (&seqs[..], &state[..]);
        log.start(accounts, &Checkpoint { epoch, ts_ms, slot, unix_seconds, seqs, state });
        true
    }

    /// The sequence numbers of all markets, as a checkpoint has them.
    fn seq_bytes(&self) -> Vec<u8> {
        let seq = |id| self.book.seq(id).unwrap_or_default().to_le_bytes();
        self.book.markets().flat_map(|market| seq(market.id)).collect()
    }

    fn log_checkpoint(&mut self, ts_ms: u64) {
        let mut state = Vec::new();
        if !self.capture(&mut state) {
            return;
        }
        let seqs = self.seq_bytes();
        let Self { log, epoch, book, .. } = self;
        let (slot, unix_seconds) = (book.slot().0, book.unix_seconds().0);
        let (seqs, state) = (&seqs[..], &state[..]);
        log.add_checkpoint(&Checkpoint { epoch, ts_ms, slot, unix_seconds, seqs, state });
    }

    /// Makes the core the one of a checkpoint that was found.
    pub(crate) fn restore_checkpoint(
        &mut self,
        reader: &Reader,
    ) -> std::result::Result<(), JournalProblem> {
        let mut accounts = SegmentAccounts { reader, error: None };
        let restored = self.restore(reader.state().unwrap_or_default(), &mut accounts);
        match accounts.error {
            Some(error) => Err(problem_at(&error)),
            None => restored.map_err(|error| unrestored(&error)),
        }
    }

    /// Does what an input says.
    pub(crate) fn apply_input(&mut self, input: &Input<'_>) {
        match *input {
            Input::Account { origin, owner, data } => {
                self.intake().apply(AccountUpdate { owner, data, ..closed(&origin) });
            }
            Input::Damaged(origin) => {
                self.intake().quarantine(closed(&origin), ArrivalFault::MalformedRecord);
            }
            Input::Clock { slot, unix_seconds } => self.move_clock(slot, unix_seconds),
            Input::FeedState(state) => {
                self.set_state(u32::from(state));
            }
            Input::Epoch(epoch) => self.set_epoch(epoch.to_owned()),
            Input::SnapshotBegin { slot } => self.begin_book_snapshot(slot),
            Input::SnapshotEnd => {
                self.end_book_snapshot();
            }
            Input::TurnEnd { ts_ms, .. } => self.finish_turn(ts_ms),
            _ => self.apply_quotes_input(input),
        }
    }

    fn apply_quotes_input(&mut self, input: &Input<'_>) {
        match *input {
            Input::QuotePolicy { improve } => self.set_indicative_improve(improve),
            Input::Quotes { market, maker, ts_ms, quotes } => {
                // What was refused is not in a journal.
                let _changed = self.apply_quotes(MarketId(market), maker, quotes, ts_ms);
            }
            Input::External { market, bids, asks } => {
                self.set_external_levels(u32::from(market), bids, asks);
            }
            // The end of a snapshot forgets users by itself; nothing else comes out of a segment.
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
        take: &mut dyn FnMut(&AccountUpdate<'_>),
    ) {
        let unpacked =
            self.reader.each_account(is_wanted, |StoredAccount { origin, owner, data }| {
                take(&AccountUpdate { owner, data, ..closed(&origin) });
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

/// What is wrong with a journal.
#[napi(object)]
#[derive(Clone)]
pub struct JournalProblem {
    /// One of the codes of a journal.
    pub code: String,
    /// What was wrong, the value and the limit.
    pub message: String,
    /// Where the damaged block begins, in bytes of the file.
    pub position: f64,
}

fn problem_of(fault: &Fault) -> JournalProblem {
    JournalProblem { code: fault.code().to_owned(), message: fault.to_string(), position: 0.0 }
}

pub(crate) fn problem_at(error: &JournalError) -> JournalProblem {
    let position = error.block_at as f64;
    JournalProblem { message: error.to_string(), position, ..problem_of(&error.fault) }
}

fn unrestored(error: &RestoreError) -> JournalProblem {
    let message = format!("the checkpoint cannot be restored: {error}");
    JournalProblem { code: "MALFORMED_JOURNAL".to_owned(), message, position: 0.0 }
}

/// Finished bytes of a segment's file.
#[napi(object)]
pub struct JournalPiece {
    /// Numbers the segments from 1; another number is another file.
    pub segment: f64,
    /// Whether these are of a tail that is apart.
    pub is_tail: bool,
    /// Whole blocks, which follow those of the piece before.
    pub bytes: Buffer,
}

/// What a writer has written of its present segment.
#[napi(object)]
pub struct JournalWriterStatus {
    /// Its number, from 1.
    pub segment: f64,
    /// Accounts that are held, closed ones among them.
    pub accounts: f64,
    /// Records of accounts behind the checkpoint.
    pub updates: f64,
    /// Turns.
    pub turns: f64,
    /// Plain bytes behind the checkpoint.
    pub plain_bytes: f64,
    /// Bytes of the file.
    pub bytes: f64,
    /// Of those, the checkpoint's.
    pub checkpoint_bytes: f64,
    /// Bytes of memory that the accounts' last bytes take.
    pub account_bytes: f64,
    /// The time of the last turn, Unix milliseconds.
    pub ts_ms: f64,
    /// The chain's slot.
    pub slot: f64,
}

/// Makes segments of turn logs. Keeps the last bytes of every account, so it has to have every log.
#[napi]
pub struct JournalWriter {
    writer: Writer,
}

#[napi]
impl JournalWriter {
    /// A writer that has seen nothing. Throws when `program_id` is not a base58 key.
    #[napi(constructor)]
    pub fn new(program_id: String) -> Result<Self> {
        Ok(Self { writer: Writer::new(program_of(&program_id)?) })
    }

    /// From the next segment on, what follows its checkpoint is in pieces that are read without the checkpoint as well: see
    /// `beginTail` of a reader.
    #[napi]
    pub fn separate_tails(&mut self) {
        self.writer.separate_tails();
    }

    /// Takes the bytes of `takeJournal`. `created_ms` is when a segment was begun that begins in them, Unix
    /// milliseconds. Returns null, or why it cannot: then the writer is of no use any more.
    #[napi]
    pub fn append(&mut self, log: &[u8], created_ms: f64) -> Option<JournalProblem> {
        self.writer.append(log, whole(created_ms)).err().map(|fault| problem_of(&fault))
    }

    /// Seals the open block, so that everything that was appended is in pieces. Returns as `append`.
    #[napi]
    pub fn flush(&mut self) -> Option<JournalProblem> {
        self.writer.flush().err().map(|fault| problem_of(&fault))
    }

    /// The next finished bytes, in their order; null when there are none.
    #[napi]
    pub fn take_piece(&mut self) -> Option<JournalPiece> {
        let Piece { segment, is_tail, bytes } = self.writer.take_piece()?;
        Some(JournalPiece { segment: segment as f64, is_tail, bytes: bytes.into() })
    }

    /// What was written of the present segment.
    #[napi]
    pub fn status(&self) -> JournalWriterStatus {
        let written = self.writer.written();
        JournalWriterStatus {
            segment: written.segment as f64,
            accounts: self.writer.accounts() as f64,
            updates: written.updates as f64,
            turns: written.turns as f64,
            plain_bytes: written.plain_bytes as f64,
            bytes: written.bytes as f64,
            checkpoint_bytes: written.checkpoint_bytes as f64,
            account_bytes: self.writer.account_bytes() as f64,
            ts_ms: written.ts_ms as f64,
            slot: written.slot as f64,
        }
    }
}
