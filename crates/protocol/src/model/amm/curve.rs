//! The constant-product curve: its price, and its swaps.

use super::AmmError;
use super::wide::{Reciprocal, U256, mul_div};
use crate::model::enums::Direction;
use crate::model::units::Price;

/// The peg 1 in peg units, 1e6, the same as for prices. Source:
/// programs/drift/src/math/constants.rs `PEG_PRECISION`.
pub const PEG_PRECISION: u128 = 1_000_000;

/// Divisor from reserve times peg to a quote amount: 1e9 * 1e6 / 1e6. Source:
/// programs/drift/src/math/constants.rs `AMM_TIMES_PEG_TO_QUOTE_PRECISION_RATIO`.
pub const AMM_TIMES_PEG_TO_QUOTE: u64 = 1_000_000_000;

/// The two reserves of a curve, its invariant and its peg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserves {
    /// Base asset reserve, 1e9.
    pub base: u128,
    /// Quote asset reserve, 1e9.
    pub quote: u128,
    /// Square root of the invariant k, 1e9. Because of rounding, k is not exactly `base * quote`.
    pub sqrt_k: u128,
    /// Peg multiplier, 1e6.
    pub peg: u128,
}

/// An amount to add to a curve or to remove from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapAmount {
    /// Base asset, 1e9.
    Base(u128),
    /// Quote asset, 1e6.
    Quote(u128),
}

/// The direction in which the reserve of the swapped asset changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapDirection {
    /// The reserve grows.
    Add,
    /// The reserve shrinks.
    Remove,
}

/// The result of a swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The reserves after the swap.
    pub reserves: Reserves,
    /// Quote that changes hands, 1e6.
    pub quote_amount: u128,
}

impl SwapAmount {
    /// Returns the direction in which the reserve changes when a user opens a position: a long
    /// removes base and adds quote, a short does the reverse. Source: sdk/src/math/amm.ts
    /// `getSwapDirection`.
    #[must_use]
    pub const fn direction_of(self, position: Direction) -> SwapDirection {
        match (self, position) {
            (Self::Base(_), Direction::Long) | (Self::Quote(_), Direction::Short) => {
                SwapDirection::Remove
            }
            (Self::Base(_), Direction::Short) | (Self::Quote(_), Direction::Long) => {
                SwapDirection::Add
            }
        }
    }
}

impl Reserves {
    /// Returns the price at the current reserves, 1e6.
    ///
    /// # Errors
    /// [`AmmError::DivisionByZero`] for a base reserve of 0; [`AmmError::Overflow`] for a price
    /// above 64 bits.
    ///
    /// Source: programs/drift/src/math/amm.rs `calculate_price`; sdk/src/math/amm.ts
    /// `calculatePrice` also multiplies and divides by 1e6, which does not change the result.
    #[inline]
    pub fn price(&self) -> Result<Price, AmmError> {
        let price = mul_div(self.quote, self.peg, self.base)?;
        u64::try_from(price).map(Price).map_err(|_| AmmError::Overflow)
    }

    /// The invariant, k.
    #[must_use]
    #[inline]
    pub fn invariant(&self) -> U256 {
        U256::product(self.sqrt_k, self.sqrt_k)
    }

    /// Returns the reserves after a swap, and the quote amount of the swap.
    ///
    /// # Errors
    /// [`AmmError::Overflow`] when the amount exceeds the reserve, or a number exceeds 128 bits;
    /// [`AmmError::DivisionByZero`] when a whole reserve is removed or the peg is 0.
    ///
    /// Source: sdk/src/math/amm.ts `calculateAmmReservesAfterSwap`,
    /// `calculateQuoteAssetAmountSwapped`; programs/drift/src/math/amm.rs `calculate_swap_output`.
    #[inline]
    pub fn swap(&self, amount: SwapAmount, direction: SwapDirection) -> Result<Swap, AmmError> {
        let reserves = self.after(self.invariant(), amount, direction)?;
        let moved = self.quote.abs_diff(reserves.quote);
        let quote_amount = quote_swapped(moved, self.peg, direction)?;
        Ok(Swap { reserves, quote_amount })
    }

    /// Returns the reserves after a swap. The caller has calculated the invariant, once for many
    /// swaps.
    #[inline]
    pub(super) fn after(
        &self,
        invariant: U256,
        amount: SwapAmount,
        direction: SwapDirection,
    ) -> Result<Self, AmmError> {
        match amount {
            SwapAmount::Base(amount) => {
                let base = moved(self.base, amount, direction)?;
                Ok(Self { base, quote: invariant.over(base)?.word()?, ..*self })
            }
            SwapAmount::Quote(amount) => {
                let amount = mul_div(amount, u128::from(AMM_TIMES_PEG_TO_QUOTE), self.peg)?;
                let quote = moved(self.quote, amount, direction)?;
                Ok(Self { base: invariant.over(quote)?.word()?, quote, ..*self })
            }
        }
    }
}

/// Returns the quote value of a change of the quote reserve, 1e6. For a removal, one unit of the
/// reserve and one unit of quote are added, so that rounding never favours the user.
#[inline(always)]
pub(super) fn quote_swapped(
    reserve: u128,
    peg: u128,
    direction: SwapDirection,
) -> Result<u128, AmmError> {
    const TO_QUOTE: Reciprocal = match Reciprocal::of(AMM_TIMES_PEG_TO_QUOTE) {
        Ok(reciprocal) => reciprocal,
        Err(_) => panic!("the ratio is not zero"),
    };
    let quote = |reserve: u128| match reserve.checked_mul(peg) {
        Some(product) => Ok(TO_QUOTE.divide(product)),
        None => mul_div(reserve, peg, u128::from(AMM_TIMES_PEG_TO_QUOTE)),
    };
    match direction {
        SwapDirection::Add => quote(reserve),
        SwapDirection::Remove => {
            let reserve = reserve.checked_add(1).ok_or(AmmError::Overflow)?;
            quote(reserve)?.checked_add(1).ok_or(AmmError::Overflow)
        }
    }
}

/// Returns a reserve after an amount was added or removed.
#[inline]
pub(super) fn moved(
    reserve: u128,
    amount: u128,
    direction: SwapDirection,
) -> Result<u128, AmmError> {
    let moved = match direction {
        SwapDirection::Add => reserve.checked_add(amount),
        SwapDirection::Remove => reserve.checked_sub(amount),
    };
    moved.ok_or(AmmError::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CURVE: Reserves = Reserves {
        base: 2_056_415_459_102_385,
        quote: 3_513_713_488_272_842,
        sqrt_k: 2_688_057_800_000_000,
        peg: 87_861_779,
    };

    #[test]
    fn price_is_quote_times_peg_over_base() {
        assert_eq!(CURVE.price(), Ok(Price(150_125_849)));
        assert_eq!(Reserves { base: 0, ..CURVE }.price(), Err(AmmError::DivisionByZero));
        assert_eq!(Reserves { peg: u128::MAX, ..CURVE }.price(), Err(AmmError::Overflow));
    }

    #[test]
    fn a_whole_reserve_cannot_be_taken() {
        let take = |base| CURVE.swap(SwapAmount::Base(base), SwapDirection::Remove);
        assert!(take(CURVE.base - 1).is_ok());
        assert_eq!(take(CURVE.base), Err(AmmError::DivisionByZero));
        assert_eq!(take(CURVE.base + 1), Err(AmmError::Overflow));
    }

    #[test]
    fn nothing_swapped_still_costs_the_roundings() {
        let add = CURVE.swap(SwapAmount::Base(0), SwapDirection::Add).unwrap();
        let remove = CURVE.swap(SwapAmount::Base(0), SwapDirection::Remove).unwrap();
        assert_eq!(add.reserves.base, CURVE.base);
        assert!(add.quote_amount < remove.quote_amount);
    }

    proptest! {
        #[test]
        fn reserves_follow_the_curve(
            base in 1_u128..1 << 70, scale in 1_u128..1 << 70, amount in 0_u128..1 << 69,
            peg in 1_u128..1 << 40, takes in any::<bool>(),
        ) {
            let reserves = Reserves { base, quote: scale, sqrt_k: U256::product(base, scale).isqrt(), peg };
            let direction = if takes { SwapDirection::Remove } else { SwapDirection::Add };
            let Ok(swap) = reserves.swap(SwapAmount::Base(amount), direction) else {
                prop_assert!(takes && amount >= base);
                return Ok(());
            };
            // base * quote is at most k, and one more unit of quote is more than k.
            let after = swap.reserves;
            let product = U256::product(after.base, after.quote);
            prop_assert!(product <= reserves.invariant());
            prop_assert!(U256::product(after.base, after.quote + 1) > reserves.invariant());
            prop_assert_eq!((after.sqrt_k, after.peg), (reserves.sqrt_k, reserves.peg));
        }
    }
}
