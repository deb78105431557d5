//! `onchain-fees` and `onchain-match-fill`.

use serde_json::Value;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::{Direction, MarketType};
use slotbook_protocol::model::fees::{
    FeeStructure, FeeTier, FillFees, Filler, TakerTerms, fill_fees,
};
use slotbook_protocol::model::fill::match_fill;
use slotbook_protocol::model::units::{BaseQty, Price, QuoteQty};

use super::Comparison;
use super::tiers::{Standing, tier_of};
use crate::report::Outcome;
use crate::value::{Malformed, at, flag, integer, integer_or_null, text};

/// Base and quote of a match.
pub(super) fn judge_match_fill(case: &Value) -> Result<Outcome, Malformed> {
    let maker = direction(case, "makerDirection")?;
    let filled = match_fill(
        BaseQty(integer(case, "makerBase")?),
        BaseQty(integer(case, "takerBase")?),
        Price(integer(case, "makerPrice")?),
        integer(case, "baseDecimals")?,
        maker,
    );
    let (base, quote) = match filled {
        Ok(filled) => filled,
        Err(error) => return Ok(Outcome::Failed(error.to_string())),
    };
    let mut compared = Comparison::with(at(case, "expected")?);
    compared.same("base", base.0)?.same("quote", quote.0)?;
    Ok(compared.outcome())
}

/// A direction under its name.
pub(super) fn direction(value: &Value, key: &str) -> Result<Direction, Malformed> {
    match text(value, key)? {
        "long" => Ok(Direction::Long),
        "short" => Ok(Direction::Short),
        name => Err(Malformed(format!("{key} was {name}, must be long or short"))),
    }
}

/// Tiers of both sides, and what each party pays against a maker and against the AMM.
pub(super) fn judge_fees(case: &Value) -> Result<Outcome, Malformed> {
    let market = match text(case, "marketType")? {
        "perp" => MarketType::Perp,
        _ => MarketType::Spot,
    };
    let structure = match market {
        MarketType::Perp => FeeStructure::perps_default(Program::Drift),
        MarketType::Spot => FeeStructure::spot_default(),
    };
    let tier = |user: &Standing| {
        tier_of(&structure, market, user).map_err(|error| Malformed(error.to_string()))
    };
    let is_high_leverage = flag(case, "takerHighLeverage");
    let taker = tier(&standing(case, "taker", is_high_leverage)?)?;
    let maker = tier(&standing(case, "maker", false)?)?;
    let terms = TakerTerms {
        tier: taker,
        is_high_leverage,
        is_referred: flag(case, "referred"),
        builder_fee_tenth_bps: tenth_bps(case)?,
        addon_tenth_bps: 0,
    };
    let expected = at(case, "expected")?;
    let against_maker = compare_fees(case, &structure, &terms, Some(&maker), "match")?;
    let against_amm = match at(expected, "amm")? {
        Value::Null => Outcome::Passed,
        _ => compare_fees(case, &structure, &terms, None, "amm")?,
    };
    let tiers = compare_tiers(expected, &taker, &maker)?;
    let outcomes = [tiers, against_maker, against_amm];
    Ok(outcomes.into_iter().find(|outcome| *outcome != Outcome::Passed).unwrap_or(Outcome::Passed))
}

fn standing(case: &Value, who: &str, is_high_leverage: bool) -> Result<Standing, Malformed> {
    Ok(Standing {
        volume_30d: QuoteQty(integer(case, &format!("{who}Volume30d"))?),
        stake: integer(case, &format!("{who}Stake"))?,
        is_high_leverage,
    })
}

fn tenth_bps(case: &Value) -> Result<Option<u16>, Malformed> {
    match integer_or_null(case, "builderFeeTenthBps")? {
        None => Ok(None),
        Some(_) => integer(case, "builderFeeTenthBps").map(Some),
    }
}

fn compare_tiers(expected: &Value, taker: &FeeTier, maker: &FeeTier) -> Result<Outcome, Malformed> {
    let mut taker_tier = Comparison::with(at(expected, "takerTier")?);
    taker_tier
        .same("feeNumerator", taker.fee_numerator)?
        .same("feeDenominator", taker.fee_denominator)?
        .same("makerRebateNumerator", taker.maker_rebate_numerator)?;
    let mut maker_tier = Comparison::with(at(expected, "makerTier")?);
    maker_tier
        .same("makerRebateNumerator", maker.maker_rebate_numerator)?
        .same("makerRebateDenominator", maker.maker_rebate_denominator)?;
    Ok(match taker_tier.outcome() {
        Outcome::Passed => maker_tier.outcome(),
        differs => differs,
    })
}

/// The AMM's fills pay a filler by the plain multiplier; the recorded one is a match's.
fn compare_fees(
    case: &Value,
    structure: &FeeStructure,
    terms: &TakerTerms,
    maker: Option<&FeeTier>,
    key: &str,
) -> Result<Outcome, Malformed> {
    let (slot, order_slot): (u64, u64) = (integer(case, "slot")?, integer(case, "orderSlot")?);
    let multiplier: u64 = integer(case, "fillerMultiplier")?;
    let filler = Filler {
        age_slots: slot - order_slot,
        multiplier: if maker.is_some() { multiplier } else { 0 },
        structure: structure.filler,
    };
    let filler = (multiplier > 0).then_some(&filler);
    let amount = QuoteQty(integer(case, "quoteAmount")?);
    let fees = fill_fees(amount, terms, maker, integer(case, "feeAdjustment")?, filler);
    let recorded = at(at(case, "expected")?, key)?;
    match (fees, recorded.get("error")) {
        (Ok(fees), None) => compare_parts(recorded, &fees),
        (Err(_), Some(_)) => Ok(Outcome::Passed),
        (Err(error), None) => Ok(Outcome::Failed(format!("{key}: {error}"))),
        (Ok(_), Some(error)) => Ok(Outcome::Failed(format!("{key}: recorded {error}, ours none"))),
    }
}

fn compare_parts(recorded: &Value, fees: &FillFees) -> Result<Outcome, Malformed> {
    let builder = integer_or_null(recorded, "builderFee")?;
    let ours = fees.builder_fee.map(|fee| i128::from(fee.0));
    if builder != ours {
        return Ok(Outcome::compare("builderFee", &ours, &builder));
    }
    let mut compared = Comparison::with(recorded);
    compared
        .same("takerFee", fees.taker_fee.0)?
        .same("makerRebate", fees.maker_rebate.0)?
        .same("feeToMarket", fees.fee_to_market.0)?
        .same("fillerReward", fees.filler_reward.0)?
        .same("referrerReward", fees.referrer_reward.0)?
        .same("refereeDiscount", fees.referee_discount.0)?;
    Ok(compared.outcome())
}
