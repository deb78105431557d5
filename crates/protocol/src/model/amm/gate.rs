//! What may fill of a market of Velocity, whatever the prices: its AMM, and matches of its orders.
//!
//! Source: programs/velocity/src/state/perp_market.rs `amm_fill_gates_ok`, `amm_fill_timing_ok`,
//! programs/velocity/src/math/oracle.rs `oracle_validity`, `is_oracle_valid_for_action`.

use super::PerpAmm;
use super::onchain::RETREAT_LOSS;
use crate::model::clock::{SLOT_UNIT_MS, SlotClock};
use crate::model::enums::Direction;
use crate::model::oracle::OracleValidity;
use crate::model::pauses::perp_operation;
use crate::model::units::Slot;

/// Milliseconds between two prices of the market makers' oracle at least, which its price may be late
/// for a fill of a new order where the market names no time.
/// Source: programs/velocity/src/math/constants.rs `MM_ORACLE_MIN_WRITE_GAP`.
const MM_GAP_MS: u64 = 2 * SLOT_UNIT_MS;

/// A new order meets an AMM whose inventory is less than this part of its liquidity.
const LOW_INVENTORY_DIVISOR: u128 = 10;

/// Losses since the last funding, as multiples of the loss at which spreads retreat, from which on the
/// part of the earnings that is lost counts: of the two safest tiers, and of others.
const DRAWDOWN_LOSSES: [i128; 2] = [400, 200];

/// By tier, the earnings divided by the loss at which the AMM stops; of all after the third, the last.
const DRAWDOWN_DIVISORS: [i128; 4] = [50, 33, 25, 20];

/// Units of a part of one.
const PART: i128 = 1_000_000;

/// The oracle of a market at a moment, and what the exchange pauses.
#[derive(Clone, Copy, Debug)]
pub struct GateInputs {
    /// How good the price is that the AMM uses, by the exchange's limits.
    pub validity: OracleValidity,
    /// The slot at which that price was published.
    pub published: Slot,
    /// Whether it is the price of the market makers' oracle.
    pub is_mm: bool,
    /// Whether the market makers' price is as recent as the exchange's and too far from it.
    pub mm_diverges: bool,
    /// The latest slot, and how long slots are.
    pub clock: SlotClock,
    /// Whether the exchange pauses fills of new orders by AMMs.
    pub is_immediate_paused: bool,
}

/// What may fill of a market at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillGate {
    /// Orders match each other.
    pub matches: bool,
    /// The AMM takes shares of matches, and fills orders as old as the oracle's price.
    pub amm: bool,
    /// The price is fresh enough for the AMM to fill a newer order, and nothing pauses that.
    pub is_immediate: bool,
    /// Milliseconds since the price was published.
    pub age_ms: u64,
}

impl FillGate {
    /// The gate of a market whose AMM is stored so.
    #[must_use]
    pub fn of(amm: &PerpAmm, inputs: &GateInputs) -> Self {
        use OracleValidity::{NonPositive, StaleForAmm, TooUncertain, TooVolatile, Valid};
        let age_ms = inputs.clock.ms_since(inputs.published);
        let is_older_than =
            |units: i8| age_ms > u64::from(units.max(0).unsigned_abs()) * SLOT_UNIT_MS;
        let low_risk = amm.oracle_low_risk_slot_delay_override;
        let is_fresh = match inputs.validity {
            Valid if low_risk == 0 => true,
            Valid | StaleForAmm if low_risk != 0 => !is_older_than(low_risk),
            _ => false,
        };
        let is_late = match amm.oracle_slot_delay_override {
            0 => true,
            // Rounded up to whole slots, as the least gap between two prices is.
            ..0 if inputs.is_mm => inputs.clock.ms_since(Slot(inputs.published.0 + 1)) >= MM_GAP_MS,
            ..0 => age_ms > 0,
            units => is_older_than(units),
        };
        let pauses = |operation: u8| amm.paused_operations & operation != 0;
        let is_paused = inputs.is_immediate_paused || pauses(perp_operation::AMM_IMMEDIATE_FILL);
        let is_stopped = pauses(perp_operation::AMM_FILL) || amm.has_too_much_drawdown();
        Self {
            matches: !matches!(inputs.validity, NonPositive | TooVolatile | TooUncertain),
            amm: is_fresh && !is_stopped && !inputs.mm_diverges,
            is_immediate: !is_late && !is_paused,
            age_ms,
        }
    }

    /// Whether the AMM fills an order so many slots of 400 ms after it was placed.
    #[must_use]
    pub fn lets_amm_fill(&self, amm: &PerpAmm, taker: Direction, elapsed_slots: u64) -> bool {
        let is_old = self.age_ms <= elapsed_slots.saturating_mul(SLOT_UNIT_MS);
        self.amm && (is_old || self.is_immediate && amm.wants_new_orders(taker))
    }
}

impl PerpAmm {
    /// Whether the AMM lost too much since the last funding to fill.
    /// Source: programs/velocity/src/vlp/amm/state.rs `has_too_much_drawdown`.
    fn has_too_much_drawdown(&self) -> bool {
        let revenue = i128::from(self.net_revenue_since_last_funding);
        let tier = usize::from(self.contract_tier);
        let is_safe = tier < DRAWDOWN_LOSSES.len();
        if revenue > -RETREAT_LOSS * DRAWDOWN_LOSSES[usize::from(!is_safe)] {
            return false;
        }
        let part = revenue * PART / self.total_fee_minus_distributions.max(1);
        part <= -PART / DRAWDOWN_DIVISORS[tier.min(DRAWDOWN_DIVISORS.len() - 1)]
    }

    /// Whether the AMM meets a taker that no maker had time to meet: one that shrinks a small
    /// inventory, while nothing was lost.
    fn wants_new_orders(&self, taker: Direction) -> bool {
        let base = self.base_asset_reserve;
        let bought = self.max_base_asset_reserve.saturating_sub(base);
        let sold = base.saturating_sub(self.min_base_asset_reserve);
        let inventory = self.base_asset_amount_with_amm.unsigned_abs();
        self.amm_jit_intensity > 0
            && self.shrinks_inventory(taker)
            && inventory < bought.min(sold) / LOW_INVENTORY_DIVISOR
            && i128::from(self.net_revenue_since_last_funding) >= -RETREAT_LOSS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Program;

    const SLOT: u64 = 1_000;

    /// Users are net short by 10 of 1,000 on each side.
    fn amm() -> PerpAmm {
        PerpAmm {
            program: Program::Velocity,
            base_asset_reserve: 3_000,
            min_base_asset_reserve: 2_000,
            max_base_asset_reserve: 4_000,
            base_asset_amount_with_amm: -10,
            total_fee_minus_distributions: 1_000_000_000_000,
            amm_jit_intensity: 100,
            oracle_slot_delay_override: -1,
            ..PerpAmm::default()
        }
    }

    fn inputs(age: u64) -> GateInputs {
        GateInputs {
            validity: OracleValidity::Valid,
            published: Slot(SLOT - age),
            is_mm: true,
            mm_diverges: false,
            clock: Slot(SLOT).into(),
            is_immediate_paused: false,
        }
    }

    fn fills_new(amm: &PerpAmm, inputs: &GateInputs) -> bool {
        FillGate::of(amm, inputs).lets_amm_fill(amm, Direction::Long, 0)
    }

    #[test]
    fn a_new_order_meets_the_amm_by_the_age_of_the_price_and_the_markets_override() {
        let oldest = |override_, is_mm| {
            let amm = PerpAmm { oracle_slot_delay_override: override_, ..amm() };
            (1..20).take_while(|age| fills_new(&amm, &GateInputs { is_mm, ..inputs(*age) })).count()
        };
        assert_eq!([oldest(-1, true), oldest(-1, false)], [2, 0]);
        assert_eq!([oldest(0, true), oldest(0, false)], [0, 0]);
        assert_eq!([oldest(5, true), oldest(5, false)], [5, 5]);
        assert!(fills_new(&PerpAmm { oracle_slot_delay_override: 0, ..amm() }, &inputs(0)));
    }

    #[test]
    fn ages_are_times_and_the_gap_of_the_market_makers_is_rounded_up_to_slots() {
        let clock = |length_ms| {
            let schedule = crate::model::clock::SlotSchedule { length_ms, ..Default::default() };
            schedule.at(Slot(SLOT))
        };
        let oldest = |amm: &PerpAmm, length_ms| {
            let clock = clock(length_ms);
            (1..40).take_while(|age| fills_new(amm, &GateInputs { clock, ..inputs(*age) })).count()
        };
        let explicit = PerpAmm { oracle_slot_delay_override: 5, ..amm() };
        assert_eq!([400, 350, 300, 250, 200].map(|ms| oldest(&amm(), ms)), [2, 3, 3, 4, 4]);
        assert_eq!([400, 350, 300, 250, 200].map(|ms| oldest(&explicit, ms)), [5, 5, 6, 8, 10]);
    }

    #[test]
    fn a_new_order_meets_an_amm_that_it_serves_and_that_nothing_pauses() {
        let inputs = inputs(1);
        assert!(fills_new(&amm(), &inputs));
        for amm in [
            PerpAmm { base_asset_amount_with_amm: 10, ..amm() },
            PerpAmm { base_asset_amount_with_amm: -100, ..amm() },
            PerpAmm { amm_jit_intensity: 0, ..amm() },
            PerpAmm { net_revenue_since_last_funding: -25_000_001, ..amm() },
            PerpAmm { paused_operations: 64, ..amm() },
            PerpAmm { paused_operations: 2, ..amm() },
        ] {
            assert!(!fills_new(&amm, &inputs), "{amm:?}");
        }
        assert!(!fills_new(&amm(), &GateInputs { is_immediate_paused: true, ..inputs }));
        let gate = FillGate::of(&PerpAmm { paused_operations: 64, ..amm() }, &inputs);
        assert!(gate.amm && gate.lets_amm_fill(&amm(), Direction::Short, 1), "the order is as old");
    }

    #[test]
    fn hard_gates_keep_the_amm_out_of_matches_too() {
        let open = |amm: &PerpAmm, inputs| FillGate::of(amm, &inputs).amm;
        assert!(open(&amm(), inputs(9)));
        assert!(!open(&amm(), GateInputs { mm_diverges: true, ..inputs(1) }));
        assert!(!open(&PerpAmm { paused_operations: 2, ..amm() }, inputs(1)));
        let stale = |age| GateInputs { validity: OracleValidity::StaleForAmm, ..inputs(age) };
        assert!(!open(&amm(), stale(11)));
        let patient = PerpAmm { oracle_low_risk_slot_delay_override: 20, ..amm() };
        assert_eq!([11, 20, 21].map(|age| open(&patient, stale(age))), [true, true, false]);
        let strict = PerpAmm { oracle_low_risk_slot_delay_override: -1, ..amm() };
        assert_eq!([0, 1].map(|age| open(&strict, inputs(age))), [true, false]);
    }

    /// 2 % of a million for tier A from 10,000 on, 4 % for C and 5 % below it from 5,000 on.
    #[test]
    fn an_amm_that_lost_too_much_since_the_last_funding_stops() {
        let stops = |contract_tier, loss: i64| {
            let net_revenue_since_last_funding = -loss * 1_000_000;
            let amm = PerpAmm { contract_tier, net_revenue_since_last_funding, ..amm() };
            !FillGate::of(&amm, &inputs(0)).amm
        };
        assert_eq!([19_999, 20_000].map(|loss| stops(0, loss)), [false, true]);
        assert_eq!([30_302, 30_303].map(|loss| stops(1, loss)), [false, true]);
        assert_eq!([39_999, 40_000].map(|loss| stops(2, loss)), [false, true]);
        assert_eq!([49_999, 50_000].map(|loss| stops(5, loss)), [false, true]);
        let poor = |loss: i64| {
            let net_revenue_since_last_funding = -loss * 1_000_000;
            let amm = PerpAmm { total_fee_minus_distributions: 0, ..amm() };
            let amm = PerpAmm { net_revenue_since_last_funding, contract_tier: 3, ..amm };
            !FillGate::of(&amm, &inputs(0)).amm
        };
        assert_eq!([4_999, 5_000].map(poor), [false, true]);
    }

    #[test]
    fn matches_need_a_price_that_is_neither_wrong_nor_wild() {
        use OracleValidity::*;
        let matches =
            |validity| FillGate::of(&amm(), &GateInputs { validity, ..inputs(0) }).matches;
        assert_eq!([NonPositive, TooVolatile, TooUncertain].map(matches), [false; 3]);
        assert_eq!([StaleForMargin, InsufficientDataPoints, StaleForAmm].map(matches), [true; 3]);
    }
}
