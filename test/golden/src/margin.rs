//! `readmodels`: collateral, margins, gains and liquidation prices of accounts, as the SDK's class
//! `User` computes them.

use serde_json::Value;
use slotbook_matching::margin::{AccountMargin, Kind, PerpTerms, SpotTerms, Terms};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::{MarketType, OracleSource};
use slotbook_protocol::model::margin::{
    PerpAmounts, PerpHolding, SpotAmounts, SpotHolding, UserAmounts, UserHoldings,
};
use slotbook_protocol::model::units::Pubkey;

use crate::value::{at, integer, list, same, text};

/// The SDK's mark for no margin ratio.
const NO_RATIO: i128 = 9_007_199_254_740_991;

/// Checks a vector of the file.
pub(crate) fn judge(case: &Value) {
    let markets = Markets::read(at(case, "input"));
    let user = user(at(at(case, "input"), "user"));
    let margin = AccountMargin::of(&user, &markets);
    assert!(margin.is_complete, "a price is unknown");
    let expected = at(case, "expected");
    check_account(at(expected, "account"), &user, &margin);
    for held in &margin.perps {
        let expected = at(at(expected, "positions"), &held.position.market_index.to_string());
        let liquidation = margin.perp_liquidation(&user, held, &markets).unwrap_or(-1);
        same(expected, "unsettledFundingPnl", held.unsettled_funding);
        same(expected, "totalUnsettledPnl", held.pnl);
        same(expected, "totalClaimablePnl", held.claimable);
        same(expected, "liquidationPrice", liquidation);
        if let Some(margins) = held.isolated {
            let [strict, own] =
                [Kind::Strict, Kind::Maintenance].map(|kind| margins[kind as usize]);
            let expected = at(expected, "isolatedMargin");
            same(expected, "totalCollateral", own.collateral);
            same(expected, "maintenanceMarginRequirement", own.requirement);
            same(expected, "freeCollateralInitial", strict.free());
            same(expected, "freeCollateralMaintenance", own.free());
            same(expected, "health", own.health());
        }
    }
    for held in &margin.spots {
        let index = held.position.market_index.to_string();
        let Some(expected) = at(expected, "spotBalances").get(&index) else { continue };
        let value = held.terms.map_or(0, |terms| terms.value(held.tokens));
        let liquidation = margin.spot_liquidation(&user, held, &markets).unwrap_or(-1);
        same(expected, "baseBalance", held.tokens);
        same(expected, "notionalBalance", value);
        same(expected, "liquidationPrice", liquidation);
    }
}

fn check_account(expected: &Value, user: &UserHoldings, margin: &AccountMargin) {
    let [initial, strict, maintenance] =
        [Kind::Initial, Kind::Strict, Kind::Maintenance].map(|kind| margin.margin(kind));
    same(expected, "netSpotMarketValue", margin.net_spot_value);
    same(expected, "netUsdValue", margin.net_usd_value());
    same(expected, "totalUnsettledPnl", margin.unrealized_pnl);
    same(expected, "totalUnsettledFundingPnl", margin.unsettled_funding);
    same(expected, "totalClaimablePnl", margin.claimable);
    same(expected, "totalCollateralInitial", initial.collateral);
    same(expected, "totalCollateralInitialStrict", strict.collateral);
    same(expected, "totalCollateralMaintenance", maintenance.collateral);
    same(expected, "initialMarginRequirement", strict.requirement);
    same(expected, "maintenanceMarginRequirement", maintenance.requirement);
    same(expected, "freeCollateralInitial", strict.free());
    same(expected, "freeCollateralMaintenance", maintenance.free());
    same(expected, "leverage", margin.leverage());
    same(expected, "marginRatio", margin.margin_ratio().unwrap_or(NO_RATIO));
    same(expected, "health", margin.health(user));
}

struct Markets {
    perps: Vec<(i128, PerpTerms)>,
    spots: Vec<SpotTerms>,
}

impl Terms for Markets {
    fn perp(&self, index: i128) -> Option<PerpTerms> {
        self.perps.iter().find(|(of, _)| *of == index).map(|(_, terms)| *terms)
    }

    fn spot(&self, index: i128) -> Option<SpotTerms> {
        self.spots.iter().find(|terms| terms.index == index).copied()
    }

    fn first_of_oracle(&self, market_type: MarketType, oracle: &Pubkey) -> Option<i128> {
        match market_type {
            MarketType::Perp => {
                let of_oracle = self.perps.iter().filter(|(_, terms)| terms.oracle == *oracle);
                of_oracle.map(|(index, _)| *index).min()
            }
            MarketType::Spot => {
                let of_oracle = self.spots.iter().filter(|terms| terms.oracle == *oracle);
                of_oracle.map(|terms| terms.index).min()
            }
        }
    }
}

impl Markets {
    fn read(input: &Value) -> Self {
        let price =
            |of: &Value, market: &Value| integer(of, &at(market, "marketIndex").to_string());
        let prices = at(input, "oraclePrices");
        let spots = list(input, "spotMarkets").iter().map(|market| {
            let key = (integer(market, "marketIndex"), oracle(market), source(market));
            let (amounts, price) = (spot_amounts(market), price(at(prices, "spot"), market));
            let terms = SpotTerms::of(Program::Drift, key, amounts, price, integer(input, "now"));
            terms.expect("its decimals are of a token")
        });
        let spots: Vec<SpotTerms> = spots.collect();
        let perps = list(input, "perpMarkets").iter().map(|market| {
            let (amounts, amm) = (perp_amounts(market), at(market, "amm"));
            let quote = spots.iter().find(|spot| spot.index == amounts.quote_index);
            let terms = PerpTerms {
                amounts,
                quote: *quote.expect("its quote is known"),
                oracle: oracle(amm),
                oracle_source: source(amm),
                price: price(at(prices, "perp"), market),
                mm_price: price(at(input, "mmOraclePrices"), market),
                is_prediction: text(market, "contractType") == "prediction",
                is_in_settlement: text(market, "status") == "settlement",
            };
            (integer(market, "marketIndex"), terms)
        });
        Self { perps: perps.collect(), spots }
    }
}

/// A key for the text that stands for an oracle.
fn oracle(of: &Value) -> Pubkey {
    let mut key = Pubkey::default();
    key.0.iter_mut().zip(text(of, "oracle").bytes()).for_each(|(byte, letter)| *byte = letter);
    key
}

fn source(of: &Value) -> OracleSource {
    let name = text(of, "oracleSource");
    let found = OracleSource::ALL.iter().find(|source| source.name() == name);
    *found.expect("a known oracle source")
}

fn spot_amounts(market: &Value) -> SpotAmounts {
    let history = at(market, "historicalOracleData");
    SpotAmounts {
        decimals: integer(market, "decimals"),
        deposit_interest: integer(market, "cumulativeDepositInterest"),
        borrow_interest: integer(market, "cumulativeBorrowInterest"),
        deposit_balance: integer(market, "depositBalance"),
        asset_weight_initial: integer(market, "initialAssetWeight"),
        asset_weight_maintenance: integer(market, "maintenanceAssetWeight"),
        liability_weight_initial: integer(market, "initialLiabilityWeight"),
        liability_weight_maintenance: integer(market, "maintenanceLiabilityWeight"),
        imf_factor: integer(market, "imfFactor"),
        scale_start: integer(market, "scaleInitialAssetWeightStart"),
        twap_5min: integer(history, "lastOraclePriceTwap5Min"),
        twap_ts: integer(history, "lastOraclePriceTwapTs"),
    }
}

fn perp_amounts(market: &Value) -> PerpAmounts {
    let amm = at(market, "amm");
    PerpAmounts {
        expiry_price: integer(market, "expiryPrice"),
        quote_index: integer(market, "quoteSpotMarketIndex"),
        ratio_initial: integer(market, "marginRatioInitial"),
        ratio_maintenance: integer(market, "marginRatioMaintenance"),
        high_ratio_initial: integer(market, "highLeverageMarginRatioInitial"),
        high_ratio_maintenance: integer(market, "highLeverageMarginRatioMaintenance"),
        imf_factor: integer(market, "imfFactor"),
        pnl_weight_initial: integer(market, "unrealizedPnlInitialAssetWeight"),
        pnl_weight_maintenance: integer(market, "unrealizedPnlMaintenanceAssetWeight"),
        pnl_imf_factor: integer(market, "unrealizedPnlImfFactor"),
        pnl_max_imbalance: integer(market, "unrealizedPnlMaxImbalance"),
        funding_long: integer(amm, "cumulativeFundingRateLong"),
        funding_short: integer(amm, "cumulativeFundingRateShort"),
        base_with_amm: integer(amm, "baseAssetAmountWithAmm"),
        base_unsettled_lp: integer(amm, "baseAssetAmountWithUnsettledLp"),
        quote: integer(amm, "quoteAssetAmount"),
        quote_unsettled_lp: integer(amm, "quoteAssetAmountWithUnsettledLp"),
        net_unsettled_funding: integer(amm, "netUnsettledFundingPnl"),
        pnl_pool: integer(at(market, "pnlPool"), "scaledBalance"),
        fee_pool: integer(at(amm, "feePool"), "scaledBalance"),
    }
}

fn user(user: &Value) -> UserHoldings {
    let modes = ["default", "highLeverage", "highLeverageMaintenance"];
    let mode = text(user, "marginMode");
    let (_, margin_mode) =
        modes.into_iter().zip(0..).find(|(name, _)| *name == mode).expect("a mode");
    UserHoldings {
        amounts: UserAmounts {
            status: integer(user, "status"),
            margin_mode,
            max_margin_ratio: integer(user, "maxMarginRatio"),
            ..UserAmounts::default()
        },
        perps: list(user, "perpPositions").iter().map(perp).collect(),
        spots: list(user, "spotPositions").iter().map(spot).collect(),
        ..UserHoldings::default()
    }
}

fn perp(position: &Value) -> PerpHolding {
    PerpHolding {
        market_index: integer(position, "marketIndex"),
        base: integer(position, "baseAssetAmount"),
        quote: integer(position, "quoteAssetAmount"),
        quote_entry: integer(position, "quoteEntryAmount"),
        quote_break_even: integer(position, "quoteBreakEvenAmount"),
        last_cumulative_funding: integer(position, "lastCumulativeFundingRate"),
        open_bids: integer(position, "openBids"),
        open_asks: integer(position, "openAsks"),
        settled_pnl: integer(position, "settledPnl"),
        isolated_balance: integer(position, "isolatedPositionScaledBalance"),
        max_margin_ratio: integer(position, "maxMarginRatio"),
        open_orders: integer(position, "openOrders"),
        flag: integer(position, "positionFlag"),
    }
}

fn spot(position: &Value) -> SpotHolding {
    SpotHolding {
        market_index: integer(position, "marketIndex"),
        scaled_balance: integer(position, "scaledBalance"),
        is_borrow: i128::from(text(position, "balanceType") == "borrow"),
        open_bids: integer(position, "openBids"),
        open_asks: integer(position, "openAsks"),
        open_orders: integer(position, "openOrders"),
    }
}
