//! The records of a segment: a kind byte, then fields that need few bytes for small changes.

use slotbook_protocol::model::units::Pubkey;

use crate::error::Fault;
use crate::fields::{Fields, put_bytes, put_change, put_length, put_signed, put_varint};
use crate::input::{Checkpoint, Gate, Input};
use crate::limits::{
    ACCOUNT_BYTES_MAX, ACCOUNTS_MAX, EPOCH_BYTES_MAX, FIELD_BYTES_MAX, HASH_BYTES_MAX, MARKETS_MAX,
    STATE_BYTES_MAX,
};
use crate::patch::{Patch, take_patch};

pub(crate) mod kind {
    pub(crate) const HEAD: u8 = 1;
    pub(crate) const STATE: u8 = 2;
    pub(crate) const ACCOUNT: u8 = 3;
    pub(crate) const UNCHANGED: u8 = 4;
    pub(crate) const STALE: u8 = 5;
    pub(crate) const DAMAGED: u8 = 6;
    pub(crate) const FORGOTTEN: u8 = 7;
    pub(crate) const CLOCK: u8 = 8;
    pub(crate) const FEED_STATE: u8 = 9;
    pub(crate) const EPOCH: u8 = 10;
    pub(crate) const SNAPSHOT_BEGIN: u8 = 11;
    pub(crate) const SNAPSHOT_END: u8 = 12;
    pub(crate) const QUOTE_POLICY: u8 = 13;
    pub(crate) const QUOTES: u8 = 14;
    pub(crate) const EXTERNAL: u8 = 15;
    pub(crate) const TURN_END: u8 = 16;
}

/// Flags that tell which fields of an account follow in its record.
pub(crate) mod flag {
    /// A new account, which gets the next number; its key and its owner follow.
    pub(crate) const NEW: u8 = 1;
    /// Its owner follows.
    pub(crate) const OWNER: u8 = 2;
    /// Its length follows.
    pub(crate) const LENGTH: u8 = 4;
    /// It is from a snapshot.
    pub(crate) const SNAPSHOT: u8 = 8;
    /// The account is ordered by its slot and by the write version that follows.
    pub(crate) const WRITE_VERSION: u8 = 16;
    /// All known flags: other bits are those of another version.
    pub(crate) const ALL: u8 = 31;
}

/// Bytes of an entry of a mark.
const MARK_BYTES: usize = 3;

/// The latest values, relative to which records are encoded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// Accounts numbered so far.
    pub(crate) accounts: u64,
    /// The account of the previous account record.
    pub(crate) number: u64,
    pub(crate) account_slot: u64,
    /// The chain's time.
    pub(crate) slot: u64,
    pub(crate) unix_seconds: i64,
    /// The time of the last turn.
    pub(crate) ts_ms: u64,
}

impl Context {
    /// Returns the context at the start of a separate tail with this many accounts: its readers may
    /// have skipped the records of the checkpoint.
    pub(crate) fn of_tail(self, accounts: usize) -> Self {
        let Self { slot, unix_seconds, ts_ms, .. } = self;
        Self { accounts: accounts as u64, slot, unix_seconds, ts_ms, ..Self::default() }
    }
}

/// The head of a segment, from its first block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The program that owns the accounts.
    pub program: Pubkey,
    /// Time of creation of the segment, Unix milliseconds by the writer's clock.
    pub created_ms: u64,
    /// The name of the book's run.
    pub epoch: String,
    /// The time of the last turn before the segment, Unix milliseconds.
    pub ts_ms: u64,
    /// The chain's slot then.
    pub slot: u64,
    /// The chain's Unix time in seconds then.
    pub unix_seconds: i64,
    /// The sequence numbers of the markets at the start, in the order of their ids.
    pub seqs: Vec<u64>,
    /// Accounts of the checkpoint.
    pub accounts: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AccountRecord<'a> {
    pub(crate) number: usize,
    pub(crate) slot: u64,
    pub(crate) gate: Gate,
    /// The key, for a new account.
    pub(crate) pubkey: Option<Pubkey>,
    pub(crate) owner: Option<Pubkey>,
    pub(crate) length: Option<usize>,
    pub(crate) patch: Patch<'a>,
}

/// The account reference of a record without account bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mention {
    pub(crate) number: usize,
    pub(crate) slot: u64,
    pub(crate) gate: Gate,
}

/// A decoded record with absolute values.
#[derive(Debug)]
pub(crate) enum Record<'a> {
    Head(Head),
    State(&'a [u8]),
    Account(AccountRecord<'a>),
    Unchanged(Mention),
    Stale(Mention),
    Damaged(Mention),
    Forgotten(usize),
    /// An input that the journal stores unchanged.
    Plain(Input<'a>),
}

/// Appends the record kind and the reference of an account.
pub(crate) fn put_mention(
    out: &mut Vec<u8>,
    (kind, flags): (u8, u8),
    mention: &Mention,
    context: &mut Context,
) {
    let Mention { number, slot, gate } = *mention;
    out.extend([kind, flags | gate_flag(gate)]);
    let number = number as u64;
    if flags & flag::NEW == 0 {
        put_change(out, number, context.number);
    } else {
        context.accounts = number + 1;
    }
    put_change(out, slot, context.account_slot);
    if let Gate::WriteVersion(version) = gate {
        put_varint(out, version);
    }
    (context.number, context.account_slot) = (number, slot);
}

const fn gate_flag(gate: Gate) -> u8 {
    match gate {
        Gate::Arrival => 0,
        Gate::Snapshot => flag::SNAPSHOT,
        Gate::WriteVersion(_) => flag::WRITE_VERSION,
    }
}

/// Appends an input that does not depend on an account's previous bytes.
pub(crate) fn put_plain(out: &mut Vec<u8>, input: &Input<'_>, context: &mut Context) {
    match *input {
        Input::Clock { slot, unix_seconds } => {
            out.push(kind::CLOCK);
            put_change(out, slot, context.slot);
            put_signed(out, unix_seconds.wrapping_sub(context.unix_seconds));
            (context.slot, context.unix_seconds) = (slot, unix_seconds);
        }
        Input::FeedState(state) => out.extend([kind::FEED_STATE, state]),
        Input::Epoch(epoch) => {
            out.push(kind::EPOCH);
            put_bytes(out, epoch.as_bytes());
        }
        Input::SnapshotBegin { slot } => {
            out.push(kind::SNAPSHOT_BEGIN);
            put_change(out, slot, context.slot);
        }
        Input::SnapshotEnd => out.push(kind::SNAPSHOT_END),
        Input::TurnEnd { ts_ms, marks, hash } => {
            put_turn_end(out, (marks, hash), ts_ms, context);
        }
        _ => put_quotes(out, input, context),
    }
}

fn put_turn_end(
    out: &mut Vec<u8>,
    (marks, hash): (&[u8], &[u8]),
    ts_ms: u64,
    context: &mut Context,
) {
    out.push(kind::TURN_END);
    put_change(out, ts_ms, context.ts_ms);
    let (marks, _) = marks.as_chunks::<MARK_BYTES>();
    put_length(out, marks.len());
    out.extend_from_slice(marks.as_flattened());
    put_bytes(out, hash);
    context.ts_ms = ts_ms;
}

/// Appends quotes or external levels of a market.
fn put_quotes(out: &mut Vec<u8>, input: &Input<'_>, context: &Context) {
    match *input {
        Input::QuotePolicy { improve } => out.extend([kind::QUOTE_POLICY, u8::from(improve)]),
        Input::Quotes { market, maker, ts_ms, quotes } => {
            out.push(kind::QUOTES);
            put_varint(out, u64::from(market));
            out.extend_from_slice(&maker.0);
            put_change(out, ts_ms, context.ts_ms);
            put_bytes(out, quotes);
        }
        Input::External { market, bids, asks } => {
            out.push(kind::EXTERNAL);
            put_varint(out, u64::from(market));
            put_bytes(out, bids);
            put_bytes(out, asks);
        }
        _ => debug_assert!(false, "Invariant: the writer handles accounts and checkpoints"),
    }
}

pub(crate) fn put_head(
    out: &mut Vec<u8>,
    program: &Pubkey,
    created_ms: u64,
    accounts: usize,
    checkpoint: &Checkpoint<'_>,
) {
    out.push(kind::HEAD);
    out.extend_from_slice(&program.0);
    put_varint(out, created_ms);
    put_bytes(out, checkpoint.epoch.as_bytes());
    put_varint(out, checkpoint.ts_ms);
    put_varint(out, checkpoint.slot);
    put_signed(out, checkpoint.unix_seconds);
    let (seqs, _) = checkpoint.seqs.as_chunks::<8>();
    put_length(out, seqs.len());
    for seq in seqs {
        put_varint(out, u64::from_le_bytes(*seq));
    }
    put_length(out, accounts);
}

/// Appends the book's state besides accounts, the last record of the checkpoint.
pub(crate) fn put_state(out: &mut Vec<u8>, state: &[u8]) {
    out.push(kind::STATE);
    put_bytes(out, state);
}

pub(crate) fn read_record<'a>(
    fields: &mut Fields<'a>,
    context: &mut Context,
) -> Result<Record<'a>, Fault> {
    let record = match fields.byte()? {
        kind::HEAD => Record::Head(read_head(fields, context)?),
        kind::STATE => Record::State(fields.bytes("STATE_BYTES_MAX", STATE_BYTES_MAX)?),
        kind::ACCOUNT => Record::Account(read_account(fields, context)?),
        kind::UNCHANGED => Record::Unchanged(read_mention(fields, context)?),
        kind::STALE => Record::Stale(read_mention(fields, context)?),
        kind::DAMAGED => Record::Damaged(read_mention(fields, context)?),
        kind::FORGOTTEN => {
            context.number = fields.changed(context.number)?;
            Record::Forgotten(number_of(context)?)
        }
        kind => Record::Plain(read_plain(kind, fields, context)?),
    };
    Ok(record)
}

/// Reads what [`put_plain`] has appended.
pub(crate) fn read_plain<'a>(
    kind: u8,
    fields: &mut Fields<'a>,
    context: &mut Context,
) -> Result<Input<'a>, Fault> {
    let input = match kind {
        kind::CLOCK => {
            context.slot = fields.changed(context.slot)?;
            context.unix_seconds = context.unix_seconds.wrapping_add(fields.signed()?);
            Input::Clock { slot: context.slot, unix_seconds: context.unix_seconds }
        }
        kind::FEED_STATE => Input::FeedState(fields.byte()?),
        kind::EPOCH => Input::Epoch(fields.name("EPOCH_BYTES_MAX", EPOCH_BYTES_MAX)?),
        kind::SNAPSHOT_BEGIN => Input::SnapshotBegin { slot: fields.changed(context.slot)? },
        kind::SNAPSHOT_END => Input::SnapshotEnd,
        kind::TURN_END => read_turn_end(fields, context)?,
        _ => return read_quotes(kind, fields, context),
    };
    Ok(input)
}

fn read_turn_end<'a>(fields: &mut Fields<'a>, context: &mut Context) -> Result<Input<'a>, Fault> {
    context.ts_ms = fields.changed(context.ts_ms)?;
    let marks = fields.length("MARKETS_MAX", MARKETS_MAX)?;
    let marks = fields.take(marks * MARK_BYTES)?;
    let hash = fields.bytes("HASH_BYTES_MAX", HASH_BYTES_MAX)?;
    Ok(Input::TurnEnd { ts_ms: context.ts_ms, marks, hash })
}

fn read_quotes<'a>(
    kind: u8,
    fields: &mut Fields<'a>,
    context: &Context,
) -> Result<Input<'a>, Fault> {
    let input = match kind {
        kind::QUOTE_POLICY => Input::QuotePolicy { improve: fields.byte()? != 0 },
        kind::QUOTES => {
            let (market, maker) = (read_market(fields)?, Pubkey(fields.array()?));
            let ts_ms = fields.changed(context.ts_ms)?;
            Input::Quotes { market, maker, ts_ms, quotes: read_data(fields)? }
        }
        kind::EXTERNAL => {
            let market = read_market(fields)?;
            Input::External { market, bids: read_data(fields)?, asks: read_data(fields)? }
        }
        _ => return Err(Fault::Malformed("a record is of an unknown kind")),
    };
    Ok(input)
}

fn read_data<'a>(fields: &mut Fields<'a>) -> Result<&'a [u8], Fault> {
    fields.bytes("FIELD_BYTES_MAX", FIELD_BYTES_MAX)
}

fn read_market(fields: &mut Fields<'_>) -> Result<u16, Fault> {
    let market = fields.varint()?;
    u16::try_from(market).map_err(|_| Fault::Malformed("a market's id has more than 16 bits"))
}

fn read_head(fields: &mut Fields<'_>, context: &mut Context) -> Result<Head, Fault> {
    let program = Pubkey(fields.array()?);
    let created_ms = fields.varint()?;
    let epoch = fields.name("EPOCH_BYTES_MAX", EPOCH_BYTES_MAX)?.to_owned();
    let (ts_ms, slot) = (fields.varint()?, fields.varint()?);
    let unix_seconds = fields.signed()?;
    let markets = fields.length("MARKETS_MAX", MARKETS_MAX)?;
    let seqs = (0..markets).map(|_| fields.varint()).collect::<Result<_, _>>()?;
    let accounts = fields.length("ACCOUNTS_MAX", ACCOUNTS_MAX)? as u64;
    *context = Context { slot, unix_seconds, ts_ms, ..Context::default() };
    Ok(Head { program, created_ms, epoch, ts_ms, slot, unix_seconds, seqs, accounts })
}

fn read_account<'a>(
    fields: &mut Fields<'a>,
    context: &mut Context,
) -> Result<AccountRecord<'a>, Fault> {
    let flags = read_flags(fields)?;
    let is_new = flags & flag::NEW != 0;
    let Mention { number, slot, gate } = read_reference(flags, fields, context)?;
    let pubkey = is_new.then(|| fields.array().map(Pubkey)).transpose()?;
    let has_owner = is_new || flags & flag::OWNER != 0;
    let owner = has_owner.then(|| fields.array().map(Pubkey)).transpose()?;
    let has_length = is_new || flags & flag::LENGTH != 0;
    let length =
        has_length.then(|| fields.length("ACCOUNT_BYTES_MAX", ACCOUNT_BYTES_MAX)).transpose()?;
    let patch = take_patch(fields, ACCOUNT_BYTES_MAX)?;
    Ok(AccountRecord { number, slot, gate, pubkey, owner, length, patch })
}

fn read_mention(fields: &mut Fields<'_>, context: &mut Context) -> Result<Mention, Fault> {
    let flags = read_flags(fields)?;
    if flags & (flag::NEW | flag::OWNER | flag::LENGTH) != 0 {
        return Err(Fault::Malformed("a record without bytes has flags of one with bytes"));
    }
    read_reference(flags, fields, context)
}

fn read_flags(fields: &mut Fields<'_>) -> Result<u8, Fault> {
    let flags = fields.byte()?;
    if flags & !flag::ALL == 0 {
        Ok(flags)
    } else {
        Err(Fault::Malformed("an account has unknown flags"))
    }
}

/// Reads an account's number, slot and gate.
fn read_reference(
    flags: u8,
    fields: &mut Fields<'_>,
    context: &mut Context,
) -> Result<Mention, Fault> {
    if flags & flag::NEW == 0 {
        context.number = fields.changed(context.number)?;
    } else {
        context.number = context.accounts;
        context.accounts += 1;
    }
    let number = number_of(context)?;
    context.account_slot = fields.changed(context.account_slot)?;
    let gate = match flags & (flag::SNAPSHOT | flag::WRITE_VERSION) {
        0 => Gate::Arrival,
        flag::SNAPSHOT => Gate::Snapshot,
        flag::WRITE_VERSION => Gate::WriteVersion(fields.varint()?),
        _ => return Err(Fault::Malformed("an account has two gates")),
    };
    Ok(Mention { number, slot: context.account_slot, gate })
}

fn number_of(context: &Context) -> Result<usize, Fault> {
    let number = usize::try_from(context.number).ok();
    number
        .filter(|_| context.number < context.accounts)
        .ok_or(Fault::Malformed("an account's number was not given to any"))
}
