//! The markets' entries in a leaf of the signed log, by which a book can be proven.
//!
//! An entry has [`ENTRY_BYTES`] bytes, numbers big-endian: `u8` type (0 perp, 1 spot), `u16` index,
//! `u64` sequence number, and three SHA-256: of all open orders as [`Core::order_hashes`] lists
//! them, of the orders that the stream `l3` shows, and of the levels that the stream `book` shows.
//! docs/proof.md has the hashed bytes.

use sha2::{Digest, Sha256};
use slotbook_book::{Book, MarketId, OrderHash, Side};
use slotbook_protocol::model::enums::MarketType;
use slotbook_wire::render::{L2Request, L3Request, Rows, each_level, each_order};

use crate::core::Core;
use crate::limits::PROVEN_ROWS_MAX;

/// Bytes of an entry.
const ENTRY_BYTES: usize = 1 + 2 + 8 + 3 * 32;

impl Core {
    /// Returns the time of the last turn, Unix milliseconds, when it ended with a hash in the
    /// journal, so that a leaf is due. Call it before the journal's bytes are taken.
    #[must_use]
    pub fn leaf_due_ms(&self) -> Option<u64> {
        self.log.hash_ms()
    }

    /// Appends the slot (`u64`, big-endian), and the entries of the markets that changed since the
    /// last call, ordered by type and index; of all markets at the first call. Costs O(orders) of
    /// all markets.
    pub fn take_leaf(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.book.slot().0.to_be_bytes());
        let orders = self.book.order_hashes_by_market();
        self.leaf_seqs.resize(orders.len(), u64::MAX);
        let mut entries = Vec::new();
        for (id, (orders, known)) in (0..).map(MarketId).zip(orders.iter().zip(&mut self.leaf_seqs))
        {
            let seq = self.book.seq(id).unwrap_or_default();
            if std::mem::replace(known, seq) != seq {
                entries.extend(entry_of(&self.book, id, orders, &mut self.rows));
            }
        }
        entries.sort_unstable();
        out.extend(entries.into_iter().flatten());
    }
}

fn entry_of(book: &Book, id: MarketId, orders: &[OrderHash], rows: &mut Rows) -> Option<Vec<u8>> {
    let info = book.market(id)?;
    let mut entry = Vec::with_capacity(ENTRY_BYTES);
    entry.push(u8::from(info.market_type == MarketType::Spot));
    entry.extend_from_slice(&info.market_index.to_be_bytes());
    entry.extend_from_slice(&book.seq(id)?.to_be_bytes());
    entry.extend_from_slice(&order_digest(orders));
    entry.extend_from_slice(&sides_digest(
        &Side::BOTH.map(|side| shown_orders(book, id, side, rows)),
    ));
    entry.extend_from_slice(&sides_digest(&Side::BOTH.map(|side| shown_levels(book, id, side))));
    Some(entry)
}

/// Hashes maker, order id and hash of each order.
fn order_digest(orders: &[OrderHash]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for OrderHash { maker, order_id, hash } in orders {
        digest.update(maker.0);
        digest.update(order_id.to_be_bytes());
        digest.update(hash.to_be_bytes());
    }
    digest.finalize().into()
}

/// Hashes the rows of the bids and of the asks, each after their number.
fn sides_digest(sides: &[(u32, Vec<u8>); 2]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for (count, rows) in sides {
        digest.update(count.to_be_bytes());
        digest.update(rows);
    }
    digest.finalize().into()
}

fn shown_orders(book: &Book, market: MarketId, side: Side, rows: &mut Rows) -> (u32, Vec<u8>) {
    let (mut count, mut bytes) = (0, Vec::new());
    each_order(book, &L3Request::plain(market, PROVEN_ROWS_MAX), side, rows, |order| {
        count += 1;
        bytes.extend_from_slice(&order.price.0.to_be_bytes());
        bytes.extend_from_slice(&order.size.to_be_bytes());
        bytes.extend_from_slice(&order.maker.0);
        bytes.extend_from_slice(&order.order_id.to_be_bytes());
    });
    (count, bytes)
}

fn shown_levels(book: &Book, market: MarketId, side: Side) -> (u32, Vec<u8>) {
    let (mut count, mut bytes) = (0, Vec::new());
    each_level(book, &L2Request::plain(market, PROVEN_ROWS_MAX), side, |level| {
        count += 1;
        bytes.extend_from_slice(&level.price.0.to_be_bytes());
        bytes.extend_from_slice(&level.size().to_be_bytes());
    });
    (count, bytes)
}
