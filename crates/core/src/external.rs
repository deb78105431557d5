//! Levels of external venues in the format of the core's callers.

use slotbook_book::{MarketId, Side};
use slotbook_journal::Input;
use slotbook_matching::ExternalLevel;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::Price;

use crate::core::Core;

/// Bytes of one number of a level.
const NUMBER_BYTES: usize = 8;

impl Core {
    /// Replaces the levels of external venues in a spot market: price (1e6) and size (1e9) of each
    /// level, as 64-bit integers in the machine's byte order, in any order of prices. Returns false
    /// for a market that is unknown or not spot.
    pub fn set_external_levels(&mut self, id: MarketId, bids: &[u8], asks: &[u8]) -> bool {
        let Some(info) = self.book.market(id) else { return false };
        if info.market_type != MarketType::Spot {
            return false;
        }
        let decimals = info.decimals;
        for (side, bytes) in Side::BOTH.into_iter().zip([bids, asks]) {
            self.external.set(id, side, levels(bytes, decimals));
        }
        self.log.note(&Input::External { market: id.0, bids, asks });
        true
    }
}

/// Reads the levels of a side; bytes after the last complete level are ignored.
fn levels(bytes: &[u8], decimals: u32) -> impl Iterator<Item = ExternalLevel> {
    let (numbers, _) = bytes.as_chunks::<NUMBER_BYTES>();
    let (pairs, _) = numbers.as_chunks::<2>();
    pairs.iter().filter_map(move |pair| {
        let [price, size] = pair.map(u64::from_ne_bytes);
        ExternalLevel::scaled(Price(price), size, decimals)
    })
}
