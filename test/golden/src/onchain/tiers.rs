//! The fee tier of a user, by which recorded fees are judged: the service takes the tier from its
//! clients.

use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::fees::{FeeStructure, FeeTier};
use slotbook_protocol::model::units::QuoteQty;

/// The 30-day volumes, 1e6, below which a user is in tier 0, 1, 2, 3 or 4. The tier of all other
/// users is the last one.
/// Source: programs/drift/src/math/fees.rs `determine_perp_fee_tier`.
const VOLUME_BOUNDS: [u64; 5] = [
    2_000_000_000_000,
    10_000_000_000_000,
    20_000_000_000_000,
    80_000_000_000_000,
    200_000_000_000_000,
];

/// Minimum staked governance tokens, 1e6, for a benefit of 5, 10, 20, 30, 40 per cent. Source:
/// programs/drift/src/math/fees.rs `determine_perp_fee_tier`.
const STAKE_BOUNDS: [u64; 5] =
    [999_000_000, 9_999_000_000, 49_999_000_000, 99_999_000_000, 249_995_000_000];

/// Per cent by which the stake reduces the fee and raises the rebate, in ascending order of stake.
const STAKE_BENEFITS: [u32; 6] = [0, 5, 10, 20, 30, 40];

/// What decides a user's tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    /// Volume as maker and taker over 30 days, 1e6.
    pub(super) volume_30d: QuoteQty,
    /// Staked governance tokens, 1e6.
    pub(super) stake: u64,
    /// The user is in high leverage mode.
    pub(super) is_high_leverage: bool,
}

/// Returns the tier of a user of Drift v2: by volume, improved by stake. In spot markets, and in high
/// leverage mode, the result is always the first tier without improvement.
///
/// # Errors
/// [`ProtocolError::OutOfRange`] when the improved tier overflows.
///
/// Source: programs/drift/src/math/fees.rs `determine_user_fee_tier`.
pub(super) fn tier_of(
    structure: &FeeStructure,
    market: MarketType,
    user: &Standing,
) -> Result<FeeTier, ProtocolError> {
    if market == MarketType::Spot || user.is_high_leverage {
        return Ok(structure.tiers[0]);
    }
    let tier = VOLUME_BOUNDS.iter().filter(|bound| user.volume_30d.0 >= **bound).count();
    let benefit = STAKE_BOUNDS.iter().filter(|bound| user.stake >= **bound).count();
    with_benefit(structure.tier(tier), STAKE_BENEFITS[benefit])
}

/// Returns the tier with its fee reduced, and its rebate raised, by `per_cent` per cent. Below
/// 30 per cent the benefit itself is rounded; from 30 per cent on the result is rounded.
fn with_benefit(tier: FeeTier, per_cent: u32) -> Result<FeeTier, ProtocolError> {
    let (fee, rebate) = (u64::from(tier.fee_numerator), u64::from(tier.maker_rebate_numerator));
    let (fee, rebate) = match per_cent {
        0 => (fee, rebate),
        5 | 10 | 20 => {
            let parts = u64::from(100 / per_cent);
            (fee - fee.div_ceil(parts), rebate + rebate / parts)
        }
        _ => {
            let benefit = u64::from(per_cent);
            ((fee * (100 - benefit)).div_ceil(100), rebate * (100 + benefit) / 100)
        }
    };
    let narrow =
        |value| u32::try_from(value).map_err(|_| ProtocolError::OutOfRange { field: "fee tier" });
    Ok(FeeTier { fee_numerator: narrow(fee)?, maker_rebate_numerator: narrow(rebate)?, ..tier })
}
