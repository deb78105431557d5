//! The share of a match that the AMM takes for itself, at the maker's price.
//!
//! Source: programs/drift/src/math/amm_jit.rs.

use super::wide::{difference, mul, quotient};
use super::{AmmError, PerpAmm};
use crate::model::Program;
use crate::model::enums::Direction;
use crate::model::price::standardize_base;
use crate::model::units::{BaseQty, Price};

/// Units of a part of one.
const PART: i128 = 1_000_000;

/// Divisor of the oracle price for the suspicion margin: a price that is better for the taker than
/// the oracle's by more than this margin may be a trade of the user with itself.
const SUSPICIOUS_DIVISOR: i128 = 2_000;

/// Divisor of a match for the AMM's maximum share.
const SHARE_MAX_DIVISOR: u64 = 2;

/// Divisor of a match for the AMM's share while its sides are balanced.
const BALANCED_SHARE_DIVISOR: u64 = 4;

/// Parts of the intensity: per cent.
const INTENSITY_FULL: u8 = 100;

/// A match in which the AMM may take a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JitMatch {
    /// The taker's direction.
    pub taker: Direction,
    /// Whether the taker's order has a limit price or is in its auction.
    pub taker_has_limit: bool,
    /// What the taker wants, 1e9.
    pub taker_base: BaseQty,
    /// What the maker offers, 1e9.
    pub maker_base: BaseQty,
    /// The maker's price, 1e6.
    pub price: Price,
    /// The oracle's price, 1e6.
    pub oracle_price: i64,
}

impl PerpAmm {
    /// Returns the AMM's share of a match, in whole steps of base; 0 for none. The AMM takes a
    /// share only when this reduces its inventory, and a smaller share when the price is
    /// suspiciously good for the taker.
    ///
    /// # Errors
    /// [`AmmError`] when numbers of the account or the oracle are outside the range of the rule.
    ///
    /// Source: programs/drift/src/math/amm_jit.rs `calculate_amm_jit_liquidity`; for the maximum
    /// share of a fill, programs/velocity/src/vlp/amm/quoter.rs `AmmJitQuoter::from_match_context`.
    pub fn jit_share(&self, matched: &JitMatch) -> Result<BaseQty, AmmError> {
        if !matched.taker_has_limit && matched.maker_base < matched.taker_base {
            return Ok(BaseQty(0));
        }
        if self.amm_jit_intensity == 0 || !self.shrinks_inventory(matched.taker) {
            return Ok(BaseQty(0));
        }
        let base = matched.taker_base.min(matched.maker_base).0;
        let most = self.most_of_match(base / SHARE_MAX_DIVISOR, matched)?;
        let share = if self.is_imbalanced()? { base } else { base / BALANCED_SHARE_DIVISOR };
        let intensity = u128::from(self.amm_jit_intensity.min(INTENSITY_FULL));
        let share = u128::from(share) * intensity / u128::from(INTENSITY_FULL);
        let share = share.min(self.base_asset_amount_with_amm.unsigned_abs()).min(u128::from(most));
        let share = BaseQty(u64::try_from(share).map_err(|_| AmmError::Overflow)?);
        let share = standardize_base(share, BaseQty(self.order_step_size));
        match self.program {
            Program::Drift => Ok(share),
            Program::Velocity => Ok(share.min(self.available_liquidity(matched.taker)?)),
        }
    }

    /// Returns whether a fill in the taker's direction reduces the users' net position, and this
    /// position exceeds one step.
    pub(super) fn shrinks_inventory(&self, taker: Direction) -> bool {
        let step = i128::from(self.order_step_size);
        match taker {
            Direction::Long => self.base_asset_amount_with_amm < -step,
            Direction::Short => self.base_asset_amount_with_amm > step,
        }
    }

    /// Returns the maximum share: half of a match. At a suspicious price it is smaller, and 0 at
    /// the AMM's opposite quote.
    fn most_of_match(&self, half: u64, matched: &JitMatch) -> Result<u64, AmmError> {
        let (price, oracle) = (i128::from(matched.price.0), i128::from(matched.oracle_price));
        let margin = oracle / SUSPICIOUS_DIVISOR;
        let (is_suspicious, far_spread) = match matched.taker {
            Direction::Long => (price < oracle - margin, self.short_spread),
            Direction::Short => (price > oracle + margin, self.long_spread),
        };
        if !is_suspicious {
            return Ok(half);
        }
        let reach = mul(i128::from(far_spread), oracle)? / PART;
        let left = (reach - (price - oracle).abs()).max(0);
        let most = quotient(mul(i128::from(half), left)?, reach.max(1))?;
        u64::try_from(most).map_err(|_| AmmError::Overflow)
    }

    /// Returns whether one side has at least 1.5 times the liquidity of the other side.
    fn is_imbalanced(&self) -> Result<bool, AmmError> {
        let base = self.base_asset_reserve;
        let bought = difference(self.max_base_asset_reserve, base)?.max(0);
        let sold = difference(base, self.min_base_asset_reserve)?.max(0);
        Ok(mul(bought.max(sold), 2)? >= mul(bought.min(sold).max(1), 3)?)
    }
}
