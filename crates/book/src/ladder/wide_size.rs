//! A sum of base sizes that cannot overflow: up to 2^64 orders of a u64 size each.

/// A 128-bit unsigned sum in two words, so that a level has 32 bytes (a `u128` is aligned to 16).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WideSize {
    low: u64,
    high: u64,
}

impl WideSize {
    #[inline]
    pub(crate) fn get(self) -> u128 {
        (u128::from(self.high) << 64) | u128::from(self.low)
    }

    #[inline]
    pub(crate) fn add(&mut self, size: u64) {
        let (low, carry) = self.low.overflowing_add(size);
        self.low = low;
        self.high += u64::from(carry);
    }

    #[inline]
    pub(crate) fn sub(&mut self, size: u64) {
        debug_assert!(self.get() >= u128::from(size), "Invariant: a sum covers its parts");
        let (low, borrow) = self.low.overflowing_sub(size);
        self.low = low;
        self.high = self.high.wrapping_sub(u64::from(borrow));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_into_the_high_word_and_back() {
        let mut sum = WideSize::default();
        sum.add(u64::MAX);
        sum.add(u64::MAX);
        assert_eq!(sum.get(), u128::from(u64::MAX) * 2);
        sum.sub(u64::MAX);
        assert_eq!(sum.get(), u128::from(u64::MAX));
        sum.sub(u64::MAX);
        assert_eq!(sum.get(), 0);
    }
}
