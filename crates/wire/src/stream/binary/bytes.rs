//! Codec of numbers in binary frames.

use slotbook_protocol::model::varint::zigzag;

use super::error::DecodeError;

/// Maximum bytes of a 64-bit varint.
const VARINT_BYTES_MAX: usize = 10;

/// The first number whose varint exceeds eight bytes.
const WORD_END: u64 = 1 << 56;

/// The largest number that a double represents exactly.
const EXACT_MAX: u64 = (1 << 53) - 1;

/// Maximum bytes of a 128-bit varint.
const WIDE_BYTES_MAX: usize = 19;

/// Appends to the caller's buffer.
#[derive(Debug)]
pub(crate) struct ByteWriter<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> ByteWriter<'a> {
    pub(crate) const fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Four bytes, little-endian.
    pub(crate) fn u32(&mut self, value: u32) {
        self.raw(&value.to_le_bytes());
    }

    /// Appends a varint: seven bits in each byte, the lowest first; the highest bit marks a
    /// continuation.
    ///
    /// The bytes are gathered in a register, written as one word and truncated: this avoids a copy
    /// of variable length, and a load that overlaps single-byte stores.
    #[inline]
    pub(crate) fn varint(&mut self, value: u64) {
        if value >= WORD_END {
            self.wide(u128::from(value));
            return;
        }
        let (mut word, mut rest, mut more) = (0, value, 0);
        while rest >= 0x80 {
            word |= (rest & 0x7f | 0x80) << (8 * more);
            rest >>= 7;
            more += 1;
        }
        word |= rest << (8 * more);
        let end = self.out.len() + 1 + more;
        self.raw(&word.to_le_bytes());
        self.out.truncate(end);
    }

    /// As [`ByteWriter::varint`], for 128 bits.
    pub(crate) fn wide(&mut self, mut value: u128) {
        loop {
            match u64::try_from(value) {
                Ok(value) if value < WORD_END => return self.varint(value),
                _ => self.byte(low_byte(value) | 0x80),
            }
            value >>= 7;
        }
    }

    /// A signed number in zigzag encoding.
    pub(crate) fn zigzag(&mut self, value: i64) {
        self.varint(zigzag(value));
    }

    pub(crate) fn text(&mut self, text: &[u8]) {
        self.varint(text.len() as u64);
        self.raw(text);
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low bits are what is meant")]
const fn low_byte(value: u128) -> u8 {
    value as u8
}

#[derive(Debug)]
pub(super) struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn byte(&mut self) -> Result<u8, DecodeError> {
        let (first, rest) = self.rest.split_first().ok_or(DecodeError::Cut)?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn raw(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(DecodeError::Cut)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32, DecodeError> {
        let bytes = self.raw(4)?.first_chunk().ok_or(DecodeError::Cut)?;
        Ok(u32::from_le_bytes(*bytes))
    }

    /// A number that a double represents exactly.
    pub(super) fn varint(&mut self) -> Result<u64, DecodeError> {
        let value = self.long()?;
        if value > EXACT_MAX { Err(DecodeError::TooLarge) } else { Ok(value) }
    }

    pub(super) fn long(&mut self) -> Result<u64, DecodeError> {
        u64::try_from(self.digits(VARINT_BYTES_MAX)?).map_err(|_| DecodeError::TooLarge)
    }

    pub(super) fn wide(&mut self) -> Result<u128, DecodeError> {
        self.digits(WIDE_BYTES_MAX)
    }

    /// Reads the number of items, each of which has at least one byte.
    pub(super) fn count(&mut self) -> Result<usize, DecodeError> {
        let count = usize::try_from(self.varint()?).map_err(|_| DecodeError::Cut)?;
        if count > self.rest.len() { Err(DecodeError::Cut) } else { Ok(count) }
    }

    pub(super) fn text(&mut self, length_max: usize) -> Result<&'a str, DecodeError> {
        let length = self.count()?;
        if length > length_max {
            return Err(DecodeError::TooLarge);
        }
        std::str::from_utf8(self.raw(length)?).map_err(|_| DecodeError::NotText)
    }

    fn digits(&mut self, length_max: usize) -> Result<u128, DecodeError> {
        let mut value = 0;
        for index in 0..length_max {
            let byte = self.byte()?;
            let digits = u128::from(byte & 0x7f);
            let shifted = digits << (7 * index);
            if shifted >> (7 * index) != digits {
                return Err(DecodeError::TooLarge);
            }
            value |= shifted;
            if byte & 0x80 == 0 {
                // Rejects non-canonical encodings.
                return if byte == 0 && index > 0 { Err(DecodeError::TooLarge) } else { Ok(value) };
            }
        }
        Err(DecodeError::TooLarge)
    }
}
