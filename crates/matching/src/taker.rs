//! The taker's order.

use core::fmt;

use slotbook_protocol::model::enums::{Direction, OrderType};
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::price::{auction_price_program, standardize_price};
use slotbook_protocol::model::units::{
    BaseQty, PREDICTION_PRICE_MAX, Price, Pubkey, QuoteQty, Slot,
};

use crate::terms::{MarketTerms, is_worse};

/// The size of the order, in base or quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// An amount of the base asset, in the market's base units.
    Base(BaseQty),
    /// The largest base amount whose cost or proceeds are at most this amount of the quote asset,
    /// 1e6.
    Quote(QuoteQty),
}

/// The kind of the taker's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKind {
    /// Fills immediately; the limit, if any, is the worst price. The remainder does not rest.
    Market,
    /// Fills up to the limit, at which the remainder rests.
    Limit,
}

/// A Dutch auction between two fixed prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Auction {
    /// The initial price, 1e6: the best price for the taker.
    pub start: Price,
    /// The last price, 1e6.
    pub end: Price,
    /// Duration in slots; the auction is over when more slots than this have passed.
    pub duration_slots: u8,
    /// Slots since the order was placed.
    pub elapsed_slots: u64,
}

impl Auction {
    /// Returns the worst price at which an offer fills now, on the tick; `None` without a running
    /// auction.
    pub(crate) fn price(&self, direction: Direction, market: &MarketTerms) -> Option<Price> {
        let order = self.order(direction)?;
        let now = Slot(self.elapsed_slots).into();
        if order.is_auction_complete(&now) {
            return None;
        }
        auction_price_program(&order, &now, market.tick, None, market.is_prediction).ok()
    }

    /// Returns a market order with this auction, placed in slot 0; `None` when a price exceeds the
    /// program's range.
    fn order(&self, direction: Direction) -> Option<Order> {
        Some(Order {
            order_type: OrderType::Market,
            direction,
            auction_start_price: i64::try_from(self.start.0).ok()?,
            auction_end_price: i64::try_from(self.end.0).ok()?,
            auction_duration: self.duration_slots,
            ..Order::default()
        })
    }

    /// Returns whether the auction price stays the same or gets worse for the taker.
    fn worsens(&self, direction: Direction) -> bool {
        match direction {
            Direction::Long => self.end >= self.start,
            Direction::Short => self.end <= self.start,
        }
    }
}

/// An order sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taker {
    /// The user account of the sender, whose own orders are skipped; `None` for a new account.
    pub key: Option<Pubkey>,
    /// Buys (long) or sells (short).
    pub direction: Direction,
    /// The size.
    pub size: Size,
    /// The kind of order.
    pub kind: OrderKind,
    /// The worst price, 1e6; required for a limit order.
    pub limit: Option<Price>,
    /// Whether the order may only make: the whole order rests, or is rejected when the AMM would
    /// fill it.
    pub post_only: bool,
    /// The signed position, in base units, for a reduce-only order; `None` for other orders.
    pub reduce_only: Option<i64>,
    /// The order's auction; `None` for an order without an auction.
    pub auction: Option<Auction>,
    /// Index of the taker's fee tier, from 0.
    pub fee_tier: u8,
    /// Whether the taker was referred and gets the discount.
    pub referred: bool,
}

impl Taker {
    /// Creates a market order without a limit and without an auction, in the first fee tier.
    #[must_use]
    pub const fn market(direction: Direction, size: Size) -> Self {
        Self {
            key: None,
            direction,
            size,
            kind: OrderKind::Market,
            limit: None,
            post_only: false,
            reduce_only: None,
            auction: None,
            fee_tier: 0,
            referred: false,
        }
    }

    /// Creates a limit order without an auction, in the first fee tier.
    #[must_use]
    pub const fn limit(direction: Direction, size: Size, limit: Price) -> Self {
        let taker = Self::market(direction, size);
        Self { kind: OrderKind::Limit, limit: Some(limit), ..taker }
    }

    /// Returns the base amount that a reduce-only order may fill: 0 when the order would increase
    /// the position. `None` when the order is not reduce-only. Source:
    /// programs/drift/src/state/user.rs `get_base_asset_amount_unfilled`.
    #[must_use]
    pub const fn reducible(&self) -> Option<BaseQty> {
        let Some(position) = self.reduce_only else { return None };
        let reduces = match self.direction {
            Direction::Long => position < 0,
            Direction::Short => position > 0,
        };
        Some(BaseQty(if reduces { position.unsigned_abs() } else { 0 }))
    }

    /// Checks that the program could accept this order in this market, whose book and positions are
    /// of no matter.
    ///
    /// # Errors
    /// [`TakerError`] for the first rule that the order breaks.
    ///
    /// Source: programs/drift/src/validation/order.rs `validate_order`.
    pub fn check(&self, market: &MarketTerms) -> Result<(), TakerError> {
        match (self.kind, self.limit) {
            (OrderKind::Limit, None) => return Err(TakerError::LimitWithoutPrice),
            (OrderKind::Market, _) if self.post_only => return Err(TakerError::MarketPostOnly),
            _ => {}
        }
        self.check_auction()?;
        self.check_prices(market)
    }

    /// Prices are put on the tick. The program fails when that of a sell and a tick pass the largest
    /// number, and when one of a prediction market is then above 1. Source:
    /// programs/drift/src/math/orders.rs `standardize_price`, `standardize_price_i64`;
    /// programs/drift/src/controller/orders.rs `place_perp_order`, `get_auction_params`.
    fn check_prices(&self, market: &MarketTerms) -> Result<(), TakerError> {
        let (tick, auctioned) = (market.tick, i64::MAX.cast_unsigned());
        let prices = [
            ("limitPrice", self.limit, u64::MAX),
            ("auctionStart", self.auction.map(|auction| auction.start), auctioned),
            ("auctionEnd", self.auction.map(|auction| auction.end), auctioned),
        ];
        for (name, price, most) in prices {
            let Some(price) = price else { continue };
            let is_off_tick = price.0.checked_rem(tick.0).is_some_and(|beyond| beyond > 0);
            let is_short = self.direction == Direction::Short;
            if is_short && is_off_tick && price.0 > most.saturating_sub(tick.0) {
                return Err(TakerError::BeyondTick(name));
            }
            let placed = standardize_price(price, tick, self.direction);
            if market.is_prediction && placed.0 > PREDICTION_PRICE_MAX {
                return Err(TakerError::Prediction(name));
            }
        }
        Ok(())
    }

    /// Checks that a maker could place an offer at this price in this market.
    ///
    /// # Errors
    /// [`TakerError::Prediction`] above the last price of a prediction market.
    pub fn check_offer(&self, market: &MarketTerms, price: Price) -> Result<(), TakerError> {
        let placed = standardize_price(price, market.tick, self.direction.opposite());
        let is_beyond = market.is_prediction && placed.0 > PREDICTION_PRICE_MAX;
        if is_beyond { Err(TakerError::Prediction("jit")) } else { Ok(()) }
    }

    fn check_auction(&self) -> Result<(), TakerError> {
        let Some(auction) = self.auction else { return Ok(()) };
        if auction.duration_slots == 0 && self.kind == OrderKind::Limit {
            return Err(TakerError::AuctionWithoutSlots);
        }
        if self.post_only {
            return Err(TakerError::PostOnlyAuction);
        }
        if auction.start.0 == 0 || auction.end.0 == 0 {
            return Err(TakerError::AuctionWithoutPrice);
        }
        if !auction.worsens(self.direction) {
            return Err(TakerError::AuctionImproves);
        }
        match self.limit {
            Some(limit) if is_worse(self.direction, auction.end, limit) => {
                Err(TakerError::AuctionPassesLimit)
            }
            _ => Ok(()),
        }
    }
}

/// Why an order cannot be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakerError {
    /// A limit order names no price.
    LimitWithoutPrice,
    /// A market order is post-only.
    MarketPostOnly,
    /// A post-only order has an auction.
    PostOnlyAuction,
    /// The start price or end price of the auction is 0.
    AuctionWithoutPrice,
    /// The auction price gets better for the taker over time.
    AuctionImproves,
    /// The auction's end price is worse than the order's limit.
    AuctionPassesLimit,
    /// A limit order has auction prices, and an auction of no slots.
    AuctionWithoutSlots,
    /// The named price of a sell has no tick above it.
    BeyondTick(&'static str),
    /// The named price in a prediction market is above 1.
    Prediction(&'static str),
}

impl fmt::Display for TakerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::LimitWithoutPrice => "limit order had no limit price",
            Self::MarketPostOnly => "market order was post-only, must be a limit order",
            Self::PostOnlyAuction => "post-only order had an auction, must have none",
            Self::AuctionWithoutPrice => "auction price was 0, must be at least 1",
            Self::AuctionImproves => {
                "auction ended at a better price than it began, must end at the same or a worse one"
            }
            Self::AuctionPassesLimit => "auction ended beyond the limit price, must end within it",
            Self::AuctionWithoutSlots => {
                "auctionDuration was 0, must be at least 1 for a limit order with auction prices"
            }
            Self::BeyondTick(name) => {
                return write!(
                    out,
                    "{name} plus a tick was above the largest price, must be on the tick"
                );
            }
            Self::Prediction(name) => {
                let most = PREDICTION_PRICE_MAX;
                return write!(
                    out,
                    "{name} was above {most}, must be at most that in a prediction market"
                );
            }
        })
    }
}

impl core::error::Error for TakerError {}
