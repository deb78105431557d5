//! Writes the numbers of binary frames.

use slotbook_protocol::model::varint::zigzag;

/// The first number whose varint exceeds eight bytes.
const WORD_END: u64 = 1 << 56;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(write: impl FnOnce(&mut ByteWriter<'_>)) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut ByteWriter::new(&mut out));
        out
    }

    fn value_of(bytes: &[u8]) -> u128 {
        bytes.iter().rev().fold(0, |value, byte| value << 7 | u128::from(byte & 0x7f))
    }

    #[test]
    fn numbers_of_every_length_are_their_varints() {
        for bit in 0..u64::BITS {
            let power = 1_u64 << bit;
            for value in [power - 1, power, power | (power - 1)] {
                let bytes = bytes_of(|out| out.varint(value));
                assert_eq!(value_of(&bytes), u128::from(value));
                assert_eq!(bytes, bytes_of(|out| out.wide(u128::from(value))));
                let (last, rest) = bytes.split_last().unwrap();
                assert!(*last < 0x80 && (rest.is_empty() || *last > 0), "{value}");
                assert!(rest.iter().all(|byte| *byte >= 0x80), "{value}");
            }
        }
        let most = bytes_of(|out| out.wide(u128::MAX));
        assert_eq!((value_of(&most), most.len()), (u128::MAX, 19));
    }
}
