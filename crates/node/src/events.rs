//! Finds the program's records in transaction logs, and renders stored ones.

use crate::convert::{count, program_of, rules_of};
use napi::bindgen_prelude::{BigInt, Buffer, Uint8Array};
use napi::{Error, Result, Status};
use napi_derive::napi;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::event::field::EventLayout;
use slotbook_protocol::model::event::head::{Head, Kind, Party, users_at_start};
use slotbook_protocol::model::event::logs::{LogScanner, LoggedEvent};
use slotbook_protocol::model::units::Pubkey;
use slotbook_protocol::model::{Program, ProtocolError};
use slotbook_wire::record::{Form, Record, RecordMarket, RecordWriter, push_names};

/// The number of no market.
const NO_MARKET: i32 = -1;

/// Finds the records of one program in transaction logs.
#[napi]
pub struct LogDecoder {
    scanner: LogScanner,
}

/// What the logs of a transaction tell.
#[napi(object)]
pub struct DecodedLog {
    /// The bytes of all records, one after the other.
    pub bytes: Buffer,
    /// Their heads, in the order of the logs.
    pub records: Vec<RecordHead>,
    /// User accounts that the records name, base58.
    pub users: Vec<String>,
    /// Events of the program that could not be read.
    pub unreadable: u32,
    /// Whether the runtime cut the logs.
    pub is_truncated: bool,
}

/// An account of a record.
#[napi(object)]
pub struct RecordParty {
    /// The first eight bytes of its key, as a signed number, big-endian.
    pub key: BigInt,
    /// The order that the record is about.
    pub order_id: Option<u32>,
}

/// The head of a record.
#[napi(object)]
pub struct RecordHead {
    /// The number of its kind.
    pub kind: u32,
    /// Its index among the program's events of the transaction.
    pub index: u32,
    /// The chain's time, unix seconds.
    pub ts: i64,
    /// Twice the index of its market, plus one for spot; -1 without one.
    pub market: i32,
    /// The program's number of it.
    pub id: Option<BigInt>,
    /// The accounts by which it is found.
    pub parties: Vec<RecordParty>,
    /// The base of a fill, as logged.
    pub base: Option<BigInt>,
    /// The quote of a fill.
    pub quote: Option<BigInt>,
    /// The oracle's price at a fill.
    pub oracle: Option<BigInt>,
    /// Of a funding rate, per hour, at 1e18.
    pub fraction: Option<BigInt>,
    /// Where its bytes begin.
    pub start: u32,
    /// Where its bytes end.
    pub end: u32,
}

/// A stored record.
#[napi(object)]
pub struct StoredRecord {
    /// As logged.
    pub bytes: Uint8Array,
    /// Of its transaction, base58.
    pub tx_sig: String,
    /// Of its transaction.
    pub slot: i64,
    /// As in its head.
    pub index: u32,
    /// As in its head.
    pub market: i32,
}

/// A market of records.
#[napi(object)]
pub struct NamedMarket {
    /// Its number, as in the head of a record.
    pub code: i32,
    /// Its name.
    pub symbol: String,
    /// The decimals of its base token.
    pub decimals: u32,
}

#[napi]
impl LogDecoder {
    /// A decoder for the events of one program. `rules` names the program whose records that of `program_id` logs, by
    /// default those of the address. Throws when `program_id` is not a base58 key, or `rules` no program.
    #[napi(constructor)]
    pub fn new(program_id: String, rules: Option<String>) -> Result<Self> {
        let program = program_of(&program_id)?;
        let rules = rules.map_or_else(|| Ok(Program::of(&program)), |name| rules_of(&name))?;
        Ok(Self { scanner: LogScanner::of(rules, &program) })
    }

    /// Decodes the log lines of one successful transaction.
    #[napi]
    pub fn decode(&mut self, lines: Vec<String>) -> DecodedLog {
        let (mut bytes, mut records, mut users) = (Vec::new(), Vec::new(), Vec::new());
        let summary = self.scanner.scan(&lines, |event| {
            let head = Head::read(event.layout, event.data)?;
            note_users(&event, &head, &mut users);
            let start = count(bytes.len());
            bytes.extend_from_slice(event.data);
            let place = (event.index, start, count(bytes.len()));
            records.push(head_of(&head, place));
            Ok(())
        });
        let users = users.iter().map(ToString::to_string).collect();
        let (unreadable, is_truncated) = (summary.unreadable, summary.is_truncated);
        DecodedLog { bytes: bytes.into(), records, users, unreadable, is_truncated }
    }
}

/// The keys are searched linearly, because a transaction names few users.
fn note_users(event: &LoggedEvent<'_>, head: &Head, users: &mut Vec<Pubkey>) {
    let is_action = matches!(head.kind, Kind::Trade | Kind::Transfer | Kind::OrderAction);
    let parties = head.parties.iter().flatten().filter(|_| is_action).map(|party| party.key);
    let named = users_at_start(event.layout, event.data);
    for user in parties.chain(named) {
        if !users.contains(&user) {
            users.push(user);
        }
    }
}

fn head_of(head: &Head, (index, start, end): (u32, u32, u32)) -> RecordHead {
    RecordHead {
        kind: u32::from(head.kind as u8),
        index,
        ts: head.ts,
        market: head.market.map_or(NO_MARKET, |(of, index)| {
            i32::from(index) * 2 + i32::from(of == MarketType::Spot)
        }),
        id: head.id.map(BigInt::from),
        parties: head.parties.iter().flatten().map(party_of).collect(),
        base: head.amounts.map(|amounts| BigInt::from(amounts.base)),
        quote: head.amounts.map(|amounts| BigInt::from(amounts.quote)),
        oracle: head.amounts.map(|amounts| BigInt::from(amounts.oracle)),
        fraction: head.fraction.map(BigInt::from),
        start,
        end,
    }
}

fn party_of(party: &Party) -> RecordParty {
    let [first, ..] = party.key.0.as_chunks().0 else { unreachable!("a key has eight bytes") };
    RecordParty { key: BigInt::from(i64::from_be_bytes(*first)), order_id: party.order_id }
}

/// Reads the heads of stored records of a program (`drift` or `velocity`) again. Throws when one
/// cannot be read.
#[napi]
pub fn read_records(program: String, records: Vec<Uint8Array>) -> Result<Vec<RecordHead>> {
    let program = rules_of(&program)?;
    let head = |bytes: &Uint8Array| {
        let layout = layout_of(program, bytes)?;
        let head = Head::read(layout, bytes).map_err(|error| unreadable(&error))?;
        Ok(head_of(&head, (0, 0, count(bytes.len()))))
    };
    records.iter().map(head).collect()
}

/// Renders stored records of a program in a format: `spec`, `records`, `named`, `stream`,
/// `channel`, or `csv` of a kind by the name of its record. JSON objects are separated by commas.
/// `user` is added to each as the account whose records these are. Throws when a record cannot be
/// read.
#[napi]
pub fn render_records(
    program: String,
    form: String,
    records: Vec<StoredRecord>,
    markets: Vec<NamedMarket>,
    user: Option<String>,
) -> Result<Buffer> {
    let program = rules_of(&program)?;
    let mut out = Vec::new();
    let form = form_of(&form, &mut out);
    let mut writer = RecordWriter::new(form, user.as_deref());
    for record in &records {
        let market = markets.iter().find(|market| market.code == record.market);
        let row = Record {
            layout: layout_of(program, &record.bytes)?,
            data: &record.bytes,
            signature: &record.tx_sig,
            slot: u64::try_from(record.slot).unwrap_or(0),
            index: record.index,
            market: market.map(named),
        };
        writer.push(&row, &mut out).map_err(|error| unreadable(&error))?;
    }
    Ok(out.into())
}

/// Returns the format of a name; for CSV, whose name is that of a record, writes its first line.
fn form_of(name: &str, out: &mut Vec<u8>) -> Form {
    match name {
        "spec" => Form::Spec,
        "records" => Form::Records,
        "orders" => Form::Orders,
        "named" => Form::Named,
        "stream" => Form::Stream,
        "channel" => Form::Channel,
        record => {
            push_names(record, out);
            Form::Csv
        }
    }
}

fn named(market: &NamedMarket) -> RecordMarket<'_> {
    RecordMarket { symbol: &market.symbol, decimals: market.decimals }
}

fn layout_of(program: Program, data: &[u8]) -> Result<&'static EventLayout> {
    let layouts = program.events();
    let layout = layouts.iter().copied().find(|layout| layout.check(data).is_ok());
    layout.ok_or_else(|| Error::new(Status::InvalidArg, "a record was of no kind of the program"))
}

fn unreadable(error: &ProtocolError) -> Error {
    Error::new(Status::InvalidArg, format!("a record could not be read: {error}"))
}
