//! One user account: its bytes, and where its open orders stand.

use slotbook_protocol::model::AccountKind;
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::units::{BaseQty, Price, Pubkey};

use super::places::{Ahead, LongLists};
use super::scratch::QueueScratch;
use crate::OpenOrder;
use crate::book::Book;
use crate::ladder::arena::{Block, Place};

/// An open order with its place in the book.
#[derive(Clone, Copy, Debug)]
pub struct AccountOrder<'a> {
    /// The order.
    pub open: OpenOrder<'a>,
    /// The price at which it fills now: of a shown order its level, of an order in auction the
    /// auction's; `None` for other orders.
    pub price: Option<Price>,
    /// The size that would fill, in the market's base units; 0 for an order that cannot fill.
    pub size: BaseQty,
    /// What fills before it at its price; `None` for an order that is not shown.
    pub ahead: Option<Ahead>,
    /// The distance of its price from the best price of its side, 1e6; `None` likewise.
    pub distance: Option<u64>,
}

impl Book {
    /// Returns the bytes of a user account as they were last applied, its order slots zero; `None`
    /// for an unknown account.
    #[must_use]
    pub fn user_account(&self, key: &Pubkey) -> Option<Vec<u8>> {
        let user = self.orders.users.get(self.orders.users.find(key)?);
        let rules = self.markets.exchange.rules;
        let layout = rules.layout(AccountKind::User).filter(|_| user.present)?;
        let mut bytes = vec![0; layout.size];
        let slots = rules.user_shape().orders;
        let (head, rest) = bytes.split_at_mut(slots.start);
        user.rest.write([head, &mut rest[slots.len()..]]);
        Some(bytes)
    }

    /// Returns the user accounts of a wallet, in the order of their keys.
    #[must_use]
    pub fn accounts_of(&self, authority: &Pubkey) -> Vec<Pubkey> {
        let owned = self.orders.users.of_authority(*authority);
        let mut keys: Vec<Pubkey> = owned.map(|user| user.key).collect();
        keys.sort_unstable();
        keys
    }

    /// Returns the orders in the slots of a user account, open or not, in the order of the slots.
    #[must_use]
    pub fn order_slots(&self, key: &Pubkey) -> Vec<Order> {
        let user = self.orders.users.find(key);
        let block = user.map(|index| self.orders.arena.block(index)).into_iter();
        let views = block
            .flat_map(Block::entries)
            .map(|entry| entry.raw.view())
            .filter(|view| view.order_id() != 0);
        views.filter_map(|view| view.decode().ok()).collect()
    }

    /// Whether a user account is left out because its bytes are malformed.
    #[must_use]
    pub fn is_quarantined(&self, key: &Pubkey) -> bool {
        self.quarantined.contains(key)
    }

    /// Returns the open orders of a user account with their places, in the order of its slots; none
    /// for an unknown account.
    pub fn account_orders(
        &self,
        key: &Pubkey,
        scratch: &mut QueueScratch,
    ) -> Vec<AccountOrder<'_>> {
        let mut open = Vec::new();
        self.open_orders(key, &mut open);
        open.into_iter().map(|open| self.account_order(open, &mut scratch.lists)).collect()
    }

    fn account_order<'a>(&'a self, open: OpenOrder<'a>, lists: &mut LongLists) -> AccountOrder<'a> {
        if let Some(at) = self.shown_at(open.handle) {
            let (market, side, price) = at;
            let entry = self.orders.queue_entry(open.handle);
            let best = market.ladders.best[side.index()];
            return AccountOrder {
                open,
                price: Some(price),
                size: BaseQty(entry.size),
                ahead: Some(self.ahead_of(&entry, at, lists)),
                distance: best.map(|best| best.0.abs_diff(price.0)),
            };
        }
        let node = self.orders.arena.node(open.handle);
        let market = self.markets.get(node.market);
        let row = market
            .filter(|market| matches!(node.place, Place::Auction(_)) && market.empty.is_none())
            .and_then(|market| self.auction_row(market, open.handle));
        let size = BaseQty(if row.is_some() { node.size } else { 0 });
        let price = row.and_then(|row| row.current);
        AccountOrder { open, price, size, ahead: None, distance: None }
    }
}
