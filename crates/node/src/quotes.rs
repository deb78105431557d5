//! Passes indicative quotes and levels of external venues from JavaScript to the core.

use napi_derive::napi;
use slotbook_book::IndicativeError;
use slotbook_core::decode::key;

use crate::convert::{market_of, whole};
use crate::core::Core;

#[napi]
impl Core {
    /// Sets whether indicative quotes may be better than all orders, or only join them, which is
    /// the default.
    #[napi]
    pub fn set_indicative_improve(&mut self, improve: bool) {
        self.core.set_indicative_improve(improve);
    }

    /// Replaces the quotes of a maker (base58) in a market, received at `ts_ms`; an empty list
    /// withdraws them. Returns `changed` when the visible book may have changed, and `unchanged`
    /// when not; any other word is a refusal, after which the previous quotes stay.
    #[napi]
    pub fn set_indicative(
        &mut self,
        market: u32,
        maker: String,
        quotes: &[u8],
        ts_ms: f64,
    ) -> &'static str {
        let Some(market) = market_of(market) else { return "unknownMarket" };
        let Ok(maker) = key(maker.as_bytes()) else { return "invalidMaker" };
        match self.core.set_indicative(market, maker, quotes, whole(ts_ms)) {
            Ok(true) => "changed",
            Ok(false) => "unchanged",
            Err(IndicativeError::UnknownMarket) => "unknownMarket",
            Err(IndicativeError::QuotesExceeded) => "quotesExceeded",
            Err(IndicativeError::MakersExceeded) => "makersExceeded",
            Err(IndicativeError::PriceOutOfRange) => "priceOutOfRange",
            Err(IndicativeError::SizeOutOfRange) => "sizeOutOfRange",
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
