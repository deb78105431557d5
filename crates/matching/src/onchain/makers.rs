//! Selects the resting orders that may fill a taker, in the program's order.

use core::cmp::Ordering;

use slotbook_protocol::model::clock::SlotClock;
use slotbook_protocol::model::enums::{Direction, OrderStatus};
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::price::{ProtectedMakerParams, limit_price_program};
use slotbook_protocol::model::units::{BaseQty, OraclePrice, Price, Pubkey, UnixSeconds};

/// The ratio 1 in the unit of margin ratios. Source: programs/drift/src/math/constants.rs
/// `MARGIN_PRECISION`.
const MARGIN_PRECISION: u128 = 10_000;

/// An order of a maker account that was passed to the fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MakerOrder {
    /// The maker's user account.
    pub key: Pubkey,
    /// The order as stored in the account.
    pub order: Order,
    /// The maker's signed position in the market, base units.
    pub position: i64,
    /// Whether the maker is protected.
    pub is_protected: bool,
}

/// The state that affects makers, in addition to their orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The slot, and how long slots are.
    pub clock: SlotClock,
    /// The chain's clock.
    pub now: UnixSeconds,
    /// The oracle's price.
    pub oracle: OraclePrice,
    /// The market's tick, 1e6.
    pub tick: Price,
    /// The market's step, base units.
    pub step: BaseQty,
    /// Whether it is a prediction market.
    pub is_prediction: bool,
    /// Initial margin ratio, 1e4: a maker order is cancelled when its price crosses the oracle
    /// price by more than this. `None` when unknown: no order is cancelled.
    pub margin_ratio_initial: Option<u32>,
    /// The price offset of protected makers, if the offset applies to this taker.
    pub protected: Option<ProtectedMakerParams>,
}

/// A maker order to match: its index in the input, and its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// Index in the input.
    pub index: usize,
    /// The current price, 1e6.
    pub price: Price,
}

/// Why an order is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The order cannot be the maker, because the taker is post-only or has rested longer.
    NotMakerForTaker,
    /// The order's price crosses the oracle price so far that the order is cancelled.
    OracleBand,
    /// It has expired and is cancelled.
    Expired,
    /// The order is reduce-only with less than a step to reduce, and is cancelled.
    ReduceOnly,
    /// It has no current price.
    NoPrice,
}

/// The makers' orders in the program's order, and the skipped orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MakerList {
    /// Best price first.
    pub ranked: Vec<Ranked>,
    /// In input order.
    pub skipped: Vec<(usize, Skip)>,
}

impl MakerList {
    /// Ranks the input orders, which are sorted by account address and then by slot. Ignores orders
    /// that are closed, not limit orders, untriggered, on the taker's side, or in the taker's
    /// account.
    ///
    /// Source: programs/drift/src/controller/orders.rs `get_maker_orders_info`.
    #[must_use]
    pub fn of(taker_key: Pubkey, taker: &Order, makers: &[MakerOrder], moment: &Moment) -> Self {
        let side = taker.direction.opposite();
        let mut list = Self::default();
        for (index, maker) in makers.iter().enumerate() {
            if maker.key == taker_key || !may_make(&maker.order, side) {
                continue;
            }
            match price_of(maker, taker, moment) {
                Ok(price) => insert(&mut list.ranked, Ranked { index, price }, side),
                Err(reason) => list.skipped.push((index, reason)),
            }
        }
        list
    }
}

/// Source: programs/drift/src/controller/orders.rs `find_maker_orders` in
/// programs/drift/src/math/orders.rs.
fn may_make(order: &Order, side: Direction) -> bool {
    order.status == OrderStatus::Open
        && order.direction == side
        && order.is_limit()
        && (!order.must_be_triggered() || order.is_triggered())
}

fn price_of(maker: &MakerOrder, taker: &Order, moment: &Moment) -> Result<Price, Skip> {
    let order = &maker.order;
    let price = limit_price_program(
        order,
        &moment.clock,
        moment.tick,
        Some(moment.oracle),
        None,
        moment.is_prediction,
        moment.protected.filter(|_| maker.is_protected),
    );
    let Ok(Some(price)) = price else { return Err(Skip::NoPrice) };
    if !is_maker_for_taker(order, taker, &moment.clock) {
        return Err(Skip::NotMakerForTaker);
    }
    if is_beyond_oracle_band(price, order.direction, moment) {
        return Err(Skip::OracleBand);
    }
    if order.is_expired(moment.now) {
        return Err(Skip::Expired);
    }
    if order.reduce_only && order.unfilled_for_position(maker.position) < moment.step {
        return Err(Skip::ReduceOnly);
    }
    Ok(price)
}

/// Returns whether the maker's order rests, and has rested longer than a resting taker. Source:
/// programs/drift/src/math/matching.rs `is_maker_for_taker`.
fn is_maker_for_taker(maker: &Order, taker: &Order, clock: &SlotClock) -> bool {
    if taker.post_only || !maker.is_resting_limit(clock) {
        return false;
    }
    let rests_from = |order: &Order| order.slot.0.saturating_add(order.auction_duration.into());
    !taker.is_resting_limit(clock) || maker.post_only || rests_from(maker) <= rests_from(taker)
}

/// Source: programs/drift/src/math/orders.rs `limit_price_breaches_maker_oracle_price_bands`.
fn is_beyond_oracle_band(price: Price, side: Direction, moment: &Moment) -> bool {
    let Some(margin) = moment.margin_ratio_initial else { return false };
    let oracle = moment.oracle.0.unsigned_abs();
    let through = match side {
        Direction::Long => price.0.saturating_sub(oracle),
        Direction::Short => oracle.saturating_sub(price.0),
    };
    let part = (u128::from(through) * MARGIN_PRECISION).checked_div(u128::from(oracle));
    through > 0 && part.is_none_or(|part| part >= u128::from(margin))
}

/// Inserts the order at the index that the program's search returns. Among equal prices, this index
/// depends on the number of orders. Source: programs/drift/src/controller/orders.rs
/// `insert_maker_order_info`.
pub fn insert(ranked: &mut Vec<Ranked>, maker: Ranked, side: Direction) {
    let at = search(ranked.len(), |index| match side {
        Direction::Short => ranked[index].price.cmp(&maker.price),
        Direction::Long => maker.price.cmp(&ranked[index].price),
    });
    ranked.insert(at, maker);
}

/// Returns the same index as the standard library's binary search in rustc 1.95, found or not. The
/// program inserts at this index even when the search finds an equal price, so the algorithm is
/// part of the rule: the search halves down to one element and does not stop at an equal element.
/// Source: library/core/src/slice/mod.rs `binary_search_by` of rustc 1.95.
fn search(length: usize, order_at: impl Fn(usize) -> Ordering) -> usize {
    if length == 0 {
        return 0;
    }
    let (mut base, mut size) = (0, length);
    while size > 1 {
        let half = size / 2;
        if order_at(base + half) != Ordering::Greater {
            base += half;
        }
        size -= half;
    }
    base + usize::from(order_at(base) == Ordering::Less)
}

#[cfg(test)]
mod tests {
    use slotbook_protocol::model::units::Slot;

    use super::*;

    #[test]
    fn an_order_through_the_oracle_by_the_margin_is_cancelled() {
        let moment = Moment {
            clock: Slot(1).into(),
            now: UnixSeconds(1),
            oracle: OraclePrice(1_000_000),
            tick: Price(1),
            step: BaseQty(1),
            is_prediction: false,
            margin_ratio_initial: Some(500),
            protected: None,
        };
        let is_beyond = |price, side| is_beyond_oracle_band(Price(price), side, &moment);
        assert!(is_beyond(1_050_000, Direction::Long));
        assert!(!is_beyond(1_049_999, Direction::Long));
        assert!(!is_beyond(1, Direction::Long));
        assert!(is_beyond(950_000, Direction::Short));
        assert!(!is_beyond(950_001, Direction::Short));
        let no_oracle = Moment { oracle: OraclePrice(0), ..moment };
        assert!(is_beyond_oracle_band(Price(1), Direction::Long, &no_oracle));
    }
}
