//! The AMM's liquidity cut into levels, as the incumbent shows it.
//!
//! Source: sdk/src/dlob/orderBookLevels.ts `getVammL2Generator`.

use super::curve::{Reserves, SwapAmount, SwapDirection};
use super::wide::{U256, div, mul_div};
use super::{AmmError, AmmQuote, AmmSide};
use crate::enums::Direction;
use crate::price::{standardize_base, standardize_price};
use crate::units::{BASE_PRECISION, BaseQty, Price};

/// Quote amounts of the first levels in the three largest markets, 1e6.
/// Source: sdk/src/dlob/orderBookLevels.ts `MAJORS_TOP_OF_BOOK_QUOTE_AMOUNTS`.
const MAJORS_AMOUNTS: [u64; 4] = [5_000_000_000, 10_000_000_000, 20_000_000_000, 50_000_000_000];

/// Quote amounts of the first levels in every other market, 1e6.
/// Source: sdk/src/dlob/orderBookLevels.ts `DEFAULT_TOP_OF_BOOK_QUOTE_AMOUNTS`.
const OTHER_AMOUNTS: [u64; 4] = [500_000_000, 1_000_000_000, 2_000_000_000, 5_000_000_000];

/// Markets below this index have the larger amounts.
/// Source: sdk/src/dlob/DLOBSubscriber.ts `getL2`.
const MAJORS: u16 = 3;

/// A quote amount at 1e6 times this over a price at 1e6 is a base amount at 1e9.
const QUOTE_TO_BASE: u128 = 1_000_000_000;

/// One chunk of the AMM's liquidity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmmLevel {
    /// What the chunk costs on average, 1e6, on the tick. Neighbours may share a price.
    pub price: Price,
    /// The chunk, 1e9. Not on the step, but for the first levels' fixed amounts.
    pub size: u64,
}

/// The quote amounts, 1e6, that the first levels of a perp market are worth.
#[must_use]
pub const fn top_of_book_amounts(market_index: u16) -> [u64; 4] {
    if market_index < MAJORS { MAJORS_AMOUNTS } else { OTHER_AMOUNTS }
}

impl AmmSide {
    /// Users who take a bid add base to the curve, those who take an ask remove it.
    const fn swap(self) -> SwapDirection {
        match self {
            Self::Bid => SwapDirection::Add,
            Self::Ask => SwapDirection::Remove,
        }
    }

    /// Whose prices round as this side's: bids as a long's, down, asks as a short's, up.
    const fn direction(self) -> Direction {
        match self {
            Self::Bid => Direction::Long,
            Self::Ask => Direction::Short,
        }
    }
}

/// How far a side has been cut up.
struct Cut<'a> {
    quote: &'a AmmQuote,
    side: AmmSide,
    invariant: U256,
    reserves: Reserves,
    /// Liquidity that the first levels have not taken.
    left: u128,
}

impl AmmQuote {
    /// Replaces `out` by the side's levels, best first, at most `count`: those of the amounts
    /// `top_of_book` in quote at 1e6, then equal parts of what is left.
    ///
    /// # Errors
    /// [`AmmError`] when the curve ends before the liquidity, or a size or price is above 64 bits.
    /// `out` is empty then.
    pub fn levels(
        &self,
        side: AmmSide,
        count: usize,
        top_of_book: &[u64],
        out: &mut Vec<AmmLevel>,
    ) -> Result<(), AmmError> {
        out.clear();
        let reserves = *self.reserves(side);
        let left = self.liquidity(side);
        let invariant = reserves.invariant();
        let cut = Cut { quote: self, side, invariant, reserves, left };
        let done = cut.fill(count, top_of_book, out);
        if done.is_err() {
            out.clear();
        }
        done
    }
}

impl Cut<'_> {
    fn fill(
        mut self,
        count: usize,
        top_of_book: &[u64],
        out: &mut Vec<AmmLevel>,
    ) -> Result<(), AmmError> {
        let parts = count.saturating_sub(top_of_book.len()).max(1) as u128;
        if self.left / parts == 0 {
            return Ok(());
        }
        for amount in top_of_book.iter().take(count) {
            let base = mul_div(u128::from(*amount), QUOTE_TO_BASE, self.quote.oracle_price)?;
            let base = u64::try_from(base).map_err(|_| AmmError::Overflow)?;
            let base = standardize_base(BaseQty(base), BaseQty(self.quote.step));
            let size = u128::from(base.0).min(self.left);
            if size == 0 {
                return Ok(());
            }
            self.left -= size;
            out.push(self.level(size)?);
            if self.left / parts == 0 {
                return Ok(());
            }
        }
        let size = self.left / parts;
        for _ in top_of_book.len()..count {
            out.push(self.level(size)?);
        }
        Ok(())
    }

    /// The next chunk, of a size above 0, and the curve behind it.
    fn level(&mut self, size: u128) -> Result<AmmLevel, AmmError> {
        let direction = self.side.swap();
        let after = self.reserves.after(self.invariant, SwapAmount::Base(size), direction)?;
        let quote = self.reserves.quote_swapped(&after, direction)?;
        self.reserves = after;
        let price = match quote.checked_mul(u128::from(BASE_PRECISION)) {
            Some(scaled) => div(scaled, size)?,
            None => mul_div(quote, u128::from(BASE_PRECISION), size)?,
        };
        let price = Price(u64::try_from(price).map_err(|_| AmmError::Overflow)?);
        let price = standardize_price(price, self.quote.tick, self.side.direction());
        let size = u64::try_from(size).map_err(|_| AmmError::Overflow)?;
        Ok(AmmLevel { price, size })
    }
}
