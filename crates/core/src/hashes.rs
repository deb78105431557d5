//! The hashes of each market's contents, as bytes and as text, and the combined hash in journals.
//!
//! The bytes are little-endian: `u64` slot and `i64` unix seconds of the book's clock, then for
//! each market, in the order of the ids, a `u64` hash of the chain's data and a `u64` hash of
//! quotes and external levels, 0 for none.

use slotbook_book::{MarketId, OrderHash, Side, hash_bytes};
use slotbook_wire::writer::members;

use crate::core::Core;
use crate::text::text;

impl Core {
    /// Returns the parts of a market's hash, as a JSON object of hexadecimal texts; `None` for an
    /// unknown market.
    pub fn market_hash_parts(&mut self, id: MarketId) -> Option<String> {
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

    /// Returns the hash of every open order of a market, visible or not, sorted by maker and then
    /// by id, as a JSON array of `{maker, orderId, hash}`; empty for an unknown market. Reads all
    /// orders.
    #[must_use]
    pub fn order_hashes(&self, id: MarketId) -> String {
        let mut orders = Vec::new();
        self.book.order_hashes(id, &mut orders);
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

    /// Appends the hashes of all markets as of the last turn, in the format of this module: cores
    /// with the same content have equal hashes, in whatever order they got it. The first call reads
    /// all orders; later calls are cheap enough to be made each second.
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

    /// Returns a hash of the hashes of all markets.
    pub(crate) fn hash_of_all(&mut self) -> [u8; 8] {
        let mut all = Vec::new();
        self.hashes(&mut all);
        hash_bytes(&all).to_le_bytes()
    }

    /// Returns the hash of the levels of external venues, bids before asks; 0 for none.
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
