//! The hashes of what a book holds, of what it shows, and of public keys in maps.
//!
//! XXH3 of 64 bits, by `twox-hash`: its values are defined for ever and on every machine, and the 96
//! bytes of an order take 3.5 ns; 128 bits would cost an account's update 8 per cent more. It finds what
//! went wrong; it is no proof against someone who makes accounts for equal sums.

use std::hash::{BuildHasherDefault, Hasher};

use slotbook_protocol::enums::MarketType;
use slotbook_protocol::order::ORDER_BYTES;
use slotbook_protocol::units::Pubkey;
use twox_hash::XxHash3_64;

use super::side::Side;

/// The hash of a market's book, the same for every book that came to hold the same, in whatever order:
/// sequence numbers, epochs, gates, statistics and the time of arrival are not in it, nor is what an
/// AMM shows, which is an estimate in floating point; the integers that it is made of are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarketHash {
    /// Of what the chain says: [`HashParts`] without the indicative quotes. The book's clock is not in
    /// it, but what it decides of the oracle is.
    pub chain: u64,
    /// Of the indicative quotes; 0 for none.
    pub indicative: u64,
}

/// What the hash of a market is made of, so that a difference can be located.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HashParts {
    /// The sum of the hashes of all open orders, see [`crate::Book::order_hashes`].
    pub orders: u64,
    /// What the market's account says, but for its statistics.
    pub account: u64,
    /// What the exchange's state account says.
    pub exchange: u64,
    /// The oracle as it is read, its validity, and why the book is empty.
    pub oracle: u64,
    /// The sum of the hashes of all indicative quotes; 0 for none.
    pub indicative: u64,
}

/// The hash of one open order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderHash {
    /// The user account that placed it.
    pub maker: Pubkey,
    /// Its id, unique within the user account.
    pub order_id: u32,
    /// Of its bytes, its maker, and what of the owner decides its size or its place.
    pub hash: u64,
}

/// The sum of the hashes of things that stand in no order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HashSum(pub(crate) u64);

impl HashSum {
    #[inline]
    pub(crate) fn add(&mut self, hash: u64) {
        self.0 = self.0.wrapping_add(hash);
    }

    #[inline]
    pub(crate) fn remove(&mut self, hash: u64) {
        self.0 = self.0.wrapping_sub(hash);
    }
}

/// The hash of bytes that all others of the book are made with.
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// The hash of an order's bytes; the seed says whose it is, and what of the owner matters.
#[inline]
pub(crate) fn hash_order(seed: u64, raw: &[u8; ORDER_BYTES]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, raw)
}

/// FNV-1a over the rows of each market in book order; stable across machines and versions.
///
/// Feed markets in ascending (type, index) order with spot before perp, and for each the bids and
/// then the asks, best first.
#[derive(Clone, Debug)]
pub struct CanonicalHash(u64);

/// One order as a book shows it.
#[derive(Clone, Copy, Debug)]
pub struct HashRow {
    /// Effective price, 1e6.
    pub price: u64,
    /// Shown size, in the market's base units.
    pub size: u64,
    /// Slot of the order.
    pub slot: u64,
    /// Id of the order within its user account.
    pub order_id: u32,
    /// The user account.
    pub maker: Pubkey,
}

impl CanonicalHash {
    /// The hash of no market at all.
    #[must_use]
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Starts a market.
    pub fn market(&mut self, market_type: MarketType, market_index: u16) {
        self.bytes(&[b'm', market_type as u8]);
        self.bytes(&market_index.to_le_bytes());
    }

    /// Adds an order of the current market.
    pub fn row(&mut self, side: Side, row: &HashRow) {
        self.bytes(&[side as u8]);
        self.bytes(&row.price.to_le_bytes());
        self.bytes(&row.size.to_le_bytes());
        self.bytes(&row.slot.to_le_bytes());
        self.bytes(&row.order_id.to_le_bytes());
        self.bytes(&row.maker.0);
    }

    /// The hash of everything fed so far.
    #[must_use]
    pub const fn finish(&self) -> u64 {
        self.0
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl Default for CanonicalHash {
    fn default() -> Self {
        Self::new()
    }
}

/// Public keys are uniform already: their first 8 bytes are the hash.
///
/// Keys that are made to collide cost rent for each account, and only make probes longer.
pub(crate) type KeyHashBuilder = BuildHasherDefault<KeyHasher>;

/// See [`KeyHashBuilder`].
#[derive(Debug, Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some((first, _)) = bytes.split_first_chunk::<8>() {
            self.0 ^= u64::from_le_bytes(*first);
        }
    }

    fn write_usize(&mut self, _length: usize) {}
}
