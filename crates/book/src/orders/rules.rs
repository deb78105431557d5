//! The rules that place one order.

use slotbook_protocol::model::clock::SlotClock;
use slotbook_protocol::model::enums::OrderStatus;
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::units::{BaseQty, Slot};

use crate::ladder::arena::{Place, Standing};
use crate::model::clock::Clock;
use crate::model::market::MarketId;
use crate::{LeftOut, Side};

/// The inputs of the rules in addition to the order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) clock: &'a Clock,
    /// `User.status & 3`. Source: programs/drift/src/state/user.rs `UserStatus`.
    pub(crate) owner_frozen: bool,
    /// Signed base of the owner's position in the order's market.
    pub(crate) position: i64,
    pub(crate) market: MarketId,
    pub(crate) step: BaseQty,
    pub(crate) market_reduce_only: bool,
    /// Whether the order rests on a CLOB program, and its slot is a shadow.
    pub(crate) is_on_clob: bool,
}

/// Decides the place of an order: it must be resting, not expired, fillable, and priced.
pub(crate) fn decide(order: &Order, context: &Context<'_>) -> Standing {
    let left_out = match context.is_on_clob {
        true => Some(LeftOut::PlacedOnClob),
        false => left_out(order, context),
    };
    let (place, key, size) = match left_out {
        Some(reason @ (LeftOut::TakerOnly | LeftOut::InAuction)) => {
            match size_in_auction(order, context) {
                Some(size) => (Place::Auction(reason), 0, size),
                None => (Place::Out(reason), 0, 0),
            }
        }
        Some(reason) => (Place::Out(reason), 0, 0),
        None => match resting(order, context) {
            Ok((place, key, size)) => (place, key, size),
            Err(reason) => (Place::Out(reason), 0, 0),
        },
    };
    Standing { market: context.market, place, key, size }
}

/// Returns the size of a taking order that is in auction. The rules for orders in ladders apply,
/// except those about resting, and a market order's auction must not be over.
fn size_in_auction(order: &Order, context: &Context<'_>) -> Option<u64> {
    let Clock { slots, now } = context.clock;
    let is_waiting = order.must_be_triggered() && !order.is_triggered();
    let runs = !order.is_auction_complete(slots) && !order.is_expired(*now);
    let may_fill = !context.owner_frozen && (order.reduce_only || !context.market_reduce_only);
    let size = order.unfilled_for_position(context.position).0;
    let fills = !is_waiting && runs && may_fill && size != 0 && size >= context.step.0;
    fills.then_some(size)
}

/// The order of the checks decides which reason is given when several apply.
fn left_out(order: &Order, context: &Context<'_>) -> Option<LeftOut> {
    if order.status != OrderStatus::Open {
        return Some(LeftOut::NotOpen);
    }
    if !order.is_limit() {
        return Some(LeftOut::TakerOnly);
    }
    if order.must_be_triggered() && !order.is_triggered() {
        return Some(LeftOut::Untriggered);
    }
    if order.is_expired(context.clock.now) {
        return Some(LeftOut::Expired);
    }
    if !order.is_resting_limit(&context.clock.slots) {
        return Some(LeftOut::InAuction);
    }
    if context.owner_frozen {
        return Some(LeftOut::OwnerFrozen);
    }
    if context.market_reduce_only && !order.reduce_only {
        return Some(LeftOut::MarketReduceOnly);
    }
    None
}

fn resting(order: &Order, context: &Context<'_>) -> Result<(Place, u64, u64), LeftOut> {
    let size = order.unfilled_for_position(context.position).0;
    if size == 0 && order.unfilled().0 > 0 {
        return Err(LeftOut::NothingToReduce);
    }
    if size == 0 || size < context.step.0 {
        return Err(LeftOut::BelowStep);
    }
    let side = Side::from(order.direction);
    let offset = order.oracle_price_offset.0;
    if offset != 0 {
        return Ok((Place::Offset(side), offset.cast_unsigned(), size));
    }
    if order.price.0 == 0 {
        return Err(LeftOut::NoPrice);
    }
    Ok((Place::Fixed(side), order.price.0, size))
}

/// Returns the first slot after an order's auction, in which a limit order starts to rest. Source:
/// sdk/src/math/auction.ts `isAuctionComplete`: over when more than the duration has passed.
pub(crate) fn auction_end(order: &Order, slots: &SlotClock) -> Slot {
    slots.slot_after(order.auction_ms(), order.slot)
}

/// Returns the time in seconds at which an order expires; `None` for never. Source:
/// programs/drift/src/math/orders.rs `should_expire_order`: strictly after `max_ts`.
pub(crate) fn expiry(order: &Order) -> Option<i64> {
    let expires = order.max_ts.0 != 0 && !order.must_be_triggered();
    expires.then(|| order.max_ts.0.saturating_add(1))
}
