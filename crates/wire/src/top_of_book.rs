//! The best prices of a book, and the mark price and spread derived from them.

use slotbook_protocol::model::units::{OraclePrice, Price};

/// Best bid and best ask of a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopOfBook {
    /// The highest bid; `None` without a bid.
    pub bid: Option<Price>,
    /// The lowest ask; `None` without an ask.
    pub ask: Option<Price>,
}

impl TopOfBook {
    /// Returns best bid and best ask if both exist.
    #[must_use]
    pub fn both(self) -> Option<(Price, Price)> {
        self.bid.zip(self.ask)
    }

    /// Returns whether the best bid is above the best ask; equal prices are locked, not crossed.
    #[must_use]
    pub fn crossed(self) -> bool {
        self.both().is_some_and(|(bid, ask)| bid > ask)
    }
}

/// Mark price and spread as bodies contain them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The mark price, 1e6: an oracle price when the book is crossed around the oracle.
    pub mark: OraclePrice,
    /// Best ask minus best bid, 1e6; 0 when crossed.
    pub quote: Price,
    /// The spread as a percentage of the mark price, 1e6: 1 % is 1,000,000. 0 without a mark price.
    pub percent: u128,
}

/// One hundred percent at 1e6.
const PERCENT_PRECISION: u64 = 100 * 1_000_000;

/// Returns mark price and spread of two best prices.
///
/// `oracle` is the reading that prices the book: the MM oracle of a perp market.
///
/// Source: common `calculateSpreadBidAskMark`, `facts/dlob-server.md` 1.1.
#[must_use]
pub fn spread(bid: Price, ask: Price, oracle: Option<OraclePrice>) -> Spread {
    let mark = mark_price(bid, ask, oracle);
    let quote = Price(ask.0.saturating_sub(bid.0));
    let percent = match u64::try_from(mark.0) {
        Ok(divisor) if divisor > 0 => percent_of(quote.0, divisor),
        _ => 0,
    };
    Spread { mark, quote, percent }
}

/// Computes with 64 bits when they suffice, because a 128-bit division costs as much as a level of
/// the body.
fn percent_of(quote: u64, mark: u64) -> u128 {
    match quote.checked_mul(PERCENT_PRECISION) {
        Some(product) => u128::from(product / mark),
        None => u128::from(quote) * u128::from(PERCENT_PRECISION) / u128::from(mark),
    }
}

fn mark_price(bid: Price, ask: Price, oracle: Option<OraclePrice>) -> OraclePrice {
    let (low, high) = (signed(bid.min(ask)), signed(bid.max(ask)));
    match oracle {
        Some(oracle) if bid > ask && low > oracle.0 => OraclePrice(low),
        Some(oracle) if bid > ask && high < oracle.0 => OraclePrice(high),
        Some(oracle) if bid > ask => oracle,
        _ => OraclePrice(low + (high - low) / 2),
    }
}

fn signed(price: Price) -> i64 {
    i64::try_from(price.0).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bid: u64, ask: u64, oracle: i64, mark: i64, quote: u64, percent: u128) {
        let expected = Spread { mark: OraclePrice(mark), quote: Price(quote), percent };
        assert_eq!(spread(Price(bid), Price(ask), Some(OraclePrice(oracle))), expected);
    }

    #[test]
    fn an_uncrossed_book_has_its_middle_rounded_down() {
        check(149_980_000, 150_020_000, 1, 150_000_000, 40_000, 26_666);
        check(10, 13, 1, 11, 3, 27_272_727);
    }

    #[test]
    fn a_locked_book_is_not_crossed() {
        check(10, 10, 99, 10, 0, 0);
    }

    #[test]
    fn a_crossed_book_takes_the_price_nearest_to_the_oracle() {
        check(20, 15, 10, 15, 0, 0);
        check(20, 15, 30, 20, 0, 0);
        check(20, 15, 17, 17, 0, 0);
        check(20, 15, 15, 15, 0, 0);
    }

    #[test]
    fn without_an_oracle_a_crossed_book_has_its_middle() {
        assert_eq!(spread(Price(20), Price(15), None).mark, OraclePrice(17));
    }

    #[test]
    fn the_largest_prices_do_not_overflow() {
        let spread = spread(Price(0), Price(u64::MAX), None);
        assert_eq!(spread.quote, Price(u64::MAX));
        assert_eq!(spread.mark, OraclePrice(i64::MAX / 2));
    }
}
