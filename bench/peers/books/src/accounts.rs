//! Changes of orders, and how they are found in the new state of an account.

use std::collections::HashMap;

use slotbook_protocol::model::enums::{Direction, OrderStatus};
use slotbook_protocol::model::units::Pubkey;
use slotbook_protocol::model::Program;

/// Order slots of an account.
const SLOTS: usize = 32;

/// A resting order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Number of its maker, and its own.
    pub id: u64,
    /// Whether it sells.
    pub is_ask: bool,
    /// 1e6.
    pub price: u64,
    /// The remaining size, 1e9.
    pub size: u64,
}

/// A change of an order.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// It was placed.
    Insert(Order),
    /// Its size changed.
    Resize(Order),
    /// It is gone.
    Cancel(Order),
}

/// The last state of each account's orders.
#[derive(Debug, Default)]
pub struct AccountReader {
    accounts: HashMap<Pubkey, Account>,
}

#[derive(Debug)]
struct Account {
    number: u64,
    orders: [Option<Order>; SLOTS],
}

impl AccountReader {
    /// Gives each change between the last state of an account and this one.
    ///
    /// # Panics
    /// When the bytes are no user account: all of the benchmark are.
    pub fn read(&mut self, key: Pubkey, data: &[u8], mut give: impl FnMut(Change)) {
        let user = Program::Drift.user(data).expect("Invariant: the bytes are a user account");
        let number = self.accounts.len() as u64;
        let account =
            self.accounts.entry(key).or_insert_with(|| Account { number, orders: [None; SLOTS] });
        for (index, last) in account.orders.iter_mut().enumerate() {
            let raw = user.order(index);
            let order = raw.view();
            let is_open = order.status() == Ok(OrderStatus::Open);
            let now = is_open.then(|| Order {
                id: account.number << 32 | u64::from(order.order_id()),
                is_ask: order.direction() == Ok(Direction::Short),
                price: order.price().0 as u64,
                size: order.base_asset_amount().0 - order.base_asset_amount_filled().0,
            });
            match (*last, now) {
                (Some(old), Some(new)) if old == new => {}
                (Some(old), Some(new)) if (old.id, old.price) == (new.id, new.price) => {
                    give(Change::Resize(new));
                }
                (old, new) => {
                    old.into_iter().for_each(|old| give(Change::Cancel(old)));
                    new.into_iter().for_each(|new| give(Change::Insert(new)));
                }
            }
            *last = now;
        }
    }
}
