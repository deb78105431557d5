//! Variable-length integers with seven bits in each byte, lowest bits first; the highest bit of a
//! byte means that more bytes follow.

/// Bytes of the longest 64-bit integer.
const BYTES_MAX: usize = 10;

/// Why bytes are no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarintError {
    /// They end within it.
    Cut,
    /// It has more than 64 bits.
    TooLarge,
}

/// Appends a number.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "takes the low bits group by group")]
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads an integer at the front of `bytes`, and returns it with the remaining bytes. Nearly all
/// integers have one byte.
///
/// # Errors
/// [`VarintError`].
#[inline]
pub fn split_varint(bytes: &[u8]) -> Result<(u64, &[u8]), VarintError> {
    match bytes.split_first() {
        Some((first, rest)) if *first < 0x80 => Ok((u64::from(*first), rest)),
        _ => split_long(bytes),
    }
}

fn split_long(bytes: &[u8]) -> Result<(u64, &[u8]), VarintError> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(BYTES_MAX).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if index == BYTES_MAX - 1 && bits > 1 {
            break;
        }
        value |= bits << (7 * index);
        if byte & 0x80 == 0 {
            return Ok((value, &bytes[index + 1..]));
        }
    }
    Err(if bytes.len() < BYTES_MAX { VarintError::Cut } else { VarintError::TooLarge })
}

/// Maps 0, -1, 1, -2 to 0, 1, 2, 3.
#[inline]
#[must_use]
pub const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// Maps 0, 1, 2, 3 to 0, -1, 1, -2.
#[inline]
#[must_use]
pub const fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_come_back_and_cut_ones_do_not() {
        for bits in 0..=u64::BITS {
            let value = u64::MAX.checked_shr(bits).unwrap_or(0);
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            let whole = bytes.len();
            bytes.push(7);
            assert_eq!(split_varint(&bytes), Ok((value, &[7][..])));
            for length in 0..whole {
                assert_eq!(split_varint(&bytes[..length]), Err(VarintError::Cut));
            }
            let signed = value.cast_signed();
            assert_eq!(unzigzag(zigzag(signed)), signed);
        }
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_refused() {
        let mut most = [0xff; 10];
        assert_eq!(split_varint(&most), Err(VarintError::TooLarge));
        most[9] = 2;
        assert_eq!(split_varint(&most), Err(VarintError::TooLarge));
        most[9] = 1;
        assert_eq!(split_varint(&most), Ok((u64::MAX, &[][..])));
    }
}
