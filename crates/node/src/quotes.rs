//! Passes indicative quotes and levels of external venues from JavaScript to the core.

use napi_derive::napi;
use slotbook_book::IndicativeError;
use slotbook_core::decode::key;

use crate::convert::{market_of, whole};
use crate::core::Core;

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
    /// Sets whether indicative quotes may be better than all orders, or only join them, which is
    /// the default.
    #[napi]
    pub fn set_indicative_improve(&mut self, improve: bool) {
        self.core.set_indicative_improve(improve);
    }

    /// Replaces the quotes of a maker (base58) in a market, received at `ts_ms`; an empty list
    /// withdraws them. Returns 1 when the visible book may have changed, and 0 when not. A negative
    /// number is a refusal, after which the previous quotes stay: -1 unknown market, -2 the maker
    /// is not a key, -3 too many quotes, -4 too many makers, -5 a price out of range, -6 a size out
    /// of range.
    #[napi]
    pub fn set_indicative(&mut self, market: u32, maker: String, quotes: &[u8], ts_ms: f64) -> i32 {
        let Some(market) = market_of(market) else { return UNKNOWN_MARKET };
        let Ok(maker) = key(maker.as_bytes()) else { return INVALID_MAKER };
        match self.core.set_indicative(market, maker, quotes, whole(ts_ms)) {
            Ok(true) => CHANGED,
            Ok(false) => UNCHANGED,
            Err(IndicativeError::UnknownMarket) => UNKNOWN_MARKET,
            Err(IndicativeError::QuotesExceeded) => QUOTES_EXCEEDED,
            Err(IndicativeError::MakersExceeded) => MAKERS_EXCEEDED,
            Err(IndicativeError::PriceOutOfRange) => PRICE_OUT_OF_RANGE,
            Err(IndicativeError::SizeOutOfRange) => SIZE_OUT_OF_RANGE,
        }
    }

    /// Unix milliseconds before which no quote expires; null without quotes. The next turn that
    /// ends removes expired quotes.
    #[napi]
    pub fn indicative_due_ms(&self) -> Option<f64> {
        self.core.book().indicative_due_ms().map(|due_ms| due_ms as f64)
    }

    /// Replaces the levels of external venues in a spot market: price (1e6) and size (1e9) of each
    /// level, as 64-bit integers in the machine's byte order, in any order of prices. Returns false
    /// for a market that is unknown or not spot.
    #[napi]
    pub fn set_external_levels(&mut self, market: u32, bids: &[u8], asks: &[u8]) -> bool {
        market_of(market).is_some_and(|market| self.core.set_external_levels(market, bids, asks))
    }
}
