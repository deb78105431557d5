//! The AMM as the program itself prices and fills it: spreads in integers, quotes from the stored
//! spreads, the price for a taker without a limit, and the maximum fill.
//!
//! Differs in rounding and in a few rules from the quotes of [`super`], which are the SDK's
//! estimate.
//!
//! Source: programs/drift/src/controller/amm.rs, programs/drift/src/math/amm_spread.rs,
//! programs/drift/src/math/amm.rs.

mod offset;
mod parts;
mod spread;

use parts::PART;
pub(super) use spread::RETREAT_LOSS;
use spread::{Spread, adjusted};

use super::curve::{PEG_PRECISION, Reserves, SwapAmount};
use super::offset::within_prediction_bounds;
use super::spread::{confidence, live_oracle_std};
use super::update::UpdatedCurve;
use super::wide::{add, difference, div, mul, mul_div, quotient, signed, unsigned};
use super::{AmmError, AmmInputs, AmmSide, PerpAmm};
use crate::model::Program;
use crate::model::enums::Direction;
use crate::model::price::standardize_base;
use crate::model::units::{BaseQty, PRICE_PRECISION, Price};

/// The ratio 1 in the unit of reserve ratios and concentrations.
const CONCENTRATION_ONE: u128 = 1_000_000;

/// Amount by which the spreads may be below the base spread, because of rounding.
const BASE_SPREAD_SLACK: i128 = 2;

/// Divisor of a side's liquidity for the maximum fill.
const SIDE_FILL_DIVISOR: u128 = 2;

/// The base amounts that the curve can still buy and sell.
#[derive(Clone, Copy, Debug)]
struct Open {
    bought: i128,
    sold: i128,
}

impl PerpAmm {
    /// Returns the AMM as a fill at this moment finds it: the program first updates the curve and
    /// the stored oracle values, then the spreads. For Drift v2, the move of the curve is the SDK's
    /// estimate, see [`UpdatedCurve`]. For both programs, the decrease of the oracle's deviation is
    /// an estimate. Quotes that Velocity stored in the current slot stay as they are.
    ///
    /// # Errors
    /// [`AmmError`] by the conditions of [`UpdatedCurve::of`] and [`PerpAmm::update_spreads`].
    ///
    /// Source: programs/drift/src/controller/amm.rs `_update_amm`;
    /// programs/velocity/src/vlp/amm/quoter.rs `AmmQuoter::setup`.
    pub fn before_fill(&self, inputs: &AmmInputs) -> Result<Self, AmmError> {
        let oracle = match u128::try_from(inputs.oracle_price) {
            Ok(price) if price > 0 => price,
            _ => return Err(AmmError::OraclePrice),
        };
        if self.last_spread_update_slot >= inputs.slot.max(1) {
            return Ok(*self);
        }
        let curve = UpdatedCurve::of(self, oracle)?;
        let price = curve.reserves.price()?;
        let reserve_price = i128::from(price.0);
        let above = mul(reserve_price - i128::from(inputs.oracle_price), PART)?;
        let small = |value: i128| i64::try_from(value).map_err(|_| AmmError::Overflow);
        let positive = |value: i128| u64::try_from(value).map_err(|_| AmmError::Overflow);
        let mut amm = Self {
            base_asset_reserve: curve.reserves.base,
            quote_asset_reserve: curve.reserves.quote,
            sqrt_k: curve.reserves.sqrt_k,
            peg_multiplier: curve.reserves.peg,
            terminal_quote_asset_reserve: curve.terminal_quote_asset_reserve,
            total_fee_minus_distributions: curve.total_fee_minus_distributions,
            net_revenue_since_last_funding: small(curve.net_revenue_since_last_funding)?,
            last_oracle_conf_pct: positive(confidence(self, inputs, reserve_price)?)?,
            last_oracle_reserve_price_spread_pct: small(quotient(above, reserve_price)?)?,
            oracle_std: positive(live_oracle_std(self, inputs)?)?,
            ..*self
        };
        amm.update_bounds()?;
        amm.update_spreads(price, Some(inputs))?;
        Ok(amm)
    }

    /// Sets the minimum and maximum base reserve by the current curve. The bounds do not change
    /// when the program stores them, or when the account has no concentration. Source:
    /// programs/velocity/src/vlp/amm/math/amm.rs `calculate_bid_ask_bounds`.
    fn update_bounds(&mut self) -> Result<(), AmmError> {
        if self.concentration_coef <= CONCENTRATION_ONE {
            return Ok(());
        }
        let balanced = add(signed(self.base_asset_reserve)?, self.base_asset_amount_with_amm)?;
        let (balanced, ratio) = (unsigned(balanced)?, self.concentration_coef);
        self.min_base_asset_reserve = mul_div(balanced, CONCENTRATION_ONE, ratio)?;
        self.max_base_asset_reserve = mul_div(balanced, ratio, CONCENTRATION_ONE)?;
        Ok(())
    }

    /// Updates the spreads, the reference offset and the reserves of both quotes from the current
    /// fields. `inputs` give the time for the smoothing of the offset's sign, and the oracle price
    /// that no quote may cross; without `inputs`, no slot has passed and no such price applies.
    ///
    /// # Errors
    /// [`AmmError`] when a step is not defined for the account's numbers. The fields are then
    /// unchanged.
    ///
    /// Source: programs/drift/src/controller/amm.rs `update_spreads`;
    /// programs/velocity/src/vlp/amm/math/spread.rs `compute_quote_state`.
    pub fn update_spreads(
        &mut self,
        reserve_price: Price,
        inputs: Option<&AmmInputs>,
    ) -> Result<(), AmmError> {
        let price = i128::from(reserve_price.0);
        let target = self.reference_offset(price)?;
        let spread = if self.curve_update_intensity == 0 {
            Spread::both(i128::from(self.base_spread / 2))
        } else {
            self.spread(price)?
        };
        let spread = match self.amm_spread_adjustment {
            0 => spread,
            per_cent => spread.map(|side| Ok(adjusted(side, per_cent)?.max(1)))?,
        };
        let (spread, offset) = match (self.program, inputs) {
            (Program::Drift, _) => self.smoothed(spread, target, inputs.map(|at| at.slot))?,
            (Program::Velocity, Some(at)) => (self.guarded(spread, target, at, price)?, target),
            (Program::Velocity, None) => (spread, target),
        };
        let narrow = |side: i128| u32::try_from(side).map_err(|_| AmmError::Overflow);
        let mut updated = Self {
            long_spread: narrow(spread.long)?,
            short_spread: narrow(spread.short)?,
            reference_price_offset: i32::try_from(offset).map_err(|_| AmmError::Overflow)?,
            ..*self
        };
        updated.check_spreads()?;
        updated.update_spread_reserves()?;
        *self = updated;
        Ok(())
    }

    /// Velocity fails for spreads whose sum exceeds the whole price, or is less than the base
    /// spread without a rule that narrows it. Source: programs/velocity/src/vlp/amm/math/spread.rs
    /// `validate_amm_quote_state`.
    fn check_spreads(&self) -> Result<(), AmmError> {
        let total = i128::from(self.long_spread) + i128::from(self.short_spread);
        let may_narrow = self.amm_spread_adjustment < 0 || self.amm_inventory_spread_adjustment < 0;
        let least = if may_narrow { 0 } else { i128::from(self.base_spread) - BASE_SPREAD_SLACK };
        match self.program {
            Program::Velocity if !(least..=PART).contains(&total) => Err(AmmError::Overflow),
            _ => Ok(()),
        }
    }

    /// Updates the reserves of both quotes from the current reserves and spreads. An ask without an
    /// offset is never below the reserve price, and on Velocity a bid without an offset is never
    /// above it.
    ///
    /// # Errors
    /// [`AmmError`] when a reserve is zero, negative, or exceeds 128 bits.
    ///
    /// Source: programs/drift/src/controller/amm.rs `update_spread_reserves`;
    /// programs/velocity/src/vlp/amm/math/spread.rs `refresh_cached_spread_reserves`.
    pub fn update_spread_reserves(&mut self) -> Result<(), AmmError> {
        let offset = i128::from(self.reference_price_offset);
        let mut ask = self.moved_by(i128::from(self.long_spread) + offset, AmmSide::Ask)?;
        let mut bid = self.moved_by(offset - i128::from(self.short_spread), AmmSide::Bid)?;
        let reserves = self.reserves();
        match self.program {
            Program::Drift if offset == 0 && ask.base > reserves.base => ask = reserves,
            Program::Velocity if offset == 0 => {
                ask.base = ask.base.min(reserves.base);
                ask.quote = ask.quote.max(reserves.quote);
                bid.base = bid.base.max(reserves.base);
                bid.quote = bid.quote.min(reserves.quote);
            }
            _ => {}
        }
        (self.ask_base_asset_reserve, self.ask_quote_asset_reserve) = (ask.base, ask.quote);
        (self.bid_base_asset_reserve, self.bid_quote_asset_reserve) = (bid.base, bid.quote);
        Ok(())
    }

    /// Returns the curve moved by half of a distance from the reserve price. Source:
    /// programs/drift/src/math/amm_spread.rs `calculate_spread_reserves`;
    /// programs/velocity/src/vlp/amm/math/spread.rs `compute_spread_reserves_for_direction`.
    fn moved_by(&self, distance: i128, side: AmmSide) -> Result<Reserves, AmmError> {
        let quote_before = signed(self.quote_asset_reserve)?;
        let change = match (self.program, distance / 2) {
            (Program::Velocity, _) => quotient(mul(quote_before, distance)?, 2 * PART)?,
            (Program::Drift, 0) => 0,
            (Program::Drift, half) => quotient(quote_before, quotient(PART, half)?)?,
        };
        let mut quote = unsigned(add(quote_before, change)?)?;
        if self.is_prediction {
            quote = within_prediction_bounds(quote, &self.reserves(), side)?;
        }
        let reserves = self.reserves();
        let base = reserves.invariant().over(quote)?.word()?;
        Ok(Reserves { base, quote, ..reserves })
    }

    /// Returns the stored reserves against which a taker of this direction trades.
    #[must_use]
    pub const fn spread_reserves(&self, taker: Direction) -> Reserves {
        let reserves = self.reserves();
        match taker {
            Direction::Long => Reserves {
                base: self.ask_base_asset_reserve,
                quote: self.ask_quote_asset_reserve,
                ..reserves
            },
            Direction::Short => Reserves {
                base: self.bid_base_asset_reserve,
                quote: self.bid_quote_asset_reserve,
                ..reserves
            },
        }
    }

    /// Returns the AMM's price for a taker of this direction, 1e6, by the stored spreads.
    ///
    /// # Errors
    /// [`AmmError::Overflow`] when the price is negative or exceeds 64 bits.
    ///
    /// Source: programs/drift/src/state/perp_market.rs `bid_price`, `ask_price`.
    pub fn price_for(&self, reserve_price: Price, taker: Direction) -> Result<Price, AmmError> {
        let spread = match taker {
            Direction::Long => i128::from(self.long_spread),
            Direction::Short => -i128::from(self.short_spread),
        };
        let multiplier = PART + spread + i128::from(self.reference_price_offset);
        let price = mul(i128::from(reserve_price.0), multiplier)? / PART;
        u64::try_from(price).map(Price).map_err(|_| AmmError::Overflow)
    }

    /// Returns the price, 1e6, at which a taker without a limit matches a maker: slightly worse for
    /// the taker than the AMM's quote or, when the AMM has less than the smallest order, than the
    /// oracle price with the usual premium. `seconds_left` is the time until the order expires.
    ///
    /// # Errors
    /// [`AmmError`] when the quote is not defined, or the price is computed from a negative oracle
    /// price.
    ///
    /// Source: programs/drift/src/state/perp_market.rs `get_fallback_price`.
    pub fn fallback_price(
        &self,
        taker: Direction,
        reserve_price: Price,
        oracle_price: i64,
        seconds_left: i64,
    ) -> Result<Price, AmmError> {
        let seconds = i128::from(seconds_left.max(0));
        let oracle = i128::from(oracle_price);
        let price = if self.available_liquidity(taker)? >= BaseQty(self.min_order_size) {
            let price = i128::from(self.price_for(reserve_price, taker)?.0);
            let beyond = price / (seconds * 20).clamp(100, 200);
            if taker == Direction::Long { price + beyond } else { price - beyond }
        } else {
            let beyond = quotient(oracle, (seconds * 2).clamp(10, 50))?;
            let over = |twap: u64| i128::from(twap) - i128::from(self.last_oracle_price_twap);
            match taker {
                Direction::Long => oracle + over(self.last_ask_price_twap).max(0) + beyond,
                Direction::Short => {
                    (oracle + over(self.last_bid_price_twap).min(0) - beyond).max(0)
                }
            }
        };
        u64::try_from(price).map(Price).map_err(|_| AmmError::Overflow)
    }

    /// Returns the maximum size of one fill against the AMM, in whole steps: half of the side's
    /// liquidity, limited by the market's fraction of the reserve.
    ///
    /// # Errors
    /// [`AmmError::DivisionByZero`] for a fraction of 0; [`AmmError::Overflow`] above 64 bits.
    ///
    /// Source: programs/drift/src/math/amm.rs `calculate_amm_available_liquidity`.
    pub fn available_liquidity(&self, taker: Direction) -> Result<BaseQty, AmmError> {
        let base = self.base_asset_reserve;
        let side = match taker {
            Direction::Long => base.saturating_sub(self.min_base_asset_reserve),
            Direction::Short => self.max_base_asset_reserve.saturating_sub(base),
        };
        let part = div(base, u128::from(self.max_fill_reserve_fraction))?;
        let most =
            u64::try_from(part.min(side / SIDE_FILL_DIVISOR)).map_err(|_| AmmError::Overflow)?;
        Ok(standardize_base(BaseQty(most), BaseQty(self.order_step_size)))
    }

    /// Returns the base amount that a taker can get before the AMM's price is within a tick of a
    /// limit; 0 when it is already.
    ///
    /// # Errors
    /// [`AmmError::DivisionByZero`] for a limit of at most one tick, and for reserves of 0;
    /// [`AmmError::Overflow`] for a number that is too large.
    ///
    /// Source: programs/drift/src/math/amm_spread.rs `calculate_base_asset_amount_to_trade_to_price`,
    /// programs/drift/src/math/orders.rs `calculate_base_asset_amount_to_fill_up_to_limit_price`.
    pub fn base_up_to(&self, taker: Direction, limit: Price) -> Result<BaseQty, AmmError> {
        let short_of_limit = match taker {
            Direction::Long => limit.0.checked_sub(self.order_tick_size),
            Direction::Short => limit.0.checked_add(self.order_tick_size),
        };
        let limit = short_of_limit.ok_or(AmmError::Overflow)?;
        let before = self.spread_reserves(taker);
        // The order of the divisions is the same as in the program.
        let after = before
            .invariant()
            .times(PRICE_PRECISION.into())?
            .over(u128::from(limit))?
            .times(self.peg_multiplier)?
            .over(PEG_PRECISION)?
            .isqrt();
        let room = match taker {
            Direction::Long => before.base.saturating_sub(after),
            Direction::Short => after.saturating_sub(before.base),
        };
        u64::try_from(room).map(BaseQty).map_err(|_| AmmError::Overflow)
    }

    /// Fills a taker from the AMM, and returns the quote amount, which the reserves of the quote
    /// determine. The reserves change by the same base amount, and the quotes change with unchanged
    /// spreads. On an error the fields are unchanged.
    ///
    /// # Errors
    /// [`AmmError`] when the AMM has less than this amount.
    ///
    /// Source: programs/drift/src/controller/amm.rs `swap_base_asset`,
    /// programs/drift/src/math/amm.rs `calculate_base_swap_output_with_spread`.
    pub fn fill(&mut self, taker: Direction, base: BaseQty) -> Result<u64, AmmError> {
        let amount = SwapAmount::Base(u128::from(base.0));
        let direction = amount.direction_of(taker);
        let quoted = self.spread_reserves(taker).swap(amount, direction)?;
        let moved = self.reserves().swap(amount, direction)?.reserves;
        let change = match taker {
            Direction::Long => i128::from(base.0),
            Direction::Short => -i128::from(base.0),
        };
        let mut filled = Self {
            base_asset_reserve: moved.base,
            quote_asset_reserve: moved.quote,
            base_asset_amount_with_amm: add(self.base_asset_amount_with_amm, change)?,
            ..*self
        };
        filled.update_spread_reserves()?;
        let quote = u64::try_from(quoted.quote_amount).map_err(|_| AmmError::Overflow)?;
        *self = filled;
        Ok(quote)
    }

    fn open(&self) -> Result<Open, AmmError> {
        let base = self.base_asset_reserve;
        Ok(Open {
            bought: difference(self.max_base_asset_reserve, base)?.max(0),
            sold: difference(base, self.min_base_asset_reserve)?.max(0),
        })
    }
}

#[cfg(test)]
mod tests;
