//! JSON text, byte by byte, without allocation once the caller's buffer has grown.

use std::ops::Range;

use slotbook_protocol::model::units::{Price, Pubkey};

use crate::digits::{DIGITS_END, Digits};
use crate::key_texts::with_key_text;
use crate::line::Line;

/// Appends a literal of JSON text to a [`JsonWriter`], in the plain or the escaped form that the
/// writer needs.
#[macro_export]
macro_rules! literal {
    ($json:expr, $text:literal) => {{
        const PLAIN: &[u8] = $text;
        const NESTED_BYTES: usize = $crate::writer::nested_bytes(PLAIN);
        const NESTED: &[u8] = &$crate::writer::nested_text::<NESTED_BYTES>(PLAIN);
        $json.either(PLAIN, NESTED);
    }};
}
pub use literal;

/// Appends literals of JSON text to a [`JsonWriter`], each with its value: `members!(json,
/// b"{\"seq\":" => u64(seq), b"}")`.
#[macro_export]
macro_rules! members {
    ($json:expr, $($text:literal $(=> $write:ident($($value:expr),+))?),+ $(,)?) => {{$(
        $crate::writer::literal!($json, $text);
        $($json.$write($($value),+);)?
    )+}};
}
pub use members;

/// The largest power of ten in a `u64`; a `u128` is written in pieces of this size.
const U64_POWER_OF_TEN_MAX: u64 = 10_000_000_000_000_000_000;

/// Digits of a piece.
const PIECE_DIGITS: usize = 19;

/// Appends JSON text to the caller's buffer.
///
/// The writer has methods for values but none for structure: each body's module writes its
/// punctuation with [`JsonWriter::raw`], so commas and nesting need no bookkeeping.
///
/// A `NESTED` writer writes the same text for the inside of a JSON string, with every quote and
/// backslash escaped. `literal!` provides both forms of punctuation at compile time: escaping a
/// rendered body would cost twice as much as rendering it.
#[derive(Debug)]
pub struct JsonWriter<'a, const NESTED: bool = false> {
    out: &'a mut Vec<u8>,
}

impl<'a> JsonWriter<'a> {
    /// A writer that appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }
}

impl<'a> JsonWriter<'a, true> {
    /// A writer that appends the inside of a string to `out`.
    pub fn nested(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }
}

impl<const NESTED: bool> JsonWriter<'_, NESTED> {
    /// Appends raw bytes, without escaping: digits, and punctuation without quotes.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Returns the length of the buffer, including earlier content.
    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// Appends a copy of an earlier range.
    pub(crate) fn repeat(&mut self, place: Range<usize>) {
        self.out.extend_from_within(place);
    }

    /// Appends the plain or the escaped form of a text, whichever this writer needs. See
    /// `literal!`.
    #[inline]
    pub fn either(&mut self, plain: &[u8], nested: &[u8]) {
        self.raw(if NESTED { nested } else { plain });
    }

    /// Appends an unsigned number.
    #[inline]
    pub fn u64(&mut self, value: u64) {
        match Digits::of(value) {
            Some(digits) => self.digits(&digits),
            None => self.long_u64(value),
        }
    }

    /// Numbers of this length are rare.
    #[cold]
    fn long_u64(&mut self, value: u64) {
        self.u64(value / DIGITS_END);
        self.digits(&Digits::last_of(value));
    }

    /// Appends the values of a list, separated by commas.
    #[inline]
    pub fn list<T>(
        &mut self,
        values: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        let mut is_first = true;
        // `for_each` lets adapters with a peeked item check for it once, and not at each value as
        // in a loop.
        values.into_iter().for_each(|value| {
            if !is_first {
                self.raw(b",");
            }
            write(self, value);
            is_first = false;
        });
    }

    /// Appends a value, or `null`.
    #[inline]
    pub fn or_null<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) => write(self, value),
            None => self.raw(b"null"),
        }
    }

    /// Appends a price as a string of digits, or `null`.
    pub fn price_or_null(&mut self, price: Option<Price>) {
        self.or_null(price, |json, price| members!(json, b"\"" => u64(price.0), b"\""));
    }

    #[inline]
    fn digits(&mut self, digits: &Digits) {
        self.padded(&digits.text, digits.count);
    }

    /// Appends the first `length` bytes of a text. Copies the whole text and truncates, because
    /// moves of fixed length cost less than a call.
    #[inline]
    pub(crate) fn padded<const ROOM: usize>(&mut self, text: &[u8; ROOM], length: usize) {
        let end = self.out.len() + length;
        self.out.extend_from_slice(text);
        self.out.truncate(end);
    }

    /// Appends a line of at most `MAX` bytes, written in place, so that each piece checks the
    /// line's length instead of the buffer's capacity.
    #[inline(always)]
    pub(crate) fn line<const MAX: usize>(
        &mut self,
        write: impl FnOnce(&mut Line<'_, MAX, NESTED>),
    ) {
        let start = self.out.len();
        self.out.extend_from_slice(&[0; MAX]);
        let text = self.out.last_chunk_mut().expect("Invariant: so much was appended");
        let end = start + Line::fill(text, write);
        self.out.truncate(end);
    }

    /// Appends a signed number.
    #[inline]
    pub fn i64(&mut self, value: i64) {
        if value < 0 {
            self.raw(b"-");
        }
        self.u64(value.unsigned_abs());
    }

    /// Appends an unsigned number of up to 39 digits.
    #[inline]
    pub fn u128(&mut self, value: u128) {
        match u64::try_from(value) {
            Ok(small) => self.u64(small),
            Err(_) => self.u128_in_pieces(value),
        }
    }

    /// Appends a signed number of up to 39 digits.
    pub fn i128(&mut self, value: i128) {
        if value < 0 {
            self.raw(b"-");
        }
        self.u128(value.unsigned_abs());
    }

    /// Appends a signed amount as a string of digits.
    pub fn amount(&mut self, value: i128) {
        members!(self, b"\"" => i128(value), b"\"");
    }

    /// Appends a signed amount as a string of digits, or `null`.
    pub fn amount_or_null(&mut self, value: Option<i128>) {
        self.or_null(value, Self::amount);
    }

    #[cold]
    fn u128_in_pieces(&mut self, value: u128) {
        let piece = u128::from(U64_POWER_OF_TEN_MAX);
        self.u128(value / piece);
        let low = u64::try_from(value % piece)
            .expect("Invariant: a remainder by a u64 divisor fits into a u64");
        let digits = low.checked_ilog10().map_or(1, |log| log as usize + 1);
        self.raw(&[b'0'; PIECE_DIGITS][digits..]);
        self.u64(low);
    }

    /// Appends `true` or `false`.
    #[inline]
    pub fn bool(&mut self, value: bool) {
        // The literals have a fixed length each, which makes a move instead of a call.
        if value { self.raw(b"true") } else { self.raw(b"false") }
    }

    /// Appends a quoted base58 key.
    #[inline]
    pub fn key(&mut self, key: &Pubkey) {
        literal!(self, b"\"");
        self.key_text(key);
        literal!(self, b"\"");
    }

    /// Appends a base58 key without quotes.
    #[inline]
    pub(crate) fn key_text(&mut self, key: &Pubkey) {
        with_key_text(key, |key| self.padded(&key.text, key.length.into()));
    }

    /// Appends a quoted string, escaped exactly as `JSON.stringify` does it.
    ///
    /// Market names come from the chain, where the lister of a market chooses its name.
    pub fn string(&mut self, text: &str) {
        literal!(self, b"\"");
        let bytes = text.as_bytes();
        let mut clean_from = 0;
        for (index, byte) in bytes.iter().enumerate() {
            if *byte >= 0x20 && *byte != b'"' && *byte != b'\\' {
                continue;
            }
            self.raw(&bytes[clean_from..index]);
            self.escape(*byte);
            clean_from = index + 1;
        }
        self.raw(&bytes[clean_from..]);
        literal!(self, b"\"");
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => literal!(self, b"\\\""),
            b'\\' => literal!(self, b"\\\\"),
            0x08 => literal!(self, b"\\b"),
            0x09 => literal!(self, b"\\t"),
            0x0a => literal!(self, b"\\n"),
            0x0c => literal!(self, b"\\f"),
            0x0d => literal!(self, b"\\r"),
            _ => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                literal!(self, b"\\u00");
                self.raw(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
        }
    }
}

/// The length of a text after escaping.
#[must_use]
pub const fn nested_bytes(text: &[u8]) -> usize {
    let (mut at, mut bytes) = (0, text.len());
    while at < text.len() {
        bytes += is_escaped(text[at]) as usize;
        at += 1;
    }
    bytes
}

/// Escapes a text at compile time. The text must not contain control characters, which JSON
/// punctuation never does.
///
/// # Panics
/// Panics, at compile time, for a text with a control character.
#[must_use]
pub const fn nested_text<const BYTES: usize>(text: &[u8]) -> [u8; BYTES] {
    let mut nested = [0; BYTES];
    let (mut at, mut end) = (0, 0);
    while at < text.len() {
        assert!(text[at] >= 0x20, "a literal of JSON text has no control characters");
        if is_escaped(text[at]) {
            nested[end] = b'\\';
            end += 1;
        }
        nested[end] = text[at];
        end += 1;
        at += 1;
    }
    nested
}

const fn is_escaped(byte: u8) -> bool {
    byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut JsonWriter::new(&mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_at_the_edges_of_digit_pairs_are_exact() {
        for value in [0, 1, 9, 10, 11, 99, 100, 101, 999, 1_000, u64::MAX - 1, u64::MAX] {
            assert_eq!(written(|json| json.u64(value)), value.to_string());
        }
        for value in [0, u128::from(u64::MAX) + 1, 10_u128.pow(38), u128::MAX] {
            assert_eq!(written(|json| json.u128(value)), value.to_string());
        }
        for value in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!(written(|json| json.i64(value)), value.to_string());
        }
    }

    #[test]
    fn every_pair_of_four_digits_is_exact() {
        for part in 0..10_000 {
            for value in [part, part * 10_000, part * 10_000 + 9_999, part * 100_000_000 + part] {
                assert_eq!(written(|json| json.u64(value)), value.to_string());
            }
        }
    }

    #[test]
    fn zeros_inside_a_number_of_two_pieces_are_kept() {
        let value = 7 * 10_u128.pow(19) + 3;
        assert_eq!(written(|json| json.u128(value)), "70000000000000000003");
    }

    proptest! {
        #[test]
        fn unsigned_numbers_equal_the_standard_text(value: u128, shift in 0_u32..128) {
            let value = value >> shift;
            prop_assert_eq!(written(|json| json.u128(value)), value.to_string());
        }

        #[test]
        fn strings_equal_serde_json(text: String) {
            let expected = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(written(|json| json.string(&text)), expected);
        }

        #[test]
        fn keys_read_back(bytes: [u8; 32]) {
            let text = written(|json| json.key(&Pubkey(bytes)));
            let back = bs58::decode(text.trim_matches('"')).into_vec().unwrap();
            prop_assert_eq!(back, bytes.to_vec());
        }
    }
}
