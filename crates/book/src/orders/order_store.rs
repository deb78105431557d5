//! Order slots between accounts and ladders: what a changed slot, position or market moves.

use slotbook_protocol::enums::{MarketType, OrderStatus};
use slotbook_protocol::order::{Order, OrderView, bit_flags};
use slotbook_protocol::user::spot_token_amount;

use crate::book::Book;
use crate::ladder::arena::{NO_MARKET, NONE, Place, handle_of, slot_of, user_of};
use crate::limits::{ORDER_BYTES, TIMERS_PER_ORDER_MAX, TIMERS_SLACK};
use crate::markets::market::Market;
use crate::model::left_out::LeftOut;
use crate::model::market::MarketId;
use crate::model::market::MarketKey;
use crate::orders::rules::{Context, Decision, auction_end, decide, expiry};
use crate::orders::users::User;
use crate::orders::wheel::Timer;

impl Book {
    /// Replaces the bytes of an order slot; where it belongs is decided by `reposition`.
    pub(crate) fn set_raw(&mut self, handle: u32, new: &[u8; ORDER_BYTES]) {
        let (user, slot) = (user_of(handle), slot_of(handle));
        let block = self.arena.block_mut(user);
        let row_changed = row(&block.raw[slot]) != row(new);
        block.raw[slot] = *new;
        let node = &mut block.nodes[slot];
        node.generation = node.generation.wrapping_add(1);
        let (place, market) = (node.place, MarketId(node.market));
        self.set_masks(user, slot, new);
        match place {
            Place::Fixed(_) | Place::Offset(_) if row_changed => self.touch_shown(market, handle),
            Place::Auction(_) => self.touch_auctions(market),
            _ => {}
        }
        if self.users.get(user).timed >> slot & 1 == 1 {
            self.schedule(handle);
        }
    }

    fn set_masks(&mut self, user: usize, slot: usize, raw: &[u8; ORDER_BYTES]) {
        let order = OrderView::new(raw);
        let open = order.status() == Ok(OrderStatus::Open);
        let bit = 1u32 << slot;
        let user = self.users.get_mut(user);
        let was_open = user.open & bit != 0;
        set_bit(&mut user.open, bit, open);
        set_bit(&mut user.reduce_only, bit, open && order.reduce_only());
        set_bit(&mut user.timed, bit, open && depends_on_time(&order));
        self.open_orders = self.open_orders + usize::from(open) - usize::from(was_open);
    }

    /// Sets the timers of an open order: the end of its auction, and its expiry.
    pub(crate) fn schedule(&mut self, handle: u32) {
        let Some(order) = open_order(self.arena.raw(handle)) else { return };
        let timer = Timer { handle, generation: self.arena.node(handle).generation };
        let in_auction = order.is_taking(self.slot) && !order.is_auction_complete(self.slot);
        if in_auction {
            self.auctions.schedule(auction_end(&order), timer);
        } else if !order.is_limit() {
            return;
        }
        if let Some(due) = expiry(&order).filter(|_| !order.is_expired(self.now)) {
            self.expiries.schedule(due, timer);
        }
        let timers_max = TIMERS_PER_ORDER_MAX * self.open_orders + TIMERS_SLACK;
        if self.auctions.len().max(self.expiries.len()) > timers_max {
            self.reset_timers();
        }
    }

    /// Forgets all timers and sets those of the open orders again: stale ones are gone.
    pub(crate) fn reset_timers(&mut self) {
        self.auctions.reset(i64::try_from(self.slot.0).unwrap_or(i64::MAX));
        self.expiries.reset(self.now.0);
        // Each order sets two timers at most, so this never asks for another reset.
        self.for_each_order(|user| user.timed, Self::schedule);
    }

    /// Puts an order slot where it belongs now.
    pub(crate) fn reposition(&mut self, handle: u32) {
        let (market, decision) = self.decision(handle);
        self.move_to(handle, market, decision);
    }

    pub(crate) fn decision(&self, handle: u32) -> (u16, Decision) {
        let Some(order) = open_order(self.arena.raw(handle)) else {
            return (NO_MARKET, Decision::Out(LeftOut::NotOpen));
        };
        let key = MarketKey { market_type: order.market_type, market_index: order.market_index };
        let Some(id) = self.market_id(key) else {
            return (NO_MARKET, Decision::Out(LeftOut::UnknownMarket));
        };
        let market = &self.markets[id.index()];
        let user = self.users.get(user_of(handle));
        let context = Context {
            slot: self.slot,
            now: self.now,
            owner_frozen: user.frozen,
            position: if order.reduce_only { position_in(user, market) } else { 0 },
            step: market.info.step,
            market_reduce_only: market.is_reduce_only(),
        };
        (id.0, decide(&order, &context))
    }

    fn move_to(&mut self, handle: u32, market: u16, decision: Decision) {
        let node = *self.arena.node(handle);
        let (place, key, size) = decision.place();
        if (node.place, node.key, node.market) == (place, key, market) {
            if node.size != size {
                self.resize(handle, size);
            }
            return;
        }
        self.withdraw(handle);
        self.place(handle, MarketId(market), place, key, size);
    }

    /// Takes an order slot out of its ladder, if it stands in one.
    fn withdraw(&mut self, handle: u32) {
        let node = *self.arena.node(handle);
        match node.place {
            Place::Out(reason) => {
                self.count_left_out(reason, false);
                return;
            }
            Place::Auction(reason) => {
                self.count_left_out(reason, false);
                self.leave_auctions(MarketId(node.market), handle);
                return;
            }
            Place::Fixed(side) => self.markets[usize::from(node.market)].fixed[side.index()]
                .remove(&mut self.arena, handle, node.key, node.size),
            Place::Offset(side) => self.markets[usize::from(node.market)].offset[side.index()]
                .remove(&mut self.arena, handle, node.key.cast_signed(), node.size),
        }
        self.resting_orders -= 1;
        self.touch_shown(MarketId(node.market), handle);
    }

    fn place(&mut self, handle: u32, id: MarketId, place: Place, key: u64, size: u64) {
        let node = self.arena.node_mut(handle);
        node.place = place;
        node.key = key;
        node.size = size;
        node.market = id.0;
        match place {
            Place::Out(reason) => {
                self.count_left_out(reason, true);
                return;
            }
            Place::Auction(reason) => {
                self.count_left_out(reason, true);
                self.join_auctions(id, handle);
                return;
            }
            Place::Fixed(side) => {
                let ladder = &mut self.markets[id.index()].fixed[side.index()];
                ladder.insert(&mut self.arena, handle, key, size);
            }
            Place::Offset(side) => {
                let ladder = &mut self.markets[id.index()].offset[side.index()];
                ladder.insert(&mut self.arena, handle, key.cast_signed(), size);
            }
        }
        self.resting_orders += 1;
        self.touch_shown(id, handle);
    }

    fn resize(&mut self, handle: u32, size: u64) {
        let node = *self.arena.node(handle);
        let market = &mut self.markets[usize::from(node.market)];
        match node.place {
            Place::Out(_) => unreachable!("Invariant: an order that is out has size 0"),
            Place::Auction(_) => {}
            Place::Fixed(side) => market.fixed[side.index()].resize(node.key, node.size, size),
            Place::Offset(side) => {
                let offset = node.key.cast_signed();
                market.offset[side.index()].resize(offset, node.size, size);
            }
        }
        self.arena.node_mut(handle).size = size;
        match node.place {
            Place::Auction(_) => self.touch_auctions(MarketId(node.market)),
            _ => self.touch_shown(MarketId(node.market), handle),
        }
    }

    /// Notes a change of a market, if the order is of what the market shows.
    fn touch_shown(&mut self, id: MarketId, handle: u32) {
        let market = &self.markets[id.index()];
        let (side, is_priced) = match self.arena.node(handle).place {
            Place::Fixed(side) => (side, true),
            Place::Offset(side) => (side, market.pricing.is_some()),
            _ => unreachable!("Invariant: an order that is shown stands in a ladder"),
        };
        if market.empty.is_none() && is_priced {
            self.touch_side(id, side);
        }
    }

    fn count_left_out(&mut self, reason: LeftOut, enters: bool) {
        if reason == LeftOut::NotOpen {
            return;
        }
        let count = &mut self.left_out[reason as usize];
        *count = if enters { *count + 1 } else { *count - 1 };
    }

    /// Empties a market's ladders and places all its orders again: its tick, step or rules changed.
    pub(crate) fn rebuild_market(&mut self, id: MarketId) {
        let market = &mut self.markets[id.index()];
        let tick = market.info.tick.0;
        let key = market.info.key();
        market.fixed.iter_mut().for_each(crate::ladder::fixed::Ladder::clear);
        market.offset.iter_mut().for_each(|ladder| ladder.reset(tick));
        market.auctions.clear();
        self.touch(id);
        self.for_each_order(
            |user| user.open,
            |book, handle| {
                if market_of(book.arena.raw(handle)) == Some(key) {
                    book.detach(handle);
                    book.reposition(handle);
                }
            },
        );
    }

    /// Forgets a place in a ladder or a list that has been emptied.
    fn detach(&mut self, handle: u32) {
        let node = self.arena.node_mut(handle);
        let (left_out, resting) = match node.place {
            Place::Out(_) => return,
            Place::Auction(reason) => (reason, 0),
            Place::Fixed(_) | Place::Offset(_) => (LeftOut::NotOpen, 1),
        };
        node.place = Place::Out(left_out);
        node.market = NO_MARKET;
        node.key = 0;
        node.size = 0;
        node.prev = NONE;
        node.next = NONE;
        self.resting_orders -= resting;
    }

    /// Sizes a market's reduce-only orders again: its interest changed what positions hold.
    pub(crate) fn resize_reduce_only(&mut self, id: MarketId) {
        let key = self.markets[id.index()].info.key();
        self.for_each_order(
            |user| user.reduce_only,
            |book, handle| {
                if market_of(book.arena.raw(handle)) == Some(key) {
                    book.reposition(handle);
                }
            },
        );
    }

    /// Calls `each` with the handle of every order slot that is in a mask of its user.
    pub(crate) fn for_each_order(
        &mut self,
        mask: impl Fn(&User) -> u32,
        mut each: impl FnMut(&mut Self, u32),
    ) {
        for user in 0..self.users.len() {
            for slot in bits(mask(self.users.get(user))) {
                each(self, handle_of(user, slot));
            }
        }
    }
}

/// The numbers of the bits set in a mask of order slots.
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let slot = mask.trailing_zeros();
            mask &= mask - 1;
            slot as usize
        })
    })
}

fn set_bit(mask: &mut u32, bit: u32, set: bool) {
    if set {
        *mask |= bit;
    } else {
        *mask &= !bit;
    }
}

/// The order in a slot, when it is open. Slots were checked when they came in.
fn open_order(raw: &[u8; ORDER_BYTES]) -> Option<Order> {
    let view = OrderView::new(raw);
    if view.status() != Ok(OrderStatus::Open) {
        return None;
    }
    let order = view.decode();
    debug_assert!(order.is_ok(), "Invariant: slots are checked when they come in");
    order.ok()
}

/// True when an order's place may change with the slot or the second alone.
#[inline]
pub(crate) fn depends_on_time(order: &OrderView<'_>) -> bool {
    order.auction_duration() != 0 || order.max_ts().0 != 0
}

fn market_of(raw: &[u8; ORDER_BYTES]) -> Option<MarketKey> {
    let view = OrderView::new(raw);
    let market_type = view.market_type().ok()?;
    Some(MarketKey { market_type, market_index: view.market_index() })
}

/// What a row of /l3 shows of a slot besides price and size: order slot, id, expiry and flags.
fn row(raw: &[u8; ORDER_BYTES]) -> (u64, u32, i64, bool, bool, bool) {
    let view = OrderView::new(raw);
    (
        view.slot().0,
        view.order_id(),
        view.max_ts().0,
        view.reduce_only(),
        view.post_only(),
        view.bit_flags() & bit_flags::SIGNED_MESSAGE != 0,
    )
}

/// Signed base a user holds in a market: the perp position, or the spot token amount.
fn position_in(user: &User, market: &Market) -> i64 {
    let index = market.info.market_index;
    if market.info.market_type == MarketType::Perp {
        return user.positions.perp_base(index);
    }
    let Some(spot) = user.positions.spot(index) else { return 0 };
    let tokens = spot_token_amount(
        spot.scaled_balance,
        spot.balance_type,
        market.info.decimals,
        market.interest.deposit,
        market.interest.borrow,
    );
    i64::try_from(tokens).unwrap_or(if tokens < 0 { i64::MIN } else { i64::MAX })
}
