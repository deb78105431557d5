//! The hashes of what each market's book holds, on their way to JavaScript.

use napi::bindgen_prelude::Buffer;
use napi_derive::napi;

use crate::convert::market_of;
use crate::core::Core;

#[napi]
impl Core {
    /// The hashes of all markets as of the last turn: equal for cores that hold the same,
    /// however they came to it. Numbers are little-endian: `u64` slot and `i64` unix seconds of the book's clock, then of
    /// each market, in the order of their ids, `u64` of what the chain says and `u64` of what makers and venues offer, 0 for
    /// nothing. The first call reads all orders, and from then on their hashes are
    /// kept: it can be made each second.
    #[napi]
    pub fn market_hashes(&mut self) -> Buffer {
        let mut out = Vec::new();
        self.core.hashes(&mut out);
        out.into()
    }

    /// What the hashes of a market are made of, as a JSON object of hexadecimal texts; null for an
    /// unknown market.
    #[napi]
    pub fn market_hash_parts(&mut self, market: u32) -> Option<String> {
        self.core.market_hash_parts(market_of(market)?)
    }

    /// The hash of every open order of a market, shown or not, by maker and then by id, as a JSON array of
    /// `{maker, orderId, hash}`; empty for an unknown market. Reads all orders.
    #[napi]
    pub fn order_hashes(&self, market: u32) -> String {
        market_of(market).map_or_else(|| "[]".to_owned(), |market| self.core.order_hashes(market))
    }
}
