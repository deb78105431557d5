//! What a taker meets: the market's terms and every source of liquidity.

use core::fmt;

use slotbook_book::{EmptyReason, MarketInfo, OrderRow};
use slotbook_protocol::amm::PerpAmm;
use slotbook_protocol::enums::{MarketStatus, MarketType};
use slotbook_protocol::fees::FeeStructure;
use slotbook_protocol::units::{BaseQty, OraclePrice, Price, Pubkey, Slot};

use crate::curve::AmmOffer;
use crate::external::ExternalLevel;
use crate::fees::{PERP_FEES, SPOT_FEES};

/// What of a market the walk needs, beside its liquidity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarketTerms {
    /// Perp or spot.
    pub market_type: MarketType,
    /// Smallest price step, 1e6; at least 1.
    pub tick: Price,
    /// Smallest size step, in base units; at least 1.
    pub step: BaseQty,
    /// Smallest order that is not reduce-only, in base units.
    pub min_order_size: BaseQty,
    /// Decimals of a base size: 9 for perps, the token's for spot.
    pub decimals: u32,
    /// True for prediction markets, whose prices end at 1,000,000.
    pub is_prediction: bool,
    /// Percent by which the market's fees and rebates differ from their tiers'.
    pub fee_adjustment: i16,
    /// Only reduce-only orders may fill.
    pub is_reduce_only: bool,
    /// Why nothing fills here by rule; `None` where orders may.
    pub closed: Option<EmptyReason>,
}

impl MarketTerms {
    /// A perp market that is open.
    #[must_use]
    pub const fn perp(tick: Price, step: BaseQty, min_order_size: BaseQty) -> Self {
        Self {
            market_type: MarketType::Perp,
            tick,
            step,
            min_order_size,
            decimals: 9,
            is_prediction: false,
            fee_adjustment: 0,
            is_reduce_only: false,
            closed: None,
        }
    }

    /// The terms of a market of the book, open unless `closed` says why not.
    #[must_use]
    pub fn of(info: &MarketInfo, closed: Option<EmptyReason>) -> Self {
        Self {
            market_type: info.market_type,
            tick: info.tick,
            step: info.step,
            min_order_size: info.min_order_size,
            decimals: info.decimals,
            is_prediction: info.is_prediction,
            fee_adjustment: info.fee_adjustment,
            is_reduce_only: info.status == MarketStatus::ReduceOnly,
            closed,
        }
    }
}

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
    /// Who offers, where it is known.
    pub maker: Option<Pubkey>,
    /// The number of the offer among the maker's, where it has one.
    pub order_id: Option<u32>,
    /// The price, 1e6.
    pub price: Price,
    /// What is offered, in the market's base units.
    pub size: BaseQty,
}

impl From<&OrderRow> for JitOffer {
    fn from(row: &OrderRow) -> Self {
        let OrderRow { maker, order_id, price, size, .. } = *row;
        Self { maker: Some(maker), order_id: Some(order_id), price, size }
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
    /// No more of them are asked for than are filled, and one.
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
