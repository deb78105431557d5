//! The walk, which simulates a taker order fill by fill.

use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::price::{standardize_base, standardize_price};
use slotbook_protocol::model::units::{BaseQty, Price, QuoteQty};

use crate::fees::FeeTerms;
use crate::fill::{Fill, Reason, Rests};
use crate::liquidity::Liquidity;
use crate::money::{base_for, base_precision, price_of};
use crate::taker::{OrderKind, Size, Taker};
use crate::tally::{PlacedTerms, Tally};
use crate::terms::{MarketTerms, is_worse};
use crate::{onchain, spec};

/// Selects the rules of priority between sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The documented sequence: auction, resting orders, AMM, external venues.
    Spec,
    /// The program's sequence: the AMM fills between the resting orders, by price.
    Onchain,
}

impl Model {
    /// The name in interfaces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Onchain => "onchain",
        }
    }
}

/// The result of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The fills, in order of execution.
    pub fills: Vec<Fill>,
    /// Base filled, in the market's base units.
    pub filled_base: BaseQty,
    /// Quote filled, 1e6.
    pub filled_quote: QuoteQty,
    /// Quote per base over all fills, 1e6, rounded against the taker; `None` without a fill.
    pub average_price: Option<Price>,
    /// The worst price of a fill, 1e6; `None` without a fill.
    pub worst_price: Option<Price>,
    /// The distance by which the average price is worse than the best initial price, in millionths,
    /// rounded down; `None` without a fill.
    pub price_impact: Option<u64>,
    /// The taker's fees, 1e6, paid in addition to the quote.
    pub taker_fee: QuoteQty,
    /// The unfilled remainder, in the unit of the order's size.
    pub unfilled: Size,
    /// The part of the remainder that rests in the book; `None` when no part rests.
    pub rests: Option<Rests>,
    /// The reason why the order filled nothing, or not all available liquidity; `None` when no rule
    /// applied.
    pub reason: Option<Reason>,
}

/// Simulates this order now. The order must have passed [`Taker::check`].
///
/// The cost is proportional to the number of fills: liquidity after the last fill is not read.
#[must_use]
pub fn walk(taker: &Taker, liquidity: Liquidity<'_>, model: Model) -> Walk {
    let market = liquidity.market;
    let terms = match terms_of(taker, &market) {
        Ok(terms) => terms,
        Err(reason) => return Walk::refused(taker, reason),
    };
    let fees = FeeTerms::of(taker, &market, liquidity.fees);
    let mut tally = Tally::new(market, taker, fees, terms);
    match model {
        Model::Spec => spec::walk(taker, liquidity, &mut tally),
        Model::Onchain => onchain::walk(taker, liquidity, &mut tally),
    }
    if wanted_by_quote(taker, &tally).is_some_and(|base| base < least_of(taker, &market)) {
        return Walk::refused(taker, Reason::BelowMinOrderSize);
    }
    Walk::of(taker, tally)
}

/// Returns the base size that an order of a quote amount has after the walk: the filled base, plus
/// the remainder of a limit order at its limit. `None` for an order of a base amount, and when the
/// liquidity was exhausted.
fn wanted_by_quote(taker: &Taker, tally: &Tally) -> Option<BaseQty> {
    let left = match (taker.kind, tally.limit, tally.left_quote()?) {
        _ if tally.is_spent => BaseQty(0),
        (OrderKind::Limit, Some(limit), quote) if tally.stopped.is_none() => {
            base_for(quote, limit, tally.market.decimals)
        }
        _ => return None,
    };
    let left = standardize_base(left, tally.market.step);
    Some(BaseQty(tally.filled_base.0.saturating_add(left.0)))
}

/// Returns the minimum order size for this taker. Source: programs/drift/src/validation/order.rs
/// `validate_base_asset_amount`.
fn least_of(taker: &Taker, market: &MarketTerms) -> BaseQty {
    match taker.reduce_only {
        Some(_) => market.step,
        None => market.min_order_size.max(market.step),
    }
}

/// Returns the order's limit and size after the rounding that the program does. Source:
/// programs/drift/src/controller/orders.rs `place_perp_order`.
fn terms_of(taker: &Taker, market: &MarketTerms) -> Result<PlacedTerms, Reason> {
    if let Some(reason) = market.closed {
        return Err(Reason::Market(reason));
    }
    if market.is_reduce_only && taker.reduce_only.is_none() {
        return Err(Reason::MarketReduceOnly);
    }
    let limit = taker.limit.map(|limit| standardize_price(limit, market.tick, taker.direction));
    if limit == Some(Price(0)) {
        return Err(Reason::LimitBelowTick);
    }
    let asked = match taker.size {
        Size::Base(base) => standardize_base(base, market.step),
        Size::Quote(QuoteQty(0)) => BaseQty(0),
        Size::Quote(_) => BaseQty(u64::MAX),
    };
    if asked < least_of(taker, market) {
        return Err(Reason::BelowMinOrderSize);
    }
    match taker.reducible() {
        Some(BaseQty(0)) => Err(Reason::NothingToReduce),
        Some(position) => Ok(PlacedTerms { limit, base_max: asked.min(position) }),
        None => Ok(PlacedTerms { limit, base_max: asked }),
    }
}

impl Walk {
    fn refused(taker: &Taker, reason: Reason) -> Self {
        Self {
            fills: Vec::new(),
            filled_base: BaseQty(0),
            filled_quote: QuoteQty(0),
            average_price: None,
            worst_price: None,
            price_impact: None,
            taker_fee: QuoteQty(0),
            unfilled: taker.size,
            rests: None,
            reason: Some(reason),
        }
    }

    fn of(taker: &Taker, tally: Tally) -> Self {
        let rests = rest_of(taker, &tally);
        let Tally { market, direction, filled_base, filled_quote, taker_fee, stopped, .. } = tally;
        let average_price = price_of(filled_quote, filled_base, market.decimals, direction);
        let worst_price =
            tally.fills.iter().map(|fill| fill.price).reduce(|worst, price| {
                if is_worse(direction, price, worst) { price } else { worst }
            });
        let unfilled = match taker.size {
            Size::Base(base) => Size::Base(BaseQty(base.0.saturating_sub(filled_base.0))),
            Size::Quote(quote) => Size::Quote(QuoteQty(quote.0.saturating_sub(filled_quote.0))),
        };
        Self {
            filled_base,
            filled_quote,
            average_price,
            worst_price,
            price_impact: impact_of(&tally),
            taker_fee,
            fills: tally.fills,
            unfilled,
            rests,
            reason: stopped,
        }
    }
}

/// Returns the distance by which the average price is worse than the best initial price, in
/// millionths, rounded down, at least 0.
fn impact_of(tally: &Tally) -> Option<u64> {
    let best = u128::from(tally.best?.0).checked_mul(tally.filled_base.0.into())?;
    let paid =
        u128::from(tally.filled_quote.0).checked_mul(base_precision(tally.market.decimals))?;
    let worse = match tally.direction {
        Direction::Long => paid.saturating_sub(best),
        Direction::Short => best.saturating_sub(paid),
    };
    u64::try_from(worse.checked_mul(IMPACT_PRECISION)?.checked_div(best)?).ok()
}

/// Units of a price impact of one.
const IMPACT_PRECISION: u128 = 1_000_000;

/// Returns the resting remainder of a limit order: whole steps, at its limit. `None` when a limit
/// ended the walk early, because the order would fill further.
fn rest_of(taker: &Taker, tally: &Tally) -> Option<Rests> {
    let price = match (taker.kind, tally.stopped) {
        (OrderKind::Limit, None) => tally.limit?,
        _ => return None,
    };
    let left = match tally.left_quote() {
        Some(quote) => base_for(quote, price, tally.market.decimals).min(tally.left_base()),
        None => tally.left_base(),
    };
    let size = standardize_base(left, tally.market.step);
    (size.0 > 0).then_some(Rests { price, size, rebate_rate: tally.fees.rebate_rate() })
}
