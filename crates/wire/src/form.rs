//! The forms of a book body: JSON text, JSON escaped inside a string, or binary.

use slotbook_book::{Header, MarketInfo};

use crate::head::BodyHead;
use crate::l2::write_l2;
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

/// Writes bodies of levels in one form. The levels come best first, already grouped and limited.
pub(crate) trait Form {
    fn write_l2(
        &mut self,
        shown: Shown<'_>,
        head: &BodyHead<'_>,
        sides: (impl IntoIterator<Item = SourcedLevel>, impl IntoIterator<Item = SourcedLevel>),
    );
}

impl<const N: bool> Form for JsonWriter<'_, N> {
    #[inline]
    fn write_l2(
        &mut self,
        _: Shown<'_>,
        head: &BodyHead<'_>,
        (bids, asks): (
            impl IntoIterator<Item = SourcedLevel>,
            impl IntoIterator<Item = SourcedLevel>,
        ),
    ) {
        write_l2(self, head, bids, asks);
    }
}

impl Form for BodyBytes<'_> {
    fn write_l2(
        &mut self,
        Shown { info, header, grouping_ticks }: Shown<'_>,
        head: &BodyHead<'_>,
        sides: (impl IntoIterator<Item = SourcedLevel>, impl IntoIterator<Item = SourcedLevel>),
    ) {
        self.write_levels((info, header, grouping_ticks), sides);
        head.write_object_with_prices(self.members());
    }
}
