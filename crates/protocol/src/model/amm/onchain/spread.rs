//! The program's spread: how far from the reserve price the AMM quotes, mechanism by mechanism.
//!
//! Source: programs/drift/src/math/amm_spread.rs.

use super::super::wide::{add, difference, mul, quotient, signed, sub};
use super::{AmmError, PART, PerpAmm};

/// Parts of an adjustment: per cent.
pub(super) const PER_CENT: i128 = 100;

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

/// The spreads of both sides and what they depend on, parts at 1e6.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) long: i128,
    pub(super) short: i128,
}

impl Spread {
    pub(super) const fn both(each: i128) -> Self {
        Self { long: each, short: each }
    }

    /// Each side by a rule of its own.
    pub(super) fn map(
        self,
        rule: impl Fn(i128) -> Result<i128, AmmError>,
    ) -> Result<Self, AmmError> {
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
pub(super) fn adjusted(value: i128, per_cent: i8) -> Result<i128, AmmError> {
    let part = mul(value, i128::from(per_cent.unsigned_abs()))?;
    if per_cent < 0 { sub(value, part / PER_CENT) } else { add(value, div_up(part, PER_CENT)) }
}

const fn div_up(dividend: i128, divisor: i128) -> i128 {
    let up = if dividend > 0 && dividend % divisor != 0 { 1 } else { 0 };
    dividend / divisor + up
}

impl PerpAmm {
    /// Source: programs/drift/src/math/amm_spread.rs `calculate_spread`.
    pub(super) fn spread(&self, reserve_price: i128) -> Result<Spread, AmmError> {
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
