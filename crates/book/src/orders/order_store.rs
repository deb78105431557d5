//! The order slots of all users: their bytes, their places, and their timers.

use slotbook_protocol::model::enums::{MarketType, OrderStatus};
use slotbook_protocol::model::order::{NOT_HELD, Order, OrderView, RawOrder, bit_flags};
use slotbook_protocol::model::units::Pubkey;
use slotbook_protocol::model::user::{Positions, spot_token_amount};
use slotbook_protocol::model::{ProtocolError, UserView};

use super::rules::{Context, decide};
use super::timers::Timer;
use super::timers::Timers;
use super::users::{Rest, User, UserTable};
use crate::LeftOut;
use crate::ladder::arena::{Arena, Entry, Node, Place, Standing, handle_of, slot_of, user_of};
use crate::limits::{ORDERS_PER_USER, TIMERS_PER_ORDER_MAX, TIMERS_SLACK, USERS_MAX};
use crate::markets::market::Market;
use crate::markets::market_table::MarketTable;
use crate::model::clock::Clock;
use crate::model::market::{MarketId, MarketKey};
use crate::model::update::BookError;

/// Number of orders by place. Orders that their market hides count as resting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OrderCounts {
    pub(crate) open: usize,
    pub(crate) resting: usize,
    pub(crate) left_out: [usize; LeftOut::COUNT],
}

impl OrderCounts {
    fn add(&mut self, place: Place) {
        if let Some(count) = self.at(place) {
            *count += 1;
        }
    }

    fn remove(&mut self, place: Place) {
        if let Some(count) = self.at(place) {
            *count -= 1;
        }
    }

    /// Returns the counter of a place; `None` for a slot without an open order.
    fn at(&mut self, place: Place) -> Option<&mut usize> {
        match place {
            Place::Out(LeftOut::NotOpen) => None,
            Place::Out(reason) | Place::Auction(reason) => {
                Some(&mut self.left_out[reason as usize])
            }
            Place::Fixed(_) | Place::Offset(_) => Some(&mut self.resting),
        }
    }
}

/// Users, the storage of their order slots, and their timers.
#[derive(Debug, Default)]
pub(crate) struct OrderStore {
    pub(crate) users: UserTable,
    pub(crate) arena: Arena,
    timers: Timers,
    pub(crate) counts: OrderCounts,
    pub(crate) present_users: usize,
    pub(crate) present_key_sum: u64,
    pub(crate) is_hashed: bool,
}

impl OrderStore {
    /// The index of a user account; a new key gets a new index.
    pub(crate) fn user_index(&mut self, pubkey: Pubkey) -> Result<usize, BookError> {
        if let Some(index) = self.users.find(&pubkey) {
            return Ok(index);
        }
        let full = BookError::LimitExceeded { pubkey, limit: "USERS_MAX", max: USERS_MAX };
        let index = self.users.add(pubkey, USERS_MAX).ok_or(full)?;
        while self.arena.len() <= index {
            self.arena.grow();
        }
        Ok(index)
    }

    /// Returns the slots whose bytes differ, of a mask of those that may, after validating each of
    /// them.
    pub(crate) fn changed_slots(
        &self,
        index: usize,
        user: &UserView<'_>,
        touched: u32,
    ) -> Result<u32, ProtocolError> {
        let block = self.arena.block(index);
        let held = |slot: usize| block.used(slot).map(|entry| &entry.raw);
        match touched {
            u32::MAX => user.changed_orders(held),
            _ => user.changed_orders_among(touched, held),
        }
    }

    /// Returns in each slot the perp market of the order that the account holds there itself.
    pub(crate) fn held_in(
        &self,
        index: usize,
        user: &UserView<'_>,
        changed: u32,
    ) -> [u32; ORDERS_PER_USER] {
        let mut held = [NOT_HELD; ORDERS_PER_USER];
        for slot in bits(self.users.get(index).open & !changed) {
            held[slot] = self.arena.raw(handle_of(index, slot)).view().held_in();
        }
        for slot in bits(changed) {
            held[slot] = user.order(slot).view().held_in();
        }
        held
    }

    /// Marks a user account as present; returns whether it already was.
    pub(crate) fn set_present(&mut self, index: usize) -> bool {
        let user = self.users.get_mut(index);
        let was_present = std::mem::replace(&mut user.present, true);
        if !was_present {
            self.present_users += 1;
            self.present_key_sum = self.present_key_sum.wrapping_add(user.seed);
        }
        was_present
    }

    /// Sets the status, and the positions if given; returns the slots whose place depends on the
    /// change.
    pub(crate) fn set_status_and_positions(
        &mut self,
        index: usize,
        frozen: bool,
        positions: Option<&Positions>,
        markets: &mut MarketTable,
    ) -> u32 {
        let user = self.users.get(index);
        let moved = positions.filter(|positions| user.positions != **positions);
        let mut reconsider = if user.frozen == frozen { 0 } else { user.open };
        if moved.is_some() {
            let is_any = markets.reduces_every_order();
            reconsider |= if is_any { user.open } else { user.reduce_only };
        }
        let hashed = if self.is_hashed { reconsider } else { 0 };
        self.remove_hashes(index, hashed, markets);
        let user = self.users.get_mut(index);
        user.frozen = frozen;
        if let Some(positions) = moved {
            markets.move_elsewhere(&user.positions, positions);
            user.positions = *positions;
        }
        self.add_hashes(index, hashed, markets);
        reconsider
    }

    /// Replaces the bytes of changed slots; `reposition` then places the orders.
    pub(crate) fn set_slots(
        &mut self,
        index: usize,
        user: &UserView<'_>,
        changed: u32,
        markets: &mut MarketTable,
    ) {
        if self.is_hashed {
            self.replace_hashes(index, user, changed, markets);
        }
        for slot in bits(changed) {
            self.set_slot(handle_of(index, slot), &user.order(slot), markets);
        }
    }

    fn set_slot(&mut self, handle: u32, new: &RawOrder, markets: &mut MarketTable) {
        let (user, slot) = (user_of(handle), slot_of(handle));
        let Entry { raw, node } = self.arena.block_mut(user).entry_mut(slot);
        let row_changed = row(raw) != row(new);
        *raw = *new;
        node.generation = node.generation.wrapping_add(1);
        if row_changed || matches!(node.place, Place::Auction(_)) {
            markets.mark_order(node.market, node.place);
        }
        self.set_masks(user, slot, new);
        if self.users.get(user).timed >> slot & 1 == 1 {
            self.schedule(handle, markets.clock());
        }
    }

    fn set_masks(&mut self, user: usize, slot: usize, raw: &RawOrder) {
        let order = raw.view();
        let open = order.status() == Ok(OrderStatus::Open);
        let bit = 1u32 << slot;
        let user = self.users.get_mut(user);
        let was_open = user.open & bit != 0;
        set_bit(&mut user.open, bit, open);
        set_bit(&mut user.reduce_only, bit, open && order.reduce_only());
        set_bit(&mut user.timed, bit, open && depends_on_time(&order));
        self.counts.open = self.counts.open + usize::from(open) - usize::from(was_open);
    }

    /// Removes all orders of a user. The key stays, so that older states are rejected.
    pub(crate) fn remove_user(&mut self, index: usize, markets: &mut MarketTable) {
        if !self.users.get(index).present {
            return;
        }
        if self.is_hashed {
            self.remove_hashes(index, self.users.get(index).open, markets);
        }
        for slot in bits(self.users.get(index).open) {
            let handle = handle_of(index, slot);
            self.set_slot(handle, &RawOrder::EMPTY, markets);
            self.reposition(handle, markets);
        }
        self.arena.clear(index);
        let user = self.users.get_mut(index);
        debug_assert!(user.open == 0, "Invariant: an absent user has no open orders");
        markets.move_elsewhere(&user.positions, &Positions::NONE);
        user.positions = Positions::NONE;
        user.rest = Rest::default();
        user.frozen = false;
        user.present = false;
        self.present_users -= 1;
        self.present_key_sum = self.present_key_sum.wrapping_sub(user.seed);
    }

    fn schedule(&mut self, handle: u32, clock: &Clock) {
        self.set_timers(handle, clock);
        if self.timers.len() > TIMERS_PER_ORDER_MAX * self.counts.open + TIMERS_SLACK {
            self.reset_timers(clock);
        }
    }

    fn set_timers(&mut self, handle: u32, clock: &Clock) {
        let Some(order) = open_order(self.arena.raw(handle)) else { return };
        let timer = Timer { handle, generation: self.arena.node(handle).generation };
        self.timers.schedule(&order, timer, clock);
    }

    /// Discards all timers and schedules the open orders again, which drops stale timers.
    pub(crate) fn reset_timers(&mut self, clock: &Clock) {
        self.timers.reset(clock);
        self.for_each_order(|user| user.timed, |store, handle| store.set_timers(handle, clock));
    }

    /// Moves time back: places every time-dependent order again.
    pub(crate) fn rewind(&mut self, markets: &mut MarketTable) {
        self.reset_timers(markets.clock());
        self.for_each_order(|user| user.timed, |store, handle| store.reposition(handle, markets));
    }

    /// Moves time forward: ends auctions and expires orders.
    pub(crate) fn fire_timers(&mut self, markets: &mut MarketTable) {
        self.timers.advance(markets.clock());
        while let Some(Timer { handle, generation }) = self.timers.pop_due() {
            if self.arena.node(handle).generation == generation {
                self.reposition(handle, markets);
            }
        }
    }

    /// Moves an order slot to its current place.
    pub(crate) fn reposition(&mut self, handle: u32, markets: &mut MarketTable) {
        let next = self.decide(handle, markets);
        let node = self.arena.node_mut(handle);
        let Node { place, key, market, size, .. } = *node;
        if (place, key, market) == (next.place, next.key, next.market) {
            if size != next.size {
                markets.resize_order(node, next.size);
            }
            return;
        }
        markets.remove_order(&mut self.arena, handle);
        self.counts.remove(place);
        let node = self.arena.node_mut(handle);
        (node.place, node.key, node.market, node.size) =
            (next.place, next.key, next.market, next.size);
        markets.insert_order(&mut self.arena, handle);
        self.counts.add(next.place);
    }

    /// Returns the current place of an order slot by the rules.
    pub(crate) fn decide(&self, handle: u32, markets: &MarketTable) -> Standing {
        let Some(mut order) = open_order(self.arena.raw(handle)) else {
            return Node::EMPTY.standing();
        };
        let key = MarketKey { market_type: order.market_type, market_index: order.market_index };
        let Some(market) = markets.find(key) else {
            let place = Place::Out(LeftOut::UnknownMarket);
            return Standing { place, ..Node::EMPTY.standing() };
        };
        if market.is_reduce_only() && markets.exchange.rules.reduces_every_order() {
            order.reduce_only = true;
        }
        let user = self.users.get(user_of(handle));
        let context = Context {
            clock: markets.clock(),
            owner_frozen: user.frozen,
            position: if order.reduce_only { position_in(user, market) } else { 0 },
            market: market.info.id,
            step: market.info.step,
            market_reduce_only: market.is_reduce_only(),
            is_on_clob: markets.exchange.rules.is_placed_on_clob(&order),
        };
        decide(&order, &context)
    }

    /// Positions of a perp market whose users have more orders in it than they hold.
    pub(crate) fn counted_elsewhere(&self, key: MarketKey) -> usize {
        let positions = self.users.present().flat_map(|user| &user.positions.perp);
        let elsewhere = positions.filter(|position| {
            position.has_orders_elsewhere && position.market_index == key.market_index
        });
        if key.market_type == MarketType::Perp { elsewhere.count() } else { 0 }
    }

    /// Empties a market's lists and places all its orders again, after a change of its tick, step
    /// or rules.
    pub(crate) fn rebuild_market(&mut self, id: MarketId, markets: &mut MarketTable) {
        let market = &mut markets.list[id.index()];
        market.ladders.reset(market.info.tick.0);
        let key = market.info.key();
        self.for_each_order_of(
            key,
            |user| user.open,
            |store, handle| {
                store.detach(handle);
                store.reposition(handle, markets);
            },
        );
    }

    /// Clears the place of a node whose list was emptied.
    fn detach(&mut self, handle: u32) {
        let node = self.arena.node_mut(handle);
        if matches!(node.place, Place::Out(_)) {
            return;
        }
        let place = node.place;
        *node = Node { generation: node.generation, ..Node::EMPTY };
        self.counts.remove(place);
    }

    /// Recomputes the sizes of a market's reduce-only orders after interest changed the positions.
    pub(crate) fn resize_reduce_only(&mut self, id: MarketId, markets: &mut MarketTable) {
        let key = markets.list[id.index()].info.key();
        self.for_each_order_of(
            key,
            |user| user.reduce_only,
            |store, handle| store.reposition(handle, markets),
        );
    }

    /// Calls `each` for every masked order slot of a market.
    fn for_each_order_of(
        &mut self,
        key: MarketKey,
        mask: impl Fn(&User) -> u32,
        mut each: impl FnMut(&mut Self, u32),
    ) {
        self.for_each_order(mask, |store, handle| {
            if market_of(store.arena.raw(handle)) == Some(key) {
                each(store, handle);
            }
        });
    }

    fn for_each_order(
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

/// Returns the order in a slot when it is open. Slots were validated when they arrived.
pub(crate) fn open_order(raw: &RawOrder) -> Option<Order> {
    let view = raw.view();
    if view.status() != Ok(OrderStatus::Open) {
        return None;
    }
    let order = view.decode();
    debug_assert!(order.is_ok(), "Invariant: slots are checked when they come in");
    order.ok()
}

/// Returns whether the order's place may change only because slot or time advance.
#[inline]
pub(crate) fn depends_on_time(order: &OrderView<'_>) -> bool {
    order.auction_duration() != 0 || order.max_ts().0 != 0
}

pub(crate) fn market_of(raw: &RawOrder) -> Option<MarketKey> {
    let view = raw.view();
    let market_type = view.market_type().ok()?;
    Some(MarketKey { market_type, market_index: view.market_index() })
}

/// Returns the fields of a /l3 row other than price and size: order slot, id, expiry and flags.
fn row(raw: &RawOrder) -> (u64, u32, i64, bool, bool, bool) {
    let view = raw.view();
    (
        view.slot().0,
        view.order_id(),
        view.max_ts().0,
        view.reduce_only(),
        view.post_only(),
        view.bit_flags() & bit_flags::SIGNED_MESSAGE != 0,
    )
}

/// Signed base a user holds in a market: the perp position, or the spot token amount in whole steps.
fn position_in(user: &User, market: &Market) -> i64 {
    let index = market.info.market_index;
    if market.info.market_type == MarketType::Perp {
        return user.positions.perp_base(index);
    }
    let Some(spot) = user.positions.spot(index) else { return 0 };
    let tokens = spot_token_amount(
        u128::from(spot.scaled_balance),
        spot.balance_type,
        market.info.decimals,
        market.interest.deposit,
        market.interest.borrow,
    );
    // The program fills spot orders in whole steps. Source: programs/drift/src/controller/orders.rs
    // `fulfill_spot_order_with_match`.
    let step = i128::from(market.info.step.0).max(1);
    let tokens = tokens - tokens % step;
    i64::try_from(tokens).unwrap_or(if tokens < 0 { i64::MIN } else { i64::MAX })
}
