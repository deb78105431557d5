//! What the book holds besides its levels: markets, oracles, counts, and whether it is sound.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use slotbook_wire::open_orders::render_open_orders;

use crate::core::{Core, maker_of};
use crate::snapshot::PackedSnapshot;
use crate::text::{self, CacheStats};

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
        self.book.find_market_by_name(&name).map_or(-1, |id| i32::from(id.0))
    }

    /// Whether there is a user account with this key (base58); false for a text that is no key.
    #[napi]
    pub fn has_user(&self, key: String) -> bool {
        maker_of(&key).ok().flatten().is_some_and(|key| self.book.has_user(&key))
    }

    /// The /user/{account}/orders body: the open orders of a user account (base58). Null for a text
    /// that is no key.
    #[napi]
    pub fn open_orders(&self, account: String) -> Option<String> {
        let account = maker_of(&account).ok().flatten()?;
        let mut body = Vec::new();
        render_open_orders(&self.book, &account, &self.epoch, &mut body);
        Some(String::from_utf8_lossy(&body).into_owned())
    }

    /// All markets as JSON text. Worth asking when the number of the market set has grown.
    #[napi]
    pub fn markets(&self) -> String {
        text::markets(&self.book)
    }

    /// What accounts and oracles say of each market for statistics, as JSON text in the order of
    /// their numbers. It changes without a new version of any body.
    #[napi]
    pub fn chain_stats(&self) -> String {
        text::chain_stats(&self.book)
    }

    /// The oracle accounts that markets name, as a JSON array of base58 keys.
    #[napi]
    pub fn oracle_keys(&self) -> String {
        text::keys(&self.book.oracle_keys())
    }

    /// The accounts of a decoded snapshot that the book should have been notified of and was not,
    /// as a JSON array of base58 keys: it has them in an older state, or not at all.
    #[napi]
    pub fn lacking(&self, snapshot: &PackedSnapshot) -> String {
        let lacking = snapshot.updates(0, usize::MAX).filter(|update| self.book.lacks(update));
        text::keys(&lacking.map(|update| update.pubkey).collect::<Vec<_>>())
    }

    /// The accounts that the book has and a later reading of them has not, as a JSON array of base58 keys.
    #[napi]
    pub fn gone(&self, snapshot: &PackedSnapshot) -> String {
        let gone = snapshot.updates(0, usize::MAX).filter(|update| self.book.outlives(update));
        text::keys(&gone.map(|update| update.pubkey).collect::<Vec<_>>())
    }

    /// The accounts of the program in a decoded snapshot, as a JSON array of base58 keys: of those that were asked for,
    /// the ones that the chain has.
    #[napi]
    pub fn found_accounts(&self, snapshot: &PackedSnapshot) -> String {
        let found =
            snapshot.updates(0, usize::MAX).filter(|update| self.book.finds_account(update));
        text::keys(&found.map(|update| update.pubkey).collect::<Vec<_>>())
    }

    /// At most `count` users with open orders, from number `from` of the book's users on.
    #[napi]
    pub fn users_with_orders(&self, from: u32, count: u32) -> UserPage {
        let [from, count] = [from, count].map(|number| usize::try_from(number).unwrap_or(0));
        let (keys, next) = self.book.users_with_orders(from, count);
        let keys = keys.iter().map(ToString::to_string).collect();
        UserPage { keys, next: u32::try_from(next).unwrap_or(0) }
    }

    /// What a snapshot of all users must agree with.
    #[napi]
    pub fn census(&self) -> Census {
        let census = self.book.census();
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
        let (uses, hits) = self.bodies.uses_and_hits();
        let (bodies, bytes) = (self.bodies.len(), self.bodies.bytes());
        text::stats(&mut self.book, CacheStats { bodies, bytes, uses, hits })
    }

    /// A hash of everything the book shows: equal for equal books.
    #[napi]
    pub fn state_hash(&self) -> BigInt {
        BigInt::from(self.book.state_hash())
    }

    /// Null when every invariant of the book holds; else the one that does not.
    #[napi]
    pub fn check_integrity(&self) -> Option<String> {
        self.book.check_integrity().err().map(|violation| violation.to_string())
    }
}
