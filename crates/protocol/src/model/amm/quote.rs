//! The quotes of the AMM at a moment, without the levels, which are expensive to compute.

use super::curve::Reserves;
use super::offset::spread_reserves;
use super::spread::{Distances, Liquidity, Offset, Spreads};
use super::update::UpdatedCurve;
use super::{AmmError, AmmInputs, AmmSide, PerpAmm};
use crate::model::Program;
use crate::model::enums::Direction;
use crate::model::units::Price;

/// A side is empty unless it can fill an order of this many smallest order sizes.
const MIN_ORDERS: u128 = 2;

/// Divisor of a side's liquidity: a side is open when the quotient is at least a step.
const OPEN_HALF: u128 = 2;

/// The quotes of an AMM at a moment. Equal quotes have equal levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AmmQuote {
    /// The curve after the update that the next fill makes.
    pub curve: UpdatedCurve,
    /// The price between that curve's reserves, 1e6.
    pub reserve_price: Price,
    /// Distances of bid and ask from the reserve price, before the reference offset.
    pub spreads: Spreads,
    /// Distance by which both quotes are moved, parts at 1e6.
    pub reference_price_offset: i128,
    /// The curve where the AMM buys.
    pub bid: Reserves,
    /// The curve where the AMM sells.
    pub ask: Reserves,
    /// The price at which the AMM buys, 1e6.
    pub bid_price: Price,
    /// The price at which the AMM sells, 1e6.
    pub ask_price: Price,
    /// Base amount that the AMM can still buy, 1e9; 0 when half of it is less than a step.
    pub open_bids: u128,
    /// Base amount that the AMM can still sell, 1e9; 0 when half of it is less than a step.
    pub open_asks: u128,
    pub(super) oracle_price: u128,
    pub(super) tick: Price,
    pub(super) step: u64,
    min_order_size: u64,
    is_fill_paused: bool,
}

/// The parts from which an AMM's quotes are built, by the rules of its program.
struct Parts {
    curve: UpdatedCurve,
    spreads: Spreads,
    offset: i128,
    bid: Reserves,
    ask: Reserves,
}

impl Parts {
    /// Source: sdk/src/dlob/orderBookLevels.ts `getVammL2Generator`, up to its levels.
    fn of_drift(amm: &PerpAmm, inputs: &AmmInputs, oracle_price: u128) -> Result<Self, AmmError> {
        let curve = UpdatedCurve::of(amm, oracle_price)?;
        let price = i128::from(curve.reserves.price()?.0);
        let spreads = Spreads::of(amm, &curve, inputs, price)?;
        let offset = Offset::of(amm, &curve, inputs, price)?;
        let distances = Distances::of(spreads, &offset)?;
        let bid = spread_reserves(amm, &curve, distances.bid, AmmSide::Bid)?;
        let ask = spread_reserves(amm, &curve, distances.ask, AmmSide::Ask)?;
        Ok(Self { curve, spreads, offset: offset.value, bid, ask })
    }

    /// Returns the quotes of an AMM that was updated to this moment.
    fn of_moved(amm: &PerpAmm) -> Self {
        Self {
            curve: UpdatedCurve::stored(amm),
            spreads: Spreads { long: amm.long_spread.into(), short: amm.short_spread.into() },
            offset: amm.reference_price_offset.into(),
            bid: amm.spread_reserves(Direction::Short),
            ask: amm.spread_reserves(Direction::Long),
        }
    }
}

impl AmmQuote {
    /// Returns the quotes of an account's AMM: for Drift v2 by the SDK's estimate, for Velocity by
    /// the program's own rules, see [`PerpAmm::before_fill`].
    ///
    /// # Errors
    /// [`AmmError::OraclePrice`] for an oracle price that is not positive; other errors when the
    /// account's numbers have no quote.
    pub fn of(amm: &PerpAmm, inputs: &AmmInputs) -> Result<Self, AmmError> {
        let oracle_price = match u128::try_from(inputs.oracle_price) {
            Ok(price) if price > 0 => price,
            _ => return Err(AmmError::OraclePrice),
        };
        match amm.program {
            Program::Drift => {
                let parts = Parts::of_drift(amm, inputs, oracle_price)?;
                Self::of_parts(amm, parts, oracle_price)
            }
            Program::Velocity => {
                let moved = amm.before_fill(inputs)?;
                Self::of_parts(&moved, Parts::of_moved(&moved), oracle_price)
            }
        }
    }

    fn of_parts(amm: &PerpAmm, parts: Parts, oracle_price: u128) -> Result<Self, AmmError> {
        let Parts { curve, spreads, offset, bid, ask } = parts;
        let open = Liquidity::of(amm, &curve);
        let at_least_steps = |open: u128| {
            if open / OPEN_HALF < u128::from(amm.order_step_size) { 0 } else { open }
        };
        Ok(Self {
            curve,
            reserve_price: curve.reserves.price()?,
            spreads,
            reference_price_offset: offset,
            bid,
            ask,
            bid_price: bid.price()?,
            ask_price: ask.price()?,
            open_bids: at_least_steps(open.bids),
            open_asks: at_least_steps(open.asks),
            oracle_price,
            tick: Price(amm.order_tick_size),
            step: amm.order_step_size,
            min_order_size: amm.min_order_size,
            is_fill_paused: amm.is_fill_paused(),
        })
    }

    /// Returns the reserves at which the levels of a side begin.
    #[must_use]
    pub const fn reserves(&self, side: AmmSide) -> &Reserves {
        match side {
            AmmSide::Bid => &self.bid,
            AmmSide::Ask => &self.ask,
        }
    }

    /// Returns the visible liquidity of a side, 1e9: 0 while the AMM's fills are paused, or when
    /// the liquidity is less than two smallest orders.
    #[must_use]
    pub fn liquidity(&self, side: AmmSide) -> u128 {
        let open = match side {
            AmmSide::Bid => self.open_bids,
            AmmSide::Ask => self.open_asks,
        };
        let least = MIN_ORDERS * u128::from(self.min_order_size);
        if self.is_fill_paused || open < least { 0 } else { open }
    }
}
