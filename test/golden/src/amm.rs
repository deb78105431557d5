//! `vamm-l2`: the AMM's quotes and levels; `amm-swap`: single swaps on its curve.

use serde_json::Value;
use slotbook_protocol::model::amm::curve::{Reserves, SwapAmount, SwapDirection};
use slotbook_protocol::model::amm::{AmmInputs, AmmLevel, AmmQuote, AmmSide, PerpAmm};

use crate::order::direction;
use crate::value::{at, integer, integers, list, optional, or_zero, same, text};

/// The AMM of a recorded market account. Fields that some families of recordings leave out are zero there.
pub(crate) fn perp_amm(market: &Value, amm: &Value) -> PerpAmm {
    let history = at(amm, "historicalOracleData");
    macro_rules! read {
        ($($read:ident($from:ident) { $($field:ident: $key:literal,)* })*) => {
            PerpAmm {
                $($($field: $read($from, $key),)*)*
                is_prediction: market.get("contractType").is_some_and(|of| of == "prediction"),
                ..PerpAmm::default()
            }
        };
    }
    read! {
        or_zero(market) {
            paused_operations: "pausedOperations",
            fee_adjustment: "feeAdjustment",
            margin_ratio_initial: "marginRatioInitial",
        }
        integer(history) {
            last_oracle_price: "lastOraclePrice",
            last_oracle_price_twap: "lastOraclePriceTwap",
            last_oracle_price_twap_5min: "lastOraclePriceTwap5Min",
        }
        or_zero(history) {
            last_oracle_price_twap_ts: "lastOraclePriceTwapTs",
        }
        integer(amm) {
            base_asset_reserve: "baseAssetReserve",
            quote_asset_reserve: "quoteAssetReserve",
            sqrt_k: "sqrtK",
            peg_multiplier: "pegMultiplier",
            terminal_quote_asset_reserve: "terminalQuoteAssetReserve",
            min_base_asset_reserve: "minBaseAssetReserve",
            max_base_asset_reserve: "maxBaseAssetReserve",
            base_asset_amount_with_amm: "baseAssetAmountWithAmm",
            order_step_size: "orderStepSize",
            order_tick_size: "orderTickSize",
            min_order_size: "minOrderSize",
            base_spread: "baseSpread",
            max_spread: "maxSpread",
            curve_update_intensity: "curveUpdateIntensity",
            amm_spread_adjustment: "ammSpreadAdjustment",
            amm_inventory_spread_adjustment: "ammInventorySpreadAdjustment",
            reference_price_offset: "referencePriceOffset",
            reference_price_offset_deadband_pct: "referencePriceOffsetDeadbandPct",
            last_update_slot: "lastUpdateSlot",
            total_fee_minus_distributions: "totalFeeMinusDistributions",
            net_revenue_since_last_funding: "netRevenueSinceLastFunding",
            last_24h_avg_funding_rate: "last24HAvgFundingRate",
            last_mark_price_twap: "lastMarkPriceTwap",
            last_mark_price_twap_5min: "lastMarkPriceTwap5Min",
            last_oracle_conf_pct: "lastOracleConfPct",
            mark_std: "markStd",
            oracle_std: "oracleStd",
            long_intensity_volume: "longIntensityVolume",
            short_intensity_volume: "shortIntensityVolume",
            volume_24h: "volume24H",
        }
        or_zero(amm) {
            ask_base_asset_reserve: "askBaseAssetReserve",
            ask_quote_asset_reserve: "askQuoteAssetReserve",
            bid_base_asset_reserve: "bidBaseAssetReserve",
            bid_quote_asset_reserve: "bidQuoteAssetReserve",
            base_asset_amount_with_unsettled_lp: "baseAssetAmountWithUnsettledLp",
            long_spread: "longSpread",
            short_spread: "shortSpread",
            amm_jit_intensity: "ammJitIntensity",
            max_fill_reserve_fraction: "maxFillReserveFraction",
            total_exchange_fee: "totalExchangeFee",
            funding_period: "fundingPeriod",
            last_bid_price_twap: "lastBidPriceTwap",
            last_ask_price_twap: "lastAskPriceTwap",
            last_oracle_reserve_price_spread_pct: "lastOracleReservePriceSpreadPct",
        }
    }
}

/// Checks the quote of a case, and its levels.
pub(crate) fn judge_quote(case: &Value) {
    let (market, oracle) = (at(case, "market"), at(case, "oracle"));
    let amm = perp_amm(market, at(market, "amm"));
    let inputs = AmmInputs {
        oracle_price: integer(oracle, "price"),
        oracle_confidence: integer(oracle, "confidence"),
        now: integer(case, "now"),
        // Without a slot the SDK counts none since the last update.
        slot: optional(case, "latestSlot").unwrap_or(amm.last_update_slot),
    };
    let quote = AmmQuote::of(&amm, &inputs).expect("a quote");
    let expected = at(case, "expected");
    assert_eq!(at(expected, "longSpread"), &quote.spreads.long.to_string(), "longSpread");
    assert_eq!(at(expected, "shortSpread"), &quote.spreads.short.to_string(), "shortSpread");
    same(expected, "reservePrice", quote.reserve_price.0);
    same(expected, "bidPrice", quote.bid_price.0);
    same(expected, "askPrice", quote.ask_price.0);
    same(expected, "openBids", quote.open_bids);
    same(expected, "openAsks", -quote.open_asks.cast_signed());
    if let Ok(price) = amm.reserves().price() {
        same(expected, "reservePriceBeforeUpdate", price.0);
    }
    let (updated, curve) = (at(expected, "updatedAmm"), &quote.curve);
    same(updated, "baseAssetReserve", curve.reserves.base);
    same(updated, "quoteAssetReserve", curve.reserves.quote);
    same(updated, "sqrtK", curve.reserves.sqrt_k);
    same(updated, "pegMultiplier", curve.reserves.peg);
    same(updated, "terminalQuoteAssetReserve", curve.terminal_quote_asset_reserve);
    same(updated, "totalFeeMinusDistributions", curve.total_fee_minus_distributions);
    same(updated, "netRevenueSinceLastFunding", curve.net_revenue_since_last_funding);
    same(at(expected, "bidReserves"), "baseAssetReserve", quote.bid.base);
    same(at(expected, "bidReserves"), "quoteAssetReserve", quote.bid.quote);
    same(at(expected, "askReserves"), "baseAssetReserve", quote.ask.base);
    same(at(expected, "askReserves"), "quoteAssetReserve", quote.ask.quote);
    let amounts = integers(case, "topOfBookQuoteAmounts");
    for (name, side) in [("bids", AmmSide::Bid), ("asks", AmmSide::Ask)] {
        let mut levels = Vec::new();
        quote.levels(side, integer(case, "numOrders"), &amounts, &mut levels).expect("levels");
        let ours: Vec<_> = levels.iter().map(|AmmLevel { price, size }| (price.0, *size)).collect();
        let level = |value: &Value| (integer(value, "price"), integer(value, "size"));
        let recorded: Vec<_> = list(expected, name).iter().map(level).collect();
        assert_eq!(ours, recorded, "{name}");
    }
}

/// Checks the swap of a case.
pub(crate) fn judge_swap(case: &Value) {
    let (amm, expected) = (at(case, "amm"), at(case, "expected"));
    let before = Reserves {
        base: integer(amm, "baseAssetReserve"),
        quote: integer(amm, "quoteAssetReserve"),
        sqrt_k: integer(amm, "sqrtK"),
        peg: integer(amm, "pegMultiplier"),
    };
    let amount = match text(case, "inputAsset") {
        "base" => SwapAmount::Base(integer(case, "amount")),
        "quote" => SwapAmount::Quote(integer(case, "amount")),
        other => panic!("inputAsset was {other}"),
    };
    let direction = amount.direction_of(direction(case, "direction"));
    let name = if direction == SwapDirection::Add { "add" } else { "remove" };
    assert_eq!(at(expected, "swapDirection"), name, "swapDirection");
    let swap = before.swap(amount, direction).expect("a swap");
    let price = |reserves: &Reserves| reserves.price().expect("a price").0;
    same(expected, "newBaseAssetReserve", swap.reserves.base);
    same(expected, "newQuoteAssetReserve", swap.reserves.quote);
    same(expected, "quoteAssetAmountSwapped", swap.quote_amount);
    same(expected, "reservePriceBefore", price(&before));
    same(expected, "reservePriceAfter", price(&swap.reserves));
}
