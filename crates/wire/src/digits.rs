//! Numbers as decimal digits.

/// The decimal text of a number with at most sixteen digits, computed in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits {
    /// The digits, padded with unspecified bytes.
    pub(crate) text: [u8; DIGITS_MAX],
    pub(crate) count: usize,
}

/// Capacity of [`Digits::text`].
pub(crate) const DIGITS_MAX: usize = 16;

/// The first number with more digits.
pub(crate) const DIGITS_END: u64 = 10_000_000_000_000_000;

/// The first number of nine digits.
const HALF_END: u64 = 100_000_000;

/// A text of zeros.
const ZEROS: u128 = u128::from_le_bytes([b'0'; DIGITS_MAX]);

/// A set bit in the last digit, so that the number 0 keeps one digit.
const LAST_PLACE: u128 = 1 << 120;

impl Digits {
    /// Returns the digits of a number; `None` when it has too many.
    #[inline]
    pub(crate) fn of(value: u64) -> Option<Self> {
        if value >= DIGITS_END {
            return None;
        }
        let digits = sixteen_digits(value);
        // The first digit is in the lowest byte, so leading zeros are trailing zero bytes.
        let unused = (digits | LAST_PLACE).trailing_zeros() / 8;
        let text = (digits | ZEROS) >> (8 * unused);
        Some(Self { text: text.to_le_bytes(), count: DIGITS_MAX - unused as usize })
    }

    /// Returns the last sixteen digits of a number, zero-padded.
    pub(crate) fn last_of(value: u64) -> Self {
        let text = (sixteen_digits(value % DIGITS_END) | ZEROS).to_le_bytes();
        Self { text, count: DIGITS_MAX }
    }
}

/// Returns sixteen zero-padded digits as byte values, the first in the lowest byte.
#[inline]
fn sixteen_digits(value: u64) -> u128 {
    let first = u128::from(eight_digits(value / HALF_END));
    let last = u128::from(eight_digits(value % HALF_END));
    first | (last << 64)
}

/// Returns eight digits as byte values. Each step splits all parts at once, into four, two and one
/// digits; the products are exact for parts of this size.
#[inline]
fn eight_digits(value: u64) -> u64 {
    debug_assert!(value < HALF_END, "Invariant: at most eight digits");
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    let hundreds = ((fours * 5_243) >> 19) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - tens * 10) << 8)
}
