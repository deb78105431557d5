//! The fees of a fill: tiers, the taker's fee, the maker's rebate, and rewards.
//!
//! Amounts of quote are integers at 1e6. Every rounding is the same as the program's: fees up;
//! rebates, discounts and rewards down. The caller determines whether a taker is referred, which
//! tier a user has, and whether an order has a builder.

use crate::divide::{div_ceil, div_floor};
use crate::layout::{Layout, integers};
use crate::model::Program;
use crate::model::error::ProtocolError;
use crate::model::tables::Tables;
use crate::model::units::QuoteQty;

/// Number of tiers in a fee structure. Source: programs/drift/src/state/state.rs `FeeTier`.
pub const FEE_TIERS: usize = 10;

/// Velocity's best tier. Source: programs/velocity/src/math/fees.rs `determine_perp_fee_tier`.
const VELOCITY_TIER_MAX: usize = 3;

/// Divisor of a market's fee adjustment, which is in per cent. Source:
/// programs/drift/src/math/constants.rs `FEE_ADJUSTMENT_MAX`.
const ADJUSTMENT_PARTS: u64 = 100;

/// Factor of the fee of a user in high leverage mode.
const HIGH_LEVERAGE_FACTOR: u64 = 2;

/// Divisor of a builder's fee, and of a market's additional fee, which are in tenths of a basis
/// point.
const TENTH_BPS_PARTS: u128 = 100_000;

/// The multiplier 1 in the unit of a filler's multiplier, which is also its minimum. Source:
/// `TEN_BPS`.
const FILLER_MULTIPLIER_ONE: u128 = 1_000;

/// Scale of the age under the fourth root, so that the root has two decimals.
const FILLER_AGE_SCALE: u128 = 100_000_000;

/// The fourth root of [`FILLER_AGE_SCALE`].
const FILLER_ROOT_SCALE: u128 = 100;

integers!(
    /// One fee tier: fractions of the quote, and fractions of the fee for referrals. An amount whose
    /// denominator is 0 is an error. Source: programs/drift/src/state/state.rs `FeeTier`.
    #[expect(missing_docs, reason = "each pair is a fraction under the program's name")]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    FeeTier of structure::<T>().inner("feeTiers") => {
        fee_numerator: u32 "feeNumerator";
        fee_denominator: u32 "feeDenominator";
        maker_rebate_numerator: u32 "makerRebateNumerator";
        maker_rebate_denominator: u32 "makerRebateDenominator";
        referrer_reward_numerator: u32 "referrerRewardNumerator";
        referrer_reward_denominator: u32 "referrerRewardDenominator";
        referee_fee_numerator: u32 "refereeFeeNumerator";
        referee_fee_denominator: u32 "refereeFeeDenominator";
    }
);

integers!(
    /// The rule for a filler's part of the fee. Source: programs/drift/src/state/state.rs
    /// `OrderFillerRewardStructure`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    FillerRewardStructure of structure::<T>() => {
        /// Numerator of the maximum part of the fee.
        reward_numerator: u32 "rewardNumerator";
        /// Its denominator.
        reward_denominator: u32 "rewardDenominator";
        /// Reward for an order in its first slot, 1e6.
        time_based_reward_lower_bound: u128 "timeBasedRewardLowerBound";
    }
);

/// The fees of one type of market in the exchange's state. Source:
/// programs/drift/src/state/state.rs `FeeStructure`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeStructure {
    /// The tiers, from the dearest.
    pub tiers: [FeeTier; FEE_TIERS],
    /// The filler's part.
    pub filler: FillerRewardStructure,
    /// The program whose rules choose the tier.
    pub program: Program,
    /// The minimum tier of all users, on Velocity.
    pub promo_tier: u8,
}

/// The table of a program's fee structures.
const fn structure<T: Tables>() -> &'static Layout {
    T::STATE.inner("perpFeeStructure")
}

impl FeeStructure {
    /// Returns the program's initial structure for perp markets. Source:
    /// programs/drift/src/state/state.rs `FeeStructure::perps_default`;
    /// programs/velocity/src/state/state.rs.
    #[must_use]
    pub const fn perps_default(program: Program) -> Self {
        let (numerators, base): (&[u32], _) = match program {
            Program::Drift => (&[100, 90, 80, 70, 60, 50], FeeTier::default_with_fee(100)),
            Program::Velocity => (&[40, 30, 20, 15], FeeTier::VELOCITY_DEFAULT),
        };
        let (mut tiers, mut index) = ([base; FEE_TIERS], 0);
        while index < numerators.len() {
            tiers[index].fee_numerator = numerators[index];
            index += 1;
        }
        Self { tiers, filler: FillerRewardStructure::DEFAULT, program, promo_tier: 0 }
    }

    /// Returns the program's initial structure for spot markets, which have no referrals. Source:
    /// programs/drift/src/state/state.rs `FeeStructure::spot_default`.
    #[must_use]
    pub const fn spot_default() -> Self {
        let tier = FeeTier {
            referrer_reward_numerator: 0,
            referee_fee_numerator: 0,
            ..FeeTier::default_with_fee(100)
        };
        let filler = FillerRewardStructure::DEFAULT;
        Self { tiers: [tier; FEE_TIERS], filler, program: Program::Drift, promo_tier: 0 }
    }

    /// Appends every field in its own width, little-endian, in the order of the structs.
    pub fn append_bytes(&self, out: &mut Vec<u8>) {
        self.tiers.iter().for_each(|tier| tier.append_bytes(out));
        self.filler.append_bytes(out);
        if self.program == Program::Velocity {
            out.push(self.promo_tier);
        }
    }

    /// Reads the structure at the front of bytes of a program's state; the caller has checked their
    /// length.
    pub(crate) fn read<T: Tables>(bytes: &[u8]) -> Self {
        let bytes = &bytes[..const { structure::<T>().size }];
        let tiers = const { structure::<T>().leaf("feeTiers", "FeeTier") };
        let size = const { structure::<T>().inner("feeTiers").size };
        Self {
            tiers: core::array::from_fn(|index| FeeTier::read::<T>(&bytes[tiers + index * size..])),
            filler: FillerRewardStructure::read::<T>(bytes),
            program: T::PROGRAM,
            promo_tier: 0,
        }
    }

    /// Returns the tier of an index; the first tier for an index that is too large. On Velocity,
    /// the index is at least the minimum tier of all users, and at most the best tier.
    #[must_use]
    pub fn tier(&self, index: usize) -> FeeTier {
        let index = match self.program {
            Program::Drift => index,
            Program::Velocity => index.max(self.promo_tier.into()).min(VELOCITY_TIER_MAX),
        };
        self.tiers.get(index).copied().unwrap_or(self.tiers[0])
    }
}

impl FillerRewardStructure {
    /// The default: a tenth of the fee, at most 0.01 of quote in the first slot.
    const DEFAULT: Self = Self {
        reward_numerator: 10,
        reward_denominator: 100,
        time_based_reward_lower_bound: 10_000,
    };
}

impl FeeTier {
    const fn default_with_fee(fee_numerator: u32) -> Self {
        Self {
            fee_numerator,
            fee_denominator: 100_000,
            maker_rebate_numerator: 20,
            maker_rebate_denominator: 100_000,
            referrer_reward_numerator: 15,
            referrer_reward_denominator: 100,
            referee_fee_numerator: 5,
            referee_fee_denominator: 100,
        }
    }

    const VELOCITY_DEFAULT: Self = Self {
        maker_rebate_numerator: 25,
        maker_rebate_denominator: 1_000_000,
        referrer_reward_numerator: 10,
        ..Self::default_with_fee(40)
    };
}

/// Terms under which a taker pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakerTerms {
    /// The taker's tier.
    pub tier: FeeTier,
    /// Whether the taker is in high leverage mode and pays twice the fee.
    pub is_high_leverage: bool,
    /// Whether the taker was referred and the referrer is part of the fill. In spot markets, the
    /// program never sets this.
    pub is_referred: bool,
    /// The fee of the order's builder in tenths of a basis point; `None` without a builder.
    pub builder_fee_tenth_bps: Option<u16>,
    /// Fee that the market adds to the tier's fee before the adjustment, in tenths of a basis
    /// point.
    pub addon_tenth_bps: u16,
}

/// What a filler is paid by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filler {
    /// Slots since the order.
    pub age_slots: u64,
    /// Multiplier of the time-based reward, 1e3; values below 1 count as 1.
    pub multiplier: u64,
    /// The structure in force.
    pub structure: FillerRewardStructure,
}

/// The amounts that each party of one fill pays or receives, quote at 1e6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FillFees {
    /// The amount that the taker pays, without the builder's fee.
    pub taker_fee: QuoteQty,
    /// What the maker gets.
    pub maker_rebate: QuoteQty,
    /// The rest, for the market.
    pub fee_to_market: QuoteQty,
    /// What the filler gets.
    pub filler_reward: QuoteQty,
    /// What the referrer gets.
    pub referrer_reward: QuoteQty,
    /// What the referral took off the fee.
    pub referee_discount: QuoteQty,
    /// The builder's fee, which the taker pays in addition; `None` without a builder.
    pub builder_fee: Option<QuoteQty>,
}

const fn out_of_range(field: &'static str) -> ProtocolError {
    ProtocolError::OutOfRange { field }
}

fn quote(value: u128, field: &'static str) -> Result<QuoteQty, ProtocolError> {
    u64::try_from(value).map(QuoteQty).map_err(|_| out_of_range(field))
}

/// Returns the taker's fee: rounded up, with the market's additional fee, then adjusted by the
/// market's percentage, then doubled in high leverage mode.
///
/// # Errors
/// [`ProtocolError::OutOfRange`] for a denominator of 0 or a fee above 64 bits.
///
/// Source: programs/drift/src/math/fees.rs `calculate_taker_fee`; programs/velocity/src/math/fees.rs.
pub fn taker_fee(
    amount: QuoteQty,
    terms: &TakerTerms,
    adjustment: i16,
) -> Result<QuoteQty, ProtocolError> {
    let tier = &terms.tier;
    let denominator = u128::from(tier.fee_denominator);
    let product = u128::from(amount.0) * u128::from(tier.fee_numerator);
    if denominator == 0 {
        return Err(out_of_range("fee_denominator"));
    }
    let mut fee = div_ceil(product, denominator);
    if terms.addon_tenth_bps != 0 {
        fee += addon(amount, terms);
    }
    let part = fee * u128::from(adjustment.unsigned_abs());
    let parts = u128::from(ADJUSTMENT_PARTS);
    let fee = if adjustment < 0 {
        fee.saturating_sub(div_floor(part, parts))
    } else {
        fee + div_ceil(part, parts)
    };
    let factor = if terms.is_high_leverage { HIGH_LEVERAGE_FACTOR } else { 1 };
    quote(fee * u128::from(factor), "taker_fee")
}

/// The market's addition to the tier's fee. Most markets have none.
#[cold]
fn addon(amount: QuoteQty, terms: &TakerTerms) -> u128 {
    u128::from(amount.0) * u128::from(terms.addon_tenth_bps) / TENTH_BPS_PARTS
}

/// Returns the maker's rebate by the maker's tier: rounded down, then adjusted by the market's
/// percentage and rounded in the market's favour.
///
/// # Errors
/// [`ProtocolError::OutOfRange`] for a denominator of 0 or a rebate above 64 bits.
///
/// Source: programs/drift/src/math/fees.rs `calculate_maker_rebate`.
pub fn maker_rebate(
    amount: QuoteQty,
    tier: &FeeTier,
    adjustment: i16,
) -> Result<QuoteQty, ProtocolError> {
    let product = u128::from(amount.0) * u128::from(tier.maker_rebate_numerator);
    if tier.maker_rebate_denominator == 0 {
        return Err(out_of_range("maker_rebate_denominator"));
    }
    let rebate = div_floor(product, u128::from(tier.maker_rebate_denominator));
    let part = rebate * u128::from(adjustment.unsigned_abs());
    let parts = u128::from(ADJUSTMENT_PARTS);
    let rebate = if adjustment < 0 {
        rebate.saturating_sub(div_ceil(part, parts))
    } else {
        rebate + div_floor(part, parts)
    };
    quote(rebate, "maker_rebate")
}

/// Returns the builder's fee: tenths of a basis point of the quote, rounded down.
///
/// # Errors
/// None: it is less than the quote.
///
/// Source: programs/drift/src/math/fees.rs, builder fee.
#[must_use]
pub fn builder_fee(amount: QuoteQty, tenth_bps: u16) -> QuoteQty {
    let fee = u128::from(amount.0) * u128::from(tenth_bps) / TENTH_BPS_PARTS;
    QuoteQty(u64::try_from(fee).expect("Invariant: a builder's fee is less than the quote"))
}

/// Returns the filler's reward: the smaller of a part of the fee and an amount that grows with the
/// fourth root of the order's age.
///
/// # Errors
/// [`ProtocolError::OutOfRange`] for a denominator of 0 or an overflow.
///
/// Source: programs/drift/src/math/fees.rs `calculate_filler_reward`.
pub fn filler_reward(fee: QuoteQty, filler: &Filler) -> Result<QuoteQty, ProtocolError> {
    let structure = &filler.structure;
    let by_size = (u128::from(fee.0) * u128::from(structure.reward_numerator))
        .checked_div(u128::from(structure.reward_denominator))
        .ok_or(out_of_range("reward_denominator"))?;
    let multiplier = u128::from(filler.multiplier).max(FILLER_MULTIPLIER_ONE);
    let overflow = || out_of_range("filler_reward");
    let least =
        structure.time_based_reward_lower_bound.checked_mul(multiplier).ok_or_else(overflow)?
            / FILLER_MULTIPLIER_ONE;
    let root = fourth_root(u128::from(filler.age_slots.max(1)) * FILLER_AGE_SCALE);
    let by_time = root.checked_mul(least).ok_or_else(overflow)? / FILLER_ROOT_SCALE;
    quote(by_size.min(by_time), "filler_reward")
}

/// Returns the fourth root, rounded down: the floor of the square root, taken twice, is exact.
const fn fourth_root(value: u128) -> u128 {
    value.isqrt().isqrt()
}

/// Returns the referral's discount on a fee, and the referrer's reward.
fn referral(fee: QuoteQty, tier: &FeeTier) -> Result<(QuoteQty, QuoteQty), ProtocolError> {
    let part = |numerator: u32, denominator: u32, field| {
        let product = u128::from(fee.0) * u128::from(numerator);
        let part = product.checked_div(u128::from(denominator)).ok_or(out_of_range(field))?;
        quote(part, field)
    };
    let discount =
        part(tier.referee_fee_numerator, tier.referee_fee_denominator, "referee_discount")?;
    let reward =
        part(tier.referrer_reward_numerator, tier.referrer_reward_denominator, "referrer_reward")?;
    Ok((discount, reward))
}

/// Returns the fees of a fill against a maker, or against the AMM when no maker's tier is given.
/// Without a filler, no reward is paid.
///
/// # Errors
/// [`ProtocolError::OutOfRange`] for a denominator of 0, for an amount above 64 bits, or when the
/// payments exceed the taker's fee: such a fill fails on chain.
///
/// Source: programs/drift/src/math/fees.rs `calculate_fee_for_fulfillment_with_match`,
/// `calculate_fee_for_fulfillment_with_amm`.
pub fn fill_fees(
    amount: QuoteQty,
    terms: &TakerTerms,
    maker: Option<&FeeTier>,
    adjustment: i16,
    filler: Option<&Filler>,
) -> Result<FillFees, ProtocolError> {
    let full_fee = taker_fee(amount, terms, adjustment)?;
    let rebate = match maker {
        Some(tier) => maker_rebate(amount, tier, adjustment)?,
        None => QuoteQty(0),
    };
    let (discount, reward) =
        if terms.is_referred { referral(full_fee, &terms.tier)? } else { Default::default() };
    let user_fee = full_fee.0.checked_sub(discount.0).ok_or(out_of_range("referee_discount"))?;
    let filled = match filler {
        Some(filler) => filler_reward(QuoteQty(user_fee), filler)?,
        None => QuoteQty(0),
    };
    let left = [rebate, reward, filled].iter().try_fold(user_fee, |left, part| {
        left.checked_sub(part.0).ok_or(out_of_range("fee_to_market"))
    })?;
    Ok(FillFees {
        taker_fee: QuoteQty(user_fee),
        maker_rebate: rebate,
        fee_to_market: QuoteQty(left),
        filler_reward: filled,
        referrer_reward: reward,
        referee_discount: discount,
        builder_fee: terms.builder_fee_tenth_bps.map(|tenths| builder_fee(amount, tenths)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERPS: FeeStructure = FeeStructure::perps_default(Program::Drift);

    fn terms(tier: FeeTier) -> TakerTerms {
        TakerTerms {
            tier,
            is_high_leverage: false,
            is_referred: false,
            builder_fee_tenth_bps: None,
            addon_tenth_bps: 0,
        }
    }

    #[test]
    fn velocity_lifts_all_users_to_one_tier_and_has_four() {
        let mut structure = FeeStructure::perps_default(Program::Velocity);
        for (promo_tier, fees) in [(0, [40, 30, 15, 15]), (2, [20, 20, 15, 15]), (9, [15; 4])] {
            structure.promo_tier = promo_tier;
            assert_eq!([0, 1, 3, 9].map(|index| structure.tier(index).fee_numerator), fees);
        }
        assert_eq!(PERPS.tier(5).fee_numerator, 50);
        assert_eq!(PERPS.tier(200), PERPS.tiers[0]);
    }

    /// (4 bps rounded up, and 1.5 bps rounded down) with a quarter more, rounded up.
    #[test]
    fn a_market_adds_to_the_takers_fee_before_its_adjustment_and_not_to_the_rebate() {
        let tier = FeeStructure::perps_default(Program::Velocity).tier(0);
        let dearer = TakerTerms { addon_tenth_bps: 15, ..terms(tier) };
        let amount = QuoteQty(1_000_001);
        assert_eq!(taker_fee(amount, &dearer, 0), Ok(QuoteQty(401 + 150)));
        assert_eq!(taker_fee(amount, &dearer, 25), Ok(QuoteQty(689)));
        assert_eq!(taker_fee(amount, &dearer, -50), Ok(QuoteQty(551 - 275)));
        let fees = fill_fees(amount, &dearer, Some(&tier), 0, None).unwrap();
        assert_eq!(fees.maker_rebate, QuoteQty(25));
    }

    #[test]
    fn every_amount_is_an_error_or_a_number_on_hostile_tiers() {
        let zero = FeeTier::default();
        assert!(taker_fee(QuoteQty(1), &terms(zero), 0).is_err());
        assert!(maker_rebate(QuoteQty(1), &zero, 0).is_err());
        let huge = FeeTier { fee_numerator: u32::MAX, fee_denominator: 1, ..zero };
        assert!(taker_fee(QuoteQty(u64::MAX), &terms(huge), i16::MAX).is_err());
        let filler = Filler {
            age_slots: u64::MAX,
            multiplier: u64::MAX,
            structure: FillerRewardStructure {
                time_based_reward_lower_bound: u128::MAX,
                ..FillerRewardStructure::DEFAULT
            },
        };
        assert!(filler_reward(QuoteQty(1), &filler).is_err());
        let more_than_all =
            FeeTier { referee_fee_numerator: 2, referee_fee_denominator: 1, ..PERPS.tiers[0] };
        let referred = TakerTerms { is_referred: true, ..terms(more_than_all) };
        assert!(fill_fees(QuoteQty(1_000_000), &referred, None, 0, None).is_err());
    }

    #[test]
    fn a_fill_that_pays_out_more_than_the_fee_is_an_error() {
        let generous = FeeTier { maker_rebate_numerator: 101, ..PERPS.tiers[0] };
        let fees = |maker| fill_fees(QuoteQty(1_000_000), &terms(PERPS.tiers[0]), maker, 0, None);
        assert!(fees(Some(&generous)).is_err());
        assert!(fees(None).is_ok());
    }
}
