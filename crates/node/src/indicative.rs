//! Indicative quotes as JavaScript hands them over: records of 33 bytes, little endian.
//!
//! `u8` flags (1 the bid is quoted, 2 the ask is, 4 prices are offsets from the oracle's), `i64` bid
//! price, `u64` bid size, `i64` ask price, `u64` ask size.

use napi_derive::napi;
use slotbook_book::{IndicativeError, IndicativePolicy, IndicativeQuote, MarketId, QuotedSide};
use slotbook_journal::Input;
use slotbook_protocol::model::units::Pubkey;

use crate::core::{Core, whole};
use crate::decode::key;

/// Bytes of a quote.
const RECORD_BYTES: usize = 33;

const HAS_BID: u8 = 1;
const HAS_ASK: u8 = 2;
const IS_ORACLE_OFFSET: u8 = 4;

const UNCHANGED: i32 = 0;
const CHANGED: i32 = 1;
const UNKNOWN_MARKET: i32 = -1;
const INVALID_MAKER: i32 = -2;
const QUOTES_EXCEEDED: i32 = -3;
const MAKERS_EXCEEDED: i32 = -4;
const PRICE_OUT_OF_RANGE: i32 = -5;
const SIZE_OUT_OF_RANGE: i32 = -6;

#[napi]
impl Core {
    /// Lets indicative quotes be better than everything else, or only join it, as at the start.
    #[napi]
    pub fn set_indicative_improve(&mut self, improve: bool) {
        let policy = if improve { IndicativePolicy::Improve } else { IndicativePolicy::Join };
        self.book.set_indicative_policy(policy);
        self.log.note(&Input::QuotePolicy { improve });
    }

    /// Replaces the quotes of a maker (base58) in a market, received at `ts_ms`; none withdraws them.
    /// Returns 1 when anything shown may have changed, 0 when not; what was refused is below 0, and
    /// then the quotes are as before: -1 no such market, -2 the maker is no key, -3 too many quotes,
    /// -4 too many makers, -5 a price and -6 a size out of range.
    #[napi]
    pub fn set_indicative(&mut self, market: u32, maker: String, quotes: &[u8], ts_ms: f64) -> i32 {
        let Ok(market) = u16::try_from(market) else { return UNKNOWN_MARKET };
        let Ok(maker) = key(maker.as_bytes()) else { return INVALID_MAKER };
        match self.apply_quotes(MarketId(market), maker, quotes, whole(ts_ms)) {
            Ok(true) => CHANGED,
            Ok(false) => UNCHANGED,
            Err(IndicativeError::UnknownMarket) => UNKNOWN_MARKET,
            Err(IndicativeError::QuotesExceeded) => QUOTES_EXCEEDED,
            Err(IndicativeError::MakersExceeded) => MAKERS_EXCEEDED,
            Err(IndicativeError::PriceOutOfRange) => PRICE_OUT_OF_RANGE,
            Err(IndicativeError::SizeOutOfRange) => SIZE_OUT_OF_RANGE,
        }
    }

    /// Unix milliseconds before which no quote expires; null when there is none. The turn that ends
    /// then takes out what is due.
    #[napi]
    pub fn indicative_due_ms(&self) -> Option<f64> {
        self.book.indicative_due_ms().map(|due_ms| due_ms as f64)
    }
}

impl Core {
    /// Replaces a maker's quotes, records of 33 bytes, and logs them unless they are refused.
    pub(crate) fn apply_quotes(
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
