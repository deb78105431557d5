//! The program's reference offset, which moves both quotes when inventory and the market's premium
//! have the same sign.
//!
//! Source: programs/drift/src/math/amm_spread.rs.

use super::parts::{HOURS_A_DAY, PART, PER_CENT};
use super::spread::Spread;
use crate::model::Program;
use crate::model::amm::wide::{add, mul, quotient};
use crate::model::amm::{AmmError, PerpAmm};

/// Curve update intensity above which the quotes have an offset, and intensity from which the
/// offset may be half of the widest spread.
const OFFSET_INTENSITY_MIN: u8 = 100;
const OFFSET_INTENSITY_FULL: u8 = 200;

/// Minimum bound of the offset at full intensity, and the bound for each point of intensity below
/// it.
const OFFSET_FULL: i128 = 10_000;
const OFFSET_PER_INTENSITY: i128 = 100;

/// Factor of funding rates, which are prices for one hour with three more decimals, and the part of
/// the oracle price that does not count as premium.
const FUNDING_RATE_BUFFER: i128 = 1_000;
const DRIFT_BASELINE_DIVISOR: i128 = 5_000;
/// Source: programs/velocity/src/math/constants.rs `FUNDING_RATE_OFFSET_DENOMINATOR`.
const VELOCITY_BASELINE_DIVISOR: i128 = 3_333;

/// The part of the liquidity, 10 %, from which the offset of Velocity is at its bound. Source:
/// programs/velocity/src/math/constants.rs `REFERENCE_PRICE_OFFSET_FULL_INVENTORY_PCT`.
const OFFSET_FULL_INVENTORY: i128 = PART / 10;

/// Maximum step in each slot toward an offset of the other sign. The step is a tenth of the
/// distance, at most 1,000 for each slot, and at least 10.
const SMOOTHING_PER_SLOT: i128 = 1_000;
const SMOOTHING_DIVISOR: i128 = 10;
const SMOOTHING_MIN: i128 = 10;

impl PerpAmm {
    /// Returns the offset for the inventory and the premium, before smoothing. Source:
    /// programs/drift/src/math/amm_spread.rs `calculate_reference_price_offset`;
    /// programs/velocity/src/vlp/amm/math/spread.rs, where the premium determines only the sign of
    /// the offset.
    pub(super) fn reference_offset(&self, reserve_price: i128) -> Result<i128, AmmError> {
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
        match self.program {
            // The part is not divided by 1e6 here, so the offset is nearly always at its bound.
            Program::Drift => Ok((mul(premium, used.abs())? / 2).clamp(-most, most)),
            Program::Velocity => {
                let part = used.abs().min(OFFSET_FULL_INVENTORY);
                Ok(mul(most, part)? / OFFSET_FULL_INVENTORY * used.signum())
            }
        }
    }

    /// Returns the users' net position as a signed part of the liquidity, reduced by the deadband.
    fn inventory_beyond_deadband(&self) -> Result<i128, AmmError> {
        let open = self.open()?;
        let used = self.used(add(open.bought, open.sold)? / 2)?;
        let deadband = PART * i128::from(self.reference_price_offset_deadband_pct) / PER_CENT;
        let net = add(self.base_asset_amount_with_amm, self.base_asset_amount_with_unsettled_lp)?;
        Ok((used - deadband).max(0) * net.signum())
    }

    /// Returns the mark price's premium over the oracle price: the mean of the premiums over five
    /// minutes, the funding period and a day, each limited to a bound.
    fn premium(&self, most: i128) -> Result<i128, AmmError> {
        let over = |mark: u64, oracle: i64| i128::from(mark) - i128::from(oracle);
        let minutes = over(self.last_mark_price_twap_5min, self.last_oracle_price_twap_5min);
        let hour = over(self.last_mark_price_twap, self.last_oracle_price_twap);
        let twap = i128::from(self.last_oracle_price_twap);
        let baseline = match self.program {
            Program::Drift => twap / DRIFT_BASELINE_DIVISOR,
            Program::Velocity => twap.abs() / VELOCITY_BASELINE_DIVISOR,
        };
        let rate = i128::from(self.last_24h_avg_funding_rate);
        let day = rate / FUNDING_RATE_BUFFER * HOURS_A_DAY - baseline;
        let bounded = |part: i128| part.min(most).max(-most);
        let sum = add(add(bounded(minutes), bounded(hour))?, bounded(day))?;
        Ok(sum / 3)
    }

    /// Returns the spreads and the offset after one step toward an offset of the other sign.
    pub(super) fn smoothed(
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
