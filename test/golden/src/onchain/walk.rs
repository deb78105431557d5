//! `onchain-walk`: the fill of one perp order, from the makers' orders to the AMM afterwards.

use serde_json::Value;
use slotbook_matching::onchain::makers::{MakerOrder, Moment, Skip};
use slotbook_matching::onchain::methods::Method;
use slotbook_matching::onchain::program::{Fills, ProgramFill, Request, Source, fill};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::fees::{FeeStructure, TakerTerms};
use slotbook_protocol::model::order::{Order, RawOrder};
use slotbook_protocol::model::units::{BaseQty, OraclePrice, Price, Pubkey, Slot, UnixSeconds};

use super::Comparison;
use super::amm::{perp_amm, signed};
use crate::order::order_bytes;
use crate::report::Outcome;
use crate::value::{Malformed, at, flag, integer, integer_or_null, list, text};

/// The limit price, which makers are tried and which not, the plan, the fills, their sums, and what is left.
pub(super) fn judge_walk(case: &Value) -> Result<Outcome, Malformed> {
    let makers: Vec<MakerOrder> =
        list(case, "makers")?.iter().map(maker_order).collect::<Result<_, _>>()?;
    let request = request(case, &makers)?;
    let expected = at(case, "expected")?;
    match (fill(&request), expected.get("error")) {
        (Ok(fills), None) => compare(expected, &makers, &fills),
        (Err(_), Some(_)) => Ok(Outcome::Passed),
        (Err(error), None) => Ok(Outcome::Failed(format!("ours fails: {error}"))),
        (Ok(_), Some(error)) => Ok(Outcome::Failed(format!("recorded {error}, ours fills"))),
    }
}

fn request<'a>(case: &Value, makers: &'a [MakerOrder]) -> Result<Request<'a>, Malformed> {
    let taker = at(case, "taker")?;
    let mut amm = perp_amm(at(case, "amm")?)?;
    amm.fee_adjustment = integer(case, "feeAdjustment")?;
    let tier = FeeStructure::perps_default(Program::Drift).tiers[0];
    Ok(Request {
        taker_key: Pubkey::default(),
        taker: order(at(taker, "order")?)?,
        taker_position: integer(taker, "position")?,
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
            clock: Slot(integer(case, "slot")?).into(),
            now: UnixSeconds(integer(case, "now")?),
            oracle: OraclePrice(integer(case, "oraclePrice")?),
            tick: Price(amm.order_tick_size),
            step: BaseQty(amm.order_step_size),
            is_prediction: false,
            margin_ratio_initial: Some(integer(case, "marginRatioInitial")?),
            protected: None,
        },
    })
}

fn maker_order(value: &Value) -> Result<MakerOrder, Malformed> {
    let number: u8 = integer(value, "maker")?;
    let mut key = Pubkey::default();
    key.0[0] = number;
    Ok(MakerOrder {
        key,
        order: order(at(value, "order")?)?,
        position: integer(value, "position")?,
        is_protected: false,
    })
}

fn order(value: &Value) -> Result<Order, Malformed> {
    let bytes = order_bytes(value)?;
    RawOrder::from(bytes).view().decode().map_err(|error| Malformed(format!("order: {error}")))
}

fn compare(expected: &Value, makers: &[MakerOrder], fills: &Fills) -> Result<Outcome, Malformed> {
    let limit = integer_or_null(expected, "limitPrice")?;
    let ours = fills.limit_price.map(|price| i128::from(price.0));
    let ranked: Vec<String> =
        fills.makers.ranked.iter().map(|maker| id(makers, maker.index)).collect();
    let skipped: Vec<[String; 2]> = fills
        .makers
        .skipped
        .iter()
        .map(|(index, reason)| [id(makers, *index), name_of(*reason).to_owned()])
        .collect();
    let methods: Vec<String> =
        fills.methods.iter().map(|method| method_text(makers, method)).collect();
    let outcomes = [
        Outcome::compare("limitPrice", &ours, &limit),
        Outcome::compare("makerOrder", &ranked, &texts(at(expected, "makerOrder")?)?),
        Outcome::compare("skippedMakers", &skipped, &pairs(at(expected, "skippedMakers")?)?),
        Outcome::compare("methods", &methods, &texts(at(expected, "methods")?)?),
        compare_fills(list(expected, "fills")?, makers, &fills.fills)?,
        compare_after(expected, fills)?,
    ];
    Ok(outcomes.into_iter().find(|outcome| *outcome != Outcome::Passed).unwrap_or(Outcome::Passed))
}

fn id(makers: &[MakerOrder], index: usize) -> String {
    makers[index].order.order_id.to_string()
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

fn method_text(makers: &[MakerOrder], method: &Method) -> String {
    match method {
        Method::Amm(None) => "amm".to_owned(),
        Method::Amm(Some(cap)) => format!("amm<={cap}"),
        Method::Match(maker) => format!("match {} @{}", id(makers, maker.index), maker.price),
    }
}

fn texts(value: &Value) -> Result<Vec<String>, Malformed> {
    let of = |value: &Value| Some(value.as_str()?.to_owned());
    let texts = value.as_array().and_then(|values| values.iter().map(of).collect());
    texts.ok_or_else(|| Malformed(format!("{value} is not a list of texts")))
}

/// Orders that are not tried; an unknown reason is reported as it is recorded.
fn pairs(value: &Value) -> Result<Vec<[String; 2]>, Malformed> {
    let pairs = value.as_array().ok_or_else(|| Malformed("not a list".to_owned()))?;
    let pair = |pair: &Value| {
        let parts = texts(pair)?;
        parts.try_into().map_err(|parts| Malformed(format!("{parts:?} is not a pair")))
    };
    pairs.iter().map(pair).collect()
}

fn compare_fills(
    recorded: &[Value],
    makers: &[MakerOrder],
    ours: &[ProgramFill],
) -> Result<Outcome, Malformed> {
    if recorded.len() != ours.len() {
        return Ok(Outcome::Failed(format!("fills: ours {ours:?}, recorded {recorded:?}")));
    }
    for (recorded, ours) in recorded.iter().zip(ours) {
        let (source, order_id) = match ours.source {
            Source::Amm => ("amm", None),
            Source::AmmJit => ("ammJit", None),
            Source::Maker(index) => ("maker", Some(i128::from(makers[index].order.order_id))),
        };
        let what = (text(recorded, "source")?, integer_or_null(recorded, "orderId")?);
        let same_source = Outcome::compare("source", &(source, order_id), &what);
        let mut compared = Comparison::with(recorded);
        compared
            .same("base", ours.base.0)?
            .same("quote", ours.quote.0)?
            .same("takerFee", ours.fees.taker_fee.0)?
            .same("makerRebate", ours.fees.maker_rebate.0)?;
        for outcome in [same_source, compared.outcome()] {
            if outcome != Outcome::Passed {
                return Ok(outcome);
            }
        }
    }
    Ok(Outcome::Passed)
}

fn compare_after(expected: &Value, fills: &Fills) -> Result<Outcome, Malformed> {
    let (base, quote) = fills.totals();
    let mut totals = Comparison::with(expected);
    totals.same("totalBase", signed(base)?)?.same("totalQuote", signed(quote)?)?;
    let mut after = Comparison::with(at(expected, "after")?);
    after
        .same("baseAssetReserve", signed(fills.amm.base_asset_reserve)?)?
        .same("quoteAssetReserve", signed(fills.amm.quote_asset_reserve)?)?
        .same("baseAssetAmountWithAmm", fills.amm.base_asset_amount_with_amm)?
        .same("takerFilled", fills.taker_filled.0)?;
    Ok(match totals.outcome() {
        Outcome::Passed => after.outcome(),
        differs => differs,
    })
}
