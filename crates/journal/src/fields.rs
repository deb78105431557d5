//! Fields of a record: LEB128 varints, zigzag for signed ones, and raw bytes.

use slotbook_protocol::model::varint::{VarintError, split_varint, unzigzag, zigzag};

pub(crate) use slotbook_protocol::model::varint::put_varint;

use crate::error::{Fault, check_length};

pub(crate) fn put_length(out: &mut Vec<u8>, length: usize) {
    put_varint(out, length as u64);
}

/// Appends a signed number in zigzag encoding.
pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_varint(out, zigzag(value));
}

/// Appends the wrapping difference between a number and the previous number.
pub(crate) fn put_change(out: &mut Vec<u8>, value: u64, before: u64) {
    put_signed(out, value.wrapping_sub(before).cast_signed());
}

/// Appends a length and the bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Reads fields in sequence from untrusted bytes.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

const CUT: Fault = Fault::Malformed("a record ends within a field");

impl<'a> Fields<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Fault> {
        let byte = *self.bytes.get(self.at).ok_or(CUT)?;
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Fault> {
        let bytes = self.bytes.get(self.at..).ok_or(CUT)?;
        let (value, rest) = split_varint(bytes).map_err(|error| match error {
            VarintError::Cut => CUT,
            VarintError::TooLarge => Fault::Malformed("a varint has more than 64 bits"),
        })?;
        self.at = self.bytes.len() - rest.len();
        Ok(value)
    }

    pub(crate) fn signed(&mut self) -> Result<i64, Fault> {
        self.varint().map(unzigzag)
    }

    /// Reads a number that is stored as its change from `before`.
    pub(crate) fn changed(&mut self, before: u64) -> Result<u64, Fault> {
        Ok(before.wrapping_add(self.signed()?.cast_unsigned()))
    }

    /// A length of at most `max`.
    pub(crate) fn length(&mut self, limit: &'static str, max: usize) -> Result<usize, Fault> {
        let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        check_length(limit, length, max)?;
        Ok(length)
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let end = self.at.checked_add(count).ok_or(CUT)?;
        let bytes = self.bytes.get(self.at..end).ok_or(CUT)?;
        self.at = end;
        Ok(bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        Ok(*self.take(N)?.first_chunk().ok_or(CUT)?)
    }

    pub(crate) fn bytes(&mut self, limit: &'static str, max: usize) -> Result<&'a [u8], Fault> {
        let length = self.length(limit, max)?;
        self.take(length)
    }

    /// Reads a length and a text: ASCII without spaces.
    pub(crate) fn name(&mut self, limit: &'static str, max: usize) -> Result<&'a str, Fault> {
        let bytes = self.bytes(limit, max)?;
        let text = std::str::from_utf8(bytes).ok();
        let is_name = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic());
        text.filter(is_name).ok_or(Fault::Malformed("a name is not printable ASCII"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(unsigned: u64, signed: i64, before: u64) {
            let mut out = Vec::new();
            put_varint(&mut out, unsigned);
            put_signed(&mut out, signed);
            put_change(&mut out, unsigned, before);
            let mut fields = Fields::new(&out);
            prop_assert_eq!(fields.varint(), Ok(unsigned));
            prop_assert_eq!(fields.signed(), Ok(signed));
            prop_assert_eq!(fields.changed(before), Ok(unsigned));
            prop_assert!(fields.is_done());
            for length in 0..out.len() {
                let mut cut = Fields::new(&out[..length]);
                let all = [cut.varint().is_ok(), cut.signed().is_ok(), cut.varint().is_ok()];
                prop_assert!(!all.iter().all(|read| *read));
            }
        }
    }

    #[test]
    fn a_length_over_its_limit_is_named() {
        let mut out = Vec::new();
        put_bytes(&mut out, b"abcd");
        let found = Fields::new(&out).bytes("NAME_MAX", 3);
        assert_eq!(found, Err(Fault::BytesExceeded { limit: "NAME_MAX", max: 3, found: 4 }));
    }
}
