//! One fill, where it comes from, and why there are no more.

use slotbook_book::EmptyReason;
use slotbook_protocol::units::{BaseQty, Price, Pubkey, QuoteQty};

use crate::fees::Rate;

/// Where a fill comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillSource {
    /// An offer in the taker's auction.
    Jit,
    /// A resting order.
    Dlob,
    /// The market's AMM.
    Vamm,
    /// A venue outside the exchange.
    External,
}

impl FillSource {
    /// The name in interfaces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jit => "jit",
            Self::Dlob => "dlob",
            Self::Vamm => "vamm",
            Self::External => "external",
        }
    }
}

/// Where a fill comes from, and its maker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) source: FillSource,
    pub(crate) maker: Option<Pubkey>,
    pub(crate) order_id: Option<u32>,
}

/// One fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Where it comes from.
    pub source: FillSource,
    /// The maker's user account; `None` for sources without one, or where it is not known.
    pub maker: Option<Pubkey>,
    /// The maker's order; `None` where there is none.
    pub order_id: Option<u32>,
    /// The maker's price, 1e6; on a curve the quote per base, rounded against the taker.
    pub price: Price,
    /// Base filled, in the market's base units.
    pub size: BaseQty,
    /// Quote filled, 1e6: rounded down when the maker buys, up when the maker sells.
    pub quote: QuoteQty,
    /// What the taker pays beside, 1e6.
    pub taker_fee: QuoteQty,
    /// What the maker gets beside, 1e6.
    pub maker_rebate: QuoteQty,
}

/// What is left of a limit order, in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rests {
    /// The order's price, 1e6, on the tick.
    pub price: Price,
    /// What rests, in the market's base units.
    pub size: BaseQty,
    /// What it earns when it is filled, of the quote.
    pub rebate_rate: Rate,
}

/// Why a walk has no fills, or has fewer than its liquidity gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The market's book is empty by rule.
    Market(EmptyReason),
    /// Only reduce-only orders fill in this market.
    MarketReduceOnly,
    /// The order is reduce-only, and there is no position that it reduces.
    NothingToReduce,
    /// The order is smaller than the market's smallest, or than a step.
    BelowMinOrderSize,
    /// The order is post-only, and the AMM would fill it at once.
    PostOnlyCrosses,
    /// The limit of a buy is below a tick.
    LimitBelowTick,
    /// The walk has [`crate::limits::FILLS_MAX`] fills.
    FillsExceeded,
    /// The quote of the fills is beyond all amounts.
    QuoteExceeded,
    /// The fee of the next fill does not cover what the program pays out of it, or all fees
    /// together are beyond all amounts.
    FeeExceeded,
    /// The program's own sequence fails on chain: its numbers leave their range, or a fill is worse
    /// than the limit by its rounding.
    FillFails,
    /// The fills' average price is too far from the oracle's, so that the program's own sequence
    /// fails on chain.
    PriceBand,
}

impl Reason {
    /// The name in interfaces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Market(reason) => reason.name(),
            Self::MarketReduceOnly => "marketReduceOnly",
            Self::NothingToReduce => "nothingToReduce",
            Self::BelowMinOrderSize => "belowMinOrderSize",
            Self::PostOnlyCrosses => "postOnlyCrosses",
            Self::LimitBelowTick => "limitBelowTick",
            Self::FillsExceeded => "fillsExceeded",
            Self::QuoteExceeded => "quoteExceeded",
            Self::FeeExceeded => "feeExceeded",
            Self::FillFails => "fillFails",
            Self::PriceBand => "priceBand",
        }
    }
}
