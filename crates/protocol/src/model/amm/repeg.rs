//! Velocity's own update of the curve before a fill: the peg moves as far as the AMM can pay, after
//! k is reduced when the budget does not suffice.
//!
//! Source: programs/velocity/src/vlp/amm/math/repeg.rs `adjust_amm`, `project_post_refresh`,
//! programs/velocity/src/vlp/amm/math/cp_curve.rs.

use super::curve::{Reserves, SwapAmount};
use super::update::{Target, UpdatedCurve, terminal_quote};
use super::wide::{add, difference, mul, mul_div, quotient, sub};
use super::{AmmError, PerpAmm};
use crate::model::enums::Direction;

/// Units of a peg of one.
const PEG: i128 = 1_000_000;

/// Reserve units for one unit of price and one unit of peg.
const RESERVE_PER_PEG: i128 = 1_000;

/// Divisor of the square root of k for one reduction, and the minimum intensity for a reduction.
const K_DIVISOR: u128 = 1_000;
const K_INTENSITY_MIN: u8 = 100;

/// The ratio 1 of two square roots of k.
const RATIO: u128 = 1_000_000_000;

/// Flag of a market with a constant k. Source: programs/velocity/src/state/perp_market.rs
/// `MarketConfigFlag`.
const DISABLE_K_UPDATE: u8 = 1;

impl UpdatedCurve {
    /// Returns this stored curve with the peg as near to the target as the budget pays for;
    /// unchanged when the AMM has not earned the cost.
    pub(super) fn repegged(self, amm: &PerpAmm, target: &Target) -> Result<Self, AmmError> {
        let (moved, cost) = self.moved_toward(amm, target)?;
        let left = sub(self.total_fee_minus_distributions, cost)?;
        if cost > 0 && target.is_earned && left < 0 {
            return Ok(self);
        }
        Ok(Self {
            total_fee_minus_distributions: left,
            net_revenue_since_last_funding: sub(self.net_revenue_since_last_funding, cost)?,
            ..moved
        })
    }

    fn moved_toward(&self, amm: &PerpAmm, target: &Target) -> Result<(Self, i128), AmmError> {
        let change = difference(target.peg, self.reserves.peg)?;
        if change == 0 {
            return Ok((self.with(amm, self.reserves)?, 0));
        }
        let unit = self.cost_of_peg()?;
        let is_free = unit == 0 || (unit > 0) == (change < 0);
        if is_free || affordable(target.budget, unit)?.abs() > change.abs() {
            let cost = self.repeg_cost(target.peg)?;
            let reserves = Reserves { peg: target.peg, ..self.reserves };
            return Ok((self.with(amm, reserves)?, cost));
        }
        let (curve, cost_of_k) = self.lowered(amm)?;
        let change = affordable(add(target.budget, cost_of_k.abs())?, curve.cost_of_peg()?)?;
        let peg = match change {
            1.. => self.reserves.peg.saturating_add(change.unsigned_abs()),
            _ => self.reserves.peg.saturating_sub(change.unsigned_abs()).max(1),
        };
        let cost = add(curve.repeg_cost(peg)?, cost_of_k)?;
        Ok((curve.with(amm, Reserves { peg, ..curve.reserves })?, cost))
    }

    fn with(&self, amm: &PerpAmm, reserves: Reserves) -> Result<Self, AmmError> {
        let terminal_quote_asset_reserve = terminal_quote(amm, &reserves)?;
        Ok(Self { reserves, terminal_quote_asset_reserve, ..*self })
    }

    /// Returns the cost of one unit of peg, rounded away from 0; negative when a higher peg earns
    /// money. Source: `calculate_per_peg_cost`.
    fn cost_of_peg(&self) -> Result<i128, AmmError> {
        let quote = difference(self.reserves.quote, self.terminal_quote_asset_reserve)?;
        let rounded_up = i128::from(quote > 0 && quote % RESERVE_PER_PEG != 0);
        Ok(quote / RESERVE_PER_PEG + rounded_up + quote.signum())
    }

    /// Returns the curve with a k that is reduced by one step, and the cost, which is negative; the
    /// curve is unchanged when k must not be reduced. Source: `get_update_k_result`,
    /// `adjust_k_cost_and_update`.
    fn lowered(&self, amm: &PerpAmm) -> Result<(Self, i128), AmmError> {
        if !may_lower_k(amm) {
            return Ok((*self, 0));
        }
        let old = self.reserves;
        let least = amm.base_asset_amount_with_amm.unsigned_abs().max(amm.min_order_size.into());
        let sqrt_k = (old.sqrt_k - old.sqrt_k / K_DIVISOR).max(old.sqrt_k.min(least));
        let ratio = mul_div(sqrt_k, RATIO, old.sqrt_k)?;
        let ratio = if ratio < RATIO { ratio + 1 } else { ratio };
        let base = mul_div(old.base, ratio, RATIO)?;
        let reserves = Reserves { base, sqrt_k, ..old };
        let quote = reserves.invariant().over(base)?.word()?;
        let reserves = Reserves { quote, ..reserves };
        let change = sub(close_value(amm, &reserves)?, close_value(amm, &old)?)?;
        Ok((self.with(amm, reserves)?, change * amm.base_asset_amount_with_amm.signum()))
    }
}

/// Returns the change of the peg that a budget pays for.
fn affordable(budget: i128, unit: i128) -> Result<i128, AmmError> {
    quotient(mul(budget, PEG)?, unit)
}

/// Source: programs/velocity/src/vlp/amm/state.rs `can_lower_k`.
fn may_lower_k(amm: &PerpAmm) -> bool {
    let net = amm.base_asset_amount_with_amm.unsigned_abs();
    let least = u128::from(amm.min_order_size);
    let bought = amm.max_base_asset_reserve.saturating_sub(amm.base_asset_reserve);
    let sold = amm.base_asset_reserve.saturating_sub(amm.min_base_asset_reserve);
    amm.curve_update_intensity >= K_INTENSITY_MIN
        && amm.market_config & DISABLE_K_UPDATE == 0
        && net < bought.min(sold)
        && net.max(least) < amm.sqrt_k
        && least < bought.max(sold)
}

/// Returns the quote amount of a swap that closes the users' net position, 1e6. Source:
/// programs/velocity/src/vlp/amm/state.rs `inventory_close_value`.
fn close_value(amm: &PerpAmm, reserves: &Reserves) -> Result<i128, AmmError> {
    let net = amm.base_asset_amount_with_amm;
    if net == 0 {
        return Ok(0);
    }
    let closing = if net > 0 { Direction::Short } else { Direction::Long };
    let amount = SwapAmount::Base(net.unsigned_abs());
    let swap = reserves.swap(amount, amount.direction_of(closing))?;
    i128::try_from(swap.quote_amount).map_err(|_| AmmError::Overflow)
}
