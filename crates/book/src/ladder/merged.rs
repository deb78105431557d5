//! Merges the fixed and oracle-offset orders of one side, best price first.

use slotbook_protocol::model::units::Price;

use super::chunks::Cursor;
use super::fixed::FixedLevel;
use super::ladders::Ladders;
use super::offset::{OffsetPricing, Part, Segment, Segments};
use crate::{Level, Side};

/// The levels of one side, best first. See [`crate::Book::levels`].
#[derive(Clone, Debug)]
pub struct Levels<'a>(pub(crate) Merged<'a>);

impl Iterator for Levels<'_> {
    type Item = Level;

    #[inline]
    fn next(&mut self) -> Option<Level> {
        let merged = &mut self.0;
        let offset = merged.offset.map(|segment| segment.price);
        let fixed = merged.fixed.map(|level| (level.price(merged.side), level));
        let (price, mut size, mut order_count) = match (fixed, offset) {
            (Some((price, _)), Some(offset)) if merged.side.is_better(offset, price) => {
                (offset, 0, 0)
            }
            (Some((price, level)), _) => {
                merged.fixed = merged.levels.next();
                (price, level.size.get(), level.order_count)
            }
            (None, offset) => (offset?, 0, 0),
        };
        if offset != Some(price) {
            return Some(Level { price: Price(price), size, order_count });
        }
        while let Some(segment) = merged.offset.filter(|segment| segment.price == price) {
            size += Part::size_of(segment.parts);
            order_count += Part::orders_of(segment.parts);
            merged.advance_offset();
        }
        Some(Level { price: Price(price), size, order_count })
    }
}

/// Orders that share a price.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<'a> {
    Fixed(&'a FixedLevel),
    /// The part of an offset bucket that rounds to one price.
    Offset(&'a [Part]),
}

impl Piece<'_> {
    #[inline]
    pub(crate) fn order_count(&self) -> u32 {
        match self {
            Self::Fixed(level) => level.order_count,
            Self::Offset(parts) => Part::orders_of(parts),
        }
    }
}

/// The pieces of fixed and oracle-offset orders of one side, merged best first. Pieces are borrowed
/// and not copied, because readers often need only the first levels.
#[derive(Clone, Debug)]
pub(crate) struct Merged<'a> {
    side: Side,
    levels: Cursor<'a, FixedLevel>,
    segments: Option<Segments<'a>>,
    fixed: Option<&'a FixedLevel>,
    offset: Option<Segment<'a>>,
}

impl<'a> Merged<'a> {
    /// Without ladders the side is empty; without an oracle price the offset orders are omitted.
    pub(crate) fn new(
        ladders: Option<&'a Ladders>,
        pricing: Option<OffsetPricing>,
        side: Side,
    ) -> Self {
        let mut segments = ladders.and_then(|ladders| {
            let offsets = &ladders.offset[side.index()];
            let pricing = pricing.filter(|_| !offsets.is_empty())?;
            Some(offsets.segments(pricing))
        });
        let ladder = ladders.map(|ladders| &ladders.fixed[side.index()]);
        let mut levels = ladder.map_or(Cursor::NONE, |ladder| ladder.levels());
        let fixed = levels.next();
        let offset = segments.as_mut().and_then(Iterator::next);
        Self { side, levels, segments, fixed, offset }
    }

    /// The pieces of one price.
    pub(crate) fn at(
        ladders: &'a Ladders,
        pricing: Option<OffsetPricing>,
        side: Side,
        price: u64,
    ) -> impl Iterator<Item = Piece<'a>> {
        let level = ladders.fixed[side.index()].levels_from(price).next();
        let fixed = level.filter(|level| level.price(side) == price).map(Piece::Fixed);
        let segments = pricing
            .map(|pricing| ladders.offset[side.index()].segments_from(pricing, price))
            .into_iter()
            .flatten();
        let here = segments
            .skip_while(move |segment| side.is_better(segment.price, price))
            .take_while(move |segment| segment.price == price);
        fixed.into_iter().chain(here.map(|segment| Piece::Offset(segment.parts)))
    }

    /// Returns the next piece and its price, the best remaining price.
    #[inline]
    pub(crate) fn first(&self) -> Option<(u64, Piece<'a>)> {
        let fixed = self.fixed.map(|level| (level.price(self.side), Piece::Fixed(level)));
        let offset = self.offset.map(|segment| (segment.price, Piece::Offset(segment.parts)));
        match (fixed, offset) {
            (Some(fixed), Some(offset)) if self.side.is_better(offset.0, fixed.0) => Some(offset),
            (fixed, offset) => fixed.or(offset),
        }
    }

    #[inline]
    pub(crate) fn next_at(&mut self, price: u64) -> Option<Piece<'a>> {
        if let Some(level) = self.fixed.filter(|level| level.price(self.side) == price) {
            self.fixed = self.levels.next();
            return Some(Piece::Fixed(level));
        }
        let segment = self.offset.filter(|segment| segment.price == price)?;
        self.advance_offset();
        Some(Piece::Offset(segment.parts))
    }

    /// Not inlined, so that fixed levels do not load the inputs of offset prices.
    #[inline(never)]
    fn advance_offset(&mut self) {
        self.offset = self.segments.as_mut().and_then(Iterator::next);
    }
}
