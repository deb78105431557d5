//! The hash of what a book shows, the same for every implementation that shows the same, and the
//! hash of public keys in maps.

use std::hash::{BuildHasherDefault, Hasher};

use slotbook_protocol::enums::MarketType;
use slotbook_protocol::units::Pubkey;

use super::side::Side;

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
