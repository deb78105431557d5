//! Sums the hashes of open orders by market.
//!
//! The sums are maintained from the first request on, because they make an account update 3 per
//! cent slower. An order's hash covers its bytes, its maker, and the owner's data that affects its
//! size or place. It does not depend on time, so only account updates change it.

use slotbook_protocol::model::UserView;
use slotbook_protocol::model::enums::{MarketType, OrderStatus, SpotBalanceType};
use slotbook_protocol::model::order::RawOrder;

use super::order_store::{OrderStore, bits, market_of};
use super::users::User;
use crate::ladder::arena::handle_of;
use crate::markets::market_table::MarketTable;
use crate::model::hash::hash_order;
use crate::model::market::MarketKey;

/// Spreads a position over the bits of a seed.
const POSITION_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl OrderStore {
    /// Enables the maintenance of order hashes. The first call costs O(orders).
    pub(crate) fn keep_hashes(&mut self, markets: &mut MarketTable) {
        if std::mem::replace(&mut self.is_hashed, true) {
            return;
        }
        for user in 0..self.users.len() {
            self.add_hashes(user, self.users.get(user).open, markets);
        }
    }

    pub(crate) fn hash_new_market(&mut self, key: MarketKey, markets: &mut MarketTable) {
        if !self.is_hashed {
            return;
        }
        for user in 0..self.users.len() {
            let raw = |slot: usize| self.arena.raw(handle_of(user, slot));
            let of_market =
                bits(self.users.get(user).open).filter(|slot| market_of(raw(*slot)) == Some(key));
            self.add_hashes(user, of_market.fold(0, |mask, slot| mask | 1 << slot), markets);
        }
    }

    /// Adds the hashes of the masked order slots to the sums of their markets.
    pub(crate) fn add_hashes(&self, user: usize, slots: u32, markets: &mut MarketTable) {
        for (key, hash) in bits(slots).filter_map(|slot| self.order_hash(user, slot)) {
            if let Some(sum) = markets.orders_hash(key) {
                sum.add(hash);
            }
        }
    }

    /// Subtracts hashes, with the same bytes and owner data with which they were added.
    pub(crate) fn remove_hashes(&self, user: usize, slots: u32, markets: &mut MarketTable) {
        for (key, hash) in bits(slots).filter_map(|slot| self.order_hash(user, slot)) {
            if let Some(sum) = markets.orders_hash(key) {
                sum.remove(hash);
            }
        }
    }

    /// Replaces the hashes of changed slots, in a separate loop so that the processor overlaps
    /// several hashes.
    pub(crate) fn replace_hashes(
        &self,
        user: usize,
        account: &UserView<'_>,
        changed: u32,
        markets: &mut MarketTable,
    ) {
        let owner = self.users.get(user);
        for slot in bits(changed) {
            let (old, new) = (self.arena.raw(handle_of(user, slot)), &account.order(slot));
            let was_open = owner.open >> slot & 1 == 1;
            let is_open = new.view().status() == Ok(OrderStatus::Open);
            let before = if was_open { hash_of(owner, old) } else { 0 };
            let after = if is_open { hash_of(owner, new) } else { 0 };
            if was_open && market_of(old) != market_of(new) {
                move_hash((old, before), (new, after), markets);
            } else if let Some(sum) = market_of(new).and_then(|key| markets.orders_hash(key)) {
                sum.remove(before);
                sum.add(after);
            }
        }
    }

    pub(crate) fn order_hash(&self, user: usize, slot: usize) -> Option<(MarketKey, u64)> {
        let raw = self.arena.raw(handle_of(user, slot));
        Some((market_of(raw)?, hash_of(self.users.get(user), raw)))
    }
}

/// Replaces an order by an order of another market.
#[cold]
fn move_hash(
    (old, before): (&RawOrder, u64),
    (new, after): (&RawOrder, u64),
    markets: &mut MarketTable,
) {
    if let Some(sum) = market_of(old).and_then(|key| markets.orders_hash(key)) {
        sum.remove(before);
    }
    if let Some(sum) = market_of(new).and_then(|key| markets.orders_hash(key)) {
        sum.add(after);
    }
}

#[inline]
fn hash_of(owner: &User, raw: &RawOrder) -> u64 {
    let is_reduce_only = raw.view().reduce_only();
    let position = if is_reduce_only { position_in(owner, raw) } else { 0 };
    hash_order(owner.seed ^ position ^ u64::from(owner.frozen), raw)
}

/// Returns the position that bounds a reduce-only order, as stored in the account. A spot balance
/// is the balance before interest, because interest belongs to the market.
#[cold]
fn position_in(user: &User, raw: &RawOrder) -> u64 {
    let Some(key) = market_of(raw) else { return 0 };
    let (amount, is_borrow) = match key.market_type {
        MarketType::Perp => (user.positions.perp_base(key.market_index).cast_unsigned(), false),
        MarketType::Spot => match user.positions.spot(key.market_index) {
            Some(spot) => (spot.scaled_balance, spot.balance_type == SpotBalanceType::Borrow),
            None => (0, false),
        },
    };
    amount.wrapping_mul(POSITION_FACTOR) ^ (u64::from(is_borrow) << 1)
}
