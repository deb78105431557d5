//! The SDK's reference offset, which moves both quotes when inventory and the market's premium have
//! the same sign, and the reserves at the two quotes, which are the curve moved to each quote.
//!
//! Source: sdk/src/math/amm.ts `calculateSpreadReserves`, `calculateReferencePriceOffset`,
//! `getQuoteAssetReservePredictionMarketBounds`.

use super::curve::{PEG_PRECISION, Reserves};
use super::spread::{Liquidity, Offset, whole};
use super::update::UpdatedCurve;
use super::wide::{U256, add, div, mul, mul_div, quotient, sub};
use super::{AmmError, AmmInputs, AmmSide, PerpAmm};

/// The part 1 in the unit of spreads, percentages and prices.
const PART: i128 = 1_000_000;

/// Curve update intensity above which the quotes have an offset.
const OFFSET_INTENSITY_MIN: u8 = 100;

/// Intensity from which the offset may be half of the widest spread.
const OFFSET_INTENSITY_FULL: u8 = 200;

/// Minimum bound of the offset at full intensity: 100 bps.
const OFFSET_FULL: i128 = 10_000;

/// Bound of the offset for each point of intensity above the minimum: 1 bp.
const OFFSET_PER_INTENSITY: i128 = 100;

/// Factor of funding rates, which are prices for one hour with three more decimals. Source:
/// sdk/src/constants/numericConstants.ts `FUNDING_RATE_BUFFER_PRECISION`.
const FUNDING_RATE_BUFFER: i128 = 1_000;
const HOURS_A_DAY: i128 = 24;

/// Maximum step in each slot toward an offset of the other sign. The step is a tenth of the
/// distance, at most 1,000 for each slot, and at least 10.
const SMOOTHING_PER_SLOT: i128 = 1_000;
const SMOOTHING_DIVISOR: i128 = 10;
const SMOOTHING_MIN: i128 = 10;

/// Bounds of a prediction market's quote reserve, in parts of 1e5 of the square root of k: prices
/// between 0.05 and 0.95.
const PREDICTION_ASK_LOWER: u128 = 22_361;
const PREDICTION_BID_UPPER: u128 = 97_467;
const PREDICTION_PRECISION: u128 = 100_000;

impl Offset {
    /// Returns the offset; while its sign changes, the stored offset after one step.
    pub(super) fn of(
        amm: &PerpAmm,
        curve: &UpdatedCurve,
        inputs: &AmmInputs,
        reserve_price: i128,
    ) -> Result<Self, AmmError> {
        let target = reference_offset(amm, curve, reserve_price)?;
        let stored = i128::from(amm.reference_price_offset);
        let is_steady = target.signum() == stored.signum();
        if is_steady || amm.curve_update_intensity <= OFFSET_INTENSITY_MIN {
            return Ok(Self { value: target, long_widens: 0, short_widens: 0 });
        }
        let change = smoothed(target, stored, inputs.slot.saturating_sub(amm.last_update_slot))?;
        let value = add(stored, change)?;
        Ok(if change < 0 {
            Self { value, long_widens: change.abs(), short_widens: value.abs() }
        } else {
            Self { value, long_widens: value.abs(), short_widens: change.abs() }
        })
    }
}

/// Returns the stored offset after one step toward an offset of the other sign.
fn smoothed(target: i128, stored: i128, slots: u64) -> Result<i128, AmmError> {
    let delta = sub(target, stored)?;
    let fastest = i128::from(slots) * SMOOTHING_PER_SLOT;
    let most = if stored == 0 { target.abs() } else { stored.abs() };
    let size = (delta.abs().min(fastest) / SMOOTHING_DIVISOR).max(SMOOTHING_MIN).min(most);
    Ok(delta.signum() * size)
}

/// Returns the offset for the inventory and the premium, parts at 1e6, before smoothing.
fn reference_offset(
    amm: &PerpAmm,
    curve: &UpdatedCurve,
    reserve_price: i128,
) -> Result<i128, AmmError> {
    if amm.curve_update_intensity <= OFFSET_INTENSITY_MIN {
        return Ok(0);
    }
    let used = inventory_beyond_deadband(amm, curve)?;
    if used == 0 || amm.last_24h_avg_funding_rate == 0 {
        return Ok(0);
    }
    let half_spread = i128::from(amm.max_spread / 2);
    let most = if amm.curve_update_intensity == OFFSET_INTENSITY_FULL {
        half_spread.max(OFFSET_FULL)
    } else {
        let beyond = i128::from(amm.curve_update_intensity - OFFSET_INTENSITY_MIN);
        half_spread.min(OFFSET_PER_INTENSITY * beyond)
    };
    let premium = premium(amm, mul(most, reserve_price)? / PART)?;
    let premium = quotient(mul(premium, PART)?, reserve_price)?;
    if (used < 0) != (premium < 0) {
        return Ok(0);
    }
    // The part is not divided by 1e6 here, so the offset is nearly always at its bound.
    Ok((mul(premium, used.abs())? / 2).clamp(-most, most))
}

/// Returns the users' net position as a signed part of the liquidity, reduced by the deadband, at
/// 1e6.
fn inventory_beyond_deadband(amm: &PerpAmm, curve: &UpdatedCurve) -> Result<i128, AmmError> {
    let open = Liquidity::of(amm, curve);
    let average = open.bids.checked_add(open.asks).ok_or(AmmError::Overflow)? / 2;
    let used = Liquidity::used(amm, average)?;
    let deadband = PART * i128::from(amm.reference_price_offset_deadband_pct) / 100;
    let used = (used - deadband).max(0);
    let net = add(amm.base_asset_amount_with_amm, amm.base_asset_amount_with_unsettled_lp)?;
    Ok(if net < 0 { -used } else { used })
}

/// Returns the mark price's premium over the oracle price, 1e6: the mean of the premiums over five
/// minutes, the funding period and a day, each limited to a bound.
fn premium(amm: &PerpAmm, most: i128) -> Result<i128, AmmError> {
    let over = |mark: u64, oracle: i64| i128::from(mark) - i128::from(oracle);
    let minutes = over(amm.last_mark_price_twap_5min, amm.last_oracle_price_twap_5min);
    let hour = over(amm.last_mark_price_twap, amm.last_oracle_price_twap);
    let day = i128::from(amm.last_24h_avg_funding_rate) / FUNDING_RATE_BUFFER * HOURS_A_DAY;
    let sum: i128 = [minutes, hour, day].iter().map(|part| (*part).min(most).max(-most)).sum();
    Ok(sum / 3)
}

/// Returns the curve moved by half of a distance, so that its price is the quote.
pub(super) fn spread_reserves(
    amm: &PerpAmm,
    curve: &UpdatedCurve,
    distance: f64,
    side: AmmSide,
) -> Result<Reserves, AmmError> {
    let reserves = curve.reserves;
    if distance == 0.0 {
        return Ok(reserves);
    }
    let fraction = match whole(distance)? / 2 {
        0 if distance > 0.0 => 1,
        0 => -1,
        fraction => fraction,
    };
    let parts = quotient(PART, fraction)?;
    let change = div(reserves.quote, parts.unsigned_abs())?;
    let quote = if parts < 0 {
        reserves.quote.checked_sub(change)
    } else {
        reserves.quote.checked_add(change)
    };
    let mut quote = quote.ok_or(AmmError::Overflow)?;
    if amm.is_prediction {
        quote = within_prediction_bounds(quote, &reserves, side)?;
    }
    let base = reserves.invariant().over(quote)?.word()?;
    Ok(Reserves { base, quote, ..reserves })
}

/// Limits a quote reserve to the bounds of a prediction market. Source: sdk/src/math/amm.ts
/// `getQuoteAssetReservePredictionMarketBounds`.
pub(super) fn within_prediction_bounds(
    quote: u128,
    reserves: &Reserves,
    side: AmmSide,
) -> Result<u128, AmmError> {
    let peg_root = U256::product(reserves.peg, PEG_PRECISION).word()?;
    let peg_root = peg_root.checked_add(1).ok_or(AmmError::Overflow)?.isqrt() + 1;
    let bound = |part: u128| {
        let divisor = PREDICTION_PRECISION.checked_mul(reserves.peg).ok_or(AmmError::Overflow)?;
        U256::product(reserves.sqrt_k, part).times(peg_root)?.over(divisor)?.word()
    };
    match side {
        AmmSide::Ask => {
            let upper = mul_div(reserves.sqrt_k, peg_root, reserves.peg)?;
            Ok(quote.min(upper).max(bound(PREDICTION_ASK_LOWER)?))
        }
        AmmSide::Bid => Ok(quote.min(bound(PREDICTION_BID_UPPER)?)),
    }
}
