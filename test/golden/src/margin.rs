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

use crate::report::Outcome;
use crate::value::{Malformed, at, integer, integer_of, list, text};

/// The SDK's mark for no margin ratio.
const NO_RATIO: i128 = 9_007_199_254_740_991;

/// Runs the file's vectors.
pub(crate) fn check(file: &Value) -> Result<Vec<(String, Outcome)>, Malformed> {
    let case = |case: &Value| Ok((text(case, "name")?.to_owned(), judge(case)?));
    list(file, "vectors")?.iter().map(case).collect()
}

fn judge(case: &Value) -> Result<Outcome, Malformed> {
    let markets = Markets::read(at(case, "input")?)?;
    let user = user(at(case, "input")?.get("user").unwrap_or(&Value::Null))?;
    let margin = AccountMargin::of(&user, &markets);
    let expected = at(case, "expected")?;
    let mut wrong = differences(at(expected, "account")?, &account(&user, &margin));
    if !margin.is_complete {
        wrong.push("a price is unknown".to_owned());
    }
    for held in &margin.perps {
        let index = held.position.market_index.to_string();
        let expected = at(at(expected, "positions")?, &index)?;
        let liquidation = margin.perp_liquidation(&user, held, &markets).unwrap_or(-1);
        let ours = [
            ("unsettledFundingPnl", held.unsettled_funding),
            ("totalUnsettledPnl", held.pnl),
            ("totalClaimablePnl", held.claimable),
            ("liquidationPrice", liquidation),
        ];
        wrong.extend(differences(expected, &ours));
        if let Some(margins) = held.isolated {
            let [strict, own] =
                [Kind::Strict, Kind::Maintenance].map(|kind| margins[kind as usize]);
            let ours = [
                ("totalCollateral", own.collateral),
                ("maintenanceMarginRequirement", own.requirement),
                ("freeCollateralInitial", strict.free()),
                ("freeCollateralMaintenance", own.free()),
                ("health", own.health().into()),
            ];
            wrong.extend(differences(at(expected, "isolatedMargin")?, &ours));
        }
    }
    for held in &margin.spots {
        let index = held.position.market_index.to_string();
        let Some(expected) = at(expected, "spotBalances")?.get(&index) else { continue };
        let value = held.terms.map_or(0, |terms| terms.value(held.tokens));
        let liquidation = margin.spot_liquidation(&user, held, &markets).unwrap_or(-1);
        let ours = [
            ("baseBalance", held.tokens),
            ("notionalBalance", value),
            ("liquidationPrice", liquidation),
        ];
        wrong.extend(differences(expected, &ours));
    }
    Ok(if wrong.is_empty() { Outcome::Passed } else { Outcome::Failed(wrong.join("; ")) })
}

fn account(user: &UserHoldings, margin: &AccountMargin) -> Vec<(&'static str, i128)> {
    let [initial, strict, maintenance] =
        [Kind::Initial, Kind::Strict, Kind::Maintenance].map(|kind| margin.margin(kind));
    vec![
        ("netSpotMarketValue", margin.net_spot_value),
        ("netUsdValue", margin.net_usd_value()),
        ("totalUnsettledPnl", margin.unrealized_pnl),
        ("totalUnsettledFundingPnl", margin.unsettled_funding),
        ("totalClaimablePnl", margin.claimable),
        ("totalCollateralInitial", initial.collateral),
        ("totalCollateralInitialStrict", strict.collateral),
        ("totalCollateralMaintenance", maintenance.collateral),
        ("initialMarginRequirement", strict.requirement),
        ("maintenanceMarginRequirement", maintenance.requirement),
        ("freeCollateralInitial", strict.free()),
        ("freeCollateralMaintenance", maintenance.free()),
        ("leverage", margin.leverage()),
        ("marginRatio", margin.margin_ratio().unwrap_or(NO_RATIO)),
        ("health", margin.health(user).into()),
    ]
}

fn differences(expected: &Value, ours: &[(&str, i128)]) -> Vec<String> {
    let differs =
        |(name, ours): &&(&str, i128)| expected.get(*name).and_then(integer_of) != Some(*ours);
    let wrong = ours.iter().filter(differs);
    wrong
        .map(|(name, ours)| format!("{name}: ours {ours}, recorded {:?}", expected.get(*name)))
        .collect()
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
    fn read(input: &Value) -> Result<Self, Malformed> {
        let now = integer(input, "now")?;
        let prices = at(input, "oraclePrices")?;
        let spots = list(input, "spotMarkets")?.iter().map(|market| {
            let price = integer(at(prices, "spot")?, &index_text(market)?)?;
            let key = (integer(market, "marketIndex")?, oracle(market)?, source(market)?);
            let terms = SpotTerms::of(Program::Drift, key, spot_amounts(market)?, price, now);
            terms.ok_or_else(|| Malformed("its decimals are of no token".to_owned()))
        });
        let spots: Vec<SpotTerms> = spots.collect::<Result<_, _>>()?;
        let perps = list(input, "perpMarkets")?.iter().map(|market| {
            let index = index_text(market)?;
            let amounts = perp_amounts(market)?;
            let quote = spots.iter().find(|spot| spot.index == amounts.quote_index);
            let amm = at(market, "amm")?;
            let terms = PerpTerms {
                amounts,
                quote: *quote.ok_or_else(|| Malformed("its quote is unknown".to_owned()))?,
                oracle: oracle(amm)?,
                oracle_source: source(amm)?,
                price: integer(at(prices, "perp")?, &index)?,
                mm_price: integer(at(input, "mmOraclePrices")?, &index)?,
                is_prediction: text(market, "contractType")? == "prediction",
                is_in_settlement: text(market, "status")? == "settlement",
            };
            Ok((integer(market, "marketIndex")?, terms))
        });
        Ok(Self { perps: perps.collect::<Result<_, Malformed>>()?, spots })
    }
}

fn index_text(market: &Value) -> Result<String, Malformed> {
    Ok(integer::<i128>(market, "marketIndex")?.to_string())
}

/// A key for the text that stands for an oracle.
fn oracle(of: &Value) -> Result<Pubkey, Malformed> {
    let mut key = Pubkey::default();
    let text = text(of, "oracle")?;
    key.0.iter_mut().zip(text.bytes()).for_each(|(byte, letter)| *byte = letter);
    Ok(key)
}

fn source(of: &Value) -> Result<OracleSource, Malformed> {
    let name = text(of, "oracleSource")?;
    let found = OracleSource::ALL.iter().find(|source| source.name() == name);
    found.copied().ok_or_else(|| Malformed(format!("oracle source {name} is unknown")))
}

fn spot_amounts(market: &Value) -> Result<SpotAmounts, Malformed> {
    let history = at(market, "historicalOracleData")?;
    Ok(SpotAmounts {
        decimals: integer(market, "decimals")?,
        deposit_interest: integer(market, "cumulativeDepositInterest")?,
        borrow_interest: integer(market, "cumulativeBorrowInterest")?,
        deposit_balance: integer(market, "depositBalance")?,
        asset_weight_initial: integer(market, "initialAssetWeight")?,
        asset_weight_maintenance: integer(market, "maintenanceAssetWeight")?,
        liability_weight_initial: integer(market, "initialLiabilityWeight")?,
        liability_weight_maintenance: integer(market, "maintenanceLiabilityWeight")?,
        imf_factor: integer(market, "imfFactor")?,
        scale_start: integer(market, "scaleInitialAssetWeightStart")?,
        twap_5min: integer(history, "lastOraclePriceTwap5Min")?,
        twap_ts: integer(history, "lastOraclePriceTwapTs")?,
    })
}

fn perp_amounts(market: &Value) -> Result<PerpAmounts, Malformed> {
    let amm = at(market, "amm")?;
    Ok(PerpAmounts {
        expiry_price: integer(market, "expiryPrice")?,
        quote_index: integer(market, "quoteSpotMarketIndex")?,
        ratio_initial: integer(market, "marginRatioInitial")?,
        ratio_maintenance: integer(market, "marginRatioMaintenance")?,
        high_ratio_initial: integer(market, "highLeverageMarginRatioInitial")?,
        high_ratio_maintenance: integer(market, "highLeverageMarginRatioMaintenance")?,
        imf_factor: integer(market, "imfFactor")?,
        pnl_weight_initial: integer(market, "unrealizedPnlInitialAssetWeight")?,
        pnl_weight_maintenance: integer(market, "unrealizedPnlMaintenanceAssetWeight")?,
        pnl_imf_factor: integer(market, "unrealizedPnlImfFactor")?,
        pnl_max_imbalance: integer(market, "unrealizedPnlMaxImbalance")?,
        funding_long: integer(amm, "cumulativeFundingRateLong")?,
        funding_short: integer(amm, "cumulativeFundingRateShort")?,
        base_with_amm: integer(amm, "baseAssetAmountWithAmm")?,
        base_unsettled_lp: integer(amm, "baseAssetAmountWithUnsettledLp")?,
        quote: integer(amm, "quoteAssetAmount")?,
        quote_unsettled_lp: integer(amm, "quoteAssetAmountWithUnsettledLp")?,
        net_unsettled_funding: integer(amm, "netUnsettledFundingPnl")?,
        pnl_pool: integer(at(market, "pnlPool")?, "scaledBalance")?,
        fee_pool: integer(at(amm, "feePool")?, "scaledBalance")?,
    })
}

fn user(user: &Value) -> Result<UserHoldings, Malformed> {
    let modes = ["default", "highLeverage", "highLeverageMaintenance"];
    let mode = text(user, "marginMode")?;
    let mode = modes.iter().zip(0..).find(|(name, _)| **name == mode);
    Ok(UserHoldings {
        amounts: UserAmounts {
            status: integer(user, "status")?,
            margin_mode: mode
                .map(|(_, mode)| mode)
                .ok_or_else(|| Malformed("its mode".to_owned()))?,
            max_margin_ratio: integer(user, "maxMarginRatio")?,
            ..UserAmounts::default()
        },
        perps: list(user, "perpPositions")?.iter().map(perp).collect::<Result<_, _>>()?,
        spots: list(user, "spotPositions")?.iter().map(spot).collect::<Result<_, _>>()?,
        ..UserHoldings::default()
    })
}

fn perp(position: &Value) -> Result<PerpHolding, Malformed> {
    Ok(PerpHolding {
        market_index: integer(position, "marketIndex")?,
        base: integer(position, "baseAssetAmount")?,
        quote: integer(position, "quoteAssetAmount")?,
        quote_entry: integer(position, "quoteEntryAmount")?,
        quote_break_even: integer(position, "quoteBreakEvenAmount")?,
        last_cumulative_funding: integer(position, "lastCumulativeFundingRate")?,
        open_bids: integer(position, "openBids")?,
        open_asks: integer(position, "openAsks")?,
        settled_pnl: integer(position, "settledPnl")?,
        isolated_balance: integer(position, "isolatedPositionScaledBalance")?,
        max_margin_ratio: integer(position, "maxMarginRatio")?,
        open_orders: integer(position, "openOrders")?,
        flag: integer(position, "positionFlag")?,
    })
}

fn spot(position: &Value) -> Result<SpotHolding, Malformed> {
    Ok(SpotHolding {
        market_index: integer(position, "marketIndex")?,
        scaled_balance: integer(position, "scaledBalance")?,
        is_borrow: i128::from(text(position, "balanceType")? == "borrow"),
        open_bids: integer(position, "openBids")?,
        open_asks: integer(position, "openAsks")?,
        open_orders: integer(position, "openOrders")?,
    })
}
