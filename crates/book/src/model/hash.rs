//! Hashes of the book's state, of the visible rows, and of public keys in maps.
//!
//! XXH3 with 64 bits, by `twox-hash`: its values are the same on every machine and in every
//! version, and the 96 bytes of an order take 3.5 ns; 128 bits would make an account update 8 per
//! cent slower. The hash detects faults; it does not resist an attacker who crafts accounts with
//! equal sums.

use std::hash::{BuildHasherDefault, Hasher};

use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::order::RawOrder;
use slotbook_protocol::model::units::Pubkey;
use twox_hash::XxHash3_64;

use super::side::Side;

/// The hash of a market's state, equal for every book with equal content, in whatever order the
/// content arrived. It excludes sequence numbers, epochs, gates, statistics and arrival times. It
/// also excludes the AMM's levels, which are computed in floating point, but includes their integer
/// inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarketHash {
    /// The hash of the on-chain state: [`HashParts`] without the indicative quotes. It excludes the
    /// book's clock, but includes the oracle's validity at that clock.
    pub chain: u64,
    /// The indicative quotes; 0 for none.
    pub indicative: u64,
}

/// The parts of a market hash, which locate a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HashParts {
    /// The sum of the hashes of all open orders, see [`crate::Book::order_hashes`].
    pub orders: u64,
    /// The market's account without its statistics.
    pub account: u64,
    /// The exchange's state account.
    pub exchange: u64,
    /// Hash of the oracle reading, its validity, and the reason for an empty book.
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
    /// Hash of the order's bytes, its maker, and the owner's data that affects its size or place.
    pub hash: u64,
}

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

/// The hash function of the book.
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

#[inline]
pub(crate) fn hash_order(seed: u64, raw: &RawOrder) -> u64 {
    raw.hash(seed, XxHash3_64::oneshot_with_seed)
}

/// FNV-1a over the rows of each market in book order; stable across machines and versions.
///
/// Markets are added in ascending (type, index) order with spot before perp, and for each market
/// the bids and then the asks, best first.
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

    /// Starts the next market.
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

    /// The hash of all rows added so far.
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

/// Public keys are uniformly distributed, so their first 8 bytes serve as the hash.
///
/// An attacker would pay rent for each colliding account, and only make probes longer.
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
