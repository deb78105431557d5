//! Passes the hashes of each market's content to JavaScript.

use napi::bindgen_prelude::Buffer;
use napi_derive::napi;

use crate::convert::market_of;
use crate::core::Core;

#[napi]
impl Core {
    /// Returns the hashes of all markets as of the last turn: cores with the same content have
    /// equal hashes, in whatever order they got it. Numbers are little-endian: `u64` slot and `i64`
    /// unix seconds of the book's clock, then for each market, in the order of the ids, a `u64`
    /// hash of the chain's data and a `u64` hash of makers' quotes and external levels, 0 for none.
    /// The first call reads all orders; later calls are cheap enough to be made each second.
    #[napi]
    pub fn market_hashes(&mut self) -> Buffer {
        let mut out = Vec::new();
        self.core.hashes(&mut out);
        out.into()
    }

    /// Returns the parts of a market's hash, as a JSON object of hexadecimal texts; null for an
    /// unknown market.
    #[napi]
    pub fn market_hash_parts(&mut self, market: u32) -> Option<String> {
        self.core.market_hash_parts(market_of(market)?)
    }

    /// Returns the hash of every open order of a market, visible or not, sorted by maker and then
    /// by id, as a JSON array of `{maker, orderId, hash}`; empty for an unknown market. Reads all
    /// orders.
    #[napi]
    pub fn order_hashes(&self, market: u32) -> String {
        market_of(market).map_or_else(|| "[]".to_owned(), |market| self.core.order_hashes(market))
    }
}
