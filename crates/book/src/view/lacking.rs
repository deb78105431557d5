//! Compares a reading with the book, without changing it: accounts that the book lacks, which
//! reveal lost notifications, and accounts that the reading lacks.

use slotbook_protocol::model::units::Pubkey;
use slotbook_protocol::model::{AccountKind, kind_of};

use crate::apply::accounts::FROZEN;
use crate::book::Book;
use crate::limits::{MARKETS_MAX, USERS_WALKED_MAX};
use crate::markets::account::read_market;
use crate::markets::exchange::ExchangeTerms;
use crate::model::market::EmptyReason;
use crate::model::update::AccountUpdate;

/// The text that follows the program's address in the bytes whose hash is a derived address.
/// Source: solana-pubkey `PDA_MARKER`.
const DERIVED: &[u8] = b"ProgramDerivedAddress";

/// A user account whose address must be the SHA-256 of its seeds, one more byte, and `end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutSample {
    /// The account.
    pub pubkey: Pubkey,
    /// The seeds by the account's bytes.
    pub seeds: Vec<u8>,
    /// The bytes that follow the seeds in the hash of every address of the program.
    pub end: Vec<u8>,
    /// The contradiction between the account's bytes and the layout; `None` without a
    /// contradiction.
    pub contradiction: Option<String>,
}

impl Book {
    /// Returns whether the book lacks this state: it has an older, different state, or none, so a
    /// notification was lost.
    ///
    /// False for closed and idle accounts, because nodes send no notification for them; for
    /// malformed accounts, which the book never contains; and for a market beyond the table's
    /// limit.
    #[must_use]
    pub fn lacks(&self, update: &AccountUpdate<'_>) -> bool {
        if let Some(oracle) = self.markets.oracles.get(&update.pubkey) {
            let is_newer = oracle.version.admits(update, false);
            return is_newer && !update.data.is_empty() && !oracle.has_data(update);
        }
        if update.owner != self.markets.exchange.program {
            return false;
        }
        match kind_of(update.data) {
            Ok(AccountKind::User) => self.lacks_user(update),
            Ok(AccountKind::State) => self.lacks_state(update),
            Ok(kind) => {
                let rules = self.markets.exchange.rules;
                let read = read_market(rules, kind, update.pubkey, update.data);
                read.is_some_and(|read| read.is_ok()) && self.lacks_market(update)
            }
            Err(_) => false,
        }
    }

    /// Returns whether the book has an account that a later reading lacks: the account was closed,
    /// was written on an abandoned fork, or never existed. An idle user counts as gone, and so does
    /// a user or a market of another length or kind, because scans do not return them.
    #[must_use]
    pub fn outlives(&self, update: &AccountUpdate<'_>) -> bool {
        if let Some(oracle) = self.markets.oracles.get(&update.pubkey) {
            let is_gone = update.data.is_empty() && oracle.is_present();
            return is_gone && oracle.version.admits(update, false);
        }
        let exchange = &self.markets.exchange;
        let rules = exchange.rules;
        let is_there = !update.data.is_empty() && update.owner == exchange.program;
        if exchange.key == Some(update.pubkey) {
            return !is_there && exchange.version.admits(update, false);
        }
        let users = &self.orders.users;
        if let Some(user) = users.find(&update.pubkey).map(|index| users.get(index)) {
            let is_read = is_there && rules.user(update.data).is_ok_and(|view| !view.idle());
            return !is_read && user.present && user.version.admits(update, false);
        }
        let mut markets = self.markets.list.iter();
        let Some(market) = markets.find(|market| market.info.account == update.pubkey) else {
            return false;
        };
        let is_read = is_there
            && (market.unusable == Some(EmptyReason::MarketMalformed)
                || kind_of(update.data).is_ok_and(|kind| {
                    let read = read_market(rules, kind, update.pubkey, update.data);
                    read.is_some_and(|read| read.is_ok())
                }));
        let is_closed = market.unusable == Some(EmptyReason::MarketClosed);
        !is_read && !is_closed && market.version.admits(update, false)
    }

    /// Whether the reading contains an account of the program.
    #[must_use]
    pub fn finds_account(&self, update: &AccountUpdate<'_>) -> bool {
        !update.data.is_empty() && update.owner == self.markets.exchange.program
    }

    /// Returns a user account in the form that the check of the layout needs; `None` for other
    /// accounts.
    #[must_use]
    pub fn layout_sample(&self, update: &AccountUpdate<'_>) -> Option<LayoutSample> {
        let exchange = &self.markets.exchange;
        let view = exchange.rules.user(update.data).ok()?;
        let has_market = |market_type, index| self.find_market(market_type, index).is_some();
        let contradiction =
            view.contradiction(has_market).unwrap_or_else(|error| Some(error.to_string()));
        let end = [exchange.program.0.as_slice(), DERIVED].concat();
        Some(LayoutSample { pubkey: update.pubkey, seeds: view.seeds(), end, contradiction })
    }

    fn lacks_user(&self, update: &AccountUpdate<'_>) -> bool {
        let Ok(view) = self.markets.exchange.rules.user(update.data) else { return false };
        let Ok(positions) = view.positions() else { return false };
        if view.idle() {
            return false;
        }
        let Some(index) = self.orders.users.find(&update.pubkey) else { return true };
        let user = self.orders.users.get(index);
        if !user.version.admits(update, false) || self.quarantined.contains(&update.pubkey) {
            return false;
        }
        let frozen = view.status() & FROZEN != 0;
        let Ok(changed) = self.orders.changed_slots(index, &view, u32::MAX) else {
            return false;
        };
        !user.present || user.frozen != frozen || user.positions != positions || changed != 0
    }

    fn lacks_market(&self, update: &AccountUpdate<'_>) -> bool {
        let mut list = self.markets.list.iter();
        let Some(market) = list.find(|market| market.info.account == update.pubkey) else {
            return self.markets.list.len() < MARKETS_MAX;
        };
        let is_newer = market.version.admits(update, false);
        is_newer && market.unusable.is_none() && market.data != update.data
    }

    fn lacks_state(&self, update: &AccountUpdate<'_>) -> bool {
        let exchange = &self.markets.exchange;
        let Ok(state) = exchange.rules.state(update.data) else { return false };
        exchange.version.admits(update, false) && exchange.terms != ExchangeTerms::of(&state)
    }

    /// Returns up to `count` user accounts with open orders from index `from` on, and the index
    /// after the last account read; 0 at the end. Users without orders are among them where `count`
    /// has room for all users. Each round returns every account once.
    #[must_use]
    pub fn users_in_turn(&self, from: usize, count: usize) -> (Vec<Pubkey>, usize) {
        let users = &self.orders.users;
        let end = from.saturating_add(USERS_WALKED_MAX).min(users.len());
        let has_room = users.len() <= count;
        let mut keys = Vec::new();
        let mut next = from;
        while next < end && keys.len() < count {
            let user = users.get(next);
            if user.present && (user.open != 0 || has_room) {
                keys.push(user.key);
            }
            next += 1;
        }
        (keys, if next >= users.len() { 0 } else { next })
    }
}
