//! `vamm-l2`: the AMM's quotes and levels; `amm-swap`: single swaps on its curve.

use serde_json::Value;
use slotbook_protocol::model::amm::curve::{Reserves, SwapAmount, SwapDirection};
use slotbook_protocol::model::amm::{AmmInputs, AmmLevel, AmmQuote, AmmSide, PerpAmm};
use slotbook_protocol::model::enums::Direction;

use crate::report::Outcome;
use crate::value::{Malformed, at, integer, integer_of, integer_or, integer_or_null, list, text};

/// Names and integers of a case, ours or the recorded ones.
type Numbers = Vec<(&'static str, i128)>;

/// Runs the cases of a file of quotes.
pub(crate) fn check_quotes(file: &Value) -> Result<Vec<(String, Outcome)>, Malformed> {
    let case = |case: &Value| Ok((text(case, "name")?.to_owned(), judge_quote(case)?));
    list(file, "cases")?.iter().map(case).collect()
}

/// Runs the cases of a file of swaps.
pub(crate) fn check_swaps(file: &Value) -> Result<Vec<(String, Outcome)>, Malformed> {
    let case = |case: &Value| Ok((text(case, "name")?.to_owned(), judge_swap(case)?));
    list(file, "cases")?.iter().map(case).collect()
}

/// The AMM of a recorded market account. Fields that a recording leaves out are zero.
pub(crate) fn perp_amm(market: &Value) -> Result<PerpAmm, Malformed> {
    let amm = at(market, "amm")?;
    let history = at(amm, "historicalOracleData")?;
    Ok(PerpAmm {
        paused_operations: integer_or(market, "pausedOperations", 0)?,
        fee_adjustment: integer_or(market, "feeAdjustment", 0)?,
        margin_ratio_initial: integer_or(market, "marginRatioInitial", 0)?,
        is_prediction: market.get("contractType").and_then(Value::as_str) == Some("prediction"),
        base_asset_reserve: integer(amm, "baseAssetReserve")?,
        quote_asset_reserve: integer(amm, "quoteAssetReserve")?,
        sqrt_k: integer(amm, "sqrtK")?,
        peg_multiplier: integer(amm, "pegMultiplier")?,
        terminal_quote_asset_reserve: integer(amm, "terminalQuoteAssetReserve")?,
        min_base_asset_reserve: integer(amm, "minBaseAssetReserve")?,
        max_base_asset_reserve: integer(amm, "maxBaseAssetReserve")?,
        base_asset_amount_with_amm: integer(amm, "baseAssetAmountWithAmm")?,
        base_asset_amount_with_unsettled_lp: integer(amm, "baseAssetAmountWithUnsettledLp")?,
        order_step_size: integer(amm, "orderStepSize")?,
        order_tick_size: integer(amm, "orderTickSize")?,
        min_order_size: integer(amm, "minOrderSize")?,
        base_spread: integer(amm, "baseSpread")?,
        max_spread: integer(amm, "maxSpread")?,
        long_spread: integer_or(amm, "longSpread", 0)?,
        short_spread: integer_or(amm, "shortSpread", 0)?,
        curve_update_intensity: integer(amm, "curveUpdateIntensity")?,
        amm_spread_adjustment: integer(amm, "ammSpreadAdjustment")?,
        amm_inventory_spread_adjustment: integer(amm, "ammInventorySpreadAdjustment")?,
        reference_price_offset: integer(amm, "referencePriceOffset")?,
        reference_price_offset_deadband_pct: integer(amm, "referencePriceOffsetDeadbandPct")?,
        last_update_slot: integer(amm, "lastUpdateSlot")?,
        total_exchange_fee: integer(amm, "totalExchangeFee")?,
        total_fee_minus_distributions: integer(amm, "totalFeeMinusDistributions")?,
        net_revenue_since_last_funding: integer(amm, "netRevenueSinceLastFunding")?,
        funding_period: integer(amm, "fundingPeriod")?,
        last_24h_avg_funding_rate: integer(amm, "last24HAvgFundingRate")?,
        last_mark_price_twap: integer(amm, "lastMarkPriceTwap")?,
        last_mark_price_twap_5min: integer(amm, "lastMarkPriceTwap5Min")?,
        mark_std: integer(amm, "markStd")?,
        oracle_std: integer(amm, "oracleStd")?,
        long_intensity_volume: integer(amm, "longIntensityVolume")?,
        short_intensity_volume: integer(amm, "shortIntensityVolume")?,
        volume_24h: integer(amm, "volume24H")?,
        last_oracle_conf_pct: integer(amm, "lastOracleConfPct")?,
        last_oracle_price: integer(history, "lastOraclePrice")?,
        last_oracle_price_twap: integer(history, "lastOraclePriceTwap")?,
        last_oracle_price_twap_5min: integer(history, "lastOraclePriceTwap5Min")?,
        last_oracle_price_twap_ts: integer(history, "lastOraclePriceTwapTs")?,
        max_fill_reserve_fraction: integer_or(amm, "maxFillReserveFraction", 0)?,
        amm_jit_intensity: integer_or(amm, "ammJitIntensity", 0)?,
        ..PerpAmm::default()
    })
}

fn judge_quote(case: &Value) -> Result<Outcome, Malformed> {
    let oracle = at(case, "oracle")?;
    let amm = perp_amm(at(case, "market")?)?;
    // Without a slot the SDK counts none since the last update.
    let slot = integer_or_null(case, "latestSlot")?.map(u64::try_from);
    let slot = slot.transpose().map_err(|_| Malformed("latestSlot".to_owned()))?;
    let inputs = AmmInputs {
        oracle_price: integer(oracle, "price")?,
        oracle_confidence: integer(oracle, "confidence")?,
        now: integer(case, "now")?,
        slot: slot.unwrap_or(amm.last_update_slot),
    };
    let expected = at(case, "expected")?;
    let quote = match AmmQuote::of(&amm, &inputs) {
        Ok(quote) => quote,
        Err(error) => return Ok(Outcome::Failed(error.to_string())),
    };
    let spreads = [("longSpread", quote.spreads.long), ("shortSpread", quote.spreads.short)];
    for (name, ours) in spreads {
        let outcome = Outcome::compare(name, &ours.to_string().as_str(), &text(expected, name)?);
        if outcome != Outcome::Passed {
            return Ok(outcome);
        }
    }
    let outcome = compare(&quoted(&amm, &quote), expected)?;
    if outcome != Outcome::Passed {
        return Ok(outcome);
    }
    for (name, side) in [("bids", AmmSide::Bid), ("asks", AmmSide::Ask)] {
        let outcome = judge_levels(case, &quote, side, list(expected, name)?)?;
        if outcome != Outcome::Passed {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Passed)
}

fn judge_levels(
    case: &Value,
    quote: &AmmQuote,
    side: AmmSide,
    recorded: &[Value],
) -> Result<Outcome, Malformed> {
    let amount = |value: &Value| integer_of(value).and_then(|amount| u64::try_from(amount).ok());
    let amounts =
        list(case, "topOfBookQuoteAmounts")?.iter().map(amount).collect::<Option<Vec<_>>>();
    let amounts = amounts.ok_or_else(|| Malformed("topOfBookQuoteAmounts".to_owned()))?;
    let mut levels = Vec::new();
    if let Err(error) = quote.levels(side, integer(case, "numOrders")?, &amounts, &mut levels) {
        return Ok(Outcome::Failed(format!("{side:?}: {error}")));
    }
    let ours: Vec<_> = levels.iter().map(|AmmLevel { price, size }| (price.0, *size)).collect();
    let level = |value: &Value| Ok((integer(value, "price")?, integer(value, "size")?));
    let recorded = recorded.iter().map(level).collect::<Result<Vec<_>, _>>()?;
    Ok(Outcome::compare(if side == AmmSide::Bid { "bids" } else { "asks" }, &ours, &recorded))
}

/// Our numbers under the paths of the recorded ones.
fn quoted(amm: &PerpAmm, quote: &AmmQuote) -> Numbers {
    let signed = |value: u128| i128::try_from(value).unwrap_or(i128::MAX);
    let curve = &quote.curve;
    let mut numbers = vec![
        ("reservePrice", i128::from(quote.reserve_price.0)),
        ("bidPrice", i128::from(quote.bid_price.0)),
        ("askPrice", i128::from(quote.ask_price.0)),
        ("openBids", signed(quote.open_bids)),
        ("openAsks", -signed(quote.open_asks)),
        ("updatedAmm.baseAssetReserve", signed(curve.reserves.base)),
        ("updatedAmm.quoteAssetReserve", signed(curve.reserves.quote)),
        ("updatedAmm.sqrtK", signed(curve.reserves.sqrt_k)),
        ("updatedAmm.pegMultiplier", signed(curve.reserves.peg)),
        ("updatedAmm.terminalQuoteAssetReserve", signed(curve.terminal_quote_asset_reserve)),
        ("updatedAmm.totalFeeMinusDistributions", curve.total_fee_minus_distributions),
        ("updatedAmm.netRevenueSinceLastFunding", curve.net_revenue_since_last_funding),
        ("bidReserves.baseAssetReserve", signed(quote.bid.base)),
        ("bidReserves.quoteAssetReserve", signed(quote.bid.quote)),
        ("askReserves.baseAssetReserve", signed(quote.ask.base)),
        ("askReserves.quoteAssetReserve", signed(quote.ask.quote)),
    ];
    if let Ok(price) = amm.reserves().price() {
        numbers.push(("reservePriceBeforeUpdate", i128::from(price.0)));
    }
    numbers
}

/// The first number that differs from what is recorded at its path.
fn compare(ours: &Numbers, expected: &Value) -> Result<Outcome, Malformed> {
    for (path, ours) in ours {
        let (value, key) = match path.split_once('.') {
            Some((inner, key)) => (at(expected, inner)?, key),
            None => (expected, *path),
        };
        let outcome = Outcome::compare(path, ours, &integer(value, key)?);
        if outcome != Outcome::Passed {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Passed)
}

fn judge_swap(case: &Value) -> Result<Outcome, Malformed> {
    let amm = at(case, "amm")?;
    let expected = at(case, "expected")?;
    let before = Reserves {
        base: integer(amm, "baseAssetReserve")?,
        quote: integer(amm, "quoteAssetReserve")?,
        sqrt_k: integer(amm, "sqrtK")?,
        peg: integer(amm, "pegMultiplier")?,
    };
    let amount = match text(case, "inputAsset")? {
        "base" => SwapAmount::Base(integer(case, "amount")?),
        "quote" => SwapAmount::Quote(integer(case, "amount")?),
        other => return Err(Malformed(format!("inputAsset was {other}"))),
    };
    let position = match text(case, "direction")? {
        "long" => Direction::Long,
        "short" => Direction::Short,
        other => return Err(Malformed(format!("direction was {other}"))),
    };
    let direction = amount.direction_of(position);
    let name = if direction == SwapDirection::Add { "add" } else { "remove" };
    let outcome = Outcome::compare("swapDirection", &name, &text(expected, "swapDirection")?);
    if outcome != Outcome::Passed {
        return Ok(outcome);
    }
    match swapped(&before, amount, direction) {
        Ok(ours) => compare(&ours, expected),
        Err(error) => Ok(Outcome::Failed(error.to_string())),
    }
}

fn swapped(
    before: &Reserves,
    amount: SwapAmount,
    direction: SwapDirection,
) -> Result<Numbers, slotbook_protocol::model::amm::AmmError> {
    let signed = |value: u128| i128::try_from(value).unwrap_or(i128::MAX);
    let swap = before.swap(amount, direction)?;
    Ok(vec![
        ("newBaseAssetReserve", signed(swap.reserves.base)),
        ("newQuoteAssetReserve", signed(swap.reserves.quote)),
        ("quoteAssetAmountSwapped", signed(swap.quote_amount)),
        ("reservePriceBefore", i128::from(before.price()?.0)),
        ("reservePriceAfter", i128::from(swap.reserves.price()?.0)),
    ])
}
