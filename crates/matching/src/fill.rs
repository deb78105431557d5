//! Fills, their sources, and the reasons for fewer fills.

use slotbook_book::EmptyReason;
use slotbook_protocol::model::units::{BaseQty, Price, Pubkey, QuoteQty};

use crate::fees::Rate;

/// The source of a fill.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) source: FillSource,
    pub(crate) maker: Option<Pubkey>,
    pub(crate) order_id: Option<u32>,
}

/// One fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The source of the fill.
    pub source: FillSource,
    /// The maker's user account; `None` for a fill without a maker or with an unknown maker.
    pub maker: Option<Pubkey>,
    /// The id of the maker's order; `None` for a fill without an order.
    pub order_id: Option<u32>,
    /// The maker's price, 1e6. For a fill on a curve, the quote per base, rounded against the
    /// taker.
    pub price: Price,
    /// Base filled, in the market's base units.
    pub size: BaseQty,
    /// The filled quote amount, 1e6: rounded down when the maker buys, up when the maker sells.
    pub quote: QuoteQty,
    /// The taker's fee, 1e6, paid in addition to the quote.
    pub taker_fee: QuoteQty,
    /// The maker's rebate, 1e6, received in addition to the quote.
    pub maker_rebate: QuoteQty,
}

/// The remainder of a limit order that rests in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rests {
    /// The order's price, 1e6, on the tick.
    pub price: Price,
    /// The resting size, in the market's base units.
    pub size: BaseQty,
    /// The rebate of future fills of the resting order, as a fraction of their quote.
    pub rebate_rate: Rate,
}

/// The reason why a walk has fewer fills than the liquidity allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A rule empties the market's book.
    Market(EmptyReason),
    /// The market only fills reduce-only orders.
    MarketReduceOnly,
    /// The order is reduce-only, and the user has no position to reduce.
    NothingToReduce,
    /// The order is smaller than a step or the market's minimum.
    BelowMinOrderSize,
    /// The order is post-only, and the AMM would fill it immediately.
    PostOnlyCrosses,
    /// The limit of a buy order is below one tick.
    LimitBelowTick,
    /// The walk has [`crate::limits::FILLS_MAX`] fills.
    FillsExceeded,
    /// The total quote overflows.
    QuoteExceeded,
    /// The fee of the next fill is smaller than the rebate and rewards that it pays, or the total
    /// of the fees overflows.
    FeeExceeded,
    /// The program's own sequence fails on chain: a number overflows, or rounding makes the price
    /// of a fill worse than the limit.
    FillFails,
    /// The average price is too far from the oracle price, so the program's own sequence fails on
    /// chain.
    PriceBand,
    /// The program refuses to match orders at the oracle's price.
    OracleInvalid,
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
            Self::OracleInvalid => "oracleInvalid",
        }
    }
}
