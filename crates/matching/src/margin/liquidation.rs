//! Liquidation prices: linear estimates, with constant weights and all other prices as they are.
//!
//! Source: sdk/src/user.ts `liquidationPrice`, `spotLiquidationPrice`,
//! `calculateFreeCollateralDeltaForPerp` of @drift-labs/sdk 2.163.0-beta.0.

use slotbook_protocol::model::enums::{MarketType, OracleSource};
use slotbook_protocol::model::margin::UserHoldings;

use super::amounts::{E4, E6, E9, ratio};
use super::{AccountMargin, Kind, PerpTerms, PricedPerp, PricedSpot, SpotTerms, Terms};

impl AccountMargin {
    /// Returns the price of a perp market, 1e6, at which the account, or the isolated position, is
    /// liquidated; `None` when there is none, and while a price is unknown.
    #[must_use]
    pub fn perp_liquidation(
        &self,
        user: &UserHoldings,
        priced: &PricedPerp,
        markets: &impl Terms,
    ) -> Option<i128> {
        let terms = priced.terms.as_ref()?;
        let delta = perp_delta(priced.position.base, terms, user)?;
        if let Some(margins) = priced.isolated {
            return price_at(terms.price, margins[Kind::WithoutOrders as usize].free(), delta);
        }
        let spot = markets.first_of_oracle(MarketType::Spot, &terms.oracle);
        let spot = self.spots.iter().find(|held| Some(held.position.market_index) == spot);
        let of_spot = spot.and_then(|held| {
            let delta = spot_delta(held.tokens, held.terms.as_ref()?);
            Some(in_units(delta, terms.oracle_source, held.terms?.oracle_source))
        });
        self.price_of(Kind::WithoutOrders, terms.price, delta + of_spot.unwrap_or(0))
    }

    /// Returns the price of a token, 1e6, at which the account is liquidated; `None` when there is
    /// none, and while a price is unknown. The same oracle's perp position counts, unless it is
    /// isolated, because its gains are not collateral of the account; the SDK counts it.
    #[must_use]
    pub fn spot_liquidation(
        &self,
        user: &UserHoldings,
        priced: &PricedSpot,
        markets: &impl Terms,
    ) -> Option<i128> {
        let terms = priced.terms.as_ref().filter(|_| priced.tokens != 0)?;
        let perp = markets.first_of_oracle(MarketType::Perp, &terms.oracle);
        let is_same = |held: &&PricedPerp| Some(held.position.market_index) == perp;
        let perp = self.perps.iter().find(is_same).filter(|held| held.isolated.is_none());
        let of_perp = perp.and_then(|held| {
            let delta = perp_delta(held.position.base, held.terms.as_ref()?, user)?;
            Some(in_units(delta, terms.oracle_source, held.terms?.oracle_source))
        });
        let delta = spot_delta(priced.tokens, terms) + of_perp.unwrap_or(0);
        self.price_of(Kind::Maintenance, terms.price, delta)
    }

    fn price_of(&self, kind: Kind, price: i128, delta: i128) -> Option<i128> {
        if self.is_complete { price_at(price, self.margin(kind).free(), delta) } else { None }
    }
}

/// The price at which free collateral is used up, where it changes by `delta` with one unit of
/// price.
fn price_at(price: i128, free: i128, delta: i128) -> Option<i128> {
    if delta == 0 {
        return None;
    }
    Some(price - ratio(free, E6, delta)).filter(|found| *found >= 0)
}

/// The change of free collateral with one unit of price; `None` without a position.
fn perp_delta(base: i128, terms: &PerpTerms, user: &UserHoldings) -> Option<i128> {
    if base == 0 || terms.is_prediction {
        // In prediction markets gains and requirement net out.
        return (base != 0).then_some(0);
    }
    let asked = ratio(terms.maintenance_ratio(base, user.amounts.margin_mode), E6, E4);
    let sign = if base > 0 { E6 } else { -E6 };
    Some(ratio(sign - asked, base.abs(), E9))
}

fn spot_delta(tokens: i128, terms: &SpotTerms) -> i128 {
    let weight = if tokens > 0 {
        terms.asset_weight(tokens, Kind::Maintenance)
    } else {
        terms.liability_weight(tokens, Kind::Maintenance)
    };
    terms.per_token(ratio(E6, weight, E4), tokens)
}

/// The family of an oracle source whose prices are of several units of an asset, and that number.
const fn units_of(source: OracleSource) -> Option<(u8, i128)> {
    Some(match source {
        OracleSource::PythPull => (0, 1),
        OracleSource::Pyth1KPull => (0, 1_000),
        OracleSource::Pyth1MPull => (0, 1_000_000),
        OracleSource::PythLazer => (1, 1),
        OracleSource::PythLazer1K => (1, 1_000),
        OracleSource::PythLazer1M => (1, 1_000_000),
        _ => return None,
    })
}

/// Converts between oracle sources of different units, one of which must be of a single unit.
/// Source: sdk/src/math/oracles.ts `getMultipleBetweenOracleSources`.
fn in_units(delta: i128, from: OracleSource, to: OracleSource) -> i128 {
    match (units_of(from), units_of(to)) {
        (Some((family, first)), Some((other, second)))
            if family == other && (first == 1 || second == 1) =>
        {
            ratio(delta, second, first)
        }
        _ => delta,
    }
}
