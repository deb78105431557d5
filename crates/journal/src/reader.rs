//! Decodes the bytes of a segment into inputs, turn by turn.

use sha2::{Digest, Sha256};
use slotbook_protocol::model::units::Pubkey;

use crate::error::{Fault, JournalError, check_length};
use crate::fields::Fields;
use crate::input::{Input, Origin};
use crate::limits::TURN_BYTES_MAX;
use crate::record::{AccountRecord, Context, Head, Mention, Record, read_record};
use crate::segment::{
    BLOCK_HEAD_BYTES, BlockReader, PREAMBLE_BYTES, check_preamble, is_end_mark, whole_block,
};
use crate::table::{Account, AccountTable, check_account};
use crate::taker::{AccountChanges, TakeInputs, WholeInputs};
use crate::tear::BadBlockSearch;

/// The next item of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The pushed bytes contain no complete checkpoint or turn yet.
    Nothing,
    /// The checkpoint: see [`Reader::head`], [`Reader::each_account`] and [`Reader::state`].
    Checkpoint,
    /// A complete turn, which [`Reader::apply_turn`] reads.
    Turn(Moment),
}

/// The time of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The time of the turn, Unix milliseconds.
    pub ts_ms: u64,
    /// The chain's slot at its end.
    pub slot: u64,
}

/// An account of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredAccount<'a> {
    /// Its number in the segment.
    pub number: u32,
    /// The account and its newest state.
    pub origin: Origin,
    /// The program that owns it.
    pub owner: Pubkey,
    /// Its bytes; empty when it is closed.
    pub data: &'a [u8],
}

/// Reads one segment. Bytes are pushed in pieces of any size. A turn is found once it is complete,
/// so a truncated file ends after its last complete turn.
#[derive(Default)]
pub struct Reader {
    packed: Vec<u8>,
    blocks: Option<BlockReader>,
    /// Bytes of the file in decompressed blocks.
    position: u64,
    /// Records that are not applied yet.
    plain: Vec<u8>,
    /// Uncompressed bytes of the segment before `plain`.
    plain_at: u64,
    /// The starts of the blocks in `plain`: offsets in the uncompressed bytes of the segment and in
    /// the file.
    places: Vec<(u64, u64)>,
    /// The applied part of `plain`.
    applied: usize,
    /// The length of the part of `plain` in which turn ends were searched; the newest values there
    /// follow.
    searched: usize,
    ahead: Context,
    context: Context,
    head: Option<Head>,
    state: Option<Vec<u8>>,
    accounts: AccountTable,
    data: Vec<u8>,
    /// Account bytes of the turn in progress.
    data_bytes: usize,
    scratch: Vec<u8>,
    /// The next turn, found but not applied.
    found: Option<Moment>,
    /// The search for valid blocks after the corrupt block at `position`.
    search: Option<BadBlockSearch>,
    failed: Option<JournalError>,
    digest: Option<Sha256>,
}

impl Reader {
    /// Creates a reader.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        self.packed.extend_from_slice(bytes);
    }

    /// The file offset of the end of the last decoded block.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Returns the number of pushed bytes that do not form a complete block yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.packed.len() + self.search.as_ref().map_or(0, BadBlockSearch::passed)
    }

    /// Call this when [`Reader::find`] finds nothing and the file has ended. Returns the reason why
    /// the last block is incomplete, as after a crash; `None` when all bytes were read.
    ///
    /// # Errors
    /// [`JournalError`] when valid blocks follow an invalid one, which means that the segment is
    /// damaged.
    pub fn finish(&mut self) -> Result<Option<JournalError>, JournalError> {
        self.guarded(Self::end_search)?;
        let at = self.plain_at + self.plain.len() as u64;
        let tear = |search: &BadBlockSearch| JournalError {
            fault: search.fault,
            block_at: self.position,
            record_at: at,
        };
        Ok(self.search.as_ref().map(tear))
    }

    /// The head of the segment; `None` before its first block was read.
    #[must_use]
    pub const fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Returns the book's state that accounts do not contain, at the checkpoint; `None` until it
    /// was found.
    #[must_use]
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// Returns the versions of all stored accounts, including closed accounts.
    pub fn origins(&self) -> impl Iterator<Item = Origin> + '_ {
        self.accounts.iter().map(|&Account { pubkey, slot, gate, .. }| Origin {
            pubkey,
            slot,
            gate,
        })
    }

    /// Calls `take` with each current account whose key `wants` accepts, in the order of first
    /// appearance.
    ///
    /// # Errors
    /// Decompression never fails for stored accounts, but it is checked as for bytes of a file.
    pub fn each_account(
        &self,
        is_wanted: impl Fn(&Pubkey) -> bool,
        mut take: impl FnMut(StoredAccount<'_>),
    ) -> Result<(), JournalError> {
        let mut data = Vec::new();
        let numbered = self.accounts.numbered();
        for (number, account) in numbered.filter(|(_, account)| is_wanted(&account.pubkey)) {
            if let Err(fault) = account.unpack(&mut data) {
                return Err(error_at(&self.places, self.plain_at, fault));
            }
            let Account { pubkey, owner, slot, gate, .. } = *account;
            let origin = Origin { pubkey, slot, gate };
            take(StoredAccount { number: number_of(number), origin, owner, data: &data });
        }
        Ok(())
    }

    /// Reads up to the head, decompressing only its block.
    ///
    /// # Errors
    /// [`JournalError`], like [`Reader::find`].
    pub fn find_head(&mut self) -> Result<Option<&Head>, JournalError> {
        while self.head.is_none() {
            if !self.guarded(Self::read_block)? {
                break;
            }
            self.guarded(Self::read_checkpoint)?;
        }
        Ok(self.head.as_ref())
    }

    /// Finds the checkpoint, and then the next turn; returns the same turn until it is applied.
    ///
    /// # Errors
    /// [`JournalError`] when the segment is damaged at this point, so that the rest cannot be read.
    pub fn find(&mut self) -> Result<Found, JournalError> {
        self.guarded(Self::find_next)
    }

    /// Applies the turn of the last [`Reader::find`]: calls `take` with each of its inputs,
    /// including the turn end. For an account that a snapshot mentions as unchanged, `take` gets
    /// the account's last bytes. Does nothing when no turn was found.
    ///
    /// # Errors
    /// [`JournalError`]; the turn is then partly applied.
    pub fn apply_turn(&mut self, take: impl FnMut(Input<'_>)) -> Result<(), JournalError> {
        self.apply_turn_to(&mut WholeInputs(take))
    }

    /// Applies a turn like [`Reader::apply_turn`], to a taker that may do with changes.
    ///
    /// # Errors
    /// Those of [`Reader::apply_turn`].
    pub fn apply_turn_to(&mut self, take: &mut impl TakeInputs) -> Result<(), JournalError> {
        self.guarded(|reader| reader.apply_records(take))
    }

    /// From now on computes the digest of the records that [`Reader::apply_turn`] reads.
    pub fn keep_digest(&mut self) {
        self.digest = Some(Sha256::new());
    }

    /// Returns the SHA-256 of the records since the last call, or since [`Reader::keep_digest`];
    /// `None` before that.
    pub fn take_digest(&mut self) -> Option<[u8; 32]> {
        self.digest.as_mut().map(|digest| digest.finalize_reset().into())
    }

    /// Call this before the bytes of a separate tail, either of the segment whose checkpoint was
    /// read or of the next segment: accounts get the numbers that they have in that segment's
    /// checkpoint. Returns whether they had others.
    ///
    /// # Errors
    /// [`JournalError`] when the checkpoint is missing, or earlier bytes were not applied.
    pub fn begin_tail(&mut self) -> Result<bool, JournalError> {
        self.guarded(|reader| {
            let is_done = reader.packed.is_empty() && reader.applied == reader.plain.len();
            if !is_done || reader.state.is_none() {
                return Err((reader.applied, TAIL_WITHIN));
            }
            let before = reader.accounts.next_number();
            reader.accounts.renumber();
            reader.context = reader.context.of_tail(reader.accounts.next_number());
            reader.ahead = reader.context;
            reader.blocks = Some(BlockReader::new().map_err(|_| (reader.applied, NO_MEMORY))?);
            Ok(reader.accounts.next_number() != before)
        })
    }

    /// Discards the bytes after the last applied turn: the writer stopped within a turn, and
    /// another writer continues with a tail of its own.
    pub fn drop_rest(&mut self) {
        self.packed.clear();
        self.plain.truncate(self.applied);
        self.searched = self.applied;
        self.ahead = self.context;
        self.found = None;
    }

    /// Runs an operation unless the segment is damaged; after an error, all later calls return that
    /// error.
    fn guarded<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, (usize, Fault)>,
    ) -> Result<T, JournalError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        act(self).map_err(|(at, fault)| {
            let error = error_at(&self.places, self.plain_at + at as u64, fault);
            self.failed = Some(error.clone());
            error
        })
    }

    fn find_next(&mut self) -> Result<Found, (usize, Fault)> {
        while self.state.is_none() {
            if self.searched == self.plain.len() && !self.read_block()? {
                return Ok(Found::Nothing);
            }
            if self.read_checkpoint()? {
                return Ok(Found::Checkpoint);
            }
        }
        while self.found.is_none() {
            self.found = self.search_turn()?;
            if self.found.is_none() {
                // The last block of a turn may also contain much of the next turn.
                let turn =
                    check_length("TURN_BYTES_MAX", self.searched - self.applied, TURN_BYTES_MAX);
                turn.map_err(|fault| (self.applied, fault))?;
                if !self.read_block()? {
                    return Ok(Found::Nothing);
                }
            }
        }
        Ok(self.found.map_or(Found::Nothing, Found::Turn))
    }

    /// Decompresses one block; returns false when none is complete.
    fn read_block(&mut self) -> Result<bool, (usize, Fault)> {
        self.begin_blocks()?;
        self.drop_applied();
        if self.search.is_some() {
            return self.search_behind();
        }
        let Some(blocks) = &mut self.blocks else { return Ok(false) };
        if self.packed.len() == BLOCK_HEAD_BYTES && is_end_mark(&self.packed) {
            self.packed.clear();
            self.position += BLOCK_HEAD_BYTES as u64;
            return Ok(false);
        }
        let at = self.plain.len();
        let block = match whole_block(&self.packed) {
            Ok(Some(block)) => block,
            Ok(None) => return Ok(false),
            Err(fault) => return self.begin_doubt(fault),
        };
        self.places.push((self.plain_at + at as u64, self.position));
        blocks.unpack_block(block, &mut self.plain).map_err(|fault| (at, fault))?;
        let bytes = block.len();
        self.packed.drain(..bytes);
        self.position += bytes as u64;
        Ok(true)
    }

    /// Starts the search for valid blocks after an invalid block or preamble; nothing more is
    /// decoded.
    fn begin_doubt(&mut self, fault: Fault) -> Result<bool, (usize, Fault)> {
        self.places.push((self.plain_at + self.plain.len() as u64, self.position));
        self.search = Some(BadBlockSearch::new(fault));
        self.search_behind()
    }

    fn search_behind(&mut self) -> Result<bool, (usize, Fault)> {
        let Self { search, packed, plain, .. } = self;
        let searched = search.as_mut().map_or(Ok(()), |search| search.search(packed));
        searched.map(|()| false).map_err(|fault| (plain.len(), fault))
    }

    /// Ends the search in the remaining bytes, which contain no complete block.
    fn end_search(&mut self) -> Result<(), (usize, Fault)> {
        if self.search.is_none() && !self.packed.is_empty() {
            self.begin_doubt(CUT)?;
        }
        let Self { search, packed, plain, .. } = self;
        let searched = search.as_mut().map_or(Ok(()), |search| search.search_end(packed));
        searched.map_err(|fault| (plain.len(), fault))
    }

    /// Reads the preamble once it is complete.
    fn begin_blocks(&mut self) -> Result<(), (usize, Fault)> {
        if self.blocks.is_some() || self.search.is_some() {
            return Ok(());
        }
        let Some((preamble, rest)) = self.packed.split_first_chunk::<PREAMBLE_BYTES>() else {
            return Ok(());
        };
        match check_preamble(preamble) {
            Ok(()) => {}
            Err(fault @ Fault::Malformed(_)) => return self.begin_doubt(fault).map(|_| ()),
            Err(fault) => return Err((0, fault)),
        }
        self.packed = rest.to_vec();
        self.blocks = Some(BlockReader::new().map_err(|_| (0, NO_MEMORY))?);
        self.position = PREAMBLE_BYTES as u64;
        Ok(())
    }

    /// Frees the applied records.
    fn drop_applied(&mut self) {
        let done = std::mem::take(&mut self.applied);
        self.plain.drain(..done);
        self.searched -= done;
        self.plain_at += done as u64;
        let old = self.places.partition_point(|(plain_at, _)| *plain_at <= self.plain_at);
        self.places.drain(..old.saturating_sub(1));
    }

    fn read_checkpoint(&mut self) -> Result<bool, (usize, Fault)> {
        let plain = std::mem::take(&mut self.plain);
        let read = self.read_checkpoint_of(&plain);
        self.plain = plain;
        self.applied = self.searched;
        self.context = self.ahead;
        read.map_err(|fault| (self.searched, fault))
    }

    fn read_checkpoint_of(&mut self, plain: &[u8]) -> Result<bool, Fault> {
        while let Some(rest) = plain.get(self.searched..).filter(|rest| !rest.is_empty()) {
            let mut fields = Fields::new(rest);
            match read_record(&mut fields, &mut self.ahead)? {
                Record::Head(head) if self.head.is_none() => self.head = Some(head),
                Record::Account(record) if self.head.is_some() => {
                    self.take_account(&record)?;
                }
                Record::State(state) if self.is_complete() => self.state = Some(state.to_vec()),
                _ => return Err(Fault::Malformed("a checkpoint is not head, accounts and state")),
            }
            self.searched += fields.at();
            if self.state.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether all accounts that the head counts are present.
    fn is_complete(&self) -> bool {
        let held = self.accounts.next_number() as u64;
        self.head.as_ref().is_some_and(|head| head.accounts == held)
    }

    fn search_turn(&mut self) -> Result<Option<Moment>, (usize, Fault)> {
        while let Some(rest) = self.plain.get(self.searched..).filter(|rest| !rest.is_empty()) {
            let mut fields = Fields::new(rest);
            let record = read_record(&mut fields, &mut self.ahead);
            let is_end = matches!(
                record.map_err(|fault| (self.searched, fault))?,
                Record::Plain(Input::TurnEnd { .. })
            );
            if is_end {
                return Ok(Some(Moment { ts_ms: self.ahead.ts_ms, slot: self.ahead.slot }));
            }
            self.searched += fields.at();
        }
        Ok(None)
    }

    fn apply_records(&mut self, take: &mut impl TakeInputs) -> Result<(), (usize, Fault)> {
        if self.found.take().is_none() {
            return Ok(());
        }
        let plain = std::mem::take(&mut self.plain);
        let mut result = Ok(false);
        self.data_bytes = 0;
        while let (Ok(false), Some(rest)) = (&result, plain.get(self.applied..)) {
            let mut fields = Fields::new(rest);
            result = self.apply_record(&mut fields, take).and_then(|is_end| {
                check_length("TURN_BYTES_MAX", self.data_bytes, TURN_BYTES_MAX).map(|()| is_end)
            });
            if result.is_ok() {
                if let Some(digest) = &mut self.digest {
                    digest.update(&rest[..fields.at()]);
                }
                self.applied += fields.at();
            }
        }
        self.plain = plain;
        self.searched = self.applied;
        self.ahead = self.context;
        result.map(|_| ()).map_err(|fault| (self.applied, fault))
    }

    fn apply_record(
        &mut self,
        fields: &mut Fields<'_>,
        take: &mut impl TakeInputs,
    ) -> Result<bool, Fault> {
        let mut account = None;
        let input = match read_record(fields, &mut self.context)? {
            Record::Account(record) if self.give_changes(&record, take)? => return Ok(false),
            Record::Account(record) => {
                account = Some(number_of(record.number));
                self.changed_account(&record)?
            }
            Record::Unchanged(mention) => {
                account = Some(number_of(mention.number));
                self.note_state(&mention)?;
                self.stored_account(&mention)?
            }
            Record::Stale(mention) => self.stored_account(&mention)?,
            Record::Damaged(mention) => Input::Damaged(self.empty_account(&mention)?),
            Record::Forgotten(number) => {
                Input::Forgotten(self.accounts.remove(number).ok_or(FORGOTTEN)?.pubkey)
            }
            Record::Plain(input) => input,
            Record::Head(_) | Record::State(_) => return Err(CHECKPOINT_WITHIN),
        };
        take.take(input, account);
        Ok(matches!(input, Input::TurnEnd { .. }))
    }

    /// Records that an account was truncated, so its bytes are unknown.
    fn empty_account(&mut self, mention: &Mention) -> Result<Origin, Fault> {
        let origin = self.note_state(mention)?;
        self.accounts.replace(mention.number, &[], &mut self.scratch)?;
        Ok(origin)
    }

    /// Gives the changes of an account to a taker that needs no more; returns whether it took them.
    fn give_changes(
        &mut self,
        record: &AccountRecord<'_>,
        take: &mut impl TakeInputs,
    ) -> Result<bool, Fault> {
        let AccountRecord { slot, gate, patch, .. } = *record;
        if record.pubkey.is_some() || record.owner.is_some() || record.length.is_some() {
            return Ok(false);
        }
        let account = self.accounts.get_mut(record.number).ok_or(FORGOTTEN)?;
        let length = account.length();
        patch.check_length(length)?;
        let origin = Origin { pubkey: account.pubkey, slot, gate };
        let changes = AccountChanges { number: number_of(record.number), origin, length, patch };
        if length == 0 || !take.take_changes(&changes) {
            return Ok(false);
        }
        (account.slot, account.gate) = (slot, gate);
        account.defer(&patch)?;
        self.data_bytes += length;
        Ok(true)
    }

    /// Applies a record with a new state of an account.
    fn changed_account(&mut self, record: &AccountRecord<'_>) -> Result<Input<'_>, Fault> {
        let (origin, owner) = self.take_account(record)?;
        let account = self.accounts.get(record.number).ok_or(FORGOTTEN)?;
        if account.plain().is_none() {
            account.unpack(&mut self.data)?;
        }
        Ok(Input::Account { origin, owner, data: account.plain().unwrap_or(&self.data) })
    }

    /// Stores the new state of an account.
    fn take_account(&mut self, record: &AccountRecord<'_>) -> Result<(Origin, Pubkey), Fault> {
        if let Some(pubkey) = record.pubkey {
            self.accounts.add(Account::new(pubkey))?;
        }
        let account = self.accounts.get(record.number).ok_or(FORGOTTEN)?;
        let length = record.length.unwrap_or(account.length());
        check_account(length)?;
        self.data_bytes += length;
        self.accounts.patch(record.number, length, &record.patch)?;
        let account = self.accounts.get_mut(record.number).ok_or(FORGOTTEN)?;
        account.owner = record.owner.unwrap_or(account.owner);
        (account.slot, account.gate) = (record.slot, record.gate);
        let origin = Origin { pubkey: account.pubkey, slot: record.slot, gate: record.gate };
        Ok((origin, account.owner))
    }

    fn note_state(&mut self, mention: &Mention) -> Result<Origin, Fault> {
        let account = self.accounts.get_mut(mention.number).ok_or(FORGOTTEN)?;
        (account.slot, account.gate) = (mention.slot, mention.gate);
        Ok(Origin { pubkey: account.pubkey, slot: mention.slot, gate: mention.gate })
    }

    /// Returns the account of a record without bytes, in its last state.
    fn stored_account(&mut self, mention: &Mention) -> Result<Input<'_>, Fault> {
        let account = self.accounts.get(mention.number).ok_or(FORGOTTEN)?;
        account.unpack(&mut self.data)?;
        self.data_bytes += self.data.len();
        let (slot, gate) = (mention.slot, mention.gate);
        let origin = Origin { pubkey: account.pubkey, slot, gate };
        Ok(Input::Account { origin, owner: account.owner, data: &self.data })
    }
}

fn number_of(number: usize) -> u32 {
    u32::try_from(number).expect("Invariant: ACCOUNTS_MAX is below 2^32")
}

const NO_MEMORY: Fault = Fault::Malformed("there is no memory");
const CUT: Fault = Fault::Malformed("the file ends within a block");
const TAIL_WITHIN: Fault = Fault::Malformed("a tail begins before what comes before it has ended");
const CHECKPOINT_WITHIN: Fault = Fault::Malformed("a checkpoint stands within a segment");
const FORGOTTEN: Fault = Fault::Malformed("a record is about an account that was forgotten");

/// Maps a fault at an uncompressed offset to its block.
fn error_at(places: &[(u64, u64)], record_at: u64, fault: Fault) -> JournalError {
    let index = places.partition_point(|(plain_at, _)| *plain_at <= record_at);
    let block_at = places.get(index.wrapping_sub(1)).map_or(0, |(_, block_at)| *block_at);
    JournalError { fault, block_at, record_at }
}
