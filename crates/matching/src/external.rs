//! The levels of external venues, for spot markets.
//!
//! [`ExternalBook`] holds levels until its caller replaces them. It has no data about the venue or
//! the age of a level.

use std::cmp::Reverse;

use slotbook_book::limits::MARKETS_MAX;
use slotbook_book::{MarketId, Side};
use slotbook_protocol::model::units::{BaseQty, Price};

use crate::limits::{EXTERNAL_LEVELS_GIVEN_MAX, EXTERNAL_LEVELS_MAX};

/// The base size 1 in the units of the addon's interface.
const SIZE_SCALE: u128 = 1_000_000_000;

/// One price of an external venue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalLevel {
    /// The price, 1e6.
    pub price: Price,
    /// The available size, in the market's base units.
    pub size: BaseQty,
}

impl ExternalLevel {
    /// Converts a level whose size is at 1e9 to a market's decimals, rounded down. `None` when the
    /// size exceeds 64 bits.
    #[must_use]
    pub fn scaled(price: Price, size_1e9: u64, decimals: u32) -> Option<Self> {
        let scaled = u128::from(size_1e9).checked_mul(10_u128.checked_pow(decimals)?)? / SIZE_SCALE;
        Some(Self { price, size: BaseQty(u64::try_from(scaled).ok()?) })
    }
}

/// The external levels of each market: best first, one for each price, at most
/// [`EXTERNAL_LEVELS_MAX`] a side.
#[derive(Debug, Default)]
pub struct ExternalBook {
    markets: Vec<[Vec<ExternalLevel>; 2]>,
}

impl ExternalBook {
    /// Replaces the levels of a side. Any order is accepted; equal prices merge, and levels without
    /// a price or size are dropped. Levels beyond [`EXTERNAL_LEVELS_GIVEN_MAX`] are ignored, and so
    /// are markets beyond the book's maximum.
    pub fn set(
        &mut self,
        id: MarketId,
        side: Side,
        levels: impl IntoIterator<Item = ExternalLevel>,
    ) {
        let index = usize::from(id.0);
        if index >= MARKETS_MAX {
            return;
        }
        if index >= self.markets.len() {
            self.markets.resize_with(index + 1, Default::default);
        }
        let stored = &mut self.markets[index][side as usize];
        stored.clear();
        let given = levels.into_iter().take(EXTERNAL_LEVELS_GIVEN_MAX);
        stored.extend(given.filter(|level| level.price.0 > 0 && level.size.0 > 0));
        match side {
            Side::Bid => stored.sort_unstable_by_key(|level| Reverse(level.price)),
            Side::Ask => stored.sort_unstable_by_key(|level| level.price),
        }
        stored.dedup_by(|level, before| {
            let same = level.price == before.price;
            if same {
                before.size = BaseQty(before.size.0.saturating_add(level.size.0));
            }
            same
        });
        stored.truncate(EXTERNAL_LEVELS_MAX);
    }

    /// Returns the levels of a side, best first; empty when no levels were set.
    #[must_use]
    pub fn levels(&self, id: MarketId, side: Side) -> &[ExternalLevel] {
        self.markets.get(usize::from(id.0)).map_or(&[], |sides| &sides[side as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: MarketId = MarketId(3);

    fn level(price: u64, size: u64) -> ExternalLevel {
        ExternalLevel { price: Price(price), size: BaseQty(size) }
    }

    fn check(side: Side, given: &[(u64, u64)], expected: &[(u64, u64)]) {
        let mut book = ExternalBook::default();
        book.set(ID, side, given.iter().map(|(price, size)| level(*price, *size)));
        let levels = book.levels(ID, side).iter().map(|level| (level.price.0, level.size.0));
        assert_eq!(levels.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn bids_descend_and_asks_ascend() {
        check(Side::Bid, &[(5, 1), (7, 2), (6, 3)], &[(7, 2), (6, 3), (5, 1)]);
        check(Side::Ask, &[(5, 1), (7, 2), (6, 3)], &[(5, 1), (6, 3), (7, 2)]);
    }

    #[test]
    fn equal_prices_are_one_level() {
        check(Side::Ask, &[(5, 1), (6, 4), (5, 2), (5, 3)], &[(5, 6), (6, 4)]);
        check(Side::Bid, &[(5, u64::MAX), (5, 2)], &[(5, u64::MAX)]);
    }

    #[test]
    fn a_level_without_price_or_size_is_left_out() {
        check(Side::Ask, &[(0, 1), (5, 0), (6, 1)], &[(6, 1)]);
    }

    #[test]
    fn the_best_levels_stay() {
        let given: Vec<_> = (1..=100).map(|price| (price, 1)).collect();
        let best: Vec<_> = (37..=100).rev().map(|price| (price, 1)).collect();
        assert_eq!(best.len(), EXTERNAL_LEVELS_MAX);
        check(Side::Bid, &given, &best);
    }

    #[test]
    fn sizes_come_into_the_decimals_of_the_market_rounded_down() {
        let scaled = |size, decimals| {
            ExternalLevel::scaled(Price(1), size, decimals).map(|level| level.size.0)
        };
        assert_eq!(scaled(1_500_000_000, 9), Some(1_500_000_000));
        assert_eq!(scaled(1_500_000_999, 6), Some(1_500_000));
        assert_eq!(scaled(1_500_000_000, 12), Some(1_500_000_000_000));
        assert_eq!(scaled(u64::MAX, 10), None);
        assert_eq!(scaled(1, 39), None);
    }

    #[test]
    fn no_more_is_read_than_may_be_given() {
        let mut looked = 0;
        let mut book = ExternalBook::default();
        book.set(
            ID,
            Side::Ask,
            std::iter::repeat_with(|| {
                looked += 1;
                level(7, 1)
            }),
        );
        assert_eq!(looked, EXTERNAL_LEVELS_GIVEN_MAX);
    }

    #[test]
    fn new_levels_replace_the_old_of_their_side_and_market() {
        let mut book = ExternalBook::default();
        book.set(ID, Side::Bid, [level(5, 1)]);
        book.set(ID, Side::Ask, [level(6, 1)]);
        book.set(MarketId(4), Side::Bid, [level(8, 1)]);
        book.set(ID, Side::Bid, []);
        assert_eq!(book.levels(ID, Side::Bid), []);
        assert_eq!(book.levels(ID, Side::Ask), [level(6, 1)]);
        assert_eq!(book.levels(MarketId(4), Side::Bid), [level(8, 1)]);
    }

    #[test]
    fn a_market_that_cannot_be_has_none() {
        let mut book = ExternalBook::default();
        book.set(MarketId(u16::MAX), Side::Bid, [level(5, 1)]);
        assert_eq!(book.levels(MarketId(u16::MAX), Side::Bid), []);
    }
}
