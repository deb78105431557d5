//! The order that takes.

use core::fmt;

use slotbook_protocol::enums::Direction;
use slotbook_protocol::units::{BaseQty, Price, Pubkey, QuoteQty};

/// How much the taker wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// So much of the base asset, in the market's base units.
    Base(BaseQty),
    /// As much as costs, or brings, at most so much of the quote asset, 1e6.
    Quote(QuoteQty),
}

/// The kind of the taker's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKind {
    /// Takes at once; its limit, if it has one, is the worst price. What is left does not rest.
    Market,
    /// Takes up to its limit; what is left rests there.
    Limit,
}

/// A Dutch auction between two fixed prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Auction {
    /// The first price, 1e6: the best for the taker.
    pub start: Price,
    /// The last price, 1e6.
    pub end: Price,
    /// How long the auction lasts; it is over when more slots than this have passed.
    pub duration_slots: u8,
    /// Slots since the order was placed.
    pub elapsed_slots: u64,
}

/// An order that is sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taker {
    /// The user account that sends it, whose own orders it does not meet; `None` for a new one.
    pub key: Option<Pubkey>,
    /// Buys (long) or sells (short).
    pub direction: Direction,
    /// How much.
    pub size: Size,
    /// The kind of order.
    pub kind: OrderKind,
    /// The worst price, 1e6. A limit order must have one.
    pub limit: Option<Price>,
    /// Only makes: see [`Taker::check`].
    pub post_only: bool,
    /// The signed position, in base units, that the order may only reduce; `None` when it may do
    /// more.
    pub reduce_only: Option<i64>,
    /// The order's auction; `None` when it has none.
    pub auction: Option<Auction>,
    /// Index of the taker's fee tier.
    pub fee_tier: u8,
    /// Was referred, and gets the discount.
    pub referred: bool,
}

impl Taker {
    /// A market order without a limit and without an auction, of the first fee tier.
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

    /// A limit order without an auction, of the first fee tier.
    #[must_use]
    pub const fn limit(direction: Direction, size: Size, limit: Price) -> Self {
        let taker = Self::market(direction, size);
        Self { kind: OrderKind::Limit, limit: Some(limit), ..taker }
    }

    /// Base of the position that a reduce-only order may fill: 0 when the order would add to it.
    /// `None` when the order is not reduce-only.
    /// Source: programs/drift/src/state/user.rs `get_base_asset_amount_unfilled`.
    #[must_use]
    pub const fn reducible(&self) -> Option<BaseQty> {
        let Some(position) = self.reduce_only else { return None };
        let reduces = match self.direction {
            Direction::Long => position < 0,
            Direction::Short => position > 0,
        };
        Some(BaseQty(if reduces { position.unsigned_abs() } else { 0 }))
    }

    /// Whether the program could take this order at all, whatever the market.
    ///
    /// # Errors
    /// [`TakerError`] with the first part that contradicts another.
    ///
    /// Source: programs/drift/src/validation/order.rs `validate_order`.
    pub fn check(&self) -> Result<(), TakerError> {
        match (self.kind, self.limit) {
            (OrderKind::Limit, None) => return Err(TakerError::LimitWithoutPrice),
            (OrderKind::Market, _) if self.post_only => return Err(TakerError::MarketPostOnly),
            _ => {}
        }
        if self.post_only && self.auction.is_some_and(|auction| auction.duration_slots != 0) {
            return Err(TakerError::PostOnlyAuction);
        }
        Ok(())
    }
}

/// Why an order could not be placed, whatever the market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakerError {
    /// A limit order names no price.
    LimitWithoutPrice,
    /// A market order is post-only.
    MarketPostOnly,
    /// A post-only order has an auction.
    PostOnlyAuction,
    /// The auction moves away from the taker's worse price.
    AuctionWorsens,
}

impl fmt::Display for TakerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::LimitWithoutPrice => "limit order had no limit price",
            Self::MarketPostOnly => "market order was post-only, must be a limit order",
            Self::PostOnlyAuction => "post-only order had an auction, must have none",
            Self::AuctionWorsens => {
                "auction ran backwards, must end at or beyond its start for the taker's cost"
            }
        })
    }
}

impl core::error::Error for TakerError {}
