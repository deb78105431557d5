//! What the book holds besides its levels: markets, oracles, counts, and whether it is sound.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use slotbook_book::AccountUpdate;
use slotbook_core::text;

use crate::convert::{index, maker_of};
use crate::core::Core;
use crate::snapshot::PackedSnapshot;

/// A part of the users with open orders.
#[napi(object)]
pub struct UserPage {
    /// Their accounts, base58.
    pub keys: Vec<String>,
    /// Where the next part begins; 0 after the last one.
    pub next: u32,
}

/// What the accounts of the exchange say of its users, and how many accounts are held.
#[napi(object)]
pub struct Census {
    /// User accounts that the exchange's state counts, idle ones among them.
    pub sub_accounts: f64,
    /// Perp positions that the markets count, one for each user in each market.
    pub positions: f64,
    /// User and market accounts that are held, and the quarantined ones.
    pub accounts: f64,
    /// Accounts out of the book because their bytes are malformed.
    pub quarantined: f64,
}

#[napi]
impl Core {
    /// The number of a market by its name in any case; -1 when there is none.
    #[napi]
    pub fn find_market(&self, name: String) -> i32 {
        self.core.book().find_market_by_name(&name).map_or(-1, |id| i32::from(id.0))
    }

    /// Whether there is a user account with this key (base58); false for a text that is no key.
    #[napi]
    pub fn has_user(&self, key: String) -> bool {
        maker_of(&key).ok().flatten().is_some_and(|key| self.core.book().has_user(&key))
    }

    /// The /user/{account}/orders body: the open orders of a user account (base58). Null for a text
    /// that is no key.
    #[napi]
    pub fn open_orders(&self, account: String) -> Option<String> {
        let account = maker_of(&account).ok().flatten()?;
        Some(self.core.open_orders(&account))
    }

    /// All markets as JSON text. Worth asking when the number of the market set has grown.
    #[napi]
    pub fn markets(&self) -> String {
        text::markets(self.core.book())
    }

    /// What accounts and oracles say of each market for statistics, as JSON text in the order of
    /// their numbers. It changes without a new version of any body.
    #[napi]
    pub fn chain_stats(&self) -> String {
        text::chain_stats(self.core.book())
    }

    /// The oracle accounts that markets name, as a JSON array of base58 keys.
    #[napi]
    pub fn oracle_keys(&self) -> String {
        text::keys(&self.core.book().oracle_keys())
    }

    /// The accounts of a decoded snapshot that the book should have been notified of and was not,
    /// as a JSON array of base58 keys: it has them in an older state, or not at all.
    #[napi]
    pub fn lacking(&self, snapshot: &PackedSnapshot) -> String {
        keys_of(snapshot, |update| self.core.book().lacks(update))
    }

    /// The accounts that the book has and a later reading of them has not, as a JSON array of base58 keys.
    #[napi]
    pub fn gone(&self, snapshot: &PackedSnapshot) -> String {
        keys_of(snapshot, |update| self.core.book().outlives(update))
    }

    /// The accounts of the program in a decoded snapshot, as a JSON array of base58 keys: of those that were asked for,
    /// the ones that the chain has.
    #[napi]
    pub fn found_accounts(&self, snapshot: &PackedSnapshot) -> String {
        keys_of(snapshot, |update| self.core.book().finds_account(update))
    }

    /// The first `count` user accounts of a decoded snapshot, as a JSON array: what contradicts the layout in each.
    #[napi]
    pub fn layout_samples(&self, snapshot: &PackedSnapshot, count: u32) -> String {
        let updates = snapshot.snapshot.updates(0, usize::MAX);
        let samples = updates.filter_map(|update| self.core.book().layout_sample(&update));
        text::layout_samples(&samples.take(index(count)).collect::<Vec<_>>())
    }

    /// At most `count` users with open orders, from number `from` of the book's users on.
    #[napi]
    pub fn users_with_orders(&self, from: u32, count: u32) -> UserPage {
        let (keys, next) = self.core.book().users_with_orders(index(from), index(count));
        let keys = keys.iter().map(ToString::to_string).collect();
        UserPage { keys, next: crate::convert::count(next) }
    }

    /// What a snapshot of all users must agree with.
    #[napi]
    pub fn census(&self) -> Census {
        let census = self.core.book().census();
        Census {
            sub_accounts: census.sub_accounts as f64,
            positions: census.positions as f64,
            accounts: census.accounts as f64,
            quarantined: census.quarantined as f64,
        }
    }

    /// What the book and the cache of bodies hold, as a JSON object.
    #[napi]
    pub fn stats(&mut self) -> String {
        self.core.stats()
    }

    /// A hash of everything the book shows: equal for equal books.
    #[napi]
    pub fn state_hash(&self) -> BigInt {
        BigInt::from(self.core.book().state_hash())
    }

    /// Null when every invariant of the book holds; else the one that does not.
    #[napi]
    pub fn check_integrity(&self) -> Option<String> {
        self.core.book().check_integrity().err().map(|violation| violation.to_string())
    }
}

/// The keys of the accounts of a snapshot for which this holds, as a JSON array.
fn keys_of(snapshot: &PackedSnapshot, holds: impl Fn(&AccountUpdate<'_>) -> bool) -> String {
    let updates = snapshot.snapshot.updates(0, usize::MAX).filter(holds);
    text::keys(&updates.map(|update| update.pubkey).collect::<Vec<_>>())
}
