//! The curve as the next fill finds it: the peg moves toward the oracle price within the budget,
//! and k is reduced when the budget does not suffice.
//!
//! For Drift v2 this is the SDK's estimate; the program's own update rounds differently in places.
//! For Velocity it is the program's update, see [`super::repeg`].
//!
//! Source: sdk/src/math/amm.ts `calculateUpdatedAMM`, sdk/src/math/repeg.ts.

use super::curve::{Reserves, SwapAmount};
use super::wide::unsigned;
use super::wide::{U256, add, difference, mul, mul_div, quotient, signed, signed_mul_div, sub};
use super::{AmmError, PerpAmm};
use crate::model::Program;
use crate::model::enums::Direction;

/// Divisor from reserve times peg to a cost in quote: 1e3 * 1e6.
const REPEG_COST_SCALE: u128 = 1_000_000_000;

/// Divisor of the spread, and of the fees, for the half that the budget keeps.
const HALF: u128 = 2;

/// Factor of k for one reduction, 1e6. Source: sdk/src/math/amm.ts `calculateNewAmm`, 999 / 1000.
const K_SHRINK: u128 = 999_000;

/// Units of a part of one.
const PART: u128 = 1_000_000;

/// The part 1 in the cost of k, which the SDK squares for precision.
const PART_SQUARED: u128 = PART * PART;

/// Divisor of the cost of k: the squared parts, 1e3 from reserve to quote, and the peg.
const K_COST_SCALE: u128 = PART_SQUARED * 1_000 * PART;

/// Reserve units for one unit of price and one unit of peg: 1e9 / 1e6.
const RESERVE_PER_PRICE: i128 = 1_000;

/// A curve after its update, and the cost of the update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpdatedCurve {
    /// The reserves, k and peg.
    pub reserves: Reserves,
    /// Quote reserve after the users' net position is closed, 1e9.
    pub terminal_quote_asset_reserve: u128,
    /// Earnings of the AMM that were not distributed, less the cost, 1e6.
    pub total_fee_minus_distributions: i128,
    /// Earnings since the last funding, less the cost, 1e6.
    pub net_revenue_since_last_funding: i128,
}

/// The target of the peg, and the budget for the move.
pub(super) struct Target {
    price: u128,
    pub(super) peg: u128,
    pub(super) budget: i128,
    /// Whether the AMM must have earned the cost of the move.
    pub(super) is_earned: bool,
}

impl UpdatedCurve {
    /// Returns the curve that the next fill finds. For a curve update intensity of 0 it is the
    /// stored curve.
    ///
    /// # Errors
    /// [`AmmError`] when a step is not defined for the account's numbers.
    pub fn of(amm: &PerpAmm, oracle_price: u128) -> Result<Self, AmmError> {
        let stored = Self::stored(amm);
        if amm.curve_update_intensity == 0 {
            return Ok(stored);
        }
        let target = target(amm, &stored, oracle_price)?;
        if amm.program == Program::Velocity {
            return stored.repegged(amm, &target);
        }
        let cost = stored.repeg_cost(target.peg)?;
        if cost < target.budget || cost <= 0 {
            return stored.moved(amm, stored.reserves, target.peg, cost);
        }
        let (shrunk, peg) = shrunk(amm, &stored, &target)?;
        stored.moved(amm, shrunk.reserves, peg, shrunk.repeg_cost(peg)?)
    }

    pub(super) fn stored(amm: &PerpAmm) -> Self {
        Self {
            reserves: amm.reserves(),
            terminal_quote_asset_reserve: amm.terminal_quote_asset_reserve,
            total_fee_minus_distributions: amm.total_fee_minus_distributions,
            net_revenue_since_last_funding: i128::from(amm.net_revenue_since_last_funding),
        }
    }

    /// Returns the cost of a move of the peg, 1e6; negative when the AMM earns money.
    pub(super) fn repeg_cost(&self, peg: u128) -> Result<i128, AmmError> {
        let quote = difference(self.reserves.quote, self.terminal_quote_asset_reserve)?;
        signed_mul_div(quote, difference(peg, self.reserves.peg)?, REPEG_COST_SCALE)
    }

    /// Returns this curve with other reserves and another peg: the quote reserve always follows
    /// from k.
    fn moved(
        self,
        amm: &PerpAmm,
        reserves: Reserves,
        peg: u128,
        cost: i128,
    ) -> Result<Self, AmmError> {
        let quote = reserves.invariant().over(reserves.base)?.word()?;
        let reserves = Reserves { quote, peg, ..reserves };
        Ok(Self {
            terminal_quote_asset_reserve: terminal_quote(amm, &reserves)?,
            reserves,
            total_fee_minus_distributions: sub(self.total_fee_minus_distributions, cost)?,
            net_revenue_since_last_funding: sub(self.net_revenue_since_last_funding, cost)?,
        })
    }
}

/// Returns the peg at which the reserves have the target price, at least 1.
fn peg_for(price: u128, reserves: &Reserves) -> Result<u128, AmmError> {
    Ok(mul_div(price, reserves.base, reserves.quote)?.max(1))
}

/// Returns the target: the oracle price; or, when the budget does not suffice and the price is
/// further away than half of the widest spread, the price at exactly that distance, at any cost.
fn target(amm: &PerpAmm, stored: &UpdatedCurve, oracle: u128) -> Result<Target, AmmError> {
    let peg = peg_for(oracle, &stored.reserves)?;
    let reserved = match amm.program {
        Program::Drift => signed(amm.total_exchange_fee / HALF)?,
        Program::Velocity => 0,
    };
    let budget = sub(amm.total_fee_minus_distributions, reserved)?.max(0);
    let to_oracle = Target { price: oracle, peg, budget, is_earned: true };
    if budget >= stored.repeg_cost(peg)? {
        return Ok(to_oracle);
    }
    let reserve_price = u128::from(stored.reserves.price()?.0);
    let half_spread = mul_div(u128::from(amm.max_spread) / HALF, oracle, PART)?;
    let beyond = reserve_price.abs_diff(oracle).saturating_sub(half_spread);
    if beyond == 0 {
        return Ok(Target { is_earned: budget != 0, ..to_oracle });
    }
    let price =
        if reserve_price < oracle { reserve_price + beyond } else { reserve_price - beyond };
    let peg = peg_for(price, &stored.reserves)?;
    Ok(Target { price, peg, budget: stored.repeg_cost(peg)?, is_earned: false })
}

/// Returns the curve with a reduced k, and with the peg that the resulting budget pays for.
fn shrunk(
    amm: &PerpAmm,
    stored: &UpdatedCurve,
    target: &Target,
) -> Result<(UpdatedCurve, u128), AmmError> {
    let gained = k_shrink_gain(amm)?;
    let base = mul_div(amm.base_asset_reserve, K_SHRINK, PART)?;
    let sqrt_k = mul_div(amm.sqrt_k, K_SHRINK, PART)?;
    let quote = U256::product(sqrt_k, sqrt_k).over(base)?.word()?;
    let reserves = Reserves { base, quote, sqrt_k, peg: amm.peg_multiplier };
    let terminal_quote_asset_reserve = terminal_quote(amm, &reserves)?;
    let shrunk = UpdatedCurve { reserves, terminal_quote_asset_reserve, ..*stored };
    let peg = budgeted_peg(&shrunk, add(target.budget, gained)?, target.price)?;
    Ok((shrunk, peg))
}

/// Returns the earnings of the AMM from a reduction of k, 1e6. Source: sdk/src/math/repeg.ts
/// `calculateAdjustKCost`, whose result has the opposite sign.
fn k_shrink_gain(amm: &PerpAmm) -> Result<i128, AmmError> {
    let inventory = amm.base_asset_amount_with_amm;
    let value = U256::product(amm.quote_asset_reserve, inventory.unsigned_abs())
        .times(amm.peg_multiplier)?;
    let before = unsigned(add(signed(amm.base_asset_reserve)?, inventory)?)?;
    let smaller = signed(mul_div(amm.base_asset_reserve, K_SHRINK, PART)?)?;
    let after = unsigned(add(smaller, inventory)?)?;
    let value_before = value.times(PART_SQUARED)?.over(before)?;
    let value_after = value.times(K_SHRINK * PART)?.over(after)?;
    // Both values have the inventory's sign, and the absolute difference has none: with less depth,
    // a taker of the opposite direction pays more.
    signed(value_before.abs_diff(value_after).over(K_COST_SCALE)?.word()?)
}

/// Returns the peg nearest to the target that a budget pays for; the target's peg when the move
/// costs nothing. Source: sdk/src/math/repeg.ts `calculateBudgetedPeg`.
fn budgeted_peg(curve: &UpdatedCurve, budget: i128, price: u128) -> Result<u128, AmmError> {
    let reserves = &curve.reserves;
    let exposure = difference(reserves.quote, curve.terminal_quote_asset_reserve)?;
    let cost = quotient(exposure, RESERVE_PER_PRICE)?;
    let cost = cost + cost.signum();
    let target = mul_div(price, reserves.base, reserves.quote)?;
    let is_free = match cost.signum() {
        0 => true,
        1 => target < reserves.peg,
        _ => target > reserves.peg,
    };
    if is_free {
        return Ok(target);
    }
    let change = quotient(mul(budget, signed(PART)?)?, cost)?;
    unsigned(add(signed(reserves.peg)?, change)?.max(1))
}

/// Returns the quote reserve after the users' net position is closed.
pub(super) fn terminal_quote(amm: &PerpAmm, reserves: &Reserves) -> Result<u128, AmmError> {
    let inventory = amm.base_asset_amount_with_amm;
    let amount = SwapAmount::Base(inventory.unsigned_abs());
    let closing = if inventory > 0 { Direction::Short } else { Direction::Long };
    let after = reserves.after(reserves.invariant(), amount, amount.direction_of(closing))?;
    Ok(after.quote)
}
