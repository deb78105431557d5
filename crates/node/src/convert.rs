//! Converts numbers, texts and bytes between JavaScript and the core.

use napi::{Error, Result, Status};
use slotbook_book::MarketId;
use slotbook_core::decode::key;
use slotbook_core::problem::Fault;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::Pubkey;

/// Parses the key of a program; an invalid key is a configuration error.
pub(crate) fn program_of(text: &str) -> Result<Pubkey> {
    key(text.as_bytes()).map_err(|_| {
        let message = format!("program id was {text}, must be base58 of 32 bytes");
        Error::new(Status::InvalidArg, message)
    })
}

/// The program whose rules have this name.
pub(crate) fn rules_of(name: &str) -> Result<Program> {
    Program::named(name).ok_or_else(|| {
        let message = format!("rules were of {name}, must be of drift or velocity");
        Error::new(Status::InvalidArg, message)
    })
}

/// Returns the market id of a number; `None` for a number that no market can have.
pub(crate) fn market_of(number: u32) -> Option<MarketId> {
    u16::try_from(number).ok().map(MarketId)
}

/// Parses the maker of an /l3 request; `None` when the text is empty.
pub(crate) fn maker_of(text: &str) -> std::result::Result<Option<Pubkey>, Fault> {
    if text.is_empty() { Ok(None) } else { key(text.as_bytes()).map(Some) }
}

/// Writes a body into `out` and returns its length; 0 without a body; when `out` is too small, the
/// negative of the length that it must have.
pub(crate) fn copy_out(body: Option<&[u8]>, out: &mut [u8]) -> i32 {
    let Some(body) = body else { return 0 };
    match out.get_mut(..body.len()) {
        Some(room) => {
            room.copy_from_slice(body);
            positive(body.len())
        }
        None => negative(body.len()),
    }
}

pub(crate) fn positive(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

pub(crate) fn negative(length: usize) -> i32 {
    -positive(length)
}

/// Converts an index or a count; a number that does not fit becomes the largest one.
pub(crate) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A count of 32 bits.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Converts a JavaScript number to an unsigned integer; negative numbers and NaN become 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

/// Converts a JavaScript number to a signed integer; NaN becomes 0.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub(crate) fn signed(number: f64) -> i64 {
    number as i64
}
