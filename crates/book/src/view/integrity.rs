//! Hashes the visible book, and checks the counts of its quotes.

use slotbook_protocol::model::enums::MarketType;

use crate::book::Book;
use crate::limits::INDICATIVE_MAKERS_MAX;
use crate::markets::quotes::{IndicativeCounts, MakerQuotes};
use crate::model::hash::{CanonicalHash, HashRow};
use crate::model::market::{MarketId, MarketKey};
use crate::{OrderRow, Side};

/// A broken invariant, named by its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation(pub &'static str);

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "broken invariant: {}", self.0)
    }
}

impl std::error::Error for Violation {}

impl Book {
    /// Returns the hash of all visible orders, in book order; equal books have equal hashes. It
    /// walks all orders and covers the visible book, while [`Book::market_hashes`] covers the
    /// state.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = CanonicalHash::new();
        let mut keys: Vec<(MarketKey, MarketId)> =
            self.markets().map(|info| (info.key(), info.id)).collect();
        keys.sort_unstable();
        let mut rows: Vec<OrderRow> = Vec::new();
        for (key, id) in keys {
            hash.market(key.market_type, key.market_index);
            for side in Side::BOTH {
                rows.clear();
                self.orders(id, side, usize::MAX, &mut rows);
                rows.iter().for_each(|row| hash.row(side, &hash_row(row)));
            }
        }
        hash.finish()
    }

    /// Checks that the counts of quotes agree and are within their limits.
    pub(crate) fn check_indicative(&self) -> Result<(), Violation> {
        let total = &self.markets.indicative;
        let mut counts = IndicativeCounts::default();
        for market in &self.markets.list {
            let makers = &market.quotes.makers;
            let sorted = makers.is_sorted_by(|a, b| a.maker < b.maker);
            ensure(sorted, "each quoting maker of a market is listed once")?;
            let bounded = makers.len() <= INDICATIVE_MAKERS_MAX;
            ensure(bounded, "a market's quoting makers are bounded")?;
            for MakerQuotes { orders, due_ms, .. } in makers {
                let sized = !orders.is_empty() && orders.iter().all(|order| order.size > 0);
                ensure(sized, "a standing quote has a size")?;
                let is_later = total.due_ms.is_some_and(|first| first <= *due_ms);
                ensure(is_later, "no quote is due before the next due time")?;
                counts.makers += 1;
                counts.quotes += orders.len();
            }
        }
        ensure(counts == total.counts, "quotes are counted")
    }
}

pub(crate) fn ensure(holds: bool, invariant: &'static str) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation(invariant)) }
}

fn hash_row(row: &OrderRow) -> HashRow {
    HashRow {
        price: row.price.0,
        size: row.size.0,
        slot: row.slot.0,
        order_id: row.order_id,
        maker: row.maker,
    }
}

const _: () = assert!((MarketType::Spot as u8) < (MarketType::Perp as u8));
