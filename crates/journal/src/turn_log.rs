//! The in-memory log between the book's thread and the writer's thread: fixed-width numbers,
//! without comparison or compression. It is never stored, so it has no version.
//!
//! Copying bytes three times between the threads costs more than examining them once. Therefore the
//! book passes only the parts of an account that may have changed, if they are known. Trailing
//! zeros of parts are omitted; in a long account all zeros are omitted, in chunks of 64 bytes.

use std::ops::Range;

use slotbook_protocol::model::units::Pubkey;

use crate::error::Fault;
use crate::fields::Fields;
use crate::input::{Checkpoint, Gate, Input, Origin};
use crate::limits::ACCOUNT_BYTES_MAX;
use crate::record::{Context, kind, put_plain, read_plain};
use crate::table::check_account;

/// The kind of a checkpoint, which starts a segment and does not become a record.
const CHECKPOINT: u8 = 0;

/// The kind of an account update that contains only changed parts.
const CHANGED: u8 = u8::MAX;

/// Bytes of a chunk, and the number of chunks in a bit set.
const CHUNK_BYTES: usize = 64;
const GROUP_CHUNKS: usize = 64;

/// Accounts of at least this size are users, which are mostly zeros; smaller accounts are markets
/// and oracles.
const SPARSE_BYTES_MIN: usize = 4_096;

const ARRIVAL: u8 = 0;
const SNAPSHOT: u8 = 1;
const WRITE_VERSION: u8 = 2;

/// Appends an input.
pub fn put_input(out: &mut Vec<u8>, input: &Input<'_>) {
    match *input {
        Input::Account { origin, owner, data } => put_account(out, &origin, &owner, data),
        Input::Unchanged(origin) => put_origin(out, kind::UNCHANGED, &origin),
        Input::Stale(origin) => put_origin(out, kind::STALE, &origin),
        Input::Damaged(origin) => put_origin(out, kind::DAMAGED, &origin),
        Input::Forgotten(pubkey) => {
            out.push(kind::FORGOTTEN);
            out.extend_from_slice(&pubkey.0);
        }
        Input::TurnEnd { ts_ms, marks, hash } => put_turn_end(out, ts_ms, marks, hash),
        Input::Checkpoint(checkpoint) => put_checkpoint(out, &checkpoint),
        // Relative to nothing: a turn log has no earlier values.
        _ => put_plain(out, input, &mut Context::default()),
    }
}

/// Appends a turn end, the most frequent input.
#[inline]
pub fn put_turn_end(out: &mut Vec<u8>, ts_ms: u64, marks: &[u8], hash: &[u8]) {
    let words = [ts_ms, marks.len() as u64, hash.len() as u64].map(u64::to_le_bytes);
    let mut head = [kind::TURN_END; 1 + 3 * size_of::<u64>()];
    head[1..].copy_from_slice(words.as_flattened());
    out.extend_from_slice(&head);
    for bytes in [marks, hash] {
        if !bytes.is_empty() {
            out.extend_from_slice(bytes);
        }
    }
}

#[inline]
fn put_account(out: &mut Vec<u8>, origin: &Origin, owner: &Pubkey, data: &[u8]) {
    put_origin(out, kind::ACCOUNT, origin);
    out.extend_from_slice(&owner.0);
    out.extend_from_slice(&(data.len() as u64).to_le_bytes());
    match data.len() {
        ..SPARSE_BYTES_MIN => out.extend_from_slice(data),
        _ => put_sparse(out, data),
    }
}

/// Appends an account that can differ from its previous input only in its length and in `parts`,
/// ascending ranges of its bytes.
#[inline]
pub fn put_changed(
    out: &mut Vec<u8>,
    origin: &Origin,
    data: &[u8],
    parts: impl Iterator<Item = Range<usize>>,
) {
    put_origin(out, CHANGED, origin);
    out.extend_from_slice(&(data.len() as u64).to_le_bytes());
    let bytes_at = out.len();
    out.extend_from_slice(&[0; size_of::<u64>()]);
    let mut written = 0;
    parts.for_each(|Range { start, end }| {
        let part = &data[start..end];
        let kept = part.len() - zeros_at_end(part);
        let numbers =
            [start - written, part.len(), kept].map(|number| narrow(number).to_le_bytes());
        out.extend_from_slice(numbers.as_flattened());
        out.extend_from_slice(&part[..kept]);
        written = end;
    });
    let (head, parts) = out.split_at_mut(bytes_at + size_of::<u64>());
    head[bytes_at..].copy_from_slice(&(parts.len() as u64).to_le_bytes());
}

/// Trailing zeros, in whole chunks.
#[inline]
fn zeros_at_end(part: &[u8]) -> usize {
    let (_, chunks) = part.as_rchunks::<CHUNK_BYTES>();
    chunks.iter().rev().take_while(|chunk| !is_set(chunk)).count() * CHUNK_BYTES
}

fn narrow(length: usize) -> u32 {
    debug_assert!(length <= ACCOUNT_BYTES_MAX, "Invariant: an account has a length");
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn put_checkpoint(out: &mut Vec<u8>, checkpoint: &Checkpoint<'_>) {
    out.push(CHECKPOINT);
    out.extend_from_slice(&checkpoint.ts_ms.to_le_bytes());
    out.extend_from_slice(&checkpoint.slot.to_le_bytes());
    out.extend_from_slice(&checkpoint.unix_seconds.to_le_bytes());
    put_data(out, checkpoint.epoch.as_bytes());
    put_data(out, checkpoint.seqs);
    put_data(out, checkpoint.state);
}

fn put_origin(out: &mut Vec<u8>, kind: u8, origin: &Origin) {
    let (gate, version) = match origin.gate {
        Gate::Arrival => (ARRIVAL, 0),
        Gate::Snapshot => (SNAPSHOT, 0),
        Gate::WriteVersion(version) => (WRITE_VERSION, version),
    };
    let mut head = [0; 50];
    head[0] = kind;
    head[1] = gate;
    head[2..10].copy_from_slice(&origin.slot.to_le_bytes());
    head[10..18].copy_from_slice(&version.to_le_bytes());
    head[18..].copy_from_slice(&origin.pubkey.0);
    out.extend_from_slice(&head);
}

/// Appends sparse bytes: for every 64 chunks a bit set and the non-zero chunks; then the bytes
/// after the last chunk.
#[inline]
fn put_sparse(out: &mut Vec<u8>, data: &[u8]) {
    let (chunks, rest) = data.as_chunks::<CHUNK_BYTES>();
    out.reserve(data.len() + chunks.len().div_ceil(GROUP_CHUNKS) * size_of::<u64>());
    for chunks in chunks.chunks(GROUP_CHUNKS) {
        let bits = chunks.iter().zip(0..).map(|(chunk, at)| u64::from(is_set(chunk)) << at);
        let mut set = bits.fold(0, |set, bit| set | bit);
        out.extend_from_slice(&set.to_le_bytes());
        while set != 0 {
            out.extend_from_slice(&chunks[set.trailing_zeros() as usize]);
            set &= set - 1;
        }
    }
    out.extend_from_slice(rest);
}

#[inline(always)]
fn is_set(chunk: &[u8; CHUNK_BYTES]) -> bool {
    let (words, _) = chunk.as_chunks::<8>();
    words.iter().fold(0, |all, word| all | u64::from_le_bytes(*word)) != 0
}

fn put_data(out: &mut Vec<u8>, data: &[u8]) {
    out.extend_from_slice(&(data.len() as u64).to_le_bytes());
    out.extend_from_slice(data);
}

#[derive(Debug)]
pub(crate) enum Logged<'a> {
    Input(Input<'a>),
    /// An account that changed only in these parts.
    Changed {
        origin: Origin,
        parts: Parts<'a>,
    },
}

/// Parts of an account's bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    /// Bytes of the account.
    pub(crate) length: usize,
    bytes: &'a [u8],
}

impl Parts<'_> {
    /// Writes the parts into the account's bytes.
    pub(crate) fn write_over(self, data: &mut [u8]) -> Result<(), Fault> {
        let mut fields = Fields::new(self.bytes);
        let mut at = 0_usize;
        while !fields.is_done() {
            let [skip, length, kept] = [wide(&mut fields)?, wide(&mut fields)?, wide(&mut fields)?];
            let start = at.saturating_add(skip);
            at = start.saturating_add(length);
            let part = data.get_mut(start..at).ok_or(OUTSIDE)?;
            let (bytes, zeros) = part.split_at_mut_checked(kept).ok_or(OUTSIDE)?;
            bytes.copy_from_slice(fields.take(kept)?);
            zeros.fill(0);
        }
        Ok(())
    }
}

fn wide(fields: &mut Fields<'_>) -> Result<usize, Fault> {
    fields.array().map(|bytes| usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX))
}

const OUTSIDE: Fault = Fault::Malformed("a part reaches over the end of its account");

/// Calls `take` with the inputs of a turn log, in order. `data` is a buffer for an account's bytes.
pub(crate) fn read_inputs(
    log: &[u8],
    data: &mut Vec<u8>,
    mut take: impl FnMut(&Logged<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut log = TurnLog { fields: Fields::new(log) };
    while !log.fields.is_done() {
        take(&log.read(data)?)?;
    }
    Ok(())
}

struct TurnLog<'a> {
    fields: Fields<'a>,
}

impl<'a> TurnLog<'a> {
    fn read<'b>(&mut self, data: &'b mut Vec<u8>) -> Result<Logged<'b>, Fault>
    where
        'a: 'b,
    {
        let kind = self.fields.byte()?;
        if kind != CHANGED {
            return self.read_input(kind, data).map(Logged::Input);
        }
        let (origin, length) = (self.origin()?, self.length()?);
        check_account(length)?;
        Ok(Logged::Changed { origin, parts: Parts { length, bytes: self.data()? } })
    }

    fn read_input<'b>(&mut self, kind: u8, data: &'b mut Vec<u8>) -> Result<Input<'b>, Fault>
    where
        'a: 'b,
    {
        let input = match kind {
            kind::ACCOUNT => {
                let (origin, owner) = (self.origin()?, self.key()?);
                self.account_data(data)?;
                Input::Account { origin, owner, data }
            }
            kind::UNCHANGED => Input::Unchanged(self.origin()?),
            kind::STALE => Input::Stale(self.origin()?),
            kind::DAMAGED => Input::Damaged(self.origin()?),
            kind::FORGOTTEN => Input::Forgotten(self.key()?),
            kind::TURN_END => {
                let (ts_ms, marks, hash) = (self.word()?, self.length()?, self.length()?);
                let marks = self.fields.take(marks)?;
                Input::TurnEnd { ts_ms, marks, hash: self.fields.take(hash)? }
            }
            CHECKPOINT => Input::Checkpoint(self.checkpoint()?),
            kind => read_plain(kind, &mut self.fields, &mut Context::default())?,
        };
        Ok(input)
    }

    fn account_data(&mut self, data: &mut Vec<u8>) -> Result<(), Fault> {
        let length = self.length()?;
        check_account(length)?;
        data.clear();
        match length {
            ..SPARSE_BYTES_MIN => data.extend_from_slice(self.fields.take(length)?),
            _ => self.add_sparse(length, data)?,
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<Checkpoint<'a>, Fault> {
        let (ts_ms, slot) = (self.word()?, self.word()?);
        let unix_seconds = self.word()?.cast_signed();
        let (epoch, seqs) = (self.text()?, self.data()?);
        Ok(Checkpoint { epoch, ts_ms, slot, unix_seconds, seqs, state: self.data()? })
    }

    fn origin(&mut self) -> Result<Origin, Fault> {
        let gate = self.fields.byte()?;
        let (slot, version) = (self.word()?, self.word()?);
        let gate = match gate {
            ARRIVAL => Gate::Arrival,
            SNAPSHOT => Gate::Snapshot,
            WRITE_VERSION => Gate::WriteVersion(version),
            _ => return Err(Fault::Malformed("a turn log has a gate of an unknown kind")),
        };
        Ok(Origin { pubkey: self.key()?, slot, gate })
    }

    fn key(&mut self) -> Result<Pubkey, Fault> {
        self.fields.array().map(Pubkey)
    }

    fn word(&mut self) -> Result<u64, Fault> {
        self.fields.array().map(u64::from_le_bytes)
    }

    fn data(&mut self) -> Result<&'a [u8], Fault> {
        let length = self.length()?;
        self.fields.take(length)
    }

    fn length(&mut self) -> Result<usize, Fault> {
        self.word().map(|word| usize::try_from(word).unwrap_or(usize::MAX))
    }

    /// Appends `length` bytes to `data`.
    fn add_sparse(&mut self, length: usize, data: &mut Vec<u8>) -> Result<(), Fault> {
        let chunks = length / CHUNK_BYTES;
        for first in (0..chunks).step_by(GROUP_CHUNKS) {
            let set = self.word()?;
            for index in 0..GROUP_CHUNKS.min(chunks - first) {
                match set >> index & 1 {
                    0 => data.extend_from_slice(&[0; CHUNK_BYTES]),
                    _ => data.extend_from_slice(self.fields.take(CHUNK_BYTES)?),
                }
            }
        }
        data.extend_from_slice(self.fields.take(length % CHUNK_BYTES)?);
        Ok(())
    }

    fn text(&mut self) -> Result<&'a str, Fault> {
        let bytes = self.data()?;
        std::str::from_utf8(bytes)
            .map_err(|_| Fault::Malformed("a turn log has a text of no UTF-8"))
    }
}
