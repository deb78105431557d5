//! Groups levels on a coarser price grid.

use std::iter::Peekable;

use slotbook_book::Side;
use slotbook_protocol::model::units::Price;

use crate::level::SourcedLevel;

/// The rounding direction of prices, which is never in the reader's favour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Bids round down.
    Down,
    /// Asks round up.
    Up,
}

impl Rounding {
    /// The rounding direction of a side.
    #[must_use]
    pub const fn of(side: Side) -> Self {
        match side {
            Side::Bid => Self::Down,
            Side::Ask => Self::Up,
        }
    }

    /// Rounds a price to a multiple of `grouping`; 0 and multiples are unchanged.
    #[must_use]
    pub fn to_grid(self, price: Price, grouping: Price) -> Price {
        let rest = price.0.checked_rem(grouping.0).unwrap_or(0);
        match self {
            _ if rest == 0 => price,
            Self::Down => Price(price.0 - rest),
            Self::Up => Price((price.0 - rest).saturating_add(grouping.0)),
        }
    }
}

/// Iterator over the groups of a sorted sequence of levels, best first.
///
/// A group is complete once the first level of the next group is read; no level after that is read.
#[derive(Debug)]
pub struct Grouped<I: Iterator<Item = SourcedLevel>> {
    levels: Peekable<I>,
    grouping: Price,
    rounding: Rounding,
}

/// Groups `levels`, best first, on a grid of `grouping` (1e6; 0 and 1 keep all levels).
pub fn grouped<I>(levels: I, grouping: Price, rounding: Rounding) -> Grouped<I::IntoIter>
where
    I: IntoIterator<Item = SourcedLevel>,
{
    Grouped { levels: levels.into_iter().peekable(), grouping, rounding }
}

impl<I: Iterator<Item = SourcedLevel>> Iterator for Grouped<I> {
    type Item = SourcedLevel;

    fn next(&mut self) -> Option<SourcedLevel> {
        let mut group = self.levels.next()?;
        group.price = self.rounding.to_grid(group.price, self.grouping);
        while let Some(level) = self.levels.peek() {
            if self.rounding.to_grid(level.price, self.grouping) != group.price {
                break;
            }
            group.merge(level);
            self.levels.next();
        }
        Some(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Source;

    fn level(price: u64, size: u128) -> SourcedLevel {
        SourcedLevel::of(Source::Dlob, Price(price), size)
    }

    fn check(rounding: Rounding, grouping: u64, input: &[(u64, u128)], expected: &[(u64, u128)]) {
        let levels = input.iter().map(|(price, size)| level(*price, *size));
        let groups: Vec<_> = grouped(levels, Price(grouping), rounding)
            .map(|group| (group.price.0, group.size()))
            .collect();
        assert_eq!(groups, expected);
    }

    #[test]
    fn a_bid_below_one_group_becomes_zero_and_zero_stays() {
        check(Rounding::Down, 10, &[(9, 1), (0, 2)], &[(0, 3)]);
        check(Rounding::Up, 10, &[(0, 2)], &[(0, 2)]);
    }

    #[test]
    fn the_top_of_the_number_range_does_not_overflow() {
        check(Rounding::Up, 10, &[(u64::MAX, 1)], &[(u64::MAX, 1)]);
    }

    #[test]
    fn the_last_group_is_complete_and_nothing_behind_the_next_is_read() {
        let mut read = 0;
        let levels = [29, 28, 27, 19, 18, 9].map(|price| level(price, 1));
        let counted = levels.into_iter().inspect(|_| read += 1);
        let top: Vec<_> = grouped(counted, Price(10), Rounding::Down).take(1).collect();
        assert_eq!(top.len(), 1);
        assert_eq!(top[0].size(), 3);
        assert_eq!(read, 4);
    }
}
