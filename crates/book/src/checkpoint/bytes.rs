//! Codec of a captured state: little-endian base-128 varints, zigzag for signed numbers, keys as
//! raw bytes. One field list for each type serves both directions.

use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};
use slotbook_protocol::model::varint::{VarintError, put_varint, split_varint, unzigzag, zigzag};

use super::RestoreError;

#[derive(Debug)]
pub(crate) struct StateReader<'a>(pub(crate) &'a [u8]);

impl<'a> StateReader<'a> {
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], RestoreError> {
        let cut = self.0.split_at_checked(length);
        let (bytes, rest) = cut.ok_or(RestoreError::Malformed("its bytes end early"))?;
        self.0 = rest;
        Ok(bytes)
    }

    fn varint(&mut self) -> Result<u64, RestoreError> {
        let (number, rest) = split_varint(self.0).map_err(|error| match error {
            VarintError::Cut => RestoreError::Malformed("its bytes end early"),
            VarintError::TooLarge => RestoreError::Malformed("a number is beyond 64 bits"),
        })?;
        self.0 = rest;
        Ok(number)
    }

    /// Reads a length. Each element takes at least one byte, so a length never reserves more than
    /// the state can hold.
    fn count(&mut self) -> Result<usize, RestoreError> {
        let count = usize::get(self)?;
        if count > self.0.len() {
            return Err(RestoreError::Malformed("a count is beyond its bytes"));
        }
        Ok(count)
    }
}

/// A value that a captured state can contain.
pub(crate) trait Field: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError>;
}

impl Field for u64 {
    fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, *self);
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        bytes.varint()
    }
}

impl Field for i64 {
    fn put(&self, out: &mut Vec<u8>) {
        zigzag(*self).put(out);
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        bytes.varint().map(unzigzag)
    }
}

/// Narrower numbers are written as 64 bits; reading checks their range.
macro_rules! narrow {
    ($($type:ty),*) => {
        $(impl Field for $type {
            fn put(&self, out: &mut Vec<u8>) {
                u64::try_from(*self).unwrap_or(u64::MAX).put(out);
            }

            fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
                let number = bytes.varint()?;
                Self::try_from(number).map_err(|_| RestoreError::Malformed("a number does not fit"))
            }
        })*
    };
}

narrow!(u8, u32, usize);

impl Field for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        match bytes.take(1)? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(RestoreError::Malformed("a truth value is neither 0 nor 1")),
        }
    }
}

impl Field for Pubkey {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        let key = bytes.take(32)?.try_into();
        key.map(Self).map_err(|_| RestoreError::Malformed("its bytes end early"))
    }
}

impl Field for Slot {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        u64::get(bytes).map(Self)
    }
}

impl Field for UnixSeconds {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        i64::get(bytes).map(Self)
    }
}

impl<T: Field> Field for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        if bool::get(bytes)? { T::get(bytes).map(Some) } else { Ok(None) }
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        Ok((A::get(bytes)?, B::get(bytes)?))
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|value| value.put(out));
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        (0..bytes.count()?).map(|_| T::get(bytes)).collect()
    }
}

/// Account bytes, copied as a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RawBytes(pub(crate) Vec<u8>);

impl Field for RawBytes {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.len().put(out);
        out.extend_from_slice(&self.0);
    }

    fn get(bytes: &mut StateReader<'_>) -> Result<Self, RestoreError> {
        let length = bytes.count()?;
        bytes.take(length).map(|bytes| Self(bytes.to_vec()))
    }
}

macro_rules! fields {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::checkpoint::bytes::Field for $type {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::checkpoint::bytes::Field::put(&self.$field, out);)*
            }

            fn get(
                bytes: &mut $crate::checkpoint::bytes::StateReader<'_>,
            ) -> Result<Self, $crate::checkpoint::RestoreError> {
                Ok(Self { $($field: $crate::checkpoint::bytes::Field::get(bytes)?,)* })
            }
        }
    };
}

/// Writes and reads an enum variant as its number in the list.
macro_rules! variants {
    ($type:ty: $($variant:path),* $(,)?) => {
        impl $crate::checkpoint::bytes::Field for $type {
            fn put(&self, out: &mut Vec<u8>) {
                let known = [$($variant,)*];
                let number = known.iter().position(|variant| variant == self);
                number.expect("Invariant: every variant is listed").put(out);
            }

            fn get(
                bytes: &mut $crate::checkpoint::bytes::StateReader<'_>,
            ) -> Result<Self, $crate::checkpoint::RestoreError> {
                let known = [$($variant,)*];
                let number: usize = $crate::checkpoint::bytes::Field::get(bytes)?;
                let unknown = $crate::checkpoint::RestoreError::Malformed("a variant is unknown");
                known.get(number).copied().ok_or(unknown)
            }
        }
    };
}

pub(crate) use {fields, variants};

#[cfg(test)]
mod tests {
    use super::*;

    fn back<T: Field + PartialEq + std::fmt::Debug>(value: &T) {
        let mut out = Vec::new();
        value.put(&mut out);
        let mut bytes = StateReader(&out);
        assert_eq!(T::get(&mut bytes).as_ref(), Ok(value));
        assert!(bytes.0.is_empty());
        for length in 0..out.len() {
            assert!(T::get(&mut StateReader(&out[..length])).is_err());
        }
    }

    #[test]
    fn every_value_comes_back_and_no_part_of_it_does() {
        [0, 1, 127, 128, u64::MAX].iter().for_each(back);
        [0, -1, 1, i64::MIN, i64::MAX].iter().for_each(back);
        back(&(Some(Pubkey([7; 32])), vec![true, false]));
        back(&RawBytes(vec![1, 2, 3]));
    }

    #[test]
    fn a_number_beyond_its_bits_is_an_error() {
        assert!(u64::get(&mut StateReader(&[0xff; 12])).is_err());
        let beyond = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2];
        assert!(u64::get(&mut StateReader(&beyond)).is_err());
        assert!(u8::get(&mut StateReader(&[0x80, 2])).is_err());
        assert!(bool::get(&mut StateReader(&[2])).is_err());
    }

    #[test]
    fn a_count_reserves_no_more_than_its_bytes() {
        let mut out = Vec::new();
        u64::MAX.put(&mut out);
        assert!(Vec::<u64>::get(&mut StateReader(&out)).is_err());
        assert!(RawBytes::get(&mut StateReader(&out)).is_err());
    }
}
