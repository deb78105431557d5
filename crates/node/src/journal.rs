//! The journal as JavaScript sees it: turn logs out of the core, segments from them, and back.

use napi::Result;
use napi::bindgen_prelude::{Buffer, BufferSlice};
use napi_derive::napi;
use slotbook_core::journal::NotTaken;
use slotbook_journal::{Fault, Piece, Writer};

use crate::convert::{negative, positive, program_of, whole};
use crate::core::Core;

/// What `takeJournal` returns when more waited than may.
const JOURNAL_LOST: i32 = i32::MIN;

#[napi]
impl Core {
    /// Begins to log every input, for `takeJournal`. Returns false when the book has seen an account, whose
    /// bytes are not held.
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

    /// Bytes of whole turns that wait for `takeJournal`.
    #[napi]
    pub fn journal_bytes(&mut self) -> f64 {
        self.core.journal_bytes() as f64
    }

    /// Moves whole turns that wait into `out`, as many as fit. Returns their bytes, 0 when there are none; a negative number
    /// is the bytes that must fit for the first; -2147483648 when more than 1 GiB waited, and then the journal has ended.
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
    /// What was wrong, the value and the limit.
    pub message: String,
    /// Where the damaged block begins, in bytes of the file.
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
    /// Numbers the segments from 1; another number is another file.
    pub segment: f64,
    /// Whether the blocks belong to a tail, which is stored apart from its segment.
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
    /// Records of accounts after the checkpoint.
    pub updates: f64,
    /// Turns.
    pub turns: f64,
    /// Uncompressed bytes after the checkpoint.
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
