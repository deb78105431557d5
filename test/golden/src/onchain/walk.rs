//! `onchain-walk`: the fill of one perp order, from the makers' orders to the AMM afterwards.

use serde_json::{Value, json};
use slotbook_matching::onchain::makers::{MakerOrder, Moment, Skip};
use slotbook_matching::onchain::methods::Method;
use slotbook_matching::onchain::program::{Fills, Request, Source, fill};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::fees::{FeeStructure, TakerTerms};
use slotbook_protocol::model::units::{BaseQty, OraclePrice, Price, Pubkey, Slot, UnixSeconds};

use crate::amm::perp_amm;
use crate::order::decoded;
use crate::value::{at, flag, integer, list, optional, same};

/// The limit price, which makers are tried and which not, the plan, the fills, their sums, and what is left.
pub(crate) fn judge_walk(case: &Value) {
    let makers: Vec<MakerOrder> = list(case, "makers").iter().map(maker_order).collect();
    let expected = at(case, "expected");
    let fills = fill(&request(case, &makers));
    assert_eq!(fills.is_err(), expected.get("error").is_some(), "{fills:?}");
    if let Ok(fills) = fills {
        compare(expected, &makers, &fills);
    }
}

fn request<'a>(case: &Value, makers: &'a [MakerOrder]) -> Request<'a> {
    let taker = at(case, "taker");
    let mut amm = perp_amm(&Value::Null, at(case, "amm"));
    amm.fee_adjustment = integer(case, "feeAdjustment");
    let tier = FeeStructure::perps_default(Program::Drift).tiers[0];
    Request {
        taker_key: Pubkey::default(),
        taker: decoded(at(taker, "order")),
        taker_position: integer(taker, "position"),
        terms: TakerTerms {
            tier,
            is_high_leverage: false,
            is_referred: false,
            builder_fee_tenth_bps: None,
            addon_tenth_bps: 0,
        },
        maker_tier: tier,
        makers,
        amm,
        is_amm_available: flag(case, "ammAvailable"),
        moment: Moment {
            clock: Slot(integer(case, "slot")).into(),
            now: UnixSeconds(integer(case, "now")),
            oracle: OraclePrice(integer(case, "oraclePrice")),
            tick: Price(amm.order_tick_size),
            step: BaseQty(amm.order_step_size),
            is_prediction: false,
            margin_ratio_initial: Some(integer(case, "marginRatioInitial")),
            protected: None,
        },
    }
}

fn maker_order(value: &Value) -> MakerOrder {
    let mut key = Pubkey::default();
    key.0[0] = integer(value, "maker");
    let (order, position) = (decoded(at(value, "order")), integer(value, "position"));
    MakerOrder { key, order, position, is_protected: false }
}

fn compare(expected: &Value, makers: &[MakerOrder], fills: &Fills) {
    let id = |index: usize| makers[index].order.order_id.to_string();
    let limit = fills.limit_price.map(|price| price.0);
    assert_eq!(limit, optional(expected, "limitPrice"), "limitPrice");
    let ranked: Value = fills.makers.ranked.iter().map(|maker| id(maker.index)).collect();
    assert_eq!(&ranked, at(expected, "makerOrder"), "makerOrder");
    let skipped = fills.makers.skipped.iter();
    let skipped: Value =
        skipped.map(|(index, reason)| json!([id(*index), name_of(*reason)])).collect();
    assert_eq!(&skipped, at(expected, "skippedMakers"), "skippedMakers");
    let methods = fills.methods.iter().map(|method| match method {
        Method::Amm(None) => "amm".to_owned(),
        Method::Amm(Some(cap)) => format!("amm<={cap}"),
        Method::Match(maker) => format!("match {} @{}", id(maker.index), maker.price),
    });
    assert_eq!(&methods.collect::<Value>(), at(expected, "methods"), "methods");
    let recorded = list(expected, "fills");
    assert_eq!(fills.fills.len(), recorded.len(), "fills");
    for (ours, recorded) in fills.fills.iter().zip(recorded) {
        let (source, order_id) = match ours.source {
            Source::Amm => ("amm", None),
            Source::AmmJit => ("ammJit", None),
            Source::Maker(index) => ("maker", Some(makers[index].order.order_id)),
        };
        assert_eq!(at(recorded, "source"), source, "source");
        assert_eq!(order_id, optional(recorded, "orderId"), "orderId");
        same(recorded, "base", ours.base.0);
        same(recorded, "quote", ours.quote.0);
        same(recorded, "takerFee", ours.fees.taker_fee.0);
        same(recorded, "makerRebate", ours.fees.maker_rebate.0);
    }
    let (base, quote) = fills.totals();
    same(expected, "totalBase", base);
    same(expected, "totalQuote", quote);
    let after = at(expected, "after");
    same(after, "baseAssetReserve", fills.amm.base_asset_reserve);
    same(after, "quoteAssetReserve", fills.amm.quote_asset_reserve);
    same(after, "baseAssetAmountWithAmm", fills.amm.base_asset_amount_with_amm);
    same(after, "takerFilled", fills.taker_filled.0);
}

const fn name_of(reason: Skip) -> &'static str {
    match reason {
        Skip::NotMakerForTaker => "not maker for taker",
        Skip::OracleBand => "oracle price bands",
        Skip::Expired => "expired",
        Skip::ReduceOnly => "reduce only",
        Skip::NoPrice => "no price",
    }
}
