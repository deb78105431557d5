//! Applies user accounts of which only the bytes that changed are given.

use slotbook_protocol::model::user::TouchedParts;

use super::accounts::Source;
use crate::book::Book;
use crate::ladder::arena::handle_of;
use crate::model::update::{AccountUpdate, Applied, BookError};
use crate::orders::order_store::bits;
use crate::orders::users::NO_SOURCE;

/// Bytes of the discriminator, which no change of a user account may touch.
const DISCRIMINATOR_BYTES: usize = 8;

/// The changes of an account since the last update of the same account of the same source.
#[derive(Clone, Copy, Debug)]
pub struct AccountDelta<R> {
    /// The account's number in the source.
    pub account: u32,
    /// Bytes of the account, as many as before.
    pub length: usize,
    /// The position and the new bytes of each change, within the account.
    pub runs: R,
}

impl Book {
    /// Applies an account like [`Book::apply`], from the bytes that the book has and the changes;
    /// the data of `update` is not read. Returns `None`, and does nothing, when the book may have
    /// other bytes than the source had, or the account is no user.
    ///
    /// # Errors
    /// Those of [`Book::apply`].
    pub fn apply_delta<'r>(
        &mut self,
        update: &AccountUpdate<'_>,
        delta: &AccountDelta<impl Iterator<Item = (usize, &'r [u8])> + Clone>,
    ) -> Option<Result<Applied, BookError>> {
        let index = self.orders.users.find(&update.pubkey)?;
        let user = self.orders.users.get(index);
        let is_known = user.present && user.source == delta.account;
        if !is_known || self.markets.oracles.contains_key(&update.pubkey) {
            return None;
        }
        let (rules, runs) = (self.markets.exchange.rules, || delta.runs.clone());
        let is_retyped = runs().next().is_some_and(|(at, _)| at < DISCRIMINATOR_BYTES);
        if is_retyped || delta.length < rules.user_bytes() {
            return None;
        }
        let touched = rules.user_shape().touched(runs().map(|(at, bytes)| at..at + bytes.len()));
        let mut data = std::mem::take(&mut self.patched);
        self.write_user(index, touched, delta.length, &mut data);
        for (at, bytes) in runs() {
            data[at..at + bytes.len()].copy_from_slice(bytes);
        }
        self.changed_parts = None;
        self.orders.users.get_mut(index).source = NO_SOURCE;
        let update = AccountUpdate { data: &data, ..*update };
        let source = Source { account: delta.account, touched };
        let applied = self.apply_user(&update, source);
        self.patched = data;
        Some(applied)
    }

    /// Writes a user account as the book has it, without the order slots that are not touched.
    fn write_user(&self, index: usize, touched: TouchedParts, length: usize, out: &mut Vec<u8>) {
        let rules = self.markets.exchange.rules;
        let slots = rules.user_shape().orders;
        out.resize(length, 0);
        let (head, rest) = out[..rules.user_bytes()].split_at_mut(slots.start);
        let tail = &mut rest[slots.len()..];
        head.fill(0);
        tail.fill(0);
        self.orders.users.get(index).rest.write([head, tail]);
        for slot in bits(touched.orders) {
            rules.put_order(out, slot, self.orders.arena.raw(handle_of(index, slot)));
        }
    }
}
