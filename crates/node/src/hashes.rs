//! The hashes of what each market's book holds, on their way to JavaScript, and the one of all that journals have.
//!
//! Numbers are little-endian: `u64` slot and `i64` unix seconds of the book's clock, then of each market,
//! in the order of their ids, `u64` of what the chain says and `u64` of what makers and venues offer,
//! 0 for nothing.

use napi::bindgen_prelude::Buffer;
use napi_derive::napi;
use slotbook_book::{MarketId, OrderHash, Side, hash_bytes};
use slotbook_wire::writer::members;

use crate::core::Core;
use crate::text::text;

#[napi]
impl Core {
    /// The hashes of all markets as of the last turn, see the module: equal for cores that hold the same,
    /// however they came to it. The first call reads all orders, and from then on their hashes are
    /// kept: it can be made each second.
    #[napi]
    pub fn market_hashes(&mut self) -> Buffer {
        let mut out = Vec::new();
        self.hashes(&mut out);
        out.into()
    }

    /// What the hashes of a market are made of, as a JSON object of hexadecimal texts; null for an
    /// unknown market.
    #[napi]
    pub fn market_hash_parts(&mut self, market: u32) -> Option<String> {
        let id = MarketId(u16::try_from(market).ok()?);
        let parts = self.book.hash_parts(id)?;
        let external = self.external_hash(id);
        Some(text(|json| {
            members!(
                json,
                b"{\"orders\":" => string(&hex(parts.orders)),
                b",\"account\":" => string(&hex(parts.account)),
                b",\"exchange\":" => string(&hex(parts.exchange)),
                b",\"oracle\":" => string(&hex(parts.oracle)),
                b",\"indicative\":" => string(&hex(parts.indicative)),
                b",\"external\":" => string(&hex(external)),
                b"}",
            );
        }))
    }

    /// The hash of every open order of a market, shown or not, by maker and then by id, as a JSON array of
    /// `{maker, orderId, hash}`; empty for an unknown market. Reads all orders.
    #[napi]
    pub fn order_hashes(&self, market: u32) -> String {
        let mut orders = Vec::new();
        if let Ok(id) = u16::try_from(market) {
            self.book.order_hashes(MarketId(id), &mut orders);
        }
        text(|json| {
            json.raw(b"[");
            json.list(&orders, |json, OrderHash { maker, order_id, hash }| {
                members!(
                    json,
                    b"{\"maker\":" => key(maker),
                    b",\"orderId\":" => u64(u64::from(*order_id)),
                    b",\"hash\":" => string(&hex(*hash)),
                    b"}",
                );
            });
            json.raw(b"]");
        })
    }
}

impl Core {
    /// Appends what `marketHashes` returns.
    pub fn hashes(&mut self, out: &mut Vec<u8>) {
        let mut hashes = Vec::new();
        self.book.market_hashes(&mut hashes);
        out.extend_from_slice(&self.book.slot().0.to_le_bytes());
        out.extend_from_slice(&self.book.unix_seconds().0.to_le_bytes());
        for (id, hash) in (0..).map(MarketId).zip(&hashes) {
            let offers = hash.indicative.wrapping_add(self.external_hash(id));
            out.extend_from_slice(&hash.chain.to_le_bytes());
            out.extend_from_slice(&offers.to_le_bytes());
        }
    }

    /// The hash of what `marketHashes` returns.
    pub(crate) fn hash_of_all(&mut self) -> [u8; 8] {
        let mut all = Vec::new();
        self.hashes(&mut all);
        hash_bytes(&all).to_le_bytes()
    }

    /// Of the levels of external venues, of bids and then of asks; 0 for none.
    fn external_hash(&self, id: MarketId) -> u64 {
        let mut bytes = Vec::new();
        for side in Side::BOTH {
            for level in self.external.levels(id, side) {
                bytes.push(side as u8);
                bytes.extend_from_slice(&level.price.0.to_le_bytes());
                bytes.extend_from_slice(&level.size.0.to_le_bytes());
            }
        }
        if bytes.is_empty() { 0 } else { hash_bytes(&bytes) }
    }
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}
