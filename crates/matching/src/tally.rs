//! The state of a running walk: filled and remaining amounts.

use slotbook_protocol::model::enums::{Direction, MarketType};
use slotbook_protocol::model::fees::FillFees;
use slotbook_protocol::model::price::standardize_base;
use slotbook_protocol::model::units::{BaseQty, Price, QuoteQty};

use crate::fees::FeeTerms;
use crate::fill::{Fill, FillSource, Origin, Reason};
use crate::limits::FILLS_MAX;
use crate::money::{base_for, quote_of};
use crate::taker::{Size, Taker};
use crate::terms::{MarketTerms, is_worse};

/// An order's limit and size after the rounding that the program does when it places an order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedTerms {
    /// The worst price, on the tick.
    pub(crate) limit: Option<Price>,
    /// The largest fillable base.
    pub(crate) base_max: BaseQty,
}

/// Base and quote of a fill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amounts {
    pub(crate) base: BaseQty,
    pub(crate) quote: QuoteQty,
}

/// Filled and remaining amounts.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) market: MarketTerms,
    pub(crate) direction: Direction,
    /// The worst price, on the tick.
    pub(crate) limit: Option<Price>,
    pub(crate) fills: Vec<Fill>,
    pub(crate) filled_base: BaseQty,
    pub(crate) filled_quote: QuoteQty,
    pub(crate) taker_fee: QuoteQty,
    left_base: BaseQty,
    left_quote: Option<QuoteQty>,
    pub(crate) fees: FeeTerms,
    pub(crate) best: Option<Price>,
    /// Whether the remaining quote is less than the cost of a step at the next offer's price.
    pub(crate) is_spent: bool,
    /// The reason why the walk ended before the liquidity did.
    pub(crate) stopped: Option<Reason>,
}

impl Tally {
    /// Starts a walk.
    pub(crate) fn new(
        market: MarketTerms,
        taker: &Taker,
        fees: FeeTerms,
        placed: PlacedTerms,
    ) -> Self {
        let left_quote = match taker.size {
            Size::Base(_) => None,
            Size::Quote(quote) => Some(quote),
        };
        Self {
            market,
            direction: taker.direction,
            limit: placed.limit,
            fills: Vec::new(),
            filled_base: BaseQty(0),
            filled_quote: QuoteQty(0),
            taker_fee: QuoteQty(0),
            left_base: placed.base_max,
            left_quote,
            fees,
            best: None,
            is_spent: false,
            stopped: None,
        }
    }

    /// Whether more may fill.
    pub(crate) fn is_open(&self) -> bool {
        let has_quote = self.left_quote.is_none_or(|quote| quote.0 > 0);
        self.stopped.is_none() && !self.is_spent && self.left_base.0 > 0 && has_quote
    }

    pub(crate) fn accepts(&self, price: Price) -> bool {
        self.limit.is_none_or(|limit| !is_worse(self.direction, price, limit))
    }

    /// Returns the remaining base; unlimited for an order of a quote amount.
    pub(crate) fn left_base(&self) -> BaseQty {
        self.left_base
    }

    /// Returns the remaining quote; `None` for an order of a base amount.
    pub(crate) fn left_quote(&self) -> Option<QuoteQty> {
        self.left_quote
    }

    /// Fills from an offer. Returns false when the walk is over: the order is filled, or the
    /// remainder is less than a step.
    pub(crate) fn fill_offer(&mut self, price: Price, offered: BaseQty, origin: Origin) -> bool {
        let Some(amounts) = self.wanted(price, offered) else { return false };
        if amounts.base.0 == 0 {
            // The offer is smaller than a step: the next offer may be larger.
            return offered < self.market.step;
        }
        self.fill(price, amounts, origin) && self.is_open()
    }

    /// Returns the part of an offer that the order takes, and its quote. `None` ends the walk.
    fn wanted(&mut self, price: Price, offered: BaseQty) -> Option<Amounts> {
        let decimals = self.market.decimals;
        let base = self.on_step(offered.min(self.left_base));
        let Some(quote) = quote_of(price, base, decimals, self.direction) else {
            self.stopped = Some(Reason::QuoteExceeded);
            return None;
        };
        match self.left_quote {
            Some(left) if quote > left => {
                let base = base_for(left, price, decimals).min(base);
                let base = standardize_base(base, self.market.step);
                let quote = quote_of(price, base, decimals, self.direction)?;
                self.is_spent = true;
                (base.0 > 0).then_some(Amounts { base, quote })
            }
            _ => Some(Amounts { base, quote }),
        }
    }

    /// Rounds a spot fill to whole steps; a perp fills any remainder of an order. Source:
    /// programs/drift/src/controller/orders.rs `fulfill_spot_order_with_match`.
    fn on_step(&self, base: BaseQty) -> BaseQty {
        match self.market.market_type {
            MarketType::Perp => base,
            MarketType::Spot => standardize_base(base, self.market.step),
        }
    }

    fn fees_of(&self, quote: QuoteQty, source: FillSource) -> Option<FillFees> {
        match source {
            FillSource::Jit | FillSource::Dlob => self.fees.with_maker(quote),
            FillSource::Vamm | FillSource::External => self.fees.without_maker(quote),
        }
    }

    /// Records a fill with the fees of its source. Returns false when the totals overflow.
    pub(crate) fn fill(&mut self, price: Price, amounts: Amounts, origin: Origin) -> bool {
        let Some(fees) = self.fees_of(amounts.quote, origin.source) else {
            self.stopped = Some(Reason::FeeExceeded);
            return false;
        };
        self.fill_with_fees(price, amounts, origin, &fees)
    }

    /// Records a fill with its fees. Returns false when the totals overflow.
    pub(crate) fn fill_with_fees(
        &mut self,
        price: Price,
        Amounts { base, quote }: Amounts,
        origin: Origin,
        fees: &FillFees,
    ) -> bool {
        let Some(filled_quote) = self.filled_quote.0.checked_add(quote.0) else {
            self.stopped = Some(Reason::QuoteExceeded);
            return false;
        };
        let Some(taker_fee) = self.taker_fee.0.checked_add(fees.taker_fee.0) else {
            self.stopped = Some(Reason::FeeExceeded);
            return false;
        };
        if self.fills.len() >= FILLS_MAX {
            self.stopped = Some(Reason::FillsExceeded);
            return false;
        }
        self.filled_quote = QuoteQty(filled_quote);
        self.taker_fee = QuoteQty(taker_fee);
        self.filled_base.0 += base.0;
        self.left_base.0 -= base.0;
        self.left_quote = self.left_quote.map(|left| QuoteQty(left.0.saturating_sub(quote.0)));
        let Origin { source, maker, order_id } = origin;
        self.fills.push(Fill {
            source,
            maker,
            order_id,
            price,
            size: base,
            quote,
            taker_fee: fees.taker_fee,
            maker_rebate: fees.maker_rebate,
        });
        true
    }
}
