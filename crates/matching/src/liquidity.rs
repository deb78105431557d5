//! What a taker meets: the market's terms and every source of liquidity.

use core::fmt;

use slotbook_book::OrderRow;
use slotbook_protocol::amm::PerpAmm;
use slotbook_protocol::enums::MarketType;
use slotbook_protocol::fees::FeeStructure;
use slotbook_protocol::units::{BaseQty, OraclePrice, Price, Pubkey, Slot};

use crate::curve::AmmOffer;
use crate::external::ExternalLevel;
use crate::fees::{PERP_FEES, SPOT_FEES};
use crate::terms::MarketTerms;

/// A resting order that the taker may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maker {
    /// The user account that placed it.
    pub key: Pubkey,
    /// Its id, unique within the user account.
    pub order_id: u32,
    /// Effective price, 1e6.
    pub price: Price,
    /// What can still fill, in the market's base units.
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

/// What a maker offers in the taker's auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JitOffer {
    /// The maker's user account, where it is known.
    pub maker: Option<Pubkey>,
    /// The number of the offer among the maker's, where it has one.
    pub order_id: Option<u32>,
    /// The price, 1e6.
    pub price: Price,
    /// What is offered, in the market's base units.
    pub size: BaseQty,
    /// Whether it is an indicative quote, which has not been made for this taker.
    pub is_quote: bool,
}

/// An indicative quote, which competes as an offer.
impl From<&OrderRow> for JitOffer {
    fn from(row: &OrderRow) -> Self {
        let OrderRow { maker, order_id, price, size, .. } = *row;
        Self { maker: Some(maker), order_id: Some(order_id), price, size, is_quote: true }
    }
}

/// A perp market's AMM as the program has it before a fill, see [`PerpAmm::before_fill`].
#[derive(Clone, Copy, Debug)]
pub struct ProgramAmm<'a> {
    /// The AMM, its spreads in force.
    pub amm: &'a PerpAmm,
    /// It may fill. Where it may not, its prices and the market's margin still count.
    pub may_fill: bool,
}

/// Everything that a taker of one direction meets.
pub struct Liquidity<'a> {
    /// The market's terms.
    pub market: MarketTerms,
    /// The resting orders of the other side, in book order: price, then slot, then id, then maker.
    /// One more of them is read than is filled.
    pub makers: &'a mut dyn Iterator<Item = Maker>,
    /// The exchange's fees in markets of this type.
    pub fees: &'a FeeStructure,
    /// The offers of the auction, in the order in which they came.
    pub jit: &'a [JitOffer],
    /// The market's AMM; `None` where it has none, or is left out.
    pub amm: Option<AmmOffer>,
    /// The same AMM as the program's own sequence needs it; `None` where it is not known.
    pub program: Option<ProgramAmm<'a>>,
    /// The oracle's price, where it is valid.
    pub oracle: Option<OraclePrice>,
    /// The levels of external venues, best first; of no meaning for perps.
    pub external: &'a [ExternalLevel],
}

impl<'a> Liquidity<'a> {
    /// Resting orders and nothing else, at the program's own fees.
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
