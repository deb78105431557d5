//! Checked integers for the curve: 128 bits with intermediate results of 256 bits, because k has
//! twice the bits of a reserve. Signed division truncates toward zero, as in the SDK and the
//! program.

use super::AmmError;

/// An unsigned integer of 256 bits in two words of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct U256 {
    high: u128,
    low: u128,
}

/// Bits of half a word.
const HALF_BITS: u32 = 64;

/// The low half of a word.
const LOW_HALF: u128 = (1 << HALF_BITS) - 1;

impl U256 {
    /// Returns the product of two words, which always fits.
    #[must_use]
    #[inline]
    pub fn product(left: u128, right: u128) -> Self {
        if let Some(low) = left.checked_mul(right) {
            return Self { high: 0, low };
        }
        let (left_high, left_low) = (left >> HALF_BITS, left & LOW_HALF);
        let (right_high, right_low) = (right >> HALF_BITS, right & LOW_HALF);
        let (middle, carry) = (left_high * right_low).overflowing_add(left_low * right_high);
        let (low, low_carry) = (left_low * right_low).overflowing_add(middle << HALF_BITS);
        let high = left_high * right_high
            + (middle >> HALF_BITS)
            + (u128::from(carry) << HALF_BITS)
            + u128::from(low_carry);
        Self { high, low }
    }

    /// Returns this number multiplied by a word.
    ///
    /// # Errors
    /// [`AmmError::Overflow`] above 256 bits.
    #[inline]
    pub fn times(self, factor: u128) -> Result<Self, AmmError> {
        let low = Self::product(self.low, factor);
        let high = self.high.checked_mul(factor).ok_or(AmmError::Overflow)?;
        Ok(Self { high: low.high.checked_add(high).ok_or(AmmError::Overflow)?, low: low.low })
    }

    /// Returns this number divided by a word, rounded down.
    ///
    /// # Errors
    /// [`AmmError::DivisionByZero`].
    #[inline]
    pub fn over(self, divisor: u128) -> Result<Self, AmmError> {
        if self.high == 0 {
            let low = self.low.checked_div(divisor).ok_or(AmmError::DivisionByZero)?;
            return Ok(Self { high: 0, low });
        }
        let high = div(self.high, divisor)?;
        Ok(Self { high, low: divided_below(self.high % divisor, self.low, divisor) })
    }

    /// The distance between two numbers.
    #[must_use]
    pub fn abs_diff(self, other: Self) -> Self {
        let (more, less) = if self >= other { (self, other) } else { (other, self) };
        let (low, borrow) = more.low.overflowing_sub(less.low);
        Self { high: more.high - less.high - u128::from(borrow), low }
    }

    /// Returns this number as one word.
    ///
    /// # Errors
    /// [`AmmError::Overflow`] above 128 bits.
    #[inline]
    pub fn word(self) -> Result<u128, AmmError> {
        if self.high == 0 { Ok(self.low) } else { Err(AmmError::Overflow) }
    }

    /// The square root, rounded down.
    #[must_use]
    pub fn isqrt(self) -> u128 {
        if self.high == 0 {
            return self.low.isqrt();
        }
        // Each step determines one bit of the root, from the highest.
        let mut root = 0;
        for bit in (0..u128::BITS).rev() {
            let larger = root | (1 << bit);
            if Self::product(larger, larger) <= self {
                root = larger;
            }
        }
        root
    }
}

impl From<u128> for U256 {
    #[inline]
    fn from(low: u128) -> Self {
        Self { high: 0, low }
    }
}

/// Returns `(high * 2^128 + low) / divisor` for `high < divisor`: two digits of 64 bits, each
/// estimated from the divisor's first digit and corrected at most twice. Source: Knuth, The Art of
/// Computer Programming 2, 4.3.1, algorithm D.
fn divided_below(high: u128, low: u128, divisor: u128) -> u128 {
    debug_assert!(high < divisor, "Invariant: the quotient fits one word");
    let shift = divisor.leading_zeros();
    let divisor = divisor << shift;
    let (high, low) = if shift == 0 {
        (high, low)
    } else {
        ((high << shift) | (low >> (u128::BITS - shift)), low << shift)
    };
    let (first, rest) = digit(high, low >> HALF_BITS, divisor);
    let (second, _) = digit(rest, low & LOW_HALF, divisor);
    (first << HALF_BITS) | second
}

/// Returns one digit of the quotient of `rest * 2^64 + next` by a divisor whose top bit is set, and
/// the remainder. `rest` is below the divisor.
fn digit(rest: u128, next: u128, divisor: u128) -> (u128, u128) {
    let (first, second) = (divisor >> HALF_BITS, divisor & LOW_HALF);
    let mut guess = rest / first;
    let mut left = rest % first;
    while guess > LOW_HALF || guess * second > ((left << HALF_BITS) | next) {
        guess -= 1;
        left += first;
        if left > LOW_HALF {
            break;
        }
    }
    // The true remainder is below the divisor, so both wrapping operations cancel out.
    let remainder = ((rest << HALF_BITS) | next).wrapping_sub(guess.wrapping_mul(divisor));
    (guess, remainder)
}

/// Returns `dividend / divisor`, rounded down. Divisions of 64 bits are several times cheaper.
#[inline]
pub(crate) fn div(dividend: u128, divisor: u128) -> Result<u128, AmmError> {
    match (u64::try_from(dividend), u64::try_from(divisor)) {
        (_, Ok(0)) => Err(AmmError::DivisionByZero),
        (Ok(dividend), Ok(divisor)) => Ok(u128::from(dividend / divisor)),
        _ => Ok(dividend / divisor),
    }
}

/// A divisor that is used for many divisions, each of which then costs two multiplications. Source:
/// Möller and Granlund, Improved division by invariant integers, algorithm 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reciprocal {
    divisor: u64,
    /// The divisor shifted left until its top bit is set, and the number of bits.
    scaled: u64,
    shift: u32,
    /// `(2^128 - 1) / scaled - 2^64`.
    inverse: u64,
}

impl Reciprocal {
    /// # Errors
    /// [`AmmError::DivisionByZero`].
    pub(crate) const fn of(divisor: u64) -> Result<Self, AmmError> {
        if divisor == 0 {
            return Err(AmmError::DivisionByZero);
        }
        let shift = divisor.leading_zeros();
        let scaled = divisor << shift;
        #[expect(clippy::cast_possible_truncation, reason = "the word above is 1, and is dropped")]
        let inverse = (u128::MAX / scaled as u128) as u64;
        Ok(Self { divisor, scaled, shift, inverse })
    }

    /// The remainder of a half-word.
    #[inline]
    pub(crate) fn remainder(&self, dividend: u64) -> u64 {
        let (_, quotient) = halves(self.divide(u128::from(dividend)));
        dividend - quotient * self.divisor
    }

    /// `dividend / divisor`, rounded down.
    #[inline]
    pub(crate) fn divide(&self, dividend: u128) -> u128 {
        if dividend >> HALF_BITS >= u128::from(self.divisor) {
            return dividend / u128::from(self.divisor);
        }
        // The quotient fits in 64 bits, so the dividend can be shifted.
        let dividend = dividend << self.shift;
        let (high, low) = halves(dividend);
        let guess = u128::from(high) * u128::from(self.inverse);
        let (guess, fraction) = halves(guess.wrapping_add(dividend));
        let guess = guess.wrapping_add(1);
        let rest = low.wrapping_sub(guess.wrapping_mul(self.scaled));
        let (guess, rest) = if rest > fraction {
            (guess.wrapping_sub(1), rest.wrapping_add(self.scaled))
        } else {
            (guess, rest)
        };
        u128::from(if rest >= self.scaled { guess.wrapping_add(1) } else { guess })
    }
}

/// Returns the two 64-bit halves of a word, the high half first.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "each half is one")]
const fn halves(word: u128) -> (u64, u64) {
    ((word >> HALF_BITS) as u64, word as u64)
}

/// Returns `left * right / divisor`, rounded down, with an intermediate result of 256 bits.
#[inline]
pub(crate) fn mul_div(left: u128, right: u128, divisor: u128) -> Result<u128, AmmError> {
    U256::product(left, right).over(divisor)?.word()
}

/// Returns `left * right / divisor`, truncated toward zero, with an intermediate result of 256
/// bits.
#[inline]
pub(crate) fn signed_mul_div(left: i128, right: i128, divisor: u128) -> Result<i128, AmmError> {
    let size = signed(mul_div(left.unsigned_abs(), right.unsigned_abs(), divisor)?)?;
    Ok(if (left < 0) == (right < 0) { size } else { -size })
}

/// An unsigned number as a signed one.
#[inline]
pub(crate) fn signed(value: u128) -> Result<i128, AmmError> {
    i128::try_from(value).map_err(|_| AmmError::Overflow)
}

/// A number that must not be negative.
#[inline]
pub(crate) fn unsigned(value: i128) -> Result<u128, AmmError> {
    u128::try_from(value).map_err(|_| AmmError::Overflow)
}

/// `left - right` of two unsigned numbers.
#[inline]
pub(crate) fn difference(left: u128, right: u128) -> Result<i128, AmmError> {
    sub(signed(left)?, signed(right)?)
}

macro_rules! checked {
    ($($(#[$doc:meta])* $name:ident = $checked:ident;)*) => {
        $(
            $(#[$doc])*
            #[inline]
            pub(crate) fn $name(left: i128, right: i128) -> Result<i128, AmmError> {
                left.$checked(right).ok_or(AmmError::Overflow)
            }
        )*
    };
}

checked! {
    /// `left + right`.
    add = checked_add;
    /// `left - right`.
    sub = checked_sub;
    /// `left * right`.
    mul = checked_mul;
}

/// `dividend / divisor` truncated toward zero.
#[inline]
pub(crate) fn quotient(dividend: i128, divisor: i128) -> Result<i128, AmmError> {
    if let (Ok(dividend), Ok(divisor)) = (i64::try_from(dividend), i64::try_from(divisor)) {
        if divisor == 0 {
            return Err(AmmError::DivisionByZero);
        }
        if let Some(small) = dividend.checked_div(divisor) {
            return Ok(i128::from(small));
        }
    }
    if divisor == 0 {
        return Err(AmmError::DivisionByZero);
    }
    dividend.checked_div(divisor).ok_or(AmmError::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of all lengths, not only long ones.
    fn word() -> impl Strategy<Value = u128> {
        (any::<u128>(), 0..u128::BITS).prop_map(|(bits, shift)| bits >> shift)
    }

    proptest! {
        #[test]
        fn a_product_divided_by_one_factor_is_the_other(left in word(), right in word()) {
            prop_assume!(right != 0);
            let product = U256::product(left, right);
            prop_assert_eq!(product.over(right), Ok(U256::from(left)));
        }

        #[test]
        fn a_quotient_times_its_divisor_is_the_dividend_less_a_rest(
            left in word(), right in word(), divisor in word(),
        ) {
            prop_assume!(divisor != 0);
            let dividend = U256::product(left, right);
            let whole = dividend.over(divisor).unwrap().times(divisor).unwrap();
            prop_assert!(whole <= dividend);
            prop_assert!(dividend.abs_diff(whole) < U256::from(divisor));
        }

        #[test]
        fn a_reciprocal_divides_as_division_does(dividend in word(), divisor in word()) {
            let divisor = halves(divisor).1.max(1);
            let reciprocal = Reciprocal::of(divisor).unwrap();
            prop_assert_eq!(reciprocal.divide(dividend), dividend / u128::from(divisor));
            // Around multiples of the divisor a guess is easiest off by one.
            let multiple = dividend - dividend % u128::from(divisor);
            for near in [multiple, multiple.saturating_sub(1), multiple.saturating_add(1)] {
                prop_assert_eq!(reciprocal.divide(near), near / u128::from(divisor));
            }
            let (_, low) = halves(dividend);
            prop_assert_eq!(reciprocal.remainder(low), low % divisor);
        }

        #[test]
        fn a_root_is_the_largest_whose_square_fits(left in word(), right in word()) {
            let square = U256::product(left, right);
            let root = square.isqrt();
            prop_assert!(U256::product(root, root) <= square);
            if let Some(larger) = root.checked_add(1) {
                prop_assert!(U256::product(larger, larger) > square);
            }
        }
    }

    #[test]
    fn the_ends_of_the_range_multiply_and_divide() {
        let most = U256::product(u128::MAX, u128::MAX);
        assert_eq!(most, U256 { high: u128::MAX - 1, low: 1 });
        assert_eq!(most.over(u128::MAX), Ok(U256::from(u128::MAX)));
        assert_eq!(most.isqrt(), u128::MAX);
        assert_eq!(most.times(2), Err(AmmError::Overflow));
        assert_eq!(most.word(), Err(AmmError::Overflow));
        assert_eq!(most.over(0), Err(AmmError::DivisionByZero));
    }

    #[test]
    fn reciprocals_of_the_smallest_and_largest_divisors_divide() {
        assert_eq!(Reciprocal::of(0), Err(AmmError::DivisionByZero));
        for divisor in [1, 2, 3, 1 << 63, (1 << 63) + 1, u64::MAX - 1, u64::MAX] {
            let reciprocal = Reciprocal::of(divisor).unwrap();
            for dividend in [0, 1, u128::from(u64::MAX), u128::MAX >> 1, u128::MAX] {
                assert_eq!(reciprocal.divide(dividend), dividend / u128::from(divisor));
            }
        }
    }

    #[test]
    fn signed_division_truncates_toward_zero() {
        assert_eq!(signed_mul_div(-7, 1, 2), Ok(-3));
        assert_eq!(signed_mul_div(-7, -1, 2), Ok(3));
        assert_eq!(quotient(-7, 2), Ok(-3));
        assert_eq!(quotient(i128::MIN, -1), Err(AmmError::Overflow));
        assert_eq!(quotient(i128::from(i64::MIN), -1), Ok(1 << 63));
        assert_eq!(quotient(1, 0), Err(AmmError::DivisionByZero));
    }
}
