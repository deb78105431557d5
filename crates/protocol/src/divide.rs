//! Fast division for two `u128` values that fit in 64 bits, as nearly all amounts do: the
//! compiler's division of `u128` is always a function call.

/// Returns the quotient, rounded down. The divisor must be positive.
#[inline]
pub(crate) fn div_floor(dividend: u128, divisor: u128) -> u128 {
    match (u64::try_from(dividend), u64::try_from(divisor)) {
        (Ok(dividend), Ok(divisor)) => (dividend / divisor).into(),
        _ => dividend / divisor,
    }
}

/// Returns the quotient, rounded up. The divisor must be positive.
#[inline]
pub(crate) fn div_ceil(dividend: u128, divisor: u128) -> u128 {
    match (u64::try_from(dividend), u64::try_from(divisor)) {
        (Ok(dividend), Ok(divisor)) => dividend.div_ceil(divisor).into(),
        _ => dividend.div_ceil(divisor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact_on_both_sides_of_a_word() {
        let edge = u128::from(u64::MAX);
        for dividend in [0, 1, 6, 7, 8, edge - 1, edge, edge + 1, 3 * edge, u128::MAX] {
            for divisor in [1, 7, edge, edge + 1] {
                assert_eq!(div_floor(dividend, divisor), dividend / divisor);
                assert_eq!(div_ceil(dividend, divisor), dividend.div_ceil(divisor));
            }
        }
    }
}
