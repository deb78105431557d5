//! Spot balances: tokens, values, and weights as collateral or debt.
//!
//! Source: sdk/src/math/spotBalance.ts, spotPosition.ts and oracles.ts of @drift-labs/sdk
//! 2.163.0-beta.0, and of velocity-exchange/velocity-v1 where the programs differ.

use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::{OracleSource, SpotBalanceType};
use slotbook_protocol::model::margin::{SpotAmounts, SpotHolding, UserAmounts};
use slotbook_protocol::model::units::Pubkey;
use slotbook_protocol::model::user::spot_token_amount;

use super::Kind;
use super::amounts::{E4, E9, ratio, ratio_down, size_discount, size_premium};

/// The period of the average that strict prices take, seconds.
const TWAP_SECONDS: i128 = 300;

/// The most decimals of a token for which its unit can be reckoned with.
const DECIMALS_MAX: i128 = 19;

/// A spot market at a price.
#[derive(Clone, Copy, Debug)]
pub struct SpotTerms {
    /// The program whose rules hold.
    pub rules: Program,
    /// Index among spot markets; 0 is the quote token's.
    pub index: i128,
    /// The market's amounts.
    pub amounts: SpotAmounts,
    /// The oracle's account.
    pub oracle: Pubkey,
    /// How the oracle is read.
    pub oracle_source: OracleSource,
    /// The oracle's price, 1e6.
    pub price: i128,
    /// The price and its five-minute average, the lower first.
    strict: [i128; 2],
    token_unit: i128,
    /// The initial weight of deposits, lowered by the deposits of all users.
    asset_weight_initial: i128,
}

impl SpotTerms {
    /// The terms of a market at a positive price and at a time in seconds; `None` for more decimals
    /// than a token can have.
    #[must_use]
    pub fn of(
        rules: Program,
        (index, oracle, oracle_source): (i128, Pubkey, OracleSource),
        amounts: SpotAmounts,
        price: i128,
        now: i128,
    ) -> Option<Self> {
        let power = u32::try_from(amounts.decimals.min(DECIMALS_MAX + 1)).ok()?;
        if amounts.decimals > DECIMALS_MAX {
            return None;
        }
        let twap = match rules {
            Program::Drift => live_twap(&amounts, price, now),
            Program::Velocity => amounts.twap_5min,
        };
        let mut terms = Self {
            rules,
            index,
            amounts,
            oracle,
            oracle_source,
            price,
            strict: [price.min(twap), price.max(twap)],
            token_unit: 10i128.pow(power),
            asset_weight_initial: amounts.asset_weight_initial,
        };
        terms.asset_weight_initial = terms.scaled_asset_weight();
        Some(terms)
    }

    /// Source: spotBalance.ts `calculateScaledInitialAssetWeight`.
    fn scaled_asset_weight(&self) -> i128 {
        let SpotAmounts { scale_start, asset_weight_initial, deposit_balance, .. } = self.amounts;
        let value = self.value(self.tokens(deposit_balance, false));
        let is_scaled = scale_start != 0 && value >= scale_start;
        if is_scaled {
            ratio(asset_weight_initial, scale_start, value)
        } else {
            asset_weight_initial
        }
    }

    pub(super) const fn is_quote(&self) -> bool {
        self.index == 0
    }

    /// Velocity counts quote without weights. Source: margin.rs
    /// `calculate_margin_requirement_and_total_collateral_and_liability_info`.
    const fn is_unweighted(&self) -> bool {
        self.is_quote() && matches!(self.rules, Program::Velocity)
    }

    /// The signed tokens of a scaled balance.
    pub(super) fn tokens(&self, scaled_balance: i128, is_borrow: bool) -> i128 {
        let kind = if is_borrow { SpotBalanceType::Borrow } else { SpotBalanceType::Deposit };
        let SpotAmounts { decimals, deposit_interest, borrow_interest, .. } = self.amounts;
        spot_token_amount(
            scaled_balance.unsigned_abs(),
            kind,
            u32::try_from(decimals).unwrap_or(u32::MAX),
            deposit_interest.unsigned_abs(),
            borrow_interest.unsigned_abs(),
        )
    }

    /// The value of tokens at the oracle's price.
    #[must_use]
    pub fn value(&self, tokens: i128) -> i128 {
        self.value_at(tokens, self.price)
    }

    /// Velocity rounds debts away from zero. Source: spotBalance.ts `getTokenValue`.
    fn value_at(&self, tokens: i128, price: i128) -> i128 {
        match self.rules {
            Program::Drift => ratio(tokens, price, self.token_unit),
            Program::Velocity => ratio_down(tokens, price, self.token_unit),
        }
    }

    /// The value of a deposit at the lower of the price and the stored average.
    pub(super) fn twap_value(&self, tokens: i128) -> i128 {
        ratio(tokens, self.price.min(self.amounts.twap_5min), self.token_unit)
    }

    /// The price at which a quote amount counts in a margin: the worse of price and stored average
    /// where the kind is strict.
    pub(super) fn quote_price(&self, kind: Kind, is_gain: bool) -> i128 {
        match (kind, is_gain) {
            (Kind::Strict, true) => self.price.min(self.amounts.twap_5min),
            (Kind::Strict, false) => self.price.max(self.amounts.twap_5min),
            _ => self.price,
        }
    }

    /// The change of a value with one unit of price, by the change for one token.
    pub(super) fn per_token(&self, change: i128, tokens: i128) -> i128 {
        ratio(change, tokens, self.token_unit)
    }

    fn worth(&self, tokens: i128, kind: Kind) -> i128 {
        let price = match kind {
            Kind::Strict => self.strict[usize::from(tokens <= 0)],
            _ => self.price,
        };
        self.value_at(tokens, price)
    }

    /// The collateral of a deposit; 0 of a debt, and of quote in an account of Velocity's pool 1.
    pub(super) fn asset(&self, tokens: i128, kind: Kind, user: &UserAmounts) -> i128 {
        if tokens <= 0 || self.is_unweighted() && user.pool_id == 1 {
            return 0;
        }
        let weight = self.own_asset_weight(tokens, kind, user.max_margin_ratio);
        ratio(self.worth(tokens, kind), weight, E4)
    }

    /// The requirement of a debt; 0 of a deposit.
    pub(super) fn liability(&self, tokens: i128, kind: Kind, custom: i128) -> i128 {
        if tokens >= 0 {
            return 0;
        }
        ratio(self.worth(tokens, kind), self.own_liability_weight(tokens, kind, custom), E4).abs()
    }

    /// Source: spotBalance.ts `calculateAssetWeight`.
    pub(super) fn asset_weight(&self, tokens: i128, kind: Kind) -> i128 {
        let SpotAmounts { asset_weight_maintenance, imf_factor, .. } = self.amounts;
        let weight =
            if kind.is_initial() { self.asset_weight_initial } else { asset_weight_maintenance };
        size_discount(self.size(tokens), imf_factor, weight)
    }

    /// Source: spotBalance.ts `calculateLiabilityWeight`.
    pub(super) fn liability_weight(&self, tokens: i128, kind: Kind) -> i128 {
        let SpotAmounts { liability_weight_initial, liability_weight_maintenance, .. } =
            self.amounts;
        let weight =
            if kind.is_initial() { liability_weight_initial } else { liability_weight_maintenance };
        size_premium(self.size(tokens), self.amounts.imf_factor, weight)
    }

    /// At most 1 minus the owner's own ratio.
    fn own_asset_weight(&self, tokens: i128, kind: Kind, custom: i128) -> i128 {
        if self.is_unweighted() {
            return E4;
        }
        let weight = self.asset_weight(tokens, kind);
        let is_capped = kind.is_initial() && !self.is_quote();
        if is_capped { weight.min((E4 - custom).max(0)) } else { weight }
    }

    /// At least 1 plus the owner's own ratio.
    fn own_liability_weight(&self, tokens: i128, kind: Kind, custom: i128) -> i128 {
        if self.is_unweighted() {
            return E4;
        }
        let weight = self.liability_weight(tokens, kind);
        let is_raised = kind.is_initial() && !self.is_quote();
        if is_raised { weight.max(E4 + custom) } else { weight }
    }

    /// Tokens at 1e9.
    fn size(&self, tokens: i128) -> i128 {
        if self.token_unit > E9 {
            tokens / (self.token_unit / E9)
        } else {
            ratio(tokens, E9, self.token_unit)
        }
    }

    /// Returns the tokens after the worse of all bids and all asks, and the orders' proceeds,
    /// negative for a cost. Source: spotPosition.ts `getWorstCaseTokenAmounts`.
    pub(super) fn worst(
        &self,
        tokens: i128,
        held: &SpotHolding,
        kind: Kind,
        custom: i128,
    ) -> (i128, i128) {
        // The owner's ratio is of the initial margin, and applies only where it is set.
        let is_own = kind.is_initial() && custom != 0;
        self.worse_of(tokens, held, kind, |value, after| match (value >= 0, is_own) {
            (true, true) => self.own_asset_weight(after, kind, custom),
            (true, false) => self.asset_weight(after, kind),
            (false, true) => self.own_liability_weight(after, kind, custom),
            (false, false) => self.liability_weight(after, kind),
        })
    }

    /// Returns the same by weights that do not depend on size.
    pub(super) fn unweighted_worst(&self, tokens: i128, held: &SpotHolding) -> (i128, i128) {
        self.worse_of(tokens, held, Kind::Initial, |value, _| {
            if value >= 0 {
                self.asset_weight_initial
            } else {
                self.amounts.liability_weight_initial
            }
        })
    }

    fn worse_of(
        &self,
        tokens: i128,
        held: &SpotHolding,
        kind: Kind,
        weight: impl Fn(i128, i128) -> i128,
    ) -> (i128, i128) {
        let filled = |orders: i128| {
            let price = if kind == Kind::Strict { self.strict[1] } else { self.price };
            let orders_value = self.value_at(-orders, price);
            let (after, value) = (tokens + orders, self.worth(tokens, kind) - orders_value);
            (ratio(value, weight(value, after), E4) + orders_value, (after, orders_value))
        };
        if held.open_bids == 0 && held.open_asks == 0 {
            return (tokens, 0);
        }
        let (bids, asks) = (filled(held.open_bids), filled(held.open_asks));
        if asks.0 < bids.0 { asks.1 } else { bids.1 }
    }
}

/// The five-minute average that the program would write now. Source: sdk/src/math/oracles.ts
/// `calculateLiveOracleTwap`.
fn live_twap(amounts: &SpotAmounts, price: i128, now: i128) -> i128 {
    let twap = amounts.twap_5min;
    let since = (now - amounts.twap_ts).max(1);
    let start = (TWAP_SECONDS - since).max(0);
    let clamped = price.max(twap - twap / 3).min(twap + twap / 3);
    (twap.saturating_mul(start).saturating_add(clamped.saturating_mul(since))) / (start + since)
}
