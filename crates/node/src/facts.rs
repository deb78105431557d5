//! What the book holds besides its levels: markets, oracles, counts, and whether it is sound.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;

use crate::core::{Core, maker_of};
use crate::text::{self, CacheStats};

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

    /// All markets as JSON text. Worth asking when the number of the market set has grown.
    #[napi]
    pub fn markets(&self) -> String {
        text::markets(&self.book)
    }

    /// What accounts and oracles say of each market for statistics, as JSON text in the order of
    /// their numbers. It changes without a new version of any body.
    #[napi]
    pub fn market_figures(&self) -> String {
        text::market_figures(&self.book)
    }

    /// The oracle accounts that markets name, as a JSON array of base58 keys.
    #[napi]
    pub fn oracle_keys(&self) -> String {
        text::keys(&self.book.oracle_keys())
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
