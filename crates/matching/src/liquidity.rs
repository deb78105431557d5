//! The market terms and the liquidity that are available to a taker.

use core::fmt;

use slotbook_book::OrderRow;
use slotbook_protocol::model::amm::PerpAmm;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::fees::FeeStructure;
use slotbook_protocol::model::units::{BaseQty, OraclePrice, Price, Pubkey, Slot};

use crate::curve::AmmOffer;
use crate::external::ExternalLevel;
use crate::fees::{PERP_FEES, SPOT_FEES};
use crate::terms::MarketTerms;

/// A resting order on the opposite side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maker {
    /// The user account that placed it.
    pub key: Pubkey,
    /// Its id, unique within the user account.
    pub order_id: u32,
    /// Effective price, 1e6.
    pub price: Price,
    /// Fillable size, in the market's base units.
    pub size: BaseQty,
    /// The slot at which it was placed.
    pub slot: Slot,
}

impl From<OrderRow> for Maker {
    fn from(row: OrderRow) -> Self {
        let OrderRow { maker, order_id, price, size, slot, .. } = row;
        Self { key: maker, order_id, price, size, slot }
    }
}

/// A maker's offer in the taker's auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JitOffer {
    /// The maker's user account; `None` when unknown.
    pub maker: Option<Pubkey>,
    /// The id that the maker gave the offer, if any.
    pub order_id: Option<u32>,
    /// The price, 1e6.
    pub price: Price,
    /// The offered size, in the market's base units.
    pub size: BaseQty,
    /// Whether the offer is an indicative quote, which was not made for this taker.
    pub is_quote: bool,
}

/// An indicative quote competes as an offer.
impl From<&OrderRow> for JitOffer {
    fn from(row: &OrderRow) -> Self {
        let OrderRow { maker, order_id, price, size, .. } = *row;
        Self { maker: Some(maker), order_id: Some(order_id), price, size, is_quote: true }
    }
}

/// A perp market's AMM in the state that the program uses for a fill, see [`PerpAmm::before_fill`].
#[derive(Clone, Copy, Debug)]
pub struct ProgramAmm<'a> {
    /// The AMM with its current spreads.
    pub amm: &'a PerpAmm,
    /// Its permissions. Without any, its prices and the market's margin still count.
    pub may: AmmMay,
}

/// What the AMM may do in the program's own sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmmMay {
    /// Fill on its own.
    pub fill: bool,
    /// Take its share of matches.
    pub share: bool,
}

/// All liquidity that is available to a taker of one direction.
pub struct Liquidity<'a> {
    /// The market's terms.
    pub market: MarketTerms,
    /// The resting orders of the opposite side, in book order: price, then slot, then id, then
    /// maker. The walk reads one order more than it fills.
    pub makers: &'a mut dyn Iterator<Item = Maker>,
    /// The exchange's fees in markets of this type.
    pub fees: &'a FeeStructure,
    /// The offers of the auction, in order of arrival.
    pub jit: &'a [JitOffer],
    /// The market's AMM; `None` when the market has none or the AMM is excluded.
    pub amm: Option<AmmOffer>,
    /// The AMM for the program's own sequence; `None` when unknown.
    pub program: Option<ProgramAmm<'a>>,
    /// The oracle price, if valid.
    pub oracle: Option<OraclePrice>,
    /// The levels of external venues, best first; ignored for perps.
    pub external: &'a [ExternalLevel],
}

impl<'a> Liquidity<'a> {
    /// Creates a liquidity of resting orders only, with the program's default fees.
    #[must_use]
    pub fn of_makers(market: MarketTerms, makers: &'a mut dyn Iterator<Item = Maker>) -> Self {
        let fees = match market.market_type {
            MarketType::Perp => &PERP_FEES,
            MarketType::Spot => &SPOT_FEES,
        };
        Self {
            market,
            makers,
            fees,
            jit: &[],
            amm: None,
            program: None,
            oracle: None,
            external: &[],
        }
    }
}

impl fmt::Debug for Liquidity<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Liquidity")
            .field("market", &self.market)
            .field("jit", &self.jit)
            .field("amm", &self.amm)
            .field("oracle", &self.oracle)
            .field("external", &self.external)
            .finish_non_exhaustive()
    }
}
