//! `onchain-fees`: tiers of both sides, and what each party pays against a maker and against the AMM.

use serde_json::Value;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::fees::{FeeStructure, FeeTier, Filler, TakerTerms, fill_fees};
use slotbook_protocol::model::units::QuoteQty;

use super::tiers::{Standing, tier_of};
use crate::value::{at, flag, integer, optional, same, text};

pub(crate) fn judge_fees(case: &Value) {
    let (market, structure) = match text(case, "marketType") {
        "perp" => (MarketType::Perp, FeeStructure::perps_default(Program::Drift)),
        _ => (MarketType::Spot, FeeStructure::spot_default()),
    };
    let tier = |who: &str, is_high_leverage: bool| {
        let volume_30d = QuoteQty(integer(case, &format!("{who}Volume30d")));
        let stake = integer(case, &format!("{who}Stake"));
        tier_of(&structure, market, &Standing { volume_30d, stake, is_high_leverage })
            .expect("a tier")
    };
    let is_high_leverage = flag(case, "takerHighLeverage");
    let (taker, maker) = (tier("taker", is_high_leverage), tier("maker", false));
    let terms = TakerTerms {
        tier: taker,
        is_high_leverage,
        is_referred: flag(case, "referred"),
        builder_fee_tenth_bps: optional(case, "builderFeeTenthBps"),
        addon_tenth_bps: 0,
    };
    let expected = at(case, "expected");
    let recorded = at(expected, "takerTier");
    same(recorded, "feeNumerator", taker.fee_numerator);
    same(recorded, "feeDenominator", taker.fee_denominator);
    same(recorded, "makerRebateNumerator", taker.maker_rebate_numerator);
    let recorded = at(expected, "makerTier");
    same(recorded, "makerRebateNumerator", maker.maker_rebate_numerator);
    same(recorded, "makerRebateDenominator", maker.maker_rebate_denominator);
    compare_fees(case, &structure, &terms, Some(&maker), at(expected, "match"));
    if !at(expected, "amm").is_null() {
        compare_fees(case, &structure, &terms, None, at(expected, "amm"));
    }
}

/// The AMM's fills pay a filler by the plain multiplier; the recorded one is a match's.
fn compare_fees(
    case: &Value,
    structure: &FeeStructure,
    terms: &TakerTerms,
    maker: Option<&FeeTier>,
    recorded: &Value,
) {
    let multiplier: u64 = integer(case, "fillerMultiplier");
    let filler = Filler {
        age_slots: integer::<u64>(case, "slot") - integer::<u64>(case, "orderSlot"),
        multiplier: if maker.is_some() { multiplier } else { 0 },
        structure: structure.filler,
    };
    let filler = (multiplier > 0).then_some(&filler);
    let amount = QuoteQty(integer(case, "quoteAmount"));
    let fees = fill_fees(amount, terms, maker, integer(case, "feeAdjustment"), filler);
    assert_eq!(fees.is_err(), recorded.get("error").is_some(), "{fees:?}");
    let Ok(fees) = fees else { return };
    assert_eq!(fees.builder_fee.map(|fee| fee.0), optional(recorded, "builderFee"), "builderFee");
    same(recorded, "takerFee", fees.taker_fee.0);
    same(recorded, "makerRebate", fees.maker_rebate.0);
    same(recorded, "feeToMarket", fees.fee_to_market.0);
    same(recorded, "fillerReward", fees.filler_reward.0);
    same(recorded, "referrerReward", fees.referrer_reward.0);
    same(recorded, "refereeDiscount", fees.referee_discount.0);
}
