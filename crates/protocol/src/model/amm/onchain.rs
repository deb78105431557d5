//! The AMM as the program itself prices and fills it: spreads in integers, quotes from the stored
//! spreads, the price for a taker without a limit, and what a fill may take.
//!
//! Differs from [`super`]'s estimate, which is the SDK's, in roundings and in a few rules.
//!
//! Source: programs/drift/src/controller/amm.rs, programs/drift/src/math/amm_spread.rs,
//! programs/drift/src/math/amm.rs.

use super::curve::{PEG_PRECISION, Reserves, SwapAmount};
use super::offset::within_prediction_bounds;
use super::spread::{confidence, live_oracle_std};
use super::update::UpdatedCurve;
use super::wide::{add, difference, div, mul, quotient, signed, sub, unsigned};
use super::{AmmError, AmmInputs, AmmSide, PerpAmm};
use crate::model::enums::Direction;
use crate::model::price::standardize_base;
use crate::model::units::{BaseQty, PRICE_PRECISION, Price};

/// Units of a part of one: of spreads, percentages and prices.
const PART: i128 = 1_000_000;

/// Parts of an adjustment: per cent.
const PER_CENT: i128 = 100;

/// Confidence up to this part counts a twentieth only: 25 bps.
const CONF_FULL_ABOVE: i128 = PART / 400;
const CONF_SMALL_DIVISOR: i128 = 20;

/// The volume factor is at least a hundredth and at most one.
const VOLUME_FACTOR_MIN: i128 = PART / 100;

/// Most that inventory alone, leverage, or a lack of earnings widens a spread: tenfold.
/// Source: programs/drift/src/math/constants.rs `MAX_BID_ASK_INVENTORY_SKEW_FACTOR`,
/// `DEFAULT_LARGE_BID_ASK_FACTOR`.
const SPREAD_SCALE_MAX: i128 = 10 * PART;

/// A loss since the last funding beyond this makes the spread retreat: 25 USD.
/// Source: `DEFAULT_REVENUE_SINCE_LAST_FUNDING_SPREAD_RETREAT`.
const RETREAT_LOSS: i128 = 25 * PART;

/// Up to this many times that loss the retreat is in proportion, beyond it the most there is.
const RETREAT_PROPORTIONAL: i128 = 1_000;

/// A retreat is at most this part of the widest spread.
const RETREAT_DIVISOR: i128 = 10;

/// Divisor from base times price, or reserve times peg, to quote.
const QUOTE_SCALE: i128 = 1_000_000_000;

/// A curve update intensity above this gives the quotes an offset, and from the next on the offset
/// may be as wide as half the widest spread.
const OFFSET_INTENSITY_MIN: u8 = 100;
const OFFSET_INTENSITY_FULL: u8 = 200;

/// Least bound of the offset at full intensity, and what a point of intensity gives below it.
const OFFSET_FULL: i128 = 10_000;
const OFFSET_PER_INTENSITY: i128 = 100;

/// Funding rates are prices at 1e3 more, and of an hour; a part of the oracle's price is no premium.
const FUNDING_RATE_BUFFER: i128 = 1_000;
const HOURS_A_DAY: i128 = 24;
const FUNDING_BASELINE_DIVISOR: i128 = 5_000;

/// A change of the offset's sign goes a tenth of the way, a slot 1,000 at most, and 10 at least.
const SMOOTHING_PER_SLOT: i128 = 1_000;
const SMOOTHING_DIVISOR: i128 = 10;
const SMOOTHING_MIN: i128 = 10;

/// A fill takes at most this part of a side's liquidity.
const SIDE_FILL_DIVISOR: u128 = 2;

/// The base asset of a curve that is still available: to buy, and to sell.
#[derive(Clone, Copy, Debug)]
struct Open {
    bought: i128,
    sold: i128,
}

/// The spreads of both sides and what they depend on, parts at 1e6.
#[derive(Clone, Copy, Debug)]
struct Spread {
    long: i128,
    short: i128,
}

impl Spread {
    const fn both(each: i128) -> Self {
        Self { long: each, short: each }
    }

    /// Each side by a rule of its own.
    fn map(self, rule: impl Fn(i128) -> Result<i128, AmmError>) -> Result<Self, AmmError> {
        Ok(Self { long: rule(self.long)?, short: rule(self.short)? })
    }

    /// The side that inventory weighs on: that of takers that go the same way as the users' position.
    const fn weighed(&mut self, net: i128) -> Option<&mut i128> {
        match net.signum() {
            1 => Some(&mut self.long),
            -1 => Some(&mut self.short),
            _ => None,
        }
    }
}

/// `value * by / PART`.
fn scaled(value: i128, by: i128) -> Result<i128, AmmError> {
    Ok(mul(value, by)? / PART)
}

/// `value` more or less by so many per cent, rounded away from 0 when more and toward it when less
/// is taken off.
fn adjusted(value: i128, per_cent: i8) -> Result<i128, AmmError> {
    let part = mul(value, i128::from(per_cent.unsigned_abs()))?;
    if per_cent < 0 { sub(value, part / PER_CENT) } else { add(value, div_up(part, PER_CENT)) }
}

const fn div_up(dividend: i128, divisor: i128) -> i128 {
    let up = if dividend > 0 && dividend % divisor != 0 { 1 } else { 0 };
    dividend / divisor + up
}

impl PerpAmm {
    /// The AMM as a fill at this moment sees it: the program first updates the curve and the stored
    /// oracle values, then the spreads. The move of the curve and the fading of the oracle's
    /// deviation are the SDK's estimates of it, see [`UpdatedCurve`].
    ///
    /// # Errors
    /// [`AmmError`] as of [`UpdatedCurve::of`] and [`PerpAmm::update_spreads`].
    ///
    /// Source: programs/drift/src/controller/amm.rs `_update_amm`.
    pub fn before_fill(&self, inputs: &AmmInputs) -> Result<Self, AmmError> {
        let oracle = match u128::try_from(inputs.oracle_price) {
            Ok(price) if price > 0 => price,
            _ => return Err(AmmError::OraclePrice),
        };
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
        amm.update_spreads(price, Some(inputs.slot))?;
        Ok(amm)
    }

    /// The spreads, the reference offset and the reserves of both quotes, stored again from the
    /// fields as they are. `slot` smooths a change of the offset's sign; without one no slot has
    /// passed.
    ///
    /// # Errors
    /// [`AmmError`] when a step is not defined for the account's numbers. The fields are unchanged.
    ///
    /// Source: programs/drift/src/controller/amm.rs `update_spreads`.
    pub fn update_spreads(
        &mut self,
        reserve_price: Price,
        slot: Option<u64>,
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
        let (spread, offset) = self.smoothed(spread, target, slot)?;
        let narrow = |side: i128| u32::try_from(side).map_err(|_| AmmError::Overflow);
        let mut updated = Self {
            long_spread: narrow(spread.long)?,
            short_spread: narrow(spread.short)?,
            reference_price_offset: i32::try_from(offset).map_err(|_| AmmError::Overflow)?,
            ..*self
        };
        updated.update_spread_reserves()?;
        *self = updated;
        Ok(())
    }

    /// The reserves of both quotes, stored again from the reserves and the spreads as they are. An
    /// ask without an offset is never below the reserve price.
    ///
    /// # Errors
    /// [`AmmError`] when a reserve would be zero, negative, or beyond 128 bits.
    ///
    /// Source: programs/drift/src/controller/amm.rs `update_spread_reserves`.
    pub fn update_spread_reserves(&mut self) -> Result<(), AmmError> {
        let offset = i128::from(self.reference_price_offset);
        let mut ask = self.moved_by(i128::from(self.long_spread) + offset, AmmSide::Ask)?;
        let bid = self.moved_by(offset - i128::from(self.short_spread), AmmSide::Bid)?;
        if offset == 0 && ask.base > self.base_asset_reserve {
            ask = self.reserves();
        }
        (self.ask_base_asset_reserve, self.ask_quote_asset_reserve) = (ask.base, ask.quote);
        (self.bid_base_asset_reserve, self.bid_quote_asset_reserve) = (bid.base, bid.quote);
        Ok(())
    }

    /// The curve moved by half a distance from the reserve price.
    /// Source: programs/drift/src/math/amm_spread.rs `calculate_spread_reserves`.
    fn moved_by(&self, distance: i128, side: AmmSide) -> Result<Reserves, AmmError> {
        let quote_before = signed(self.quote_asset_reserve)?;
        let half = distance / 2;
        let change = match half {
            0 => 0,
            half => quotient(quote_before, quotient(PART, half)?)?,
        };
        let mut quote = unsigned(add(quote_before, change)?)?;
        if self.is_prediction {
            quote = within_prediction_bounds(quote, &self.reserves(), side)?;
        }
        let reserves = self.reserves();
        let base = reserves.invariant().over(quote)?.word()?;
        Ok(Reserves { base, quote, ..reserves })
    }

    /// The reserves that a taker of a direction trades against, as last stored.
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

    /// The price at which a taker of a direction meets the AMM, 1e6, by the stored spreads.
    ///
    /// # Errors
    /// [`AmmError::Overflow`] when it is negative or beyond 64 bits.
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

    /// The price for a taker without a limit, 1e6, that meets a maker: a little through the AMM's
    /// quote, or where the AMM has less than the smallest order, through the oracle's price and the
    /// usual premium. `seconds_left` are those until the order expires.
    ///
    /// # Errors
    /// [`AmmError`] when the quote, or a price from a negative oracle price, is not defined.
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

    /// The maximum of one fill against the AMM, in whole steps: half of the side, and no more than
    /// the market's part of the reserve.
    ///
    /// # Errors
    /// [`AmmError::DivisionByZero`] for a part of 0; [`AmmError::Overflow`] beyond 64 bits.
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

    /// Base that a taker can get before the AMM's price is a tick short of a limit; 0 when it is
    /// there already.
    ///
    /// # Errors
    /// [`AmmError::DivisionByZero`] for a limit of a tick or less, and for reserves of 0;
    /// [`AmmError::Overflow`] beyond the numbers.
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
        // In this order of divisions; both are the program's.
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

    /// Fills a taker from the AMM: quote by the spread's reserves; the reserves themselves move by
    /// the same base, and the quotes follow with the spreads as they are. The fields are unchanged
    /// when it fails.
    ///
    /// # Errors
    /// [`AmmError`] when the AMM does not have so much.
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

    /// Source: programs/drift/src/math/amm_spread.rs `calculate_spread`.
    fn spread(&self, reserve_price: i128) -> Result<Spread, AmmError> {
        let net = self.base_asset_amount_with_amm;
        let volume = self.volume_spread(reserve_price)?;
        let half_base = i128::from(self.base_spread / 2);
        let mut spread = volume.map(|side| Ok(side.max(half_base)))?;
        let distance = i128::from(self.last_oracle_reserve_price_spread_pct);
        if distance < 0 {
            spread.long = spread.long.max(distance.abs() + volume.long);
        } else {
            spread.short = spread.short.max(distance + volume.short);
        }
        let widest = self.widest_spread(reserve_price)?;
        if let Some(side) = spread.weighed(net) {
            *side = scaled(*side, self.inventory_scale(*side, widest)?)?;
        }
        if self.total_fee_minus_distributions <= 0 {
            spread = spread.map(|side| scaled(side, SPREAD_SCALE_MAX))?;
        } else if let Some(side) = spread.weighed(net) {
            *side = scaled(*side, self.leverage_scale(reserve_price)?)?;
        }
        self.retreat(&mut spread, widest)?;
        if self.amm_inventory_spread_adjustment != 0 {
            let adjust = |side, volume: i128| {
                let side = adjusted(side, self.amm_inventory_spread_adjustment)?;
                Ok(side.max(1).max(half_base).max(volume))
            };
            spread.long = adjust(spread.long, volume.long)?;
            spread.short = adjust(spread.short, volume.short)?;
        }
        capped(spread, widest)
    }

    /// The spread that volatility, confidence and volume need.
    /// Source: programs/drift/src/math/amm_spread.rs `calculate_long_short_vol_spread`.
    fn volume_spread(&self, reserve_price: i128) -> Result<Spread, AmmError> {
        let std = i128::from(self.mark_std) + i128::from(self.oracle_std);
        let mean = quotient(mul(std, PART)?, reserve_price)? / 2;
        let conf = i128::from(self.last_oracle_conf_pct);
        let volatility = conf.max(mean / 4);
        let counted = if conf > CONF_FULL_ABOVE { conf } else { conf / CONF_SMALL_DIVISOR };
        let side = |intensity: u64| {
            let factor = i128::from(intensity) * PART / i128::from(self.volume_24h.max(1));
            Ok(counted.max(scaled(volatility, factor.clamp(VOLUME_FACTOR_MIN, PART))?))
        };
        Ok(Spread {
            long: side(self.long_intensity_volume)?,
            short: side(self.short_intensity_volume)?,
        })
    }

    /// Most that both spreads together may be.
    /// Source: programs/drift/src/math/amm_spread.rs `calculate_max_target_spread`.
    fn widest_spread(&self, reserve_price: i128) -> Result<i128, AmmError> {
        let std = i128::from(self.mark_std.max(self.oracle_std));
        let std = quotient(mul(std, PART)?, reserve_price)?;
        let noise = (i128::from(self.last_oracle_conf_pct) * 2).max(std).min(PART);
        let distance = i128::from(self.last_oracle_reserve_price_spread_pct).abs();
        Ok(distance.max(noise).max(i128::from(self.max_spread)))
    }

    /// The part of `liquidity` that the users' net position is, at 1e6 and at most one.
    fn used(&self, liquidity: i128) -> Result<i128, AmmError> {
        let net = self.base_asset_amount_with_amm.checked_abs().ok_or(AmmError::Overflow)?;
        if net >= liquidity {
            return Ok(if net == 0 { 0 } else { PART });
        }
        quotient(mul(net, PART)?, liquidity)
    }

    /// Source: programs/drift/src/math/amm_spread.rs `calculate_spread_inventory_scale`.
    fn inventory_scale(&self, side: i128, widest: i128) -> Result<i128, AmmError> {
        let open = self.open()?;
        let used = self.used(open.bought.min(open.sold))?;
        let most = SPREAD_SCALE_MAX.max(quotient(mul(widest, PART)?, side.max(1))?);
        Ok(add(PART, scaled(most, used)?)?.min(most))
    }

    /// Source: programs/drift/src/math/amm_spread.rs `calculate_effective_leverage`.
    fn leverage_scale(&self, reserve_price: i128) -> Result<i128, AmmError> {
        let worth = mul(self.base_asset_amount_with_amm, reserve_price)? / QUOTE_SCALE;
        let quote = difference(self.quote_asset_reserve, self.terminal_quote_asset_reserve)?;
        let cost = mul(quote, signed(self.peg_multiplier)?)? / QUOTE_SCALE;
        let at_risk = sub(worth, cost)?.max(0);
        let earned = add(self.total_fee_minus_distributions.max(0), 1)?;
        let leverage = quotient(mul(at_risk, PART)?, earned)?;
        Ok(add(leverage, PART + 1)?.min(SPREAD_SCALE_MAX))
    }

    /// Widens the spread after a loss, the side that inventory weighs on twice as much.
    /// Source: programs/drift/src/math/amm_spread.rs `calculate_spread_revenue_retreat_amount`.
    fn retreat(&self, spread: &mut Spread, widest: i128) -> Result<(), AmmError> {
        let revenue = i128::from(self.net_revenue_since_last_funding);
        if revenue >= -RETREAT_LOSS {
            return Ok(());
        }
        let mut amount = widest / RETREAT_DIVISOR;
        if revenue >= -RETREAT_LOSS * RETREAT_PROPORTIONAL {
            amount = amount.min(mul(i128::from(self.base_spread), -revenue)? / RETREAT_LOSS);
        }
        let net = self.base_asset_amount_with_amm;
        spread.long = add(spread.long, if net > 0 { amount } else { amount / 2 })?;
        spread.short = add(spread.short, if net < 0 { amount } else { amount / 2 })?;
        Ok(())
    }

    /// The offset that inventory and premium need, before smoothing.
    /// Source: programs/drift/src/math/amm_spread.rs `calculate_reference_price_offset`.
    fn reference_offset(&self, reserve_price: i128) -> Result<i128, AmmError> {
        let half_spread = i128::from(self.max_spread / 2);
        let most = match self.curve_update_intensity {
            ..=OFFSET_INTENSITY_MIN => return Ok(0),
            OFFSET_INTENSITY_FULL.. => half_spread.max(OFFSET_FULL),
            intensity => {
                let beyond = i128::from(intensity - OFFSET_INTENSITY_MIN);
                half_spread.min(OFFSET_PER_INTENSITY * beyond)
            }
        };
        let used = self.inventory_beyond_deadband()?;
        if used == 0 || self.last_24h_avg_funding_rate == 0 || most == 0 {
            return Ok(0);
        }
        let premium = self.premium(mul(most, reserve_price)? / PART)?;
        let premium = quotient(mul(premium, PART)?, reserve_price)?;
        if premium.signum() != used.signum() {
            return Ok(0);
        }
        // The part is not divided by 1e6 here: the offset is nearly always at its bound.
        Ok((mul(premium, used.abs())? / 2).clamp(-most, most))
    }

    /// The part of the liquidity that the users' net position is, signed, less the deadband.
    fn inventory_beyond_deadband(&self) -> Result<i128, AmmError> {
        let open = self.open()?;
        let used = self.used(add(open.bought, open.sold)? / 2)?;
        let deadband = PART * i128::from(self.reference_price_offset_deadband_pct) / PER_CENT;
        let net = add(self.base_asset_amount_with_amm, self.base_asset_amount_with_unsettled_lp)?;
        Ok((used - deadband).max(0) * net.signum())
    }

    /// The mark's premium over the oracle: the mean of five minutes, the funding period and a day,
    /// each within a bound.
    fn premium(&self, most: i128) -> Result<i128, AmmError> {
        let over = |mark: u64, oracle: i64| i128::from(mark) - i128::from(oracle);
        let minutes = over(self.last_mark_price_twap_5min, self.last_oracle_price_twap_5min);
        let hour = over(self.last_mark_price_twap, self.last_oracle_price_twap);
        let day = i128::from(self.last_24h_avg_funding_rate) / FUNDING_RATE_BUFFER * HOURS_A_DAY
            - i128::from(self.last_oracle_price_twap) / FUNDING_BASELINE_DIVISOR;
        let bounded = |part: i128| part.min(most).max(-most);
        let sum = add(add(bounded(minutes), bounded(hour))?, bounded(day))?;
        Ok(sum / 3)
    }

    /// The spreads and the offset after a step toward an offset of another sign.
    fn smoothed(
        &self,
        mut spread: Spread,
        target: i128,
        slot: Option<u64>,
    ) -> Result<(Spread, i128), AmmError> {
        let stored = i128::from(self.reference_price_offset);
        let is_steady = target.signum() == stored.signum();
        if is_steady || self.curve_update_intensity <= OFFSET_INTENSITY_MIN {
            return Ok((spread, target));
        }
        let slots = slot.map_or(0, |slot| slot.saturating_sub(self.last_update_slot));
        let delta = target - stored;
        let fastest = i128::from(slots) * SMOOTHING_PER_SLOT;
        let most = if stored == 0 { target.abs() } else { stored.abs() };
        let size = (delta.abs().min(fastest) / SMOOTHING_DIVISOR).max(SMOOTHING_MIN).min(most);
        let offset = stored + delta.signum() * size;
        let (long, short) = if delta < 0 { (size, offset.abs()) } else { (offset.abs(), size) };
        spread.long = add(spread.long, long)?;
        spread.short = add(spread.short, short)?;
        Ok((spread, offset))
    }
}

/// Both spreads within the widest, in proportion, the larger rounded up.
/// Source: programs/drift/src/math/amm_spread.rs `cap_to_max_spread`.
fn capped(spread: Spread, widest: i128) -> Result<Spread, AmmError> {
    let total = add(spread.long, spread.short)?;
    if total <= widest {
        return Ok(spread);
    }
    let share = |side: i128| Ok(div_up(mul(side, widest)?, total));
    Ok(if spread.long > spread.short {
        let long = share(spread.long)?;
        Spread { long, short: widest - long }
    } else {
        let short = share(spread.short)?;
        Spread { long: widest - short, short }
    })
}
