//! Merges the levels of orders with the requested quotes.

use std::iter::Peekable;
use std::slice;

use slotbook_book::{Book, Level, Levels, MarketId, MarketInfo, Side};
use slotbook_protocol::model::units::Price;

use crate::level::{SOURCES, SizeScale, Source, SourcedLevel};

/// The liquidity in addition to orders that a reader requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sources {
    /// The levels of the market's AMM.
    pub vamm: bool,
    /// Indicative quotes.
    pub indicative: bool,
}

impl Sources {
    /// Orders alone.
    pub const NONE: Self = Self { vamm: false, indicative: false };

    /// The sources that the bits name: 1 the AMM, 2 indicative quotes. Other bits are ignored.
    #[must_use]
    pub const fn of_bits(bits: u32) -> Self {
        Self { vamm: bits & 1 != 0, indicative: bits & 2 != 0 }
    }

    /// Whether only orders are shown.
    #[must_use]
    pub const fn is_none(self) -> bool {
        !self.vamm && !self.indicative
    }

    pub(crate) fn with_levels(self, book: &Book, market: MarketId) -> Self {
        let any = |levels: fn(&Book, MarketId, Side) -> &[Level]| {
            Side::BOTH.into_iter().any(|side| !levels(book, market, side).is_empty())
        };
        Self {
            vamm: self.vamm && any(Book::vamm_levels),
            indicative: self.indicative && any(Book::indicative_levels),
        }
    }
}

/// The levels of a side, best first; the price of the next level can be read in advance.
pub(crate) trait SideLevels: Iterator<Item = SourcedLevel> {
    /// The price of the next level.
    fn best(&mut self) -> Option<Price>;
}

impl<I: Iterator<Item = SourcedLevel>> SideLevels for Peekable<I> {
    fn best(&mut self) -> Option<Price> {
        self.peek().map(|level| level.price)
    }
}

/// Implemented without `Peekable`, which would check for a peeked level at each read.
impl SideLevels for OrderLevels<'_> {
    fn best(&mut self) -> Option<Price> {
        self.clone().next().map(|level| level.price)
    }
}

pub(crate) fn order_levels<'a>(book: &'a Book, info: &MarketInfo, side: Side) -> OrderLevels<'a> {
    let scale = SizeScale::from_decimals(info.decimals);
    OrderLevels { levels: book.levels(info.id, side), scale }
}

/// Returns the levels of orders and of these sources, best first; equal prices merge. The book's
/// quotes are those of [`Book::refresh_quotes`].
pub(crate) fn all_levels<'a>(
    book: &'a Book,
    info: &MarketInfo,
    side: Side,
    sources: Sources,
) -> impl Iterator<Item = SourcedLevel> + use<'a> {
    let vamm = if sources.vamm { book.vamm_levels(info.id, side) } else { &[] };
    let indicative = if sources.indicative { book.indicative_levels(info.id, side) } else { &[] };
    let scale = SizeScale::from_decimals(info.decimals);
    let quotes = [(Source::Vamm, vamm), (Source::Indicative, indicative)];
    merged(side, scale, order_levels(book, info, side), quotes).filter(|level| level.size() > 0)
}

/// Merges levels of orders with levels of quotes, all best first; equal prices merge. The sizes of
/// quotes are in the market's base units.
pub fn merged<'a, O>(
    side: Side,
    scale: SizeScale,
    orders: O,
    quotes: [(Source, &'a [Level]); SOURCES - 1],
) -> impl Iterator<Item = SourcedLevel> + use<'a, O>
where
    O: Iterator<Item = SourcedLevel>,
{
    let quotes = quotes.map(|(source, levels)| (source, levels.iter().peekable()));
    AllLevels { side, scale, orders: orders.peekable(), quotes }
}

/// The levels of orders in wire units. A hand-written iterator: std's adapters are not inlined, and
/// cost a call for each level of every body.
#[derive(Clone)]
pub(crate) struct OrderLevels<'a> {
    levels: Levels<'a>,
    scale: SizeScale,
}

impl Iterator for OrderLevels<'_> {
    type Item = SourcedLevel;

    #[inline]
    fn next(&mut self) -> Option<SourcedLevel> {
        loop {
            let level = self.levels.next()?;
            let size = self.scale.to_wire(level.size);
            // A size that rounds to 0 on the wire would mean a removed level.
            if size > 0 {
                return Some(SourcedLevel::of(Source::Dlob, level.price, size));
            }
        }
    }
}

/// Merges sorted levels of several sources.
struct AllLevels<'a, O: Iterator<Item = SourcedLevel>> {
    side: Side,
    scale: SizeScale,
    orders: Peekable<O>,
    quotes: [(Source, Peekable<slice::Iter<'a, Level>>); SOURCES - 1],
}

impl<O: Iterator<Item = SourcedLevel>> AllLevels<'_, O> {
    fn best(&mut self) -> Option<Price> {
        let side = self.side;
        let better = |a: Price, b: Price| if side.is_better(b.0, a.0) { b } else { a };
        let orders = self.orders.peek().map(|level| level.price);
        let quotes = self.quotes.iter_mut().filter_map(|(_, levels)| levels.peek());
        orders.into_iter().chain(quotes.map(|level| level.price)).reduce(better)
    }
}

impl<O: Iterator<Item = SourcedLevel>> Iterator for AllLevels<'_, O> {
    type Item = SourcedLevel;

    fn next(&mut self) -> Option<SourcedLevel> {
        let price = self.best()?;
        let orders = self.orders.next_if(|level| level.price == price);
        let mut level = orders.unwrap_or(SourcedLevel { price, sizes: [0; SOURCES] });
        for (source, levels) in &mut self.quotes {
            if let Some(same) = levels.next_if(|quoted| quoted.price == price) {
                level.sizes[*source as usize] = self.scale.to_wire(same.size);
            }
        }
        Some(level)
    }
}
