//! Perp positions: value, gains and margin requirements.
//!
//! Source: sdk/src/math/position.ts, margin.ts and market.ts of @drift-labs/sdk 2.163.0-beta.0.

use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::OracleSource;
use slotbook_protocol::model::margin::{PerpAmounts, PerpHolding, UserHoldings};
use slotbook_protocol::model::units::Pubkey;

use super::amounts::{E4, E6, E9, ratio, size_discount, size_premium, unbounded_premium};
use super::{Kind, OPEN_ORDER, SpotTerms};

/// The divisor of the part of the fee pool that counts for gains.
const FEE_POOL_PART: i128 = 5;

/// The most that one position's gain adds to Velocity's initial margin. Source: constants.rs
/// `MAX_POSITIVE_UPNL_FOR_INITIAL_MARGIN`.
const INITIAL_GAIN_MAX: i128 = 100 * E6;

/// A perp market at its prices.
#[derive(Clone, Copy, Debug)]
pub struct PerpTerms {
    /// The market's amounts.
    pub amounts: PerpAmounts,
    /// The spot market of the quote token.
    pub quote: SpotTerms,
    /// The oracle's account.
    pub oracle: Pubkey,
    /// How the oracle is read.
    pub oracle_source: OracleSource,
    /// The oracle's price, 1e6; in settlement, when it is unknown, the expiry price.
    pub price: i128,
    /// The price of the market makers' oracle where the program takes it, otherwise the oracle's.
    pub mm_price: i128,
    /// Whether prices end at 1.
    pub is_prediction: bool,
    /// Whether positions settle at the expiry price.
    pub is_in_settlement: bool,
}

impl PerpTerms {
    /// The value of one unit: the oracle's price, in settlement the expiry price.
    #[must_use]
    pub const fn value(&self) -> i128 {
        if self.is_in_settlement { self.amounts.expiry_price } else { self.price }
    }

    pub(super) const fn mm_value(&self) -> i128 {
        if self.is_in_settlement { self.amounts.expiry_price } else { self.mm_price }
    }

    /// Source: position.ts `calculateUnsettledFundingPnl`.
    pub(super) fn unsettled_funding(&self, held: &PerpHolding) -> i128 {
        let PerpAmounts { funding_long, funding_short, .. } = self.amounts;
        let rate = if held.base > 0 { funding_long } else { funding_short };
        -(ratio(rate - held.last_cumulative_funding, held.base, E9) / 1_000)
    }

    /// The gain at a unit value, without funding. Source: position.ts `calculatePositionPNL`.
    pub(super) fn pnl(&self, held: &PerpHolding, value: i128) -> i128 {
        ratio(held.base, value, E9) + held.quote
    }

    /// Source: position.ts `calculateClaimablePnl`.
    pub(super) fn claimable(&self, pnl: i128, held: &PerpHolding) -> i128 {
        if pnl <= 0 {
            return pnl;
        }
        let excess = (-self.imbalance(self.price)).max(0);
        pnl.min((held.quote - held.quote_entry).max(0) + excess)
    }

    /// Gains of all users beyond the pools. Source: market.ts `calculateNetUserPnlImbalance`.
    fn imbalance(&self, price: i128) -> i128 {
        let PerpAmounts { base_with_amm, base_unsettled_lp, quote, quote_unsettled_lp, .. } =
            self.amounts;
        let cost = quote + quote_unsettled_lp + self.amounts.net_unsettled_funding;
        let pool = self.quote.tokens(self.amounts.pnl_pool, false);
        let fees = self.quote.tokens(self.amounts.fee_pool, false);
        ratio(base_with_amm + base_unsettled_lp, price, E9) + cost - (pool + fees / FEE_POOL_PART)
    }

    /// Source: margin.ts `calculatePerpLiabilityValue`.
    pub(super) fn liability(&self, base: i128, price: i128) -> i128 {
        if self.is_prediction && base <= 0 {
            return ratio(-base, E6 - price, E9);
        }
        ratio(base.abs(), price, E9)
    }

    /// Returns base and liability after the worse of all bids and all asks; the asks when both are
    /// equal. Source: margin.ts `calculateWorstCasePerpLiabilityValue`.
    pub(super) fn worst(&self, held: &PerpHolding, price: i128) -> (i128, i128) {
        let [bids, asks] = [held.base + held.open_bids, held.base + held.open_asks];
        let (of_bids, of_asks) = (self.liability(bids, price), self.liability(asks, price));
        if of_asks >= of_bids { (asks, of_asks) } else { (bids, of_bids) }
    }

    /// Returns what a position adds to a margin: weighted gain, and requirement.
    pub(super) fn margin_of(
        &self,
        user: &UserHoldings,
        held: &PerpHolding,
        kind: Kind,
        pnl: i128,
    ) -> (i128, i128) {
        let without_orders = kind == Kind::WithoutOrders;
        let (base, liability) = if without_orders {
            (held.base, self.liability(held.base, self.price))
        } else {
            self.worst(held, self.price)
        };
        let custom = user.amounts.max_margin_ratio.max(held.max_margin_ratio);
        let mode = user.amounts.margin_mode;
        let asked = match kind {
            _ if self.is_in_settlement => 0,
            Kind::Initial | Kind::Strict => self.initial_ratio(base, mode).max(custom),
            Kind::Maintenance | Kind::WithoutOrders => self.maintenance_ratio(base, mode),
        };
        let value = ratio(liability, self.quote.quote_price(kind, false), E6);
        let gain = ratio(pnl, self.quote.quote_price(kind, pnl > 0), E6);
        let orders = if without_orders { 0 } else { held.open_orders * OPEN_ORDER };
        (self.weighted(gain, kind), ratio(value, asked, E4) + orders)
    }

    fn weighted(&self, gain: i128, kind: Kind) -> i128 {
        if gain <= 0 {
            return gain;
        }
        let weight = match kind.is_initial() {
            true => size_discount(gain, self.amounts.pnl_imf_factor, self.initial_pnl_weight()),
            false => self.amounts.pnl_weight_maintenance,
        };
        let weighted = ratio(gain, weight, E4);
        let is_capped = kind.is_initial() && self.quote.rules == Program::Velocity;
        if is_capped { weighted.min(INITIAL_GAIN_MAX) } else { weighted }
    }

    /// Source: market.ts `calculateUnrealizedAssetWeight`.
    fn initial_pnl_weight(&self) -> i128 {
        let (weight, limit) = (self.amounts.pnl_weight_initial, self.amounts.pnl_max_imbalance);
        let found = if limit == 0 { 0 } else { self.imbalance(self.mm_price) };
        if found > limit { ratio(weight, limit, found) } else { weight }
    }

    const fn has_high_leverage(&self) -> bool {
        self.amounts.high_ratio_initial > 0 && self.amounts.high_ratio_maintenance > 0
    }

    /// Source: market.ts `calculateMarketMarginRatio`.
    pub(super) fn maintenance_ratio(&self, base: i128, mode: i128) -> i128 {
        let is_high = mode != 0 && self.has_high_leverage();
        let PerpAmounts { ratio_maintenance, high_ratio_maintenance, .. } = self.amounts;
        let ratio = if is_high { high_ratio_maintenance } else { ratio_maintenance };
        size_premium(base, self.amounts.imf_factor, ratio)
    }

    /// Source: market.ts `calculateMarketMarginRatio`, margin.ts
    /// `calcHighLeverageModeInitialMarginRatioFromSize`.
    fn initial_ratio(&self, base: i128, mode: i128) -> i128 {
        let PerpAmounts { ratio_initial: ordinary, high_ratio_initial: high, .. } = self.amounts;
        if mode != 1 || !self.has_high_leverage() {
            return size_premium(base, self.amounts.imf_factor, ordinary);
        }
        let by_size = unbounded_premium(base, self.amounts.imf_factor, ordinary);
        if by_size > ordinary {
            return by_size;
        }
        if by_size == ordinary {
            return high;
        }
        let part = E6 - ratio(ordinary - by_size, E6, ordinary / 5);
        ratio((ordinary - high).max(1), part, E6) + high
    }
}
