//! Collateral, margin requirement, gains and liquidation prices of one account, in one pass over its
//! positions.
//!
//! Source: sdk/src/user.ts `getMarginCalculation`, `getLeverageComponents`, `getUnrealizedPNL`,
//! `getHealth` of @drift-labs/sdk 2.163.0-beta.0. Amounts are quote at 1e6 where nothing else is
//! said. Velocity has neither high-leverage mode nor liquidity providers, whose fields are 0; its
//! other differences are those of packages/sdk/src/user.ts and programs/velocity/src/math/margin.rs
//! of velocity-exchange/velocity-v1, branches on [`SpotTerms::rules`].

mod amounts;
mod liquidation;
mod of_book;
mod perp;
mod spot;

use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::margin::{PerpHolding, SpotHolding, UserHoldings, position_flag};
use slotbook_protocol::model::units::Pubkey;

use amounts::{E4, E6, ratio};
pub use perp::PerpTerms;
pub use spot::SpotTerms;

/// Requirement of each open order. Source: `OPEN_ORDER_MARGIN_REQUIREMENT`.
const OPEN_ORDER: i128 = 10_000;

/// Markets as positions see them, at the prices of one moment.
pub trait Terms {
    /// The terms of a perp market; `None` while the market, its price or its quote is unknown.
    fn perp(&self, index: i128) -> Option<PerpTerms>;
    /// The terms of a spot market; `None` while the market or its price is unknown.
    fn spot(&self, index: i128) -> Option<SpotTerms>;
    /// Index of the first market of a type with this oracle account.
    fn first_of_oracle(&self, market_type: MarketType, oracle: &Pubkey) -> Option<i128>;
}

/// Collateral and requirement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Margin {
    /// Weighted value of what the account has.
    pub collateral: i128,
    /// The collateral that its debts, positions and orders require.
    pub requirement: i128,
}

impl Margin {
    /// Collateral that is not required, at least 0.
    #[must_use]
    pub fn free(&self) -> i128 {
        (self.collateral - self.requirement).max(0)
    }

    /// The free part of the collateral in percent, 0 to 100. Source: user.ts `getHealth`, in
    /// doubles.
    #[must_use]
    #[expect(clippy::float_arithmetic, reason = "the SDK defines health in doubles")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    #[expect(clippy::cast_precision_loss, reason = "as in the SDK")]
    pub fn health(&self) -> u8 {
        if self.requirement == 0 && self.collateral >= 0 {
            return 100;
        }
        if self.collateral <= 0 {
            return 0;
        }
        let part = (1.0 - self.requirement as f64 / self.collateral as f64) * 100.0;
        part.clamp(0.0, 100.0).round() as u8
    }

    fn add(&mut self, collateral: i128, requirement: i128) {
        self.collateral += collateral;
        self.requirement += requirement;
    }
}

/// Which ratios, weights and prices a margin takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// For new positions.
    Initial,
    /// For new positions, at the worse of each price and its five-minute average.
    Strict,
    /// Against liquidation.
    Maintenance,
    /// Against liquidation as if no order were open: liquidation prices start from it.
    WithoutOrders,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Initial, Self::Strict, Self::Maintenance, Self::WithoutOrders];

    const fn is_initial(self) -> bool {
        matches!(self, Self::Initial | Self::Strict)
    }
}

/// A perp position at its market's terms.
#[derive(Clone, Copy, Debug)]
pub struct PricedPerp {
    /// The position as stored.
    pub position: PerpHolding,
    /// Its market; `None` while a price is unknown: the other amounts are then 0.
    pub terms: Option<PerpTerms>,
    /// Funding that is not settled.
    pub unsettled_funding: i128,
    /// Gain at the oracle's price, with funding.
    pub pnl: i128,
    /// The part of the gain that can be claimed now.
    pub claimable: i128,
    /// Margins of an isolated position, by [`Kind`].
    pub isolated: Option<[Margin; 4]>,
}

/// A spot balance at its market's terms.
#[derive(Clone, Copy, Debug)]
pub struct PricedSpot {
    /// The position as stored.
    pub position: SpotHolding,
    /// Its market; `None` while its price is unknown: the tokens are then 0.
    pub terms: Option<SpotTerms>,
    /// Signed tokens with interest, in the token's decimals; a debt is rounded away from zero.
    pub tokens: i128,
}

/// An account's margins, and its positions at their markets' terms.
#[derive(Debug, Default)]
pub struct AccountMargin {
    /// Whether all prices are known; if not, sums and margins lack positions.
    pub is_complete: bool,
    /// Perp positions in use.
    pub perps: Vec<PricedPerp>,
    /// Spot positions in use.
    pub spots: Vec<PricedSpot>,
    /// Spot balances, debts subtracted.
    pub net_spot_value: i128,
    /// Gains of all positions at the prices of the market makers' oracles, with funding.
    pub unrealized_pnl: i128,
    /// Funding that is not settled.
    pub unsettled_funding: i128,
    /// Gains that can be claimed now.
    pub claimable: i128,
    margins: [Margin; 4],
    isolated_deposits: i128,
    perp_liabilities: i128,
    spot_liabilities: i128,
    spot_assets: i128,
    /// Quote balances and the worth of spot orders, which offset each other.
    net_quote: i128,
}

impl AccountMargin {
    /// Calculates the margins of an account.
    pub fn of(user: &UserHoldings, markets: &impl Terms) -> Self {
        let mut margin = Self { is_complete: true, ..Self::default() };
        for position in &user.spots {
            margin.add_spot(user, position, markets.spot(position.market_index));
        }
        for position in &user.perps {
            margin.add_perp(user, position, markets.perp(position.market_index));
        }
        let sum = margin.net_quote;
        if sum > 0 {
            margin.spot_assets += sum
        } else {
            margin.spot_liabilities -= sum
        }
        margin
    }

    /// The account's margin of a kind, without isolated positions.
    #[must_use]
    pub const fn margin(&self, kind: Kind) -> Margin {
        self.margins[kind as usize]
    }

    /// Value of balances, gains and isolated deposits; negative when debts exceed it.
    #[must_use]
    pub const fn net_usd_value(&self) -> i128 {
        self.net_spot_value + self.unrealized_pnl + self.isolated_deposits
    }

    /// Liabilities divided by net value, 1e4; 0 without net value. Source: user.ts `getLeverage`.
    #[must_use]
    pub fn leverage(&self) -> i128 {
        let net = self.net_value();
        if net == 0 { 0 } else { ratio(self.liabilities(), E4, net) }
    }

    /// Net value divided by liabilities, 1e4; `None` without liabilities. Source: user.ts
    /// `getMarginRatio`.
    #[must_use]
    pub fn margin_ratio(&self) -> Option<i128> {
        let liabilities = self.liabilities();
        (liabilities != 0).then(|| ratio(self.net_value(), E4, liabilities))
    }

    /// 0, being liquidated, to 100.
    #[must_use]
    pub fn health(&self, user: &UserHoldings) -> u8 {
        if user.is_over() { 0 } else { self.margin(Kind::Maintenance).health() }
    }

    const fn liabilities(&self) -> i128 {
        self.perp_liabilities + self.spot_liabilities
    }

    const fn net_value(&self) -> i128 {
        self.spot_assets + self.isolated_deposits + self.unrealized_pnl - self.spot_liabilities
    }

    fn add_spot(&mut self, user: &UserHoldings, held: &SpotHolding, terms: Option<SpotTerms>) {
        let tokens =
            terms.map_or(0, |terms| terms.tokens(held.scaled_balance, held.is_borrow != 0));
        self.spots.push(PricedSpot { position: *held, terms, tokens });
        let Some(terms) = terms else {
            self.is_complete = false;
            return;
        };
        let custom = user.amounts.max_margin_ratio;
        self.net_spot_value += terms.value(tokens);
        for kind in Kind::ALL {
            let counts_orders = !terms.is_quote() && kind != Kind::WithoutOrders;
            let (after, orders_value) =
                if counts_orders { terms.worst(tokens, held, kind, custom) } else { (tokens, 0) };
            let margin = &mut self.margins[kind as usize];
            let asset = terms.asset(after, kind, &user.amounts);
            margin.add(asset, terms.liability(after, kind, custom));
            if counts_orders {
                let fees = held.open_orders * OPEN_ORDER;
                margin.add(orders_value.max(0), fees + (-orders_value).max(0));
            }
        }
        self.add_leverage(&terms, held, tokens);
    }

    fn add_leverage(&mut self, terms: &SpotTerms, held: &SpotHolding, tokens: i128) {
        if terms.is_quote() {
            self.net_quote += terms.value(tokens);
            return;
        }
        let (after, orders_value) = terms.unweighted_worst(tokens, held);
        let value = terms.value(after);
        self.spot_assets += value.max(0);
        self.spot_liabilities += (-value).max(0) + held.open_orders * OPEN_ORDER;
        self.net_quote += orders_value;
    }

    fn add_perp(&mut self, user: &UserHoldings, held: &PerpHolding, terms: Option<PerpTerms>) {
        let mut priced = PricedPerp {
            position: *held,
            terms,
            unsettled_funding: 0,
            pnl: 0,
            claimable: 0,
            isolated: None,
        };
        if let Some(terms) = terms {
            self.price_perp(user, &mut priced, &terms);
        } else {
            self.is_complete = false;
        }
        self.perps.push(priced);
    }

    fn price_perp(&mut self, user: &UserHoldings, priced: &mut PricedPerp, terms: &PerpTerms) {
        let held = priced.position;
        let funding = terms.unsettled_funding(&held);
        let pnl = terms.pnl(&held, terms.mm_value()) + funding;
        priced.unsettled_funding = funding;
        priced.pnl = terms.pnl(&held, terms.value()) + funding;
        priced.claimable = terms.claimable(priced.pnl, &held);
        if held.flag & position_flag::ISOLATED != 0 {
            let tokens = terms.quote.tokens(held.isolated_balance, false);
            let [value, strict] = [terms.quote.value(tokens), terms.quote.twap_value(tokens)];
            self.isolated_deposits += value;
            let of = |collateral| Margin { collateral, requirement: 0 };
            priced.isolated = Some([of(value), of(strict), of(value), of(value)]);
        }
        let margins = priced.isolated.as_mut().unwrap_or(&mut self.margins);
        for kind in Kind::ALL {
            let (gain, requirement) = terms.margin_of(user, &held, kind, pnl);
            margins[kind as usize].add(gain, requirement);
        }
        self.unrealized_pnl += ratio(pnl, terms.quote.price, E6);
        self.unsettled_funding += funding;
        self.claimable += priced.claimable;
        let price = if terms.is_in_settlement { terms.value() } else { terms.price };
        self.perp_liabilities += terms.worst(&held, price).1;
    }
}
