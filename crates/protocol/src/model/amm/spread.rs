//! The SDK's estimate of the spread, which is the distance of the AMM's quotes from the reserve
//! price.
//!
//! The SDK computes the spread in doubles, so this module does the same, operation by operation.
//! All other numbers of the AMM are integers.
//!
//! Source: sdk/src/math/amm.ts `calculateSpread`, `calculateSpreadBN`, `calculateVolSpreadBN`,
//! `calculateInventoryScale`, `calculateEffectiveLeverage`; sdk/src/math/oracles.ts.
#![expect(clippy::float_arithmetic, reason = "the SDK's estimate is defined in doubles")]

use super::curve::AMM_TIMES_PEG_TO_QUOTE;
use super::update::UpdatedCurve;
use super::wide::{add, difference, mul, quotient, signed, signed_mul_div, sub};
use super::{AmmError, AmmInputs, PerpAmm};

/// The part 1 in the unit of spreads, percentages and prices.
const PART: i128 = 1_000_000;

/// Seconds of the fast TWAPs.
const FIVE_MINUTES: i128 = 300;

/// Divisor of a TWAP for the maximum distance of a price that updates it.
const TWAP_CLAMP: i128 = 3;

/// Seconds after which the stored confidence decreases no faster, and the minimum divisor of the
/// decrease.
const CONF_FADE_SECONDS: i128 = 21;
const CONF_FADE_MIN: i128 = 5;

/// Confidence up to this part counts only as a twentieth of itself: 25 bps, at 1e6.
const CONF_FULL_ABOVE: i128 = PART / 400;
const CONF_SMALL_DIVISOR: i128 = 20;

/// The minimum of the volume factor: a hundredth.
const VOLUME_FACTOR_MIN: i128 = PART / 100;

/// Minimum of the largest factor by which inventory scales a spread, at 1e6, before the cap.
const INVENTORY_SKEW_MAX: i128 = 10 * PART;

/// Maximum factor by which the AMM's leverage, or a lack of earnings, widens a spread.
const SPREAD_SCALE_MAX: f64 = 10.0;

/// Loss since the last funding above which the spread retreats, 1e6: 25 USD. Source:
/// sdk/src/constants/numericConstants.ts `DEFAULT_REVENUE_SINCE_LAST_FUNDING_SPREAD_RETREAT`.
const RETREAT_LOSS: i128 = 25 * PART;

/// Multiple of that loss up to which the retreat is proportional; for a larger loss the retreat is
/// the maximum.
const RETREAT_PROPORTIONAL: i128 = 1_000;

/// Integers of up to this many bits are exact in a double; the SDK throws for larger integers.
const SAFE_INTEGER_BITS: u32 = 53;

/// Divisor of base times price for the value of the users' position: 1e3 * 1e6.
const POSITION_VALUE_SCALE: u128 = 1_000_000_000;

/// The distances of the quotes from the reserve price, parts at 1e6. Fractions of 0.5 occur.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spreads {
    /// The ask's distance above the reserve price, for takers that go long.
    pub long: f64,
    /// The bid's distance below the reserve price, for takers that go short.
    pub short: f64,
}

impl Spreads {
    /// Returns the spreads of an updated curve.
    ///
    /// # Errors
    /// [`AmmError`] when a step is not defined for the account's numbers, or a number exceeds the
    /// integers that a double represents exactly.
    pub fn of(
        amm: &PerpAmm,
        curve: &UpdatedCurve,
        inputs: &AmmInputs,
        reserve_price: i128,
    ) -> Result<Self, AmmError> {
        if amm.base_spread == 0 || amm.curve_update_intensity == 0 {
            return Ok(Estimate::half_of_base(amm));
        }
        let liquidity = Liquidity::of(amm, curve);
        let volume = VolumeSpread::of(amm, inputs, reserve_price)?;
        Estimate::of(amm, curve, inputs, reserve_price, &volume, &liquidity)
    }
}

/// The distance by which both quotes are moved, and the amount by which their spreads widen during
/// a move, parts at 1e6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    pub(super) value: i128,
    pub(super) long_widens: i128,
    pub(super) short_widens: i128,
}

/// The signed distances of both quotes above the reserve price, parts at 1e6: the bid's distance is
/// negative, unless the offset moves the bid above the reserve price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distances {
    pub(super) ask: f64,
    pub(super) bid: f64,
}

impl Distances {
    pub(super) fn of(spreads: Spreads, offset: &Offset) -> Result<Self, AmmError> {
        let long = spreads.long + number(offset.long_widens)?;
        let short = spreads.short + number(offset.short_widens)?;
        let offset = number(offset.value)?;
        Ok(Self { ask: long + offset, bid: -short + offset })
    }
}

/// The base amounts that the curve can buy and sell, 1e9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Liquidity {
    /// The base amount that the AMM can still buy: up to the maximum base reserve.
    pub(super) bids: u128,
    /// The base amount that the AMM can still sell: down to the minimum base reserve.
    pub(super) asks: u128,
}

impl Liquidity {
    /// Source: sdk/src/math/amm.ts `calculateMarketOpenBidAsk` without a step size.
    pub(super) const fn of(amm: &PerpAmm, curve: &UpdatedCurve) -> Self {
        let base = curve.reserves.base;
        Self {
            bids: amm.max_base_asset_reserve.saturating_sub(base),
            asks: base.saturating_sub(amm.min_base_asset_reserve),
        }
    }

    /// Returns the users' net position as a part of a liquidity, at 1e6 and at most 1.
    pub(super) fn used(amm: &PerpAmm, liquidity: u128) -> Result<i128, AmmError> {
        let inventory = mul(amm.base_asset_amount_with_amm, PART)?;
        Ok(quotient(inventory, signed(liquidity)?.max(1))?.abs().min(PART))
    }
}

/// The spread for volatility, confidence and volume, parts at 1e6.
struct VolumeSpread {
    long: i128,
    short: i128,
    /// The oracle's confidence, or the stored confidence while it decreases.
    conf: i128,
    /// Deviation of the oracle now, 1e6.
    oracle_std: i128,
}

impl VolumeSpread {
    fn of(amm: &PerpAmm, inputs: &AmmInputs, reserve_price: i128) -> Result<Self, AmmError> {
        let oracle_std = live_oracle_std(amm, inputs)?;
        let conf = confidence(amm, inputs, reserve_price)?;
        let std = mul(add(i128::from(amm.mark_std), oracle_std)?, PART)?;
        let std = quotient(quotient(std, reserve_price)?, 4)?;
        let volatility = conf.max(std / 2);
        let conf_counted = if conf <= CONF_FULL_ABOVE { conf / CONF_SMALL_DIVISOR } else { conf };
        let side = |intensity: u64| {
            let factor = i128::from(intensity) * PART / i128::from(amm.volume_24h.max(1));
            let spread = mul(volatility, factor.clamp(VOLUME_FACTOR_MIN, PART))? / PART;
            Ok(conf_counted.max(spread))
        };
        Ok(Self {
            long: side(amm.long_intensity_volume)?,
            short: side(amm.short_intensity_volume)?,
            conf,
            oracle_std,
        })
    }
}

/// Returns the seconds since the TWAPs were updated, at least 1, and the seconds of the period for
/// which the old TWAP still counts.
fn weights(amm: &PerpAmm, now: i64, period: i128) -> (i128, i128) {
    let since = (i128::from(now) - i128::from(amm.last_oracle_price_twap_ts)).max(1);
    (since, (period - since).max(0))
}

/// Returns the oracle's TWAP after the next update.
fn live_twap(amm: &PerpAmm, inputs: &AmmInputs, period: i128) -> Result<i128, AmmError> {
    let fast = period == FIVE_MINUTES;
    let stored = if fast { amm.last_oracle_price_twap_5min } else { amm.last_oracle_price_twap };
    let stored = i128::from(stored);
    let (since, left) = weights(amm, inputs.now, period);
    let reach = stored / TWAP_CLAMP;
    let price = i128::from(inputs.oracle_price).max(stored - reach).min(stored + reach);
    quotient(add(mul(stored, left)?, mul(price, since)?)?, add(left, since)?)
}

/// Source: sdk/src/math/oracles.ts `calculateLiveOracleStd`.
pub(super) fn live_oracle_std(amm: &PerpAmm, inputs: &AmmInputs) -> Result<i128, AmmError> {
    let period = i128::from(amm.funding_period);
    let oracle = i128::from(inputs.oracle_price);
    let slow = sub(oracle, live_twap(amm, inputs, period)?)?.abs();
    let fast = sub(oracle, live_twap(amm, inputs, FIVE_MINUTES)?)?.abs();
    let (since, left) = weights(amm, inputs.now, period);
    let stored = quotient(mul(i128::from(amm.oracle_std), left)?, add(left, since)?)?;
    add(slow.max(fast), stored)
}

/// Source: sdk/src/math/oracles.ts `getNewOracleConfPct`.
pub(super) fn confidence(
    amm: &PerpAmm,
    inputs: &AmmInputs,
    reserve_price: i128,
) -> Result<i128, AmmError> {
    let since = (i128::from(inputs.now) - i128::from(amm.last_oracle_price_twap_ts)).max(0);
    let stored = i128::from(amm.last_oracle_conf_pct);
    let fades = stored / (CONF_FADE_SECONDS - since).max(CONF_FADE_MIN);
    let least = if since > 0 { stored - fades } else { stored };
    let now = quotient(i128::from(inputs.oracle_confidence) * PART, reserve_price)?;
    Ok(now.max(least))
}

/// The state of the SDK's estimate in doubles, whose spreads grow step by step. All operations have
/// the SDK's order, because doubles round at each operation.
#[derive(Clone, Copy)]
struct Estimate {
    long: f64,
    short: f64,
    /// The sign of the users' net position: 1 long, -1 short, 0 none.
    side: i128,
    /// The maximum sum of both sides.
    most: f64,
}

/// An integer as a double, exact.
fn number(value: i128) -> Result<f64, AmmError> {
    if value.unsigned_abs() >> SAFE_INTEGER_BITS != 0 {
        return Err(AmmError::Overflow);
    }
    #[expect(clippy::cast_precision_loss, reason = "below 2^53 nothing is lost")]
    let number = value as f64;
    Ok(number)
}

/// Truncates a double to an integer.
pub(super) fn whole(value: f64) -> Result<i128, AmmError> {
    #[expect(clippy::cast_possible_truncation, reason = "checked on the line that follows")]
    let whole = value as i128;
    if whole.unsigned_abs() >> SAFE_INTEGER_BITS != 0 {
        return Err(AmmError::Overflow);
    }
    Ok(whole)
}

impl Estimate {
    fn half_of_base(amm: &PerpAmm) -> Spreads {
        let half = f64::from(amm.base_spread) / 2.0;
        Spreads { long: half, short: half }
    }

    fn of(
        amm: &PerpAmm,
        curve: &UpdatedCurve,
        inputs: &AmmInputs,
        reserve_price: i128,
        volume: &VolumeSpread,
        liquidity: &Liquidity,
    ) -> Result<Spreads, AmmError> {
        let gap = sub(reserve_price, i128::from(inputs.oracle_price))?;
        let gap = quotient(mul(gap, PART)?, reserve_price)?;
        let mut estimate = Self::start(amm, volume, gap, reserve_price)?;
        estimate.scale_by_inventory(amm, liquidity)?;
        estimate.scale_by_leverage(amm, curve, reserve_price)?;
        estimate.retreat_from_loss(amm, curve)?;
        estimate.adjust_for_inventory(amm, volume)?;
        estimate.cap();
        Ok(estimate.adjusted(amm))
    }

    /// Returns the initial spreads: the larger of half the base spread and the spread for
    /// volatility; on the side toward the oracle at least the distance to the oracle price.
    fn start(
        amm: &PerpAmm,
        volume: &VolumeSpread,
        gap: i128,
        reserve_price: i128,
    ) -> Result<Self, AmmError> {
        let half = f64::from(amm.base_spread) / 2.0;
        let (long_volume, short_volume) = (number(volume.long)?, number(volume.short)?);
        let mut long = half.max(long_volume);
        let mut short = half.max(short_volume);
        let way = number(gap)?.abs();
        if gap > 0 {
            short = short.max(way + short_volume);
        } else if gap < 0 {
            long = long.max(way + long_volume);
        }
        let std = i128::from(amm.mark_std).max(volume.oracle_std);
        let std = number(quotient(mul(std, PART)?, reserve_price)?)?;
        let conf = number(mul(volume.conf, 2)?)?;
        let widest = way.max(conf).max(std).min(number(PART)?);
        let most = f64::from(amm.max_spread).max(widest).floor();
        Ok(Self { long, short, side: amm.base_asset_amount_with_amm.signum(), most })
    }

    /// Widens the side that would add to the inventory, by the part of the liquidity that the
    /// inventory uses.
    fn scale_by_inventory(&mut self, amm: &PerpAmm, liquidity: &Liquidity) -> Result<(), AmmError> {
        let directional = match self.side {
            0 => return Ok(()),
            1 => self.long,
            _ => self.short,
        };
        let used = Liquidity::used(amm, liquidity.bids.min(liquidity.asks))?;
        let most = mul(whole(self.most)?, PART)?;
        let most = quotient(most, whole(directional.max(1.0))?)?.max(INVENTORY_SKEW_MAX);
        let scale = add(PART, mul(most, used)? / PART)?.min(most);
        let scale = number(scale)? / number(PART)?;
        if self.side > 0 {
            self.long *= scale;
        } else {
            self.short *= scale;
        }
        Ok(())
    }

    /// Widens a side by the inventory's value relative to the AMM's earnings. Without inventory,
    /// the short side widens, as in the SDK.
    fn scale_by_leverage(
        &mut self,
        amm: &PerpAmm,
        curve: &UpdatedCurve,
        reserve_price: i128,
    ) -> Result<(), AmmError> {
        if curve.total_fee_minus_distributions <= 0 {
            self.long *= SPREAD_SCALE_MAX;
            self.short *= SPREAD_SCALE_MAX;
            return Ok(());
        }
        let scale = SPREAD_SCALE_MAX.min(1.0 + leverage(amm, curve, reserve_price)?);
        if self.side > 0 {
            self.long = (self.long * scale).floor();
        } else {
            self.short = (self.short * scale).floor();
        }
        Ok(())
    }

    /// Widens both sides after a loss since the last funding, the inventory's side by twice as
    /// much.
    fn retreat_from_loss(&mut self, amm: &PerpAmm, curve: &UpdatedCurve) -> Result<(), AmmError> {
        let revenue = curve.net_revenue_since_last_funding;
        if revenue >= -RETREAT_LOSS {
            return Ok(());
        }
        let mut amount = self.most / 10.0;
        if revenue >= -RETREAT_LOSS * RETREAT_PROPORTIONAL {
            let loss = f64::from(amm.base_spread) * number(revenue)?.abs();
            amount = amount.min((loss / number(RETREAT_LOSS)?).floor());
        }
        let half = (amount / 2.0).floor();
        self.long += if self.side > 0 { amount } else { half };
        self.short += if self.side < 0 { amount } else { half };
        Ok(())
    }

    /// Narrows or widens both sides by the market's percentage, but not below the spread for
    /// volatility.
    fn adjust_for_inventory(
        &mut self,
        amm: &PerpAmm,
        volume: &VolumeSpread,
    ) -> Result<(), AmmError> {
        let percent = f64::from(amm.amm_inventory_spread_adjustment);
        if percent == 0.0 {
            return Ok(());
        }
        let adjusted = |spread: f64| {
            let change = if percent < 0.0 {
                -((spread * -percent) / 100.0).floor()
            } else {
                ((spread * percent) / 100.0).ceil()
            };
            (spread + change).max(1.0)
        };
        self.long = number(volume.long)?.max(adjusted(self.long));
        self.short = number(volume.short)?.max(adjusted(self.short));
        Ok(())
    }

    /// Limits the sum of both sides to the widest spread, in proportion.
    fn cap(&mut self) {
        let total = self.long + self.short;
        if total <= self.most {
            return;
        }
        let (larger, smaller) = if self.long > self.short {
            (&mut self.long, &mut self.short)
        } else {
            (&mut self.short, &mut self.long)
        };
        *larger = ((*larger * self.most) / total).ceil();
        *smaller = (self.most - *larger).floor();
    }

    /// Returns both sides after the market's final adjustment in percent, at least 1.
    fn adjusted(&self, amm: &PerpAmm) -> Spreads {
        let percent = f64::from(amm.amm_spread_adjustment);
        let adjusted = |spread: f64| {
            if percent > 0.0 {
                (spread + (spread * percent) / 100.0).max(1.0)
            } else if percent < 0.0 {
                (spread - (spread * -percent) / 100.0).max(1.0)
            } else {
                spread
            }
        };
        Spreads { long: adjusted(self.long), short: adjusted(self.short) }
    }
}

/// Returns the value of the users' position above the curve's proceeds, relative to the earnings.
fn leverage(amm: &PerpAmm, curve: &UpdatedCurve, reserve_price: i128) -> Result<f64, AmmError> {
    let reserves = &curve.reserves;
    let quote = difference(reserves.quote, curve.terminal_quote_asset_reserve)?;
    let on_curve =
        signed_mul_div(quote, signed(reserves.peg)?, u128::from(AMM_TIMES_PEG_TO_QUOTE))?;
    let inventory = amm.base_asset_amount_with_amm;
    let at_price = signed_mul_div(inventory, reserve_price, POSITION_VALUE_SCALE)?;
    let beyond = number(sub(at_price, on_curve)?)?.max(0.0);
    let earned = number(curve.total_fee_minus_distributions)?.max(0.0);
    Ok(beyond / (earned + 1.0) + 1.0 / number(PART)?)
}
