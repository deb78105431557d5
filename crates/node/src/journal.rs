//! The JavaScript interface of the journal: turn logs come out of the core, segments are made from
//! them and read back.

use napi::Result;
use napi::bindgen_prelude::{Buffer, BufferSlice};
use napi_derive::napi;
use slotbook_core::journal::NotTaken;
use slotbook_journal::{Fault, Piece, TurnDigest, Writer};

use crate::convert::{negative, positive, program_of, whole};
use crate::core::Core;

/// The value that `takeJournal` returns when waiting turns have exceeded their limit.
const JOURNAL_LOST: i32 = i32::MIN;

#[napi]
impl Core {
    /// Starts to log every input, for `takeJournal`. Returns false when the book has already seen
    /// an account, because its bytes are not stored.
    #[napi]
    pub fn start_journal(&mut self) -> bool {
        self.core.start_journal()
    }

    /// Stops to log, and forgets what waits.
    #[napi]
    pub fn stop_journal(&mut self) {
        self.core.stop_journal();
    }

    /// Starts a new segment after the end of the next turn.
    #[napi]
    pub fn mark_checkpoint(&mut self) {
        self.core.mark_checkpoint();
    }

    /// Records which changes are published at the end of the last turn: entries of three bytes, the
    /// market's id (u16, little endian) and the set of interval classes. Call it between two turns
    /// and before `takeJournal`; otherwise the mark is a separate turn without input.
    #[napi]
    pub fn mark_published(&mut self, marks: &[u8]) {
        self.core.mark_published(marks);
    }

    /// Returns the time of the last turn, Unix milliseconds, when it ended with a hash in the
    /// journal, so that a leaf is due; else null. Call it before `takeJournal`.
    #[napi]
    pub fn leaf_due_ms(&self) -> Option<f64> {
        self.core.leaf_due_ms().map(|ts_ms| ts_ms as f64)
    }

    /// Returns the slot (`u64`, big-endian) and the entries of the markets that changed since the
    /// last call, 107 bytes each, ordered by type and index; of all markets at the first call.
    /// Reads all orders.
    #[napi]
    pub fn take_leaf(&mut self) -> Buffer {
        let mut out = Vec::new();
        self.core.take_leaf(&mut out);
        out.into()
    }

    /// Returns the bytes of the complete turns that wait for `takeJournal`.
    #[napi]
    pub fn journal_bytes(&mut self) -> f64 {
        self.core.journal_bytes() as f64
    }

    /// Moves complete waiting turns into `out`, as many as fit. Returns their bytes; 0 when there
    /// are none; a negative number is the negative of the bytes that the first turns need;
    /// -2147483648 when more than 1 GiB waited: the journal has then ended.
    #[napi]
    pub fn take_journal(&mut self, mut out: BufferSlice<'_>) -> i32 {
        match self.core.take_journal(&mut out) {
            Ok(length) => positive(length),
            Err(NotTaken::BytesNeeded(length)) => negative(length),
            Err(NotTaken::Lost) => JOURNAL_LOST,
        }
    }
}

/// An error in a journal.
#[napi(object)]
pub struct JournalProblem {
    /// One of the codes of a journal.
    pub code: String,
    /// The error, the value and the limit.
    pub message: String,
    /// The start of the damaged block, as a byte offset in the file.
    pub position: f64,
}

impl From<slotbook_core::journal::JournalProblem> for JournalProblem {
    fn from(problem: slotbook_core::journal::JournalProblem) -> Self {
        let slotbook_core::journal::JournalProblem { code, message, position } = problem;
        Self { code: code.to_owned(), message, position: position as f64 }
    }
}

fn problem_of(fault: &Fault) -> JournalProblem {
    slotbook_core::journal::JournalProblem::from(fault).into()
}

/// Finished bytes of a segment's file.
#[napi(object)]
pub struct JournalPiece {
    /// The number of the segment, from 1; each segment has its own file.
    pub segment: f64,
    /// Whether the blocks belong to a tail, which is stored apart from its segment.
    pub is_tail: bool,
    /// Whole blocks, which continue those of the previous piece.
    pub bytes: Buffer,
}

/// The digest of the records since the turn with a hash before a turn.
#[napi(object)]
pub struct JournalDigest {
    /// The time of the turn, Unix milliseconds.
    pub ts_ms: f64,
    /// SHA-256.
    pub sha256: Buffer,
}

/// The state of the segment that a writer is writing.
#[napi(object)]
pub struct JournalWriterStatus {
    /// Its number, from 1.
    pub segment: f64,
    /// The number of stored accounts, including closed ones.
    pub accounts: f64,
    /// Records of accounts after the checkpoint.
    pub updates: f64,
    /// Bytes of the file.
    pub bytes: f64,
    /// Of those, the checkpoint's.
    pub checkpoint_bytes: f64,
    /// Memory of the accounts' last bytes, in bytes.
    pub account_bytes: f64,
}

/// Makes segments from turn logs. It stores the last bytes of every account, so it needs every log.
#[napi]
pub struct JournalWriter {
    writer: Writer,
}

#[napi]
impl JournalWriter {
    /// Creates a writer. Throws when `program_id` is not a base58 key.
    #[napi(constructor)]
    pub fn new(program_id: String) -> Result<Self> {
        Ok(Self { writer: Writer::new(program_of(&program_id)?) })
    }

    /// From the next segment on, the blocks after its checkpoint are in pieces that can be read
    /// without the checkpoint: see `beginTail` of a reader.
    #[napi]
    pub fn separate_tails(&mut self) {
        self.writer.separate_tails();
    }

    /// From now on computes the digests that `takeDigest` returns.
    #[napi]
    pub fn keep_digests(&mut self) {
        self.writer.keep_digests();
    }

    /// Returns the digest of the next turn with a hash, in order; null when there is none.
    #[napi]
    pub fn take_digest(&mut self) -> Option<JournalDigest> {
        let TurnDigest { ts_ms, sha256 } = self.writer.take_digest()?;
        Some(JournalDigest { ts_ms: ts_ms as f64, sha256: sha256.to_vec().into() })
    }

    /// Appends the bytes of `takeJournal`. `created_ms` becomes the creation time of a segment that
    /// starts in them, Unix milliseconds. Returns null, or the error: the writer is then unusable.
    #[napi]
    pub fn append(&mut self, log: &[u8], created_ms: f64) -> Option<JournalProblem> {
        self.writer.append(log, whole(created_ms)).err().map(|fault| problem_of(&fault))
    }

    /// Seals the open block, so that the pieces contain everything that was appended. Returns the
    /// same as `append`.
    #[napi]
    pub fn flush(&mut self) -> Option<JournalProblem> {
        self.writer.flush().err().map(|fault| problem_of(&fault))
    }

    /// Returns the next finished bytes, in order; null when there are none.
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
            bytes: written.bytes as f64,
            checkpoint_bytes: written.checkpoint_bytes as f64,
            account_bytes: self.writer.account_bytes() as f64,
        }
    }
}
