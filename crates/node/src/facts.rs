//! The facts about a book besides its levels: markets, oracles, and counts.

use napi::bindgen_prelude::{BigInt, Buffer};
use napi::{Error, Result, Status};
use napi_derive::napi;
use slotbook_book::AccountUpdate;
use slotbook_core::text;

use crate::convert::{index, maker_of};
use crate::core::Core;
use crate::snapshot::PackedSnapshot;

/// A page of the users with open orders.
#[napi(object)]
pub struct UserPage {
    /// Their accounts, base58.
    pub keys: Vec<String>,
    /// The start of the next page; 0 after the last page.
    pub next: u32,
}

/// The exchange's own counts of its users, and the number of accounts in the book.
#[napi(object)]
pub struct Census {
    /// The number of user accounts according to the exchange's State, including idle accounts.
    pub sub_accounts: f64,
    /// The number of perp positions according to the markets: one for each user and market.
    pub positions: f64,
    /// The number of user and market accounts in the book, including quarantined ones.
    pub accounts: f64,
    /// The number of accounts that are excluded because their bytes are malformed.
    pub quarantined: f64,
}

#[napi]
impl Core {
    /// Returns the id of a market by its name, in any case; -1 when there is none.
    #[napi]
    pub fn find_market(&self, name: String) -> i32 {
        self.core.book().find_market_by_name(&name).map_or(-1, |id| i32::from(id.0))
    }

    /// Returns whether there is a user account with this key (base58); false for an invalid key.
    #[napi]
    pub fn has_user(&self, key: String) -> bool {
        maker_of(&key).ok().flatten().is_some_and(|key| self.core.book().has_user(&key))
    }

    /// Returns the /user/{account}/orders body: the open orders of a user account (base58). Null
    /// for an invalid key.
    #[napi]
    pub fn open_orders(&self, account: String) -> Option<String> {
        let account = maker_of(&account).ok().flatten()?;
        Some(self.core.open_orders(&account))
    }

    /// Returns the /accounts/{account} body of a user account (base58), of the given bytes where the
    /// book does not hold it. Null for an account of neither, and for an invalid key.
    ///
    /// # Errors
    /// A description when the bytes are not of a user account of the program.
    #[napi]
    pub fn account(&mut self, account: String, data: Option<Buffer>) -> Result<Option<String>> {
        let Some(key) = maker_of(&account).ok().flatten() else { return Ok(None) };
        let body = self.core.account(&key, data.as_deref());
        body.map_err(|cause| Error::new(Status::InvalidArg, cause.to_string()))
    }

    /// Returns the user accounts of a wallet (base58) as a JSON array of base58 keys; none for an
    /// invalid key.
    #[napi]
    pub fn accounts_of(&self, authority: String) -> String {
        let key = maker_of(&authority).ok().flatten();
        text::keys(&key.map_or_else(Vec::new, |key| self.core.book().accounts_of(&key)))
    }

    /// Returns all markets as JSON. The result can only change when the number of the market set
    /// has grown.
    #[napi]
    pub fn markets(&self) -> String {
        text::markets(self.core.book())
    }

    /// Returns the statistics of each market from accounts and oracles, as JSON in the order of the
    /// market ids. They can change without a new version of any body.
    #[napi]
    pub fn chain_stats(&self) -> String {
        text::chain_stats(self.core.book())
    }

    /// Returns the oracle accounts that markets name, as a JSON array of base58 keys.
    #[napi]
    pub fn oracle_keys(&self) -> String {
        text::keys(&self.core.book().oracle_keys())
    }

    /// Returns the accounts of a decoded snapshot that the book lacks or holds in an older state,
    /// so that a notification was missed, as a JSON array of base58 keys.
    #[napi]
    pub fn lacking(&self, snapshot: &PackedSnapshot) -> String {
        keys_of(snapshot, |update| self.core.book().lacks(update))
    }

    /// Returns the accounts that the book has and a later reading of the same accounts lacks, as a
    /// JSON array of base58 keys.
    #[napi]
    pub fn gone(&self, snapshot: &PackedSnapshot) -> String {
        keys_of(snapshot, |update| self.core.book().outlives(update))
    }

    /// Returns the program accounts in a decoded snapshot, as a JSON array of base58 keys: the
    /// requested accounts that exist on the chain.
    #[napi]
    pub fn found_accounts(&self, snapshot: &PackedSnapshot) -> String {
        keys_of(snapshot, |update| self.core.book().finds_account(update))
    }

    /// Returns the first `count` user accounts of a decoded snapshot as a JSON array, each with its
    /// contradiction of the layout.
    #[napi]
    pub fn layout_samples(&self, snapshot: &PackedSnapshot, count: u32) -> String {
        let updates = snapshot.snapshot.updates(0, usize::MAX);
        let samples = updates.filter_map(|update| self.core.book().layout_sample(&update));
        text::layout_samples(&samples.take(index(count)).collect::<Vec<_>>())
    }

    /// Returns at most `count` users with open orders, or all users where there are no more, from
    /// index `from` of the book's users on.
    #[napi]
    pub fn users_in_turn(&self, from: u32, count: u32) -> UserPage {
        let (keys, next) = self.core.book().users_in_turn(index(from), index(count));
        let keys = keys.iter().map(ToString::to_string).collect();
        UserPage { keys, next: crate::convert::count(next) }
    }

    /// Returns the counts that a snapshot of all users must match.
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

    /// Returns the sizes of the book and of the cache of bodies, as a JSON object.
    #[napi]
    pub fn stats(&mut self) -> String {
        self.core.stats()
    }

    /// Returns a hash of all visible content of the book: equal books have equal hashes.
    #[napi]
    pub fn state_hash(&self) -> BigInt {
        BigInt::from(self.core.book().state_hash())
    }
}

/// Returns the keys of the accounts of a snapshot for which `holds` is true, as a JSON array.
fn keys_of(snapshot: &PackedSnapshot, holds: impl Fn(&AccountUpdate<'_>) -> bool) -> String {
    let updates = snapshot.snapshot.updates(0, usize::MAX).filter(holds);
    text::keys(&updates.map(|update| update.pubkey).collect::<Vec<_>>())
}
