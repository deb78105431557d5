//! Parameters of book bodies.

use slotbook_book::MarketId;
use slotbook_protocol::model::units::{Price, Pubkey};

use crate::sources::Sources;

/// The encoding of a topic's frames, or of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// As JSON text.
    Json,
    /// As bytes, see [`crate::stream::binary`].
    Binary,
}

impl From<bool> for Encoding {
    fn from(is_binary: bool) -> Self {
        if is_binary { Self::Binary } else { Self::Json }
    }
}

/// Bits of the options of a body besides those of [`Sources::of_bits`]: whether the book is
/// uncrossed, whether the body is binary.
const UNCROSS: u32 = 4;
const BINARY: u32 = 8;

/// Returns the options of these bits; other bits are ignored.
fn options_of(bits: u32) -> (Sources, bool, Encoding) {
    (Sources::of_bits(bits), bits & UNCROSS != 0, Encoding::from(bits & BINARY != 0))
}

/// Parameters of an /l2 body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct L2Request {
    /// The market.
    pub market: MarketId,
    /// Maximum levels a side, after grouping.
    pub depth_levels: usize,
    /// Ticks in each price group; 0 and 1 show every level.
    pub grouping_ticks: u32,
    /// Liquidity in addition to orders. The book's quotes must be refreshed for it.
    pub sources: Sources,
    /// Whether crossing levels are moved apart, before grouping and limiting.
    pub uncross: bool,
    /// The encoding of the body.
    pub encoding: Encoding,
}

impl L2Request {
    /// All levels of the orders up to a depth; other requests are this one with more members.
    #[must_use]
    pub const fn plain(market: MarketId, depth_levels: usize) -> Self {
        let (sources, encoding) = (Sources::NONE, Encoding::Json);
        Self { market, depth_levels, grouping_ticks: 1, sources, uncross: false, encoding }
    }

    /// The request with the options of these bits.
    #[must_use]
    pub fn with_options(self, bits: u32) -> Self {
        let (sources, uncross, encoding) = options_of(bits);
        Self { sources, uncross, encoding, ..self }
    }

    /// The width of a price group, 1e6; `None` without grouping.
    pub(crate) fn grid(&self, tick: Price) -> Option<Price> {
        let ticks = u64::from(self.grouping_ticks);
        (ticks > 1).then(|| Price(tick.0.saturating_mul(ticks)))
    }
}

/// Parameters of an /l3 body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct L3Request {
    /// The market.
    pub market: MarketId,
    /// Maximum orders a side.
    pub depth_orders: usize,
    /// The user account whose orders alone are included; `None` includes all.
    pub maker: Option<Pubkey>,
    /// Liquidity in addition to orders: indicative quotes only, because an AMM has no orders.
    pub sources: Sources,
    /// Whether each order has the price of its level in the uncrossed /l2.
    pub uncross: bool,
    /// The encoding of the body.
    pub encoding: Encoding,
}

impl L3Request {
    /// The orders of all makers up to a depth.
    #[must_use]
    pub const fn plain(market: MarketId, depth_orders: usize) -> Self {
        let (sources, encoding) = (Sources::NONE, Encoding::Json);
        Self { market, depth_orders, maker: None, sources, uncross: false, encoding }
    }

    /// The request with the options of these bits.
    #[must_use]
    pub fn with_options(self, bits: u32) -> Self {
        let (sources, uncross, encoding) = options_of(bits);
        Self { sources, uncross, encoding, ..self }
    }
}
