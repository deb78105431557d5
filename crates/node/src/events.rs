//! Extracts fills and funding rates from transaction logs.

use crate::convert::{program_of, rules_of};
use napi::Result;
use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;
use slotbook_protocol::event::logs::{LogScanner, LogSummary, LoggedEvent};
use slotbook_protocol::event::typed::{FundingRateRecord, OrderActionRecord, users_at_start};
use slotbook_protocol::model::enums::{Direction, OrderActionExplanation};
use slotbook_protocol::model::units::Pubkey;
use slotbook_protocol::model::{Program, ProtocolError};

/// Bytes of the head before the records: counts of fills, funding rates, events and unreadable
/// events, whether the log is truncated, and the number of users.
const HEAD_BYTES: usize = 24;

/// Bytes of one fill.
const FILL_BYTES: usize = 328;

/// Bytes of one funding rate.
const FUNDING_BYTES: usize = 160;

/// Maximum bytes of a key's text: 44 characters.
const KEY_TEXT_BYTES: usize = 44;

/// Decodes the transaction logs of one program. Fills and funding rates are returned as packed
/// records; other events are only counted.
#[napi]
pub struct LogDecoder {
    scanner: LogScanner,
    packed: Packed,
}

#[napi]
impl LogDecoder {
    /// A decoder for the events of one program. `rules` names the program whose records that of `program_id` logs, by
    /// default those of the address. Throws when `program_id` is not a base58 key, or `rules` no program.
    #[napi(constructor)]
    pub fn new(program_id: String, rules: Option<String>) -> Result<Self> {
        let program = program_of(&program_id)?;
        let rules = rules.map_or_else(|| Ok(Program::of(&program)), |name| rules_of(&name))?;
        Ok(Self { scanner: LogScanner::of(rules, &program), packed: Packed::default() })
    }

    /// Decodes the log lines of one successful transaction, and writes the records into `out`.
    /// Returns the number of bytes; when they do not fit, nothing is written, and `copy` returns
    /// them.
    #[napi]
    pub fn decode(&mut self, lines: Vec<String>, out: BufferSlice<'_>) -> u32 {
        let packed = &mut self.packed;
        packed.clear();
        let summary = self.scanner.scan(&lines, |event| packed.note(&event));
        packed.finish(summary);
        self.copy(out)
    }

    /// Writes the records that were decoded last into `out`, if they fit. Returns their number of
    /// bytes.
    #[napi]
    pub fn copy(&self, mut out: BufferSlice<'_>) -> u32 {
        let bytes = self.packed.bytes.as_slice();
        if let Some(room) = out.get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
        }
        u32::try_from(bytes.len()).unwrap_or(u32::MAX)
    }
}

/// Returns the names of `actionExplanation`, in the order of their byte values.
#[napi]
pub fn order_action_explanations() -> Vec<String> {
    OrderActionExplanation::ALL.iter().map(|variant| variant.name().to_owned()).collect()
}

/// The records in the format that JavaScript reads, little-endian. `src/engine/events.ts` uses the
/// same offsets.
#[derive(Default)]
struct Packed {
    /// The head, then the fills, the funding rates and the keys of users, as bytes.
    bytes: Vec<u8>,
    fundings: Vec<u8>,
    users: Vec<Pubkey>,
}

impl Packed {
    fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.resize(HEAD_BYTES, 0);
        self.fundings.clear();
        self.users.clear();
    }

    fn note(&mut self, event: &LoggedEvent<'_>) -> core::result::Result<(), ProtocolError> {
        match event.layout.name {
            OrderActionRecord::NAME => {
                let record = OrderActionRecord::read(event.layout, event.data)?;
                self.note_users(record.taker.into_iter().chain(record.maker));
                if record.filled()?.is_some() {
                    push_fill(&mut self.bytes, event.index, &record);
                }
            }
            FundingRateRecord::NAME => {
                let record = FundingRateRecord::read(event.layout, event.data)?;
                push_funding(&mut self.fundings, event.index, &record);
            }
            _ => self.note_users(users_at_start(event.layout, event.data)),
        }
        Ok(())
    }

    /// The keys are searched linearly, because a transaction names few users.
    fn note_users(&mut self, users: impl Iterator<Item = Pubkey>) {
        for user in users {
            if !self.users.contains(&user) {
                self.users.push(user);
            }
        }
    }

    fn finish(&mut self, summary: LogSummary) {
        let fills = (self.bytes.len() - HEAD_BYTES) / FILL_BYTES;
        let fundings = self.fundings.len() / FUNDING_BYTES;
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let head = [
            count(fills),
            count(fundings),
            summary.events,
            summary.unreadable,
            u32::from(summary.is_truncated),
            count(self.users.len()),
        ];
        for (at, word) in head.into_iter().enumerate() {
            self.bytes[at * 4..][..4].copy_from_slice(&word.to_le_bytes());
        }
        self.bytes.extend_from_slice(&self.fundings);
        for user in &self.users {
            let key = KeyText::of(Some(*user));
            self.bytes.push(key.length());
            self.bytes.extend_from_slice(&key.bytes);
        }
    }
}

/// Appends a fill: 16 bytes of small numbers, ids and lengths of keys, then numbers of 8 bytes,
/// then keys.
fn push_fill(out: &mut Vec<u8>, index: u32, fill: &OrderActionRecord) {
    let start = out.len();
    out.extend_from_slice(&index.to_le_bytes());
    out.extend_from_slice(&fill.market_index.to_le_bytes());
    out.extend_from_slice(&[
        fill.action_explanation as u8,
        fill.market_type as u8,
        direction(fill.taker_direction),
        direction(fill.maker_direction),
        fill.bit_flags,
        0,
    ]);
    let presence = out.len();
    out.extend_from_slice(&[0; 4]);
    let small = [fill.taker_order_id, fill.maker_order_id, fill.referrer_reward];
    for number in small {
        out.extend_from_slice(&number.unwrap_or(0).to_le_bytes());
    }
    let keys = [fill.filler, fill.taker, fill.maker].map(KeyText::of);
    out.extend_from_slice(&[keys[0].length(), keys[1].length(), keys[2].length(), 0]);
    out.extend_from_slice(&fill.ts.to_le_bytes());
    out.extend_from_slice(&fill.oracle_price.to_le_bytes());
    let wide = wide_numbers(fill);
    for number in wide {
        out.extend_from_slice(&number.unwrap_or([0; 8]));
    }
    let mut present = 0_u32;
    let flags = small.iter().map(Option::is_some).chain(wide.iter().map(Option::is_some));
    for (bit, is_present) in flags.enumerate() {
        present |= u32::from(is_present) << bit;
    }
    out[presence..presence + 4].copy_from_slice(&present.to_le_bytes());
    for key in &keys {
        out.extend_from_slice(&key.bytes);
    }
    out.resize(start + FILL_BYTES, 0);
}

fn wide_numbers(fill: &OrderActionRecord) -> [Option<[u8; 8]>; 18] {
    [
        fill.filler_reward.map(u64::to_le_bytes),
        fill.fill_record_id.map(u64::to_le_bytes),
        fill.base_filled.map(u64::to_le_bytes),
        fill.quote_filled.map(u64::to_le_bytes),
        fill.taker_fee.map(u64::to_le_bytes),
        fill.maker_fee.map(i64::to_le_bytes),
        fill.quote_surplus.map(i64::to_le_bytes),
        fill.spot_method_fee.map(u64::to_le_bytes),
        fill.taker_base.map(u64::to_le_bytes),
        fill.taker_base_filled.map(u64::to_le_bytes),
        fill.taker_quote_filled.map(u64::to_le_bytes),
        fill.maker_base.map(u64::to_le_bytes),
        fill.maker_base_filled.map(u64::to_le_bytes),
        fill.maker_quote_filled.map(u64::to_le_bytes),
        fill.taker_existing_quote.map(u64::to_le_bytes),
        fill.taker_existing_base.map(u64::to_le_bytes),
        fill.maker_existing_quote.map(u64::to_le_bytes),
        fill.maker_existing_base.map(u64::to_le_bytes),
    ]
}

/// Returns 0 for no direction, otherwise the program's value plus 1.
fn direction(direction: Option<Direction>) -> u8 {
    direction.map_or(0, |direction| direction as u8 + 1)
}

/// Appends a funding rate: two small numbers, then numbers of 8 bytes, then numbers of 16 bytes.
fn push_funding(out: &mut Vec<u8>, index: u32, rate: &FundingRateRecord) {
    let start = out.len();
    out.extend_from_slice(&index.to_le_bytes());
    out.extend_from_slice(&u32::from(rate.market_index).to_le_bytes());
    out.extend_from_slice(&rate.ts.to_le_bytes());
    out.extend_from_slice(&rate.record_id.to_le_bytes());
    out.extend_from_slice(&rate.funding_rate.to_le_bytes());
    out.extend_from_slice(&rate.oracle_twap.to_le_bytes());
    out.extend_from_slice(&rate.mark_twap.to_le_bytes());
    out.extend_from_slice(&rate.period_revenue.to_le_bytes());
    let wide = [
        rate.funding_rate_long,
        rate.funding_rate_short,
        rate.cumulative_long,
        rate.cumulative_short,
        rate.base_with_amm,
        rate.base_with_unsettled_lp,
    ];
    for number in wide {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.resize(start + FUNDING_BYTES, 0);
}

/// A key in base58, padded with zeros; all zeros when there is no key.
struct KeyText {
    bytes: [u8; KEY_TEXT_BYTES],
    length: u8,
}

impl KeyText {
    fn of(key: Option<Pubkey>) -> Self {
        let mut bytes = [0; KEY_TEXT_BYTES];
        let length = key.map_or(0, |key| five8::encode_32(&key.0, &mut bytes));
        Self { bytes, length }
    }

    fn length(&self) -> u8 {
        self.length
    }
}

const _: () = assert!(
    FILL_BYTES >= 16 + 16 + 20 * 8 + 3 * KEY_TEXT_BYTES,
    "a fill holds its numbers and keys"
);
const _: () = assert!(FUNDING_BYTES >= 8 + 6 * 8 + 6 * 16, "a funding rate holds its numbers");
