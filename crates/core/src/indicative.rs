//! Indicative quotes in the format of the core's callers: records of 33 bytes, little-endian.
//!
//! A record: `u8` flags (1 the bid is quoted, 2 the ask is quoted, 4 prices are offsets from the
//! oracle price), `i64` bid price, `u64` bid size, `i64` ask price, `u64` ask size.

use slotbook_book::{IndicativeError, IndicativePolicy, IndicativeQuote, MarketId, QuotedSide};
use slotbook_journal::Input;
use slotbook_protocol::model::units::Pubkey;

use crate::core::Core;

/// Bytes of a quote.
const RECORD_BYTES: usize = 33;

const HAS_BID: u8 = 1;
const HAS_ASK: u8 = 2;
const IS_ORACLE_OFFSET: u8 = 4;

impl Core {
    /// Sets whether indicative quotes may be better than all orders, or only join them, which is
    /// the default.
    pub fn set_indicative_improve(&mut self, improve: bool) {
        let policy = if improve { IndicativePolicy::Improve } else { IndicativePolicy::Join };
        self.book.set_indicative_policy(policy);
        self.log.note(&Input::QuotePolicy { improve });
    }

    /// Replaces a maker's quotes in a market, records of 33 bytes, received at `ts_ms`; an empty
    /// list withdraws them. Returns whether the visible book may have changed.
    ///
    /// # Errors
    /// [`IndicativeError`]; the quotes are then unchanged.
    pub fn set_indicative(
        &mut self,
        market: MarketId,
        maker: Pubkey,
        quotes: &[u8],
        ts_ms: u64,
    ) -> Result<bool, IndicativeError> {
        let (records, _) = quotes.as_chunks::<RECORD_BYTES>();
        let decoded: Vec<IndicativeQuote> = records.iter().map(quote).collect();
        let changed = self.book.set_indicative(market, maker, &decoded, ts_ms)?;
        self.log.note(&Input::Quotes { market: market.0, maker, ts_ms, quotes });
        Ok(changed)
    }
}

fn quote(record: &[u8; RECORD_BYTES]) -> IndicativeQuote {
    let [flags, numbers @ ..] = record;
    let (words, _) = numbers.as_chunks::<8>();
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let side = |flag: u8, at: usize| {
        (flags & flag != 0).then(|| QuotedSide {
            price: i64::from_le_bytes(word(at)),
            size: u64::from_le_bytes(word(at + 1)),
        })
    };
    IndicativeQuote {
        bid: side(HAS_BID, 0),
        ask: side(HAS_ASK, 2),
        is_oracle_offset: flags & IS_ORACLE_OFFSET != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(flags: u8, bid: (i64, u64), ask: (i64, u64)) -> [u8; RECORD_BYTES] {
        let words = [bid.0.cast_unsigned(), bid.1, ask.0.cast_unsigned(), ask.1];
        let mut bytes = [flags; RECORD_BYTES];
        for (chunk, word) in bytes[1..].as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *chunk = word.to_le_bytes();
        }
        bytes
    }

    #[test]
    fn a_record_is_read_side_by_side() {
        let read = quote(&record(HAS_BID | IS_ORACLE_OFFSET, (-5, 7), (9, 11)));
        let bid = Some(QuotedSide { price: -5, size: 7 });
        assert_eq!(read, IndicativeQuote { bid, ask: None, is_oracle_offset: true });
        let read = quote(&record(HAS_ASK, (i64::MIN, 7), (i64::MAX, u64::MAX)));
        let ask = Some(QuotedSide { price: i64::MAX, size: u64::MAX });
        assert_eq!(read, IndicativeQuote { bid: None, ask, is_oracle_offset: false });
    }
}
