//! Splits the AMM's liquidity into levels, the same as in the Drift v2 dlob-server.
//!
//! Source: sdk/src/dlob/orderBookLevels.ts `getVammL2Generator`.

use super::curve::{SwapDirection, moved, quote_swapped};
use super::wide::{Reciprocal, U256, mul_div};
use super::{AmmError, AmmQuote, AmmSide};
use crate::model::Program;
use crate::model::enums::Direction;
use crate::model::price::{standardize_base, standardize_beyond};
use crate::model::units::{BASE_PRECISION, BaseQty, Price};

/// Quote amounts of the first levels in the three largest markets, 1e6. Source:
/// sdk/src/dlob/orderBookLevels.ts `MAJORS_TOP_OF_BOOK_QUOTE_AMOUNTS`.
const MAJORS_AMOUNTS: [u64; 4] = [5_000_000_000, 10_000_000_000, 20_000_000_000, 50_000_000_000];

/// Quote amounts of the first levels in every other market, 1e6.
/// Source: sdk/src/dlob/orderBookLevels.ts `DEFAULT_TOP_OF_BOOK_QUOTE_AMOUNTS`.
const OTHER_AMOUNTS: [u64; 4] = [500_000_000, 1_000_000_000, 2_000_000_000, 5_000_000_000];

/// Quote amounts of the first levels in every market of Velocity, 1e6.
/// Source: packages/sdk/src/dlob/orderBookLevels.ts of velocity-exchange/velocity-v1.
const VELOCITY_AMOUNTS: [u64; 4] = [250_000_000, 750_000_000, 2_000_000_000, 5_000_000_000];

/// Markets of Drift v2 with an index below this have the larger amounts. Source:
/// sdk/src/dlob/DLOBSubscriber.ts `getL2`.
const MAJORS: u16 = 3;

/// Factor of a quote amount at 1e6, divided by a price at 1e6, that gives a base amount at 1e9.
const QUOTE_TO_BASE: u128 = 1_000_000_000;

/// One chunk of the AMM's liquidity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmmLevel {
    /// Average price of the chunk, 1e6, on the tick. Adjacent levels may have the same price.
    pub price: Price,
    /// Size of the chunk, 1e9. Only the first levels, which have fixed amounts, are on the step.
    pub size: u64,
}

/// Returns the quote amounts, 1e6, of the first levels of a perp market.
#[must_use]
pub const fn top_of_book_amounts(program: Program, market_index: u16) -> [u64; 4] {
    match program {
        Program::Drift if market_index < MAJORS => MAJORS_AMOUNTS,
        Program::Drift => OTHER_AMOUNTS,
        Program::Velocity => VELOCITY_AMOUNTS,
    }
}

impl AmmSide {
    /// Returns the direction of the base reserve: a taker of a bid adds base to the curve, a taker
    /// of an ask removes base.
    const fn swap(self) -> SwapDirection {
        match self {
            Self::Bid => SwapDirection::Add,
            Self::Ask => SwapDirection::Remove,
        }
    }

    /// Returns the direction whose rounding the side's prices have: bids round down like a long's
    /// price, asks round up like a short's.
    const fn direction(self) -> Direction {
        match self {
            Self::Bid => Direction::Long,
            Self::Ask => Direction::Short,
        }
    }
}

/// The progress of splitting a side into levels.
struct Cut<'a> {
    quoted: &'a AmmQuote,
    side: AmmSide,
    invariant: U256,
    peg: u128,
    /// The market's tick; 1, which rounds nothing, for a market without a tick.
    tick: Price,
    per_tick: Reciprocal,
    /// The curve after the last chunk.
    base: u128,
    quote: u128,
    /// Liquidity that the first levels have not used.
    left: u128,
}

/// The size of a chunk, above 0, with its reciprocal for fast divisions.
#[derive(Clone, Copy)]
struct Chunk {
    size: u64,
    reciprocal: Reciprocal,
}

impl Chunk {
    fn of(size: u128) -> Result<Self, AmmError> {
        let size = u64::try_from(size).map_err(|_| AmmError::Overflow)?;
        Ok(Self { size, reciprocal: Reciprocal::of(size)? })
    }
}

impl AmmQuote {
    /// Replaces `out` by at most `count` levels of a side along the curve: first the amounts
    /// `top_of_book` in quote at 1e6, then equal parts of the remaining liquidity. When an
    /// account's reserves are off its curve, the first level returns to the curve and may be worse
    /// than the second.
    ///
    /// # Errors
    /// [`AmmError`] when the curve ends before the liquidity, or when a size or price exceeds 64
    /// bits. `out` is then empty.
    pub fn levels(
        &self,
        side: AmmSide,
        count: usize,
        top_of_book: &[u64],
        out: &mut Vec<AmmLevel>,
    ) -> Result<(), AmmError> {
        out.clear();
        let done = Cut::of(self, side).and_then(|cut| cut.fill(count, top_of_book, out));
        if done.is_err() {
            out.clear();
        }
        done
    }
}

impl<'a> Cut<'a> {
    fn of(quoted: &'a AmmQuote, side: AmmSide) -> Result<Self, AmmError> {
        let reserves = quoted.reserves(side);
        let tick = quoted.tick.max(Price(1));
        Ok(Self {
            quoted,
            side,
            invariant: reserves.invariant(),
            peg: reserves.peg,
            tick,
            per_tick: Reciprocal::of(tick.0)?,
            base: reserves.base,
            quote: reserves.quote,
            left: quoted.liquidity(side),
        })
    }

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
            let base = mul_div(u128::from(*amount), QUOTE_TO_BASE, self.quoted.oracle_price)?;
            let base = u64::try_from(base).map_err(|_| AmmError::Overflow)?;
            let base = standardize_base(BaseQty(base), BaseQty(self.quoted.step));
            let size = u128::from(base.0).min(self.left);
            if size == 0 {
                return Ok(());
            }
            self.left -= size;
            out.push(self.level(Chunk::of(size)?)?);
            if self.left / parts == 0 {
                return Ok(());
            }
        }
        let chunk = Chunk::of(self.left / parts)?;
        for _ in top_of_book.len()..count {
            out.push(self.level(chunk)?);
        }
        Ok(())
    }

    /// Returns the level of the next chunk, and moves the curve by it.
    #[inline(always)]
    fn level(&mut self, Chunk { size, reciprocal }: Chunk) -> Result<AmmLevel, AmmError> {
        let direction = self.side.swap();
        self.base = moved(self.base, u128::from(size), direction)?;
        let quote = self.invariant.over(self.base)?.word()?;
        let cost = quote_swapped(self.quote.abs_diff(quote), self.peg, direction)?;
        self.quote = quote;
        let scaled = cost.checked_mul(u128::from(BASE_PRECISION)).ok_or(AmmError::Overflow)?;
        let price = u64::try_from(reciprocal.divide(scaled)).map_err(|_| AmmError::Overflow)?;
        let beyond = self.per_tick.remainder(price);
        let price = standardize_beyond(Price(price), beyond, self.tick, self.side.direction());
        Ok(AmmLevel { price, size })
    }
}
