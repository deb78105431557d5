//! Workload files: seeded raw accounts and the events that move the book.

use std::path::Path;

use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::{OraclePrice, Pubkey, Slot, UnixSeconds};

use crate::error::BenchError;

const MAGIC: &[u8] = b"SBWL0001";
const ACCOUNT_HEAD_BYTES: usize = 45;
const ORACLE_BYTES: usize = 19;
const SLOT_BYTES: usize = 17;

/// One record of a workload. See `bench/workload/generate.mjs` for the bytes.
#[derive(Clone, Copy, Debug)]
pub enum Record<'a> {
    /// A user account in its new state.
    Account {
        /// The slot of this state.
        slot: Slot,
        /// The account's key.
        key: Pubkey,
        /// The account's bytes.
        data: &'a [u8],
    },
    /// A new oracle price of a perp market.
    Oracle {
        /// Index of the perp market.
        market: u16,
        /// The price, 1e6.
        price: OraclePrice,
        /// The slot of the price.
        slot: Slot,
    },
    /// The chain moves on.
    Clock {
        /// The new slot.
        slot: Slot,
        /// The chain's time in seconds.
        now: UnixSeconds,
    },
}

/// The arguments a workload was made with, as far as a replay needs them.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The program of the accounts.
    pub program: Program,
    /// User accounts of the load.
    pub users: usize,
    /// Order slots that each account uses.
    pub orders: usize,
    /// Perp markets, numbered from 0.
    pub markets: u16,
    /// Price step of every market, 1e6.
    pub tick: u64,
    /// Size step of every market, 1e9.
    pub step: u64,
    /// Slot of the load.
    pub slot: Slot,
    /// Unix time of the load.
    pub now: UnixSeconds,
}

/// A workload in memory.
#[derive(Debug)]
pub struct Workload {
    /// The arguments of the generator.
    pub config: Config,
    bytes: Vec<u8>,
    load: Vec<usize>,
    events: Vec<usize>,
}

impl Workload {
    /// Reads a workload file.
    ///
    /// # Errors
    /// When the file cannot be read or is not a workload.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let bytes = std::fs::read(path).map_err(BenchError::Io)?;
        if !bytes.starts_with(MAGIC) {
            return Err(BenchError::Malformed { what: "magic", at: 0 });
        }
        let header_bytes = word(&bytes, MAGIC.len())?;
        let start = MAGIC.len() + 4;
        let header =
            bytes.get(start..start + header_bytes).and_then(|json| str::from_utf8(json).ok());
        let config =
            read_config(header.ok_or(BenchError::Malformed { what: "header", at: start })?)?;
        let mut load = record_places(&bytes, start + header_bytes)?;
        let events = load.split_off(config.users + usize::from(config.markets));
        Ok(Self { config, bytes, load, events })
    }

    /// The first state of every account, then the first price of every market.
    pub fn load(&self) -> impl Iterator<Item = Record<'_>> {
        self.load.iter().filter_map(|at| read_record(&self.bytes, *at))
    }

    /// The events after the load.
    pub fn events(&self) -> impl Iterator<Item = Record<'_>> {
        self.events.iter().filter_map(|at| read_record(&self.bytes, *at))
    }

    /// The last slot and time of the file.
    #[must_use]
    pub fn end(&self) -> (Slot, UnixSeconds) {
        let clock = |record| match record {
            Record::Clock { slot, now } => Some((slot, now)),
            _ => None,
        };
        self.events().filter_map(clock).last().unwrap_or((self.config.slot, self.config.now))
    }
}

fn read_config(json: &str) -> Result<Config, BenchError> {
    let number = |name: &'static str| {
        let key = format!("\"{name}\":");
        let rest = json.split_once(&key).map(|(_, rest)| rest).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse::<u64>().map_err(|_| BenchError::Malformed { what: name, at: 0 })
    };
    let small = |name| number(name).map(|value| usize::try_from(value).unwrap_or(usize::MAX));
    let program = json.split_once("\"program\":\"").and_then(|(_, rest)| rest.split_once('"'));
    let program = program.and_then(|(name, _)| Program::named(name));
    Ok(Config {
        program: program.ok_or(BenchError::Malformed { what: "program", at: 0 })?,
        users: small("users")?,
        orders: small("orders")?,
        markets: u16::try_from(number("markets")?).unwrap_or(u16::MAX),
        tick: number("tick")?,
        step: number("step")?,
        slot: Slot(number("slot")?),
        now: UnixSeconds(i64::try_from(number("ts")?).unwrap_or(i64::MAX)),
    })
}

fn record_places(bytes: &[u8], start: usize) -> Result<Vec<usize>, BenchError> {
    let mut places = Vec::new();
    let mut at = start;
    while at < bytes.len() {
        places.push(at);
        at += match bytes[at] {
            1 => ACCOUNT_HEAD_BYTES + word(bytes, at + 41)?,
            2 => ORACLE_BYTES,
            3 => SLOT_BYTES,
            _ => return Err(BenchError::Malformed { what: "record kind", at }),
        };
    }
    if at > bytes.len() {
        return Err(BenchError::Malformed { what: "last record", at });
    }
    Ok(places)
}

fn read_record(bytes: &[u8], at: usize) -> Option<Record<'_>> {
    let record = bytes.get(at..)?;
    Some(match record.first()? {
        1 => Record::Account {
            slot: Slot(u64::from_le_bytes(array(record, 1)?)),
            key: Pubkey(array(record, 9)?),
            data: record.get(ACCOUNT_HEAD_BYTES..)?.get(..word(record, 41).ok()?)?,
        },
        2 => Record::Oracle {
            market: u16::from_le_bytes(array(record, 1)?),
            price: OraclePrice(i64::from_le_bytes(array(record, 3)?)),
            slot: Slot(u64::from_le_bytes(array(record, 11)?)),
        },
        _ => Record::Clock {
            slot: Slot(u64::from_le_bytes(array(record, 1)?)),
            now: UnixSeconds(i64::from_le_bytes(array(record, 9)?)),
        },
    })
}

fn word(bytes: &[u8], at: usize) -> Result<usize, BenchError> {
    let word = array(bytes, at).map(u32::from_le_bytes);
    let word = word.ok_or(BenchError::Malformed { what: "length", at })?;
    usize::try_from(word).map_err(|_| BenchError::Malformed { what: "length", at })
}

/// `N` bytes at an offset.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}
