//! Encodes inputs into segments.

use std::collections::{HashMap, VecDeque};

use sha2::{Digest, Sha256};
use slotbook_protocol::model::units::Pubkey;

use crate::error::{Fault, check_length};
use crate::fields::{put_change, put_length};
use crate::input::{Checkpoint, Input, Origin};
use crate::limits::{BLOCK_TARGET_BYTES, PIECE_BYTES, TURN_BYTES_MAX};
use crate::patch::put_patch;
use crate::record::{Context, Mention, flag, kind, put_head, put_mention, put_plain, put_state};
use crate::segment::{BlockMoment, BlockWriter, put_preamble};
use crate::table::{Account, AccountTable, check_account};
use crate::turn_log::{Logged, Parts, read_inputs};

/// Completed bytes of a segment's file, in whole blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Number of the segment, from 1; each segment has its own file.
    pub segment: u64,
    /// Whether these bytes belong to a separate tail: see [`Writer::separate_tails`].
    pub is_tail: bool,
    /// The bytes, which continue the previous piece.
    pub bytes: Vec<u8>,
}

/// The digest of the records since the turn with a hash before this turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnDigest {
    /// The time of the turn, Unix milliseconds.
    pub ts_ms: u64,
    /// SHA-256.
    pub sha256: [u8; 32],
}

/// Statistics of a writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Segments begun.
    pub segment: u64,
    /// Account records since the start of the segment, without its checkpoint.
    pub updates: u64,
    /// Completed bytes of the segment's file.
    pub bytes: u64,
    /// Bytes of the file up to the end of its checkpoint.
    pub checkpoint_bytes: u64,
}

/// Writes segments: stores the last bytes of each account, and delta-encodes new states.
#[derive(Default)]
pub struct Writer {
    program: Pubkey,
    accounts: AccountTable,
    numbers: HashMap<Pubkey, usize>,
    context: Context,
    blocks: Option<BlockWriter>,
    /// Records of the open block.
    plain: Vec<u8>,
    pieces: VecDeque<Piece>,
    written: Written,
    /// Whether tails are readable without their checkpoint.
    separates_tails: bool,
    /// Whether the open block belongs to a separate tail.
    in_tail: bool,
    data: Vec<u8>,
    changed: Vec<u8>,
    /// Uncompressed bytes of the open turn, and of its accounts.
    turn_bytes: usize,
    turn_data_bytes: usize,
    /// The last turn of the segment; zero within its checkpoint.
    moment: BlockMoment,
    old: Vec<u8>,
    scratch: Vec<u8>,
    digest: Option<Sha256>,
    digests: VecDeque<TurnDigest>,
}

impl Writer {
    /// Creates a writer for the accounts of this program.
    #[must_use]
    pub fn new(program: Pubkey) -> Self {
        Self { program, ..Self::default() }
    }

    /// From now on computes the digest of the records between two turns with a hash, for
    /// [`Writer::take_digest`].
    pub fn keep_digests(&mut self) {
        self.digest = Some(Sha256::new());
    }

    /// Returns the next digest, in order.
    pub fn take_digest(&mut self) -> Option<TurnDigest> {
        self.digests.pop_front()
    }

    /// From the next segment on, writes the records after each checkpoint as a separate tail:
    /// separate pieces in a separate zstd stream. A reader of the previous segment continues with
    /// the tail by [`Reader::begin_tail`], without the checkpoint; a reader that starts with the
    /// checkpoint calls that function as well.
    ///
    /// [`Reader::begin_tail`]: crate::Reader::begin_tail
    pub const fn separate_tails(&mut self) {
        self.separates_tails = true;
    }

    /// Appends a turn log. The first log begins with a checkpoint, after the accounts that the book
    /// already had, if any. `created_ms` becomes the creation time of a segment that begins in this
    /// log, Unix milliseconds.
    ///
    /// # Errors
    /// [`Fault`] when the log is invalid or out of sequence. The writer is then unusable.
    pub fn append(&mut self, log: &[u8], created_ms: u64) -> Result<(), Fault> {
        let mut data = std::mem::take(&mut self.data);
        let read = read_inputs(log, &mut data, |logged| self.append_logged(logged, created_ms));
        self.data = data;
        read
    }

    fn append_logged(&mut self, logged: &Logged<'_>, created_ms: u64) -> Result<(), Fault> {
        if let Logged::Input(Input::Checkpoint(checkpoint)) = logged {
            return self.begin_segment(checkpoint, created_ms);
        }
        if self.blocks.is_none() {
            return self.take_known(logged);
        }
        let before = self.plain.len();
        let block_bytes = match logged {
            Logged::Input(input) => self.append_input(input)?,
            Logged::Changed { origin, parts } => self.put_changed(origin, *parts)?,
        };
        self.add_to_digest(before, logged);
        let bytes = self.plain.len() - before;
        let is_end = matches!(logged, Logged::Input(Input::TurnEnd { .. }));
        self.count_turn_bytes(bytes, logged_account(logged), is_end)?;
        self.seal_block_of(block_bytes)
    }

    fn add_to_digest(&mut self, before: usize, logged: &Logged<'_>) {
        let Some(digest) = &mut self.digest else { return };
        digest.update(&self.plain[before..]);
        if let Logged::Input(Input::TurnEnd { ts_ms, hash: [_, ..], .. }) = logged {
            let sha256 = digest.finalize_reset().into();
            self.digests.push_back(TurnDigest { ts_ms: *ts_ms, sha256 });
        }
    }

    /// Stores an account that the book had before its log began, for the first checkpoint.
    fn take_known(&mut self, logged: &Logged<'_>) -> Result<(), Fault> {
        let Logged::Input(Input::Account { origin, owner, data }) = logged else {
            return Err(Fault::Malformed("a turn log does not begin with a checkpoint"));
        };
        check_account(data.len())?;
        self.add_account(origin, owner, data).map(|_| ())
    }

    /// Adds the bytes that the turn takes in a reader's memory, and checks their limit before the
    /// turn is complete.
    fn count_turn_bytes(
        &mut self,
        bytes: usize,
        account: Option<&Pubkey>,
        is_end: bool,
    ) -> Result<(), Fault> {
        let number = account.and_then(|pubkey| self.numbers.get(pubkey));
        let stored =
            number.and_then(|number| self.accounts.get(*number)).map_or(0, Account::length);
        self.turn_bytes += bytes;
        self.turn_data_bytes += stored;
        let most = self.turn_bytes.max(self.turn_data_bytes);
        if is_end {
            (self.turn_bytes, self.turn_data_bytes) = (0, 0);
        }
        check_length("TURN_BYTES_MAX", most, TURN_BYTES_MAX)
    }

    /// Appends an input. Returns the size at which the open block is sealed.
    fn append_input(&mut self, input: &Input<'_>) -> Result<usize, Fault> {
        match input {
            Input::Account { origin, owner, data } => self.put_account(origin, owner, data)?,
            Input::Unchanged(origin) => self.put_known(kind::UNCHANGED, origin)?,
            Input::Stale(origin) => self.put_known(kind::STALE, origin)?,
            Input::Damaged(origin) => self.put_known(kind::DAMAGED, origin)?,
            Input::Forgotten(pubkey) => self.forget(pubkey),
            plain => put_plain(&mut self.plain, plain, &mut self.context),
        }
        Ok(match input {
            Input::TurnEnd { ts_ms, .. } => self.note_turn_end(*ts_ms),
            _ => BLOCK_TARGET_BYTES,
        })
    }

    /// Ends a turn. Returns the size at which the open block is sealed: the first turn of a segment
    /// seals its block, so that the turn's time is found without decompressing.
    fn note_turn_end(&mut self, ts_ms: u64) -> usize {
        let block_bytes = if self.moment.slot == 0 { 1 } else { BLOCK_TARGET_BYTES };
        self.moment = BlockMoment { slot: self.context.slot, ts_ms };
        block_bytes
    }

    fn put_account(&mut self, origin: &Origin, owner: &Pubkey, data: &[u8]) -> Result<(), Fault> {
        check_account(data.len())?;
        self.written.updates += 1;
        if let Some(number) = self.numbers.get(&origin.pubkey).copied() {
            self.accounts.get(number).ok_or(UNNUMBERED)?.unpack(&mut self.old)?;
            self.old.resize(data.len(), 0);
            return self.put_changes(number, origin, owner, data);
        }
        let number = self.add_account(origin, owner, data)?;
        self.put_new(number)
    }

    fn add_account(
        &mut self,
        origin: &Origin,
        owner: &Pubkey,
        data: &[u8],
    ) -> Result<usize, Fault> {
        let mut account = Account::new(origin.pubkey);
        account.owner = *owner;
        (account.slot, account.gate) = (origin.slot, origin.gate);
        let number = self.accounts.add(account)?;
        self.accounts.replace(number, data, &mut self.scratch)?;
        self.numbers.insert(origin.pubkey, number);
        Ok(number)
    }

    /// Appends an account by its changed parts. Returns the size at which the open block is sealed.
    fn put_changed(&mut self, origin: &Origin, parts: Parts<'_>) -> Result<usize, Fault> {
        self.written.updates += 1;
        let number = self.numbers.get(&origin.pubkey).copied().ok_or(UNNUMBERED)?;
        let account = self.accounts.get(number).ok_or(UNNUMBERED)?;
        let owner = account.owner;
        account.unpack(&mut self.old)?;
        self.old.resize(parts.length, 0);
        let mut data = std::mem::take(&mut self.changed);
        data.clone_from(&self.old);
        let put = parts
            .write_over(&mut data)
            .and_then(|()| self.put_changes(number, origin, &owner, &data));
        self.changed = data;
        put.map(|()| BLOCK_TARGET_BYTES)
    }

    /// Appends the patch of an account; `old` has the previous bytes, resized to the new length.
    fn put_changes(
        &mut self,
        number: usize,
        origin: &Origin,
        owner: &Pubkey,
        data: &[u8],
    ) -> Result<(), Fault> {
        let Self { accounts, plain, context, old, scratch, .. } = self;
        let account = accounts.get_mut(number).ok_or(UNNUMBERED)?;
        let (new_owner, new_length) = (account.owner != *owner, account.length() != data.len());
        let flags = [(new_owner, flag::OWNER), (new_length, flag::LENGTH)];
        let flags = flags.map(|(is_new, flag)| if is_new { flag } else { 0 }).iter().sum();
        let mention = Mention { number, slot: origin.slot, gate: origin.gate };
        put_mention(plain, (kind::ACCOUNT, flags), &mention, context);
        plain.extend_from_slice(if new_owner { &owner.0 } else { &[] });
        if new_length {
            put_length(plain, data.len());
        }
        put_patch(plain, old, data);
        (account.owner, account.slot, account.gate) = (*owner, origin.slot, origin.gate);
        if new_length || old != data {
            accounts.replace(number, data, scratch)?;
        }
        Ok(())
    }

    /// Appends an account in full.
    fn put_new(&mut self, number: usize) -> Result<(), Fault> {
        let account = self.accounts.get(number).ok_or(UNNUMBERED)?;
        let mention = Mention { number, slot: account.slot, gate: account.gate };
        put_mention(&mut self.plain, (kind::ACCOUNT, flag::NEW), &mention, &mut self.context);
        self.plain.extend_from_slice(&account.pubkey.0);
        self.plain.extend_from_slice(&account.owner.0);
        put_length(&mut self.plain, account.length());
        self.plain.extend_from_slice(account.packed());
        Ok(())
    }

    /// Appends a record without account bytes. An account without earlier records is skipped,
    /// because it does not affect the book.
    fn put_known(&mut self, kind: u8, origin: &Origin) -> Result<(), Fault> {
        let Some(number) = self.numbers.get(&origin.pubkey).copied() else { return Ok(()) };
        self.written.updates += 1;
        let mention = Mention { number, slot: origin.slot, gate: origin.gate };
        put_mention(&mut self.plain, (kind, 0), &mention, &mut self.context);
        let account = self.accounts.get_mut(number).ok_or(UNNUMBERED)?;
        if kind != kind::STALE {
            (account.slot, account.gate) = (origin.slot, origin.gate);
        }
        if kind == kind::DAMAGED {
            self.accounts.replace(number, &[], &mut self.scratch)?;
        }
        Ok(())
    }

    fn forget(&mut self, pubkey: &Pubkey) {
        let Some(number) = self.numbers.remove(pubkey) else { return };
        self.accounts.remove(number);
        self.plain.push(kind::FORGOTTEN);
        put_change(&mut self.plain, number as u64, self.context.number);
        self.context.number = number as u64;
    }

    /// Ends the segment, and starts the next one with all accounts.
    fn begin_segment(&mut self, checkpoint: &Checkpoint<'_>, created_ms: u64) -> Result<(), Fault> {
        self.flush()?;
        self.in_tail = false;
        self.accounts.renumber();
        self.numbers = self.accounts.iter().map(|account| account.pubkey).zip(0..).collect();
        let Checkpoint { ts_ms, slot, unix_seconds, .. } = *checkpoint;
        self.context = Context { slot, unix_seconds, ts_ms, ..Context::default() };
        let begin = self.context;
        let segment = self.written.segment + 1;
        self.written = Written { segment, ..Written::default() };
        self.moment = BlockMoment::default();
        self.blocks = Some(BlockWriter::new().map_err(|_| UNPACKABLE)?);
        self.begin_file(segment);
        put_head(&mut self.plain, &self.program, created_ms, self.numbers.len(), checkpoint);
        self.seal_block_of(1)?;
        for number in 0..self.accounts.next_number() {
            self.put_new(number)?;
            self.seal_block_of(BLOCK_TARGET_BYTES)?;
        }
        put_state(&mut self.plain, checkpoint.state);
        self.moment = BlockMoment { slot, ts_ms };
        self.seal_block_of(1)?;
        self.written.checkpoint_bytes = self.written.bytes;
        if self.separates_tails {
            self.in_tail = true;
            self.context = begin.of_tail(self.accounts.next_number());
            self.blocks = Some(BlockWriter::new().map_err(|_| UNPACKABLE)?);
        }
        Ok(())
    }

    fn begin_file(&mut self, segment: u64) {
        let mut bytes = Vec::new();
        put_preamble(&mut bytes);
        self.written.bytes = bytes.len() as u64;
        self.pieces.push_back(Piece { segment, is_tail: false, bytes });
    }

    /// Seals the open block, so that all appended inputs are in pieces.
    ///
    /// # Errors
    /// [`Fault`] when the block cannot be compressed.
    pub fn flush(&mut self) -> Result<(), Fault> {
        self.seal_block_of(1)
    }

    fn seal_block_of(&mut self, bytes_min: usize) -> Result<(), Fault> {
        if self.plain.len() < bytes_min {
            return Ok(());
        }
        let blocks = self.blocks.as_mut().ok_or(UNPACKABLE)?;
        let segment = self.written.segment;
        let is_tail = self.in_tail;
        let fits = |piece: &Piece| {
            (piece.segment, piece.is_tail) == (segment, is_tail) && piece.bytes.len() < PIECE_BYTES
        };
        if !self.pieces.back().is_some_and(fits) {
            self.pieces.push_back(Piece { segment, is_tail, bytes: Vec::new() });
        }
        let Some(piece) = self.pieces.back_mut() else { return Err(UNPACKABLE) };
        let before = piece.bytes.len();
        blocks.put_block(&mut piece.bytes, &self.plain, self.moment).map_err(|_| UNPACKABLE)?;
        self.written.bytes += (piece.bytes.len() - before) as u64;
        self.plain.clear();
        Ok(())
    }

    /// The next completed bytes, in order.
    pub fn take_piece(&mut self) -> Option<Piece> {
        self.pieces.pop_front()
    }

    /// The writer's statistics.
    #[must_use]
    pub const fn written(&self) -> Written {
        self.written
    }

    /// Number of stored accounts, closed accounts included.
    #[must_use]
    pub fn accounts(&self) -> usize {
        self.numbers.len()
    }

    /// Memory of the stored account bytes.
    #[must_use]
    pub fn account_bytes(&self) -> usize {
        let key_bytes = size_of::<(Pubkey, usize)>();
        self.accounts.bytes_held() + self.numbers.capacity() * key_bytes
    }
}

/// Returns the account of an input that contains all bytes of the account.
fn logged_account<'a>(logged: &'a Logged<'_>) -> Option<&'a Pubkey> {
    match logged {
        Logged::Changed { origin, .. }
        | Logged::Input(
            Input::Account { origin, .. } | Input::Unchanged(origin) | Input::Stale(origin),
        ) => Some(&origin.pubkey),
        Logged::Input(_) => None,
    }
}

const UNNUMBERED: Fault = Fault::Malformed("an account has a number that was not given");
const UNPACKABLE: Fault = Fault::Malformed("a block cannot be packed");
