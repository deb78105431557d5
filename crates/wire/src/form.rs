//! The forms of a book body: JSON text, JSON escaped inside a string, or binary.

use slotbook_book::{Header, MarketInfo};

use crate::head::BodyHead;
use crate::l2::write_l2;
use crate::l3::{OrderLine, write_l3};
use crate::level::SourcedLevel;
use crate::stream::binary::body::BodyBytes;
use crate::writer::JsonWriter;

/// The market of a body, and the grid of its prices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) info: &'a MarketInfo,
    pub(crate) header: &'a Header,
    /// Ticks in each price group; 0 and 1 disable grouping.
    pub(crate) grouping_ticks: u32,
}

/// Writes bodies in one form. The rows come best first, already grouped and limited.
pub(crate) trait Form {
    fn write_l2<B, A>(&mut self, shown: Shown<'_>, head: &BodyHead<'_>, sides: (B, A))
    where
        B: IntoIterator<Item = SourcedLevel>,
        A: IntoIterator<Item = SourcedLevel>;

    fn write_l3<B, A>(&mut self, shown: Shown<'_>, head: &BodyHead<'_>, sides: (B, A))
    where
        B: Iterator<Item = OrderLine> + Clone,
        A: Iterator<Item = OrderLine> + Clone;
}

impl<const N: bool> Form for JsonWriter<'_, N> {
    #[inline]
    fn write_l2<B, A>(&mut self, _: Shown<'_>, head: &BodyHead<'_>, (bids, asks): (B, A))
    where
        B: IntoIterator<Item = SourcedLevel>,
        A: IntoIterator<Item = SourcedLevel>,
    {
        write_l2(self, head, bids, asks);
    }

    #[inline]
    fn write_l3<B, A>(&mut self, _: Shown<'_>, head: &BodyHead<'_>, (bids, asks): (B, A))
    where
        B: Iterator<Item = OrderLine> + Clone,
        A: Iterator<Item = OrderLine> + Clone,
    {
        write_l3(self, head, bids, asks);
    }
}

impl Form for BodyBytes<'_> {
    fn write_l2<B, A>(&mut self, shown: Shown<'_>, head: &BodyHead<'_>, sides: (B, A))
    where
        B: IntoIterator<Item = SourcedLevel>,
        A: IntoIterator<Item = SourcedLevel>,
    {
        let Shown { info, header, grouping_ticks } = shown;
        self.write_levels((info, header, grouping_ticks), sides);
        head.write_object_with_prices(self.members());
    }

    fn write_l3<B, A>(&mut self, shown: Shown<'_>, head: &BodyHead<'_>, sides: (B, A))
    where
        B: Iterator<Item = OrderLine> + Clone,
        A: Iterator<Item = OrderLine> + Clone,
    {
        self.write_orders((shown.info, shown.header), sides);
        head.write_object_without_prices(self.members());
    }
}
