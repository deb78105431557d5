//! The book of the comparison: every update takes all open orders of the account out of ordered
//! maps and puts all of them in again, as common client libraries of the exchange do.
//!
//! It is the plain standard library, as fast as that allows: two maps a side keyed by price
//! (or offset), slot, id and maker, a map of orders and a map of accounts. It checks nothing.

use std::collections::{BTreeMap, HashMap};

use slotbook_protocol::model::units::{OraclePrice, Pubkey, Slot};

use crate::workload::array;

const ORDERS_AT: usize = 1_192;
const ORDER_BYTES: usize = 96;
const ORDERS_PER_USER: usize = 32;
const STATUS_OPEN: u8 = 1;
const TYPE_LIMIT: u8 = 1;

/// The position of an order on its side, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Price or offset of an ask, its negative for a bid.
    rank: i64,
    slot: u64,
    id: u32,
    user: u32,
}

#[derive(Clone, Copy, Debug)]
struct Resting {
    market: u16,
    side: usize,
    floating: bool,
    key: Key,
    size: u64,
}

#[derive(Debug, Default)]
struct Account {
    index: u32,
    slot: u64,
    open: Vec<u32>,
}

#[derive(Debug, Default)]
struct Side {
    fixed: BTreeMap<Key, u64>,
    floating: BTreeMap<Key, u64>,
}

/// A price and the size at it.
pub type TreeLevel = (i64, u128);

/// The whole book.
#[derive(Debug, Default)]
pub struct TreeBook {
    accounts: HashMap<Pubkey, Account>,
    orders: HashMap<(u32, u32), Resting>,
    markets: Vec<[Side; 2]>,
}

impl TreeBook {
    /// Applies an account's new state.
    pub fn apply(&mut self, pubkey: Pubkey, slot: Slot, data: &[u8]) {
        let next = u32::try_from(self.accounts.len()).unwrap_or(u32::MAX);
        let account = self
            .accounts
            .entry(pubkey)
            .or_insert_with(|| Account { index: next, ..Account::default() });
        if slot.0 < account.slot {
            return;
        }
        account.slot = slot.0;
        for id in account.open.drain(..) {
            if let Some(order) = self.orders.remove(&(account.index, id)) {
                half(&mut self.markets, &order).remove(&order.key);
            }
        }
        let slots = data.get(ORDERS_AT..).unwrap_or_default().chunks_exact(ORDER_BYTES);
        for order in slots.take(ORDERS_PER_USER).filter_map(|slot| resting(slot, account.index)) {
            account.open.push(order.key.id);
            self.orders.insert((account.index, order.key.id), order);
            half(&mut self.markets, &order).insert(order.key, order.size);
        }
    }

    /// The best levels of a side (0 bids, 1 asks) at an oracle price.
    #[must_use]
    pub fn levels(
        &self,
        market: u16,
        side: usize,
        oracle: OraclePrice,
        depth: usize,
    ) -> Vec<TreeLevel> {
        let Some(sides) = self.markets.get(usize::from(market)) else { return Vec::new() };
        let sign = if side == 0 { -1 } else { 1 };
        let side = &sides[side];
        let shift = oracle.0 * sign;
        let mut fixed = side.fixed.iter().map(|(key, size)| (key.rank, *size)).peekable();
        let floating = side.floating.iter().map(|(key, size)| (key.rank + shift, *size));
        let mut floating = floating.peekable();
        let mut levels: Vec<TreeLevel> = Vec::new();
        loop {
            let take_floating = match (fixed.peek(), floating.peek()) {
                (None, None) => break,
                (Some(fixed), Some(floating)) => floating.0 < fixed.0,
                (fixed, _) => fixed.is_none(),
            };
            let next = if take_floating { floating.next() } else { fixed.next() };
            let Some((rank, size)) = next else { break };
            let price = rank * sign;
            let full = levels.len() == depth;
            match levels.last_mut().filter(|level| level.0 == price) {
                Some(level) => level.1 += u128::from(size),
                None if full => break,
                None => levels.push((price, u128::from(size))),
            }
        }
        levels
    }
}

/// The map that contains an order.
fn half<'a>(markets: &'a mut Vec<[Side; 2]>, order: &Resting) -> &'a mut BTreeMap<Key, u64> {
    let market = usize::from(order.market);
    if markets.len() <= market {
        markets.resize_with(market + 1, Default::default);
    }
    let side = &mut markets[market][order.side];
    if order.floating { &mut side.floating } else { &mut side.fixed }
}

/// An open limit order; `None` for an empty slot.
fn resting(order: &[u8], user: u32) -> Option<Resting> {
    if order[82] != STATUS_OPEN || order[83] != TYPE_LIMIT {
        return None;
    }
    let offset = i32::from_le_bytes(array(order, 72)?);
    let price = i64::from_le_bytes(array(order, 8)?);
    let side = usize::from(order[87]);
    let floating = offset != 0;
    let worth = if floating { i64::from(offset) } else { price };
    let base = u64::from_le_bytes(array(order, 16)?);
    let filled = u64::from_le_bytes(array(order, 24)?);
    let key = Key {
        rank: if side == 0 { -worth } else { worth },
        slot: u64::from_le_bytes(array(order, 0)?),
        id: u32::from_le_bytes(array(order, 76)?),
        user,
    };
    let market = u16::from_le_bytes(array(order, 80)?);
    Some(Resting { market, side, floating, key, size: base.saturating_sub(filled) })
}
