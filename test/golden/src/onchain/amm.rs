//! The stored AMM of a vector, and `onchain-spreads`.

use serde_json::Value;
use slotbook_protocol::model::amm::{AmmInputs, PerpAmm};
use slotbook_protocol::model::enums::Direction;

use super::Comparison;
use crate::report::Outcome;
use crate::value::{Malformed, at, integer, integer_or, integer_or_null};

/// The spreads, prices and reserves that the program stores.
pub(super) fn judge_spreads(case: &Value) -> Result<Outcome, Malformed> {
    let mut amm = perp_amm(at(case, "amm")?)?;
    let slot = match integer_or_null(case, "slot")? {
        None => None,
        Some(_) => Some(integer(case, "slot")?),
    };
    // Drift v2 smooths by the slot, and reads no oracle here.
    let inputs = slot.map(|slot| AmmInputs { slot, oracle_price: 0, oracle_confidence: 0, now: 0 });
    let failed = |error| Malformed(format!("no spreads: {error}"));
    let price = amm.reserves().price().map_err(failed)?;
    amm.update_spreads(price, inputs.as_ref()).map_err(failed)?;
    let price_for = |taker| amm.price_for(price, taker).map_err(failed);
    let mut compared = Comparison::with(at(case, "expected")?);
    compared
        .same("reservePrice", price.0)?
        .same("longSpread", amm.long_spread)?
        .same("shortSpread", amm.short_spread)?
        .same("referencePriceOffset", amm.reference_price_offset)?
        .same("bidPrice", price_for(Direction::Short)?.0)?
        .same("askPrice", price_for(Direction::Long)?.0)?
        .same("bidBaseAssetReserve", signed(amm.bid_base_asset_reserve)?)?
        .same("bidQuoteAssetReserve", signed(amm.bid_quote_asset_reserve)?)?
        .same("askBaseAssetReserve", signed(amm.ask_base_asset_reserve)?)?
        .same("askQuoteAssetReserve", signed(amm.ask_quote_asset_reserve)?)?;
    Ok(compared.outcome())
}

/// A reserve as the comparison holds it.
pub(super) fn signed(reserve: u128) -> Result<i128, Malformed> {
    i128::try_from(reserve).map_err(|_| Malformed(format!("reserve was {reserve}, must be less")))
}

/// The AMM that a vector stores. Fields that no rule of these families reads are left at 0.
pub(super) fn perp_amm(value: &Value) -> Result<PerpAmm, Malformed> {
    let oracle = at(value, "historicalOracleData")?;
    macro_rules! read {
        ($($field:ident: $key:literal,)*) => {
            PerpAmm {
                $($field: integer(value, $key)?,)*
                base_asset_amount_with_unsettled_lp:
                    integer_or(value, "baseAssetAmountWithUnsettledLp", 0)?,
                last_oracle_price: integer(oracle, "lastOraclePrice")?,
                last_oracle_price_twap: integer(oracle, "lastOraclePriceTwap")?,
                last_oracle_price_twap_5min: integer(oracle, "lastOraclePriceTwap5Min")?,
                ..PerpAmm::default()
            }
        };
    }
    Ok(read! {
        base_asset_reserve: "baseAssetReserve",
        quote_asset_reserve: "quoteAssetReserve",
        sqrt_k: "sqrtK",
        peg_multiplier: "pegMultiplier",
        terminal_quote_asset_reserve: "terminalQuoteAssetReserve",
        base_asset_amount_with_amm: "baseAssetAmountWithAmm",
        min_base_asset_reserve: "minBaseAssetReserve",
        max_base_asset_reserve: "maxBaseAssetReserve",
        total_fee_minus_distributions: "totalFeeMinusDistributions",
        net_revenue_since_last_funding: "netRevenueSinceLastFunding",
        last_24h_avg_funding_rate: "last24HAvgFundingRate",
        last_bid_price_twap: "lastBidPriceTwap",
        last_ask_price_twap: "lastAskPriceTwap",
        last_mark_price_twap: "lastMarkPriceTwap",
        last_mark_price_twap_5min: "lastMarkPriceTwap5Min",
        last_update_slot: "lastUpdateSlot",
        last_oracle_conf_pct: "lastOracleConfPct",
        last_oracle_reserve_price_spread_pct: "lastOracleReservePriceSpreadPct",
        order_step_size: "orderStepSize",
        order_tick_size: "orderTickSize",
        min_order_size: "minOrderSize",
        mark_std: "markStd",
        oracle_std: "oracleStd",
        long_intensity_volume: "longIntensityVolume",
        short_intensity_volume: "shortIntensityVolume",
        volume_24h: "volume24H",
        base_spread: "baseSpread",
        max_spread: "maxSpread",
        long_spread: "longSpread",
        short_spread: "shortSpread",
        curve_update_intensity: "curveUpdateIntensity",
        amm_jit_intensity: "ammJitIntensity",
        amm_spread_adjustment: "ammSpreadAdjustment",
        amm_inventory_spread_adjustment: "ammInventorySpreadAdjustment",
        reference_price_offset: "referencePriceOffset",
        reference_price_offset_deadband_pct: "referencePriceOffsetDeadbandPct",
        max_fill_reserve_fraction: "maxFillReserveFraction",
        ask_base_asset_reserve: "askBaseAssetReserve",
        ask_quote_asset_reserve: "askQuoteAssetReserve",
        bid_base_asset_reserve: "bidBaseAssetReserve",
        bid_quote_asset_reserve: "bidQuoteAssetReserve",
    })
}
