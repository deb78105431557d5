//! Little-endian reads at a fixed offset.

use crate::model::error::ProtocolError;
use crate::model::units::Pubkey;

/// Returns the bytes of a field. The caller has checked the length of the account.
#[inline]
fn field<const LEN: usize>(bytes: &[u8], at: usize) -> [u8; LEN] {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk);
    *found.expect("Invariant: fields lie inside the length that was checked")
}

/// Returns whether bytes are the same. Without the call of memcmp, which takes longer than so few
/// bytes.
#[inline]
pub(crate) fn is_same<const LEN: usize>(left: &[u8; LEN], right: &[u8; LEN]) -> bool {
    left.iter().zip(right).fold(0, |found, (one, other)| found | (one ^ other)) == 0
}

/// Returns whether bytes are zero.
#[inline]
pub(crate) fn is_zero<const LEN: usize>(bytes: &[u8; LEN]) -> bool {
    bytes.iter().fold(0, |found, byte| found | byte) == 0
}

macro_rules! reader {
    ($($name:ident -> $number:ty;)*) => {
        $(
            #[inline]
            pub(crate) fn $name(bytes: &[u8], at: usize) -> $number {
                <$number>::from_le_bytes(field(bytes, at))
            }
        )*
    };
}

reader! {
    u8_at -> u8;
    i8_at -> i8;
    u16_at -> u16;
    i16_at -> i16;
    u32_at -> u32;
    i32_at -> i32;
    u64_at -> u64;
    i64_at -> i64;
    u128_at -> u128;
    i128_at -> i128;
}

#[inline]
pub(crate) fn key_at(bytes: &[u8], at: usize) -> Pubkey {
    Pubkey(field(bytes, at))
}

/// Reads a boolean; any byte except 0 and 1 is malformed, as in the program.
#[inline]
pub(crate) fn bool_at(bytes: &[u8], at: usize, name: &'static str) -> Result<bool, ProtocolError> {
    match u8_at(bytes, at) {
        0 => Ok(false),
        1 => Ok(true),
        value => Err(ProtocolError::InvalidEnum { field: name, value }),
    }
}
