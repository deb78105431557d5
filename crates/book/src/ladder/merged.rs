//! Fixed and oracle-offset orders of one side together, best price first.

use slotbook_protocol::units::Price;

use super::chunks::Cursor;
use super::fixed::{FixedLadder, FixedLevel};
use super::ladders::Ladders;
use super::offset::{OffsetPricing, Part, Segment, Segments};
use crate::{Level, Side};

/// The levels of one side, best first. See [`crate::Book::levels`].
#[derive(Debug)]
pub struct Levels<'a>(pub(crate) Merged<'a, Level>);

impl Iterator for Levels<'_> {
    type Item = Level;

    #[inline]
    fn next(&mut self) -> Option<Level> {
        let mut level = self.0.next()?;
        while let Some(same) = self.0.next_at(level.price.0) {
            level.size += same.size;
            level.order_count += same.order_count;
        }
        Some(level)
    }
}

/// What a reader takes of the orders that stand together at a price: a fixed level, or the part of
/// an offset bucket that rounds to one price.
pub(crate) trait Piece<'a>: Copy {
    fn of_fixed(price: u64, level: &'a FixedLevel) -> Self;
    fn of_offset(segment: &Segment<'a>) -> Self;
    fn price(&self) -> u64;
}

impl<'a> Piece<'a> for Level {
    #[inline]
    fn of_fixed(price: u64, level: &'a FixedLevel) -> Self {
        Self { price: Price(price), size: level.size.get(), order_count: level.order_count }
    }

    #[inline]
    fn of_offset(segment: &Segment<'a>) -> Self {
        let Segment { price, size, order_count, .. } = *segment;
        Self { price: Price(price), size, order_count }
    }

    #[inline]
    fn price(&self) -> u64 {
        self.price.0
    }
}

/// A piece with the lists of its orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderLists<'a> {
    pub(crate) price: u64,
    pub(crate) order_count: u32,
    pub(crate) lists: Lists<'a>,
}

/// The lists of the orders of a piece, by their heads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lists<'a> {
    Fixed(u32),
    Offset(&'a [Part]),
}

impl<'a> Piece<'a> for OrderLists<'a> {
    fn of_fixed(price: u64, level: &'a FixedLevel) -> Self {
        Self { price, order_count: level.order_count, lists: Lists::Fixed(level.head) }
    }

    fn of_offset(segment: &Segment<'a>) -> Self {
        let Segment { price, order_count, .. } = *segment;
        Self { price, order_count, lists: Lists::Offset(segment.parts) }
    }

    fn price(&self) -> u64 {
        self.price
    }
}

/// Fixed and oracle-offset pieces of one side, merged best first.
#[derive(Debug)]
pub(crate) struct Merged<'a, P> {
    side: Side,
    ladder: Option<&'a FixedLadder>,
    levels: Option<Cursor<'a, FixedLevel>>,
    segments: Option<Segments<'a>>,
    fixed: Option<P>,
    offset: Option<P>,
}

impl<'a, P: Piece<'a>> Merged<'a, P> {
    /// Nothing without ladders; of the oracle-offset orders nothing without a price for them.
    pub(crate) fn new(
        ladders: Option<&'a Ladders>,
        pricing: Option<OffsetPricing>,
        side: Side,
    ) -> Self {
        let ladder = ladders.map(|ladders| &ladders.fixed[side.index()]);
        let segments = ladders.and_then(|ladders| {
            let offsets = &ladders.offset[side.index()];
            let pricing = pricing.filter(|_| !offsets.is_empty())?;
            Some(offsets.segments(pricing))
        });
        let levels = ladder.map(FixedLadder::levels);
        let mut merged = Self { side, ladder, levels, segments, fixed: None, offset: None };
        merged.fixed = merged.next_fixed();
        merged.offset = merged.next_offset();
        merged
    }

    /// The next piece, if it has this price.
    #[inline]
    pub(crate) fn next_at(&mut self, price: u64) -> Option<P> {
        if self.fixed.as_ref().is_some_and(|piece| piece.price() == price) {
            let next = self.next_fixed();
            return std::mem::replace(&mut self.fixed, next);
        }
        if self.offset.as_ref().is_some_and(|piece| piece.price() == price) {
            let next = self.next_offset();
            return std::mem::replace(&mut self.offset, next);
        }
        None
    }

    #[inline]
    fn next_fixed(&mut self) -> Option<P> {
        let ladder = self.ladder?;
        let level = self.levels.as_mut()?.next()?;
        Some(P::of_fixed(ladder.price(level), level))
    }

    #[inline]
    fn next_offset(&mut self) -> Option<P> {
        self.segments.as_mut()?.next().map(|segment| P::of_offset(&segment))
    }
}

impl<'a, P: Piece<'a>> Iterator for Merged<'a, P> {
    type Item = P;

    #[inline]
    fn next(&mut self) -> Option<P> {
        let take_offset = match (&self.fixed, &self.offset) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(fixed), Some(offset)) => self.side.is_better(offset.price(), fixed.price()),
        };
        if take_offset {
            let next = self.next_offset();
            return std::mem::replace(&mut self.offset, next);
        }
        let next = self.next_fixed();
        std::mem::replace(&mut self.fixed, next)
    }
}
