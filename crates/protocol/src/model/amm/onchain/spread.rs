//! The program's spread, which is the distance of the AMM's quotes from the reserve price, computed
//! rule by rule.
//!
//! Source: programs/drift/src/math/amm_spread.rs.

use super::parts::{HOURS_A_DAY, PART, PER_CENT};
use crate::model::Program;
use crate::model::amm::wide::{add, difference, mul, quotient, signed, sub, unsigned};
use crate::model::amm::{AmmError, AmmInputs, PerpAmm};

/// Confidence up to this part counts only as a twentieth of itself: 25 bps.
const CONF_FULL_ABOVE: i128 = PART / 400;
const CONF_SMALL_DIVISOR: i128 = 20;

/// Minimum confidence that Lazer reports: 20 bps. Velocity fully counts the confidence above it.
/// Source: programs/velocity/src/math/constants.rs `LAZER_CONF_FLOOR_PCT`.
const CONF_FLOOR: i128 = PART / 500;

/// Daily funding, as a part of the price at 1e9, from which the AMM's spread does not widen
/// further: 10.95 % a year. Source: programs/velocity/src/math/constants.rs
/// `FUNDING_RATE_OFFSET_PERCENTAGE`.
const FUNDING_FULL: i128 = 1_000_000_000 / 3_333;

/// The minimum of the volume factor is a hundredth, the maximum is 1.
const VOLUME_FACTOR_MIN: i128 = PART / 100;

/// Maximum factor by which inventory, leverage, or a lack of earnings widens a spread: 10. Source:
/// programs/drift/src/math/constants.rs `MAX_BID_ASK_INVENTORY_SKEW_FACTOR`,
/// `DEFAULT_LARGE_BID_ASK_FACTOR`.
const SPREAD_SCALE_MAX: i128 = 10 * PART;

/// Loss since the last funding above which the spread retreats: 25 USD. Source:
/// `DEFAULT_REVENUE_SINCE_LAST_FUNDING_SPREAD_RETREAT`.
pub(crate) const RETREAT_LOSS: i128 = 25 * PART;

/// Multiple of that loss up to which the retreat is proportional; for a larger loss the retreat is
/// the maximum.
const RETREAT_PROPORTIONAL: i128 = 1_000;

/// Divisor of the widest spread for the maximum retreat.
const RETREAT_DIVISOR: i128 = 10;

/// Divisor from base times price, or from reserve times peg, to a quote amount.
const QUOTE_SCALE: i128 = 1_000_000_000;

/// The spreads of both sides and the values they depend on, parts at 1e6.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) long: i128,
    pub(super) short: i128,
}

impl Spread {
    pub(super) const fn both(each: i128) -> Self {
        Self { long: each, short: each }
    }

    /// Applies a rule to each side separately.
    pub(super) fn map(
        self,
        rule: impl Fn(i128) -> Result<i128, AmmError>,
    ) -> Result<Self, AmmError> {
        Ok(Self { long: rule(self.long)?, short: rule(self.short)? })
    }

    /// Returns the side whose quote is toward the oracle price. `distance` is the distance of the
    /// oracle price below the reserve price, as a part of it: when negative, the side is the ask.
    const fn facing(&mut self, distance: i128) -> &mut i128 {
        if distance < 0 { &mut self.long } else { &mut self.short }
    }

    /// The side that [`Spread::facing`] has.
    const fn of(mut self, distance: i128) -> i128 {
        *self.facing(distance)
    }

    /// Returns the side that the inventory widens: the side of takers whose direction is that of
    /// the users' net position.
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

/// Scales a side, and returns the amount by which it grew.
fn grow(side: &mut i128, by: i128) -> Result<i128, AmmError> {
    let before = *side;
    *side = scaled(before, by)?;
    Ok((*side - before).max(0))
}

/// Changes `value` by `per_cent` per cent, rounded away from 0 for an increase and toward 0 for a
/// decrease.
pub(super) fn adjusted(value: i128, per_cent: i8) -> Result<i128, AmmError> {
    let part = mul(value, i128::from(per_cent.unsigned_abs()))?;
    if per_cent < 0 { sub(value, part / PER_CENT) } else { add(value, div_up(part, PER_CENT)) }
}

const fn div_up(dividend: i128, divisor: i128) -> i128 {
    let up = if dividend > 0 && dividend % divisor != 0 { 1 } else { 0 };
    dividend / divisor + up
}

impl PerpAmm {
    /// Returns the spread of both sides, in sum at most the widest spread. On Velocity, for an AMM
    /// with earnings, [`capped_by_claims`] divides the widest spread.
    ///
    /// Source: programs/drift/src/math/amm_spread.rs `calculate_spread`;
    /// programs/velocity/src/vlp/amm/math/spread.rs `calculate_spread`.
    pub(super) fn spread(&self, reserve_price: i128) -> Result<Spread, AmmError> {
        let net = self.base_asset_amount_with_amm;
        let volume = self.volume_spread(reserve_price)?;
        let half_base = i128::from(self.base_spread / 2);
        let floor = volume.map(|side| Ok(side.max(half_base)))?;
        let gap = i128::from(self.last_oracle_reserve_price_spread_pct);
        let distance = match self.program {
            Program::Drift => gap,
            Program::Velocity => gap.clamp(-PART, PART),
        };
        let widest = self.widest_spread(reserve_price, distance)?;
        let mut spread = floor;
        let toward_oracle = spread.facing(distance);
        *toward_oracle = (*toward_oracle).max(distance.abs() + volume.of(distance));
        let mut steering = 0;
        if let Some(side) = spread.weighed(net) {
            steering += grow(side, self.inventory_scale(*side, widest)?)?;
        }
        if self.total_fee_minus_distributions <= 0 {
            spread = spread.map(|side| scaled(side, SPREAD_SCALE_MAX))?;
        } else if let Some(side) = spread.weighed(net) {
            steering += grow(side, self.leverage_scale(reserve_price)?)?;
        }
        steering += self.retreat(&mut spread, widest)?;
        if let Some(side) = spread.weighed(net) {
            steering += grow(side, self.funding_bias()?)?;
        }
        if self.amm_inventory_spread_adjustment != 0 {
            let adjust = |side, floor: i128| {
                Ok(adjusted(side, self.amm_inventory_spread_adjustment)?.max(1).max(floor))
            };
            spread.long = adjust(spread.long, floor.long)?;
            spread.short = adjust(spread.short, floor.short)?;
        }
        if self.program == Program::Drift || self.total_fee_minus_distributions <= 0 {
            return capped(spread, widest);
        }
        let mut claims = [Spread::both(0), floor, Spread::both(0)];
        *claims[0].facing(gap) = gap.abs();
        if let Some(side) = claims[2].weighed(net) {
            *side = steering;
        }
        capped_by_claims(spread, claims, widest)
    }

    /// Returns the spread for volatility, confidence and volume. Source:
    /// programs/drift/src/math/amm_spread.rs `calculate_long_short_vol_spread`;
    /// programs/velocity/src/vlp/amm/math/spread.rs `calculate_spread_conf_component`.
    fn volume_spread(&self, reserve_price: i128) -> Result<Spread, AmmError> {
        let std = i128::from(self.mark_std) + i128::from(self.oracle_std);
        let mean = quotient(mul(std, PART)?, reserve_price)? / 2;
        let conf = i128::from(self.last_oracle_conf_pct);
        let discounted = conf / CONF_SMALL_DIVISOR;
        let (counted, volatile) = match self.program {
            Program::Drift if conf > CONF_FULL_ABOVE => (conf, conf),
            Program::Drift => (discounted, conf),
            Program::Velocity => {
                let counted = conf.min(discounted + (conf - CONF_FLOOR).max(0));
                (counted, counted)
            }
        };
        let volatility = volatile.max(mean / 4);
        let side = |intensity: u64| {
            let factor = i128::from(intensity) * PART / i128::from(self.volume_24h.max(1));
            Ok(counted.max(scaled(volatility, factor.clamp(VOLUME_FACTOR_MIN, PART))?))
        };
        Ok(Spread {
            long: side(self.long_intensity_volume)?,
            short: side(self.short_intensity_volume)?,
        })
    }

    /// Returns the maximum sum of both spreads. Source: programs/drift/src/math/amm_spread.rs
    /// `calculate_max_target_spread`.
    fn widest_spread(&self, reserve_price: i128, distance: i128) -> Result<i128, AmmError> {
        let std = i128::from(self.mark_std.max(self.oracle_std));
        let std = quotient(mul(std, PART)?, reserve_price)?;
        let noise = (i128::from(self.last_oracle_conf_pct) * 2).max(std).min(PART);
        Ok(distance.abs().max(noise).max(i128::from(self.max_spread)))
    }

    /// Returns the users' net position as a part of `liquidity`, at 1e6 and at most 1.
    pub(super) fn used(&self, liquidity: i128) -> Result<i128, AmmError> {
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

    /// Widens the spread after a loss, on the inventory's side by twice as much. Returns the amount
    /// by which that side widens more. Source: programs/drift/src/math/amm_spread.rs
    /// `calculate_spread_revenue_retreat_amount`.
    fn retreat(&self, spread: &mut Spread, widest: i128) -> Result<i128, AmmError> {
        let revenue = i128::from(self.net_revenue_since_last_funding);
        if revenue >= -RETREAT_LOSS {
            return Ok(0);
        }
        let mut amount = widest / RETREAT_DIVISOR;
        if revenue >= -RETREAT_LOSS * RETREAT_PROPORTIONAL {
            amount = amount.min(mul(i128::from(self.base_spread), -revenue)? / RETREAT_LOSS);
        }
        let both = amount / 2;
        *spread = spread.map(|side| add(side, both))?;
        if let Some(side) = spread.weighed(self.base_asset_amount_with_amm) {
            *side = add(*side, amount - both)?;
        }
        Ok(amount - both)
    }

    /// Returns the factor by which the spread widens while the AMM pays funding, parts at 1e6; 1
    /// when it does not pay, and for a program without this rule. Source:
    /// programs/velocity/src/vlp/amm/math/spread.rs `calculate_spread_funding_bias_scale`.
    fn funding_bias(&self) -> Result<i128, AmmError> {
        let twap = i128::from(self.last_funding_oracle_twap);
        if self.funding_bias_sensitivity == 0 || twap <= 0 {
            return Ok(PART);
        }
        let rate = i128::from(self.last_24h_avg_funding_rate);
        let daily = quotient(rate * PART, twap)? * HOURS_A_DAY;
        if daily.signum() * self.base_asset_amount_with_amm.signum() >= 0 {
            return Ok(PART);
        }
        let ramp = (mul(daily.abs(), PART)? / FUNDING_FULL).min(PART);
        Ok(PART + i128::from(self.funding_bias_sensitivity) * ramp / PER_CENT)
    }

    /// Returns spreads that keep the bid at or below the oracle price and the ask at or above it,
    /// for any offset. Both the price of the reserves and the price by the spread obey this. A
    /// spread never narrows, and the sum of both is at most 1. Source:
    /// programs/velocity/src/vlp/amm/math/spread.rs `apply_oracle_guard`.
    pub(super) fn guarded(
        &self,
        mut spread: Spread,
        offset: i128,
        inputs: &AmmInputs,
        reserve_price: i128,
    ) -> Result<Spread, AmmError> {
        if self.curve_update_intensity == 0 || inputs.oracle_price <= 0 || reserve_price == 0 {
            return Ok(spread);
        }
        let (numerator, price) = (i128::from(inputs.oracle_price) * PART * PART, reserve_price);
        let ratio = numerator / price;
        let root = signed(unsigned(ratio)?.isqrt())?;
        let is_exact = root * root == ratio && ratio * price == numerator;
        let root_up = if is_exact { root } else { root + 1 };
        let with_margin = |least: i128| if least > 0 { least + 1 } else { least };
        let least_short = with_margin(offset + (PART - root) * 2);
        let least_long = with_margin((root_up - PART) * 2 - offset);
        let above = div_up((i128::from(inputs.oracle_price) - price) * PART, price);
        let least_long = least_long.max(above - offset);
        spread.short = spread.short.max(least_short.min(PART - spread.long));
        spread.long = spread.long.max(least_long.min(PART - spread.short));
        Ok(spread)
    }
}

/// Limits both spreads to the widest spread. When their sum is too wide, each claim gets its part
/// before the next claim, with both of its sides in proportion; the rest of the spread gets the
/// remainder. Source: programs/velocity/src/vlp/amm/math/spread.rs `SpreadComponents`.
fn capped_by_claims(spread: Spread, claims: [Spread; 3], widest: i128) -> Result<Spread, AmmError> {
    if add(spread.long, spread.short)? <= widest {
        return Ok(spread);
    }
    let (mut rest, mut room, mut kept) = (spread, widest, Spread::both(0));
    for claim in claims.into_iter().chain([spread]) {
        let layer = Spread { long: rest.long.min(claim.long), short: rest.short.min(claim.short) };
        rest = Spread { long: rest.long - layer.long, short: rest.short - layer.short };
        let fits = capped(layer, room)?;
        room -= fits.long + fits.short;
        kept = Spread { long: kept.long + fits.long, short: kept.short + fits.short };
    }
    Ok(kept)
}

/// Limits the sum of both spreads to the widest spread, in proportion, with the larger spread
/// rounded up. Source: programs/drift/src/math/amm_spread.rs `cap_to_max_spread`.
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
