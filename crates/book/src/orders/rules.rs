//! Where an order belongs: the rules of what is in the book, for one order.

use slotbook_protocol::enums::{MarketStatus, MarketType, OrderStatus};
use slotbook_protocol::market::{perp_operation, spot_operation};
use slotbook_protocol::order::Order;
use slotbook_protocol::state::exchange_status;
use slotbook_protocol::units::{BaseQty, Slot, UnixSeconds};

use crate::ladder::arena::Place;
use crate::{EmptyReason, LeftOut, Side};

/// What the rules need besides the order itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub(crate) slot: Slot,
    pub(crate) now: UnixSeconds,
    /// `User.status & 3`. Source: programs/drift/src/state/user.rs `UserStatus`.
    pub(crate) owner_frozen: bool,
    /// Signed base of the owner's position in the order's market.
    pub(crate) position: i64,
    pub(crate) step: BaseQty,
    pub(crate) market_reduce_only: bool,
}

/// Where an order stands in its market's ladders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Out(LeftOut),
    /// Left out of the ladders, but in auction now.
    Auction {
        reason: LeftOut,
        size: u64,
    },
    Fixed {
        side: Side,
        price: u64,
        size: u64,
    },
    Offset {
        side: Side,
        offset: i64,
        size: u64,
    },
}

impl Decision {
    /// The place, the key there and the size, as a node holds them.
    pub(crate) fn place(self) -> (Place, u64, u64) {
        match self {
            Self::Out(reason) => (Place::Out(reason), 0, 0),
            Self::Auction { reason, size } => (Place::Auction(reason), 0, size),
            Self::Fixed { side, price, size } => (Place::Fixed(side), price, size),
            Self::Offset { side, offset, size } => {
                (Place::Offset(side), offset.cast_unsigned(), size)
            }
        }
    }
}

/// Decides by DESIGN section 4: resting, not expired, fillable, priced.
pub(crate) fn decide(order: &Order, context: &Context) -> Decision {
    match left_out(order, context) {
        Some(reason @ (LeftOut::TakerOnly | LeftOut::InAuction)) => taking(order, context, reason),
        Some(reason) => Decision::Out(reason),
        None => placed(order, context),
    }
}

/// Decides whether an order that takes is in auction now: what of the ladders' rules concerns it
/// holds for it as well, and a market order's auction has to run still.
fn taking(order: &Order, context: &Context, reason: LeftOut) -> Decision {
    let is_waiting = order.must_be_triggered() && !order.is_triggered();
    let runs = !order.is_auction_complete(context.slot) && !order.is_expired(context.now);
    let may_fill = !context.owner_frozen && (order.reduce_only || !context.market_reduce_only);
    let size = order.unfilled_for_position(context.position).0;
    if is_waiting || !runs || !may_fill || size == 0 || size < context.step.0 {
        return Decision::Out(reason);
    }
    Decision::Auction { reason, size }
}

/// The order of the tests decides which reason is counted when several hold.
fn left_out(order: &Order, context: &Context) -> Option<LeftOut> {
    if order.status != OrderStatus::Open {
        return Some(LeftOut::NotOpen);
    }
    if !order.is_limit() {
        return Some(LeftOut::TakerOnly);
    }
    if order.must_be_triggered() && !order.is_triggered() {
        return Some(LeftOut::Untriggered);
    }
    if order.is_expired(context.now) {
        return Some(LeftOut::Expired);
    }
    if !order.is_resting_limit(context.slot) {
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

fn placed(order: &Order, context: &Context) -> Decision {
    let size = order.unfilled_for_position(context.position).0;
    if size == 0 && order.unfilled().0 > 0 {
        return Decision::Out(LeftOut::NothingToReduce);
    }
    if size == 0 || size < context.step.0 {
        return Decision::Out(LeftOut::BelowStep);
    }
    let side = Side::from(order.direction);
    if order.oracle_price_offset.0 != 0 {
        return Decision::Offset { side, offset: i64::from(order.oracle_price_offset.0), size };
    }
    if order.price.0 == 0 {
        return Decision::Out(LeftOut::NoPrice);
    }
    Decision::Fixed { side, price: order.price.0, size }
}

/// The first slot after an order's auction, at which a limit order starts to rest.
/// Source: sdk/src/math/auction.ts `isAuctionComplete`: over when `slot - order.slot > duration`.
pub(crate) fn auction_end(order: &Order) -> i64 {
    let end = order.slot.0.saturating_add(u64::from(order.auction_duration)).saturating_add(1);
    i64::try_from(end).unwrap_or(i64::MAX)
}

/// The second at which an order expires, if it ever does.
/// Source: programs/drift/src/math/orders.rs `should_expire_order`: strictly after `max_ts`.
pub(crate) fn expiry(order: &Order) -> Option<i64> {
    let expires = order.max_ts.0 != 0 && !order.must_be_triggered();
    expires.then(|| order.max_ts.0.saturating_add(1))
}

/// What a market's state says about its book.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarketGate {
    pub(crate) market_type: MarketType,
    pub(crate) status: MarketStatus,
    pub(crate) paused_operations: u8,
    pub(crate) exchange_status: u8,
    pub(crate) expiry_ts: UnixSeconds,
    pub(crate) now: UnixSeconds,
}

/// Why the market shows nothing, if it does not.
pub(crate) fn empty_reason(gate: &MarketGate) -> Option<EmptyReason> {
    if !matches!(gate.status, MarketStatus::Active | MarketStatus::ReduceOnly) {
        return Some(EmptyReason::MarketStatus);
    }
    let fill_bit = match gate.market_type {
        MarketType::Perp => perp_operation::FILL,
        MarketType::Spot => spot_operation::FILL,
    };
    if gate.paused_operations & fill_bit != 0 {
        return Some(EmptyReason::MarketFillPaused);
    }
    if gate.exchange_status & exchange_status::FILL_PAUSED != 0 {
        return Some(EmptyReason::ExchangeFillPaused);
    }
    // Source: programs/drift/src/state/perp_market.rs `is_in_settlement`: at expiry_ts, not after.
    if gate.expiry_ts.0 != 0 && gate.now.0 >= gate.expiry_ts.0 {
        return Some(EmptyReason::MarketExpired);
    }
    None
}
