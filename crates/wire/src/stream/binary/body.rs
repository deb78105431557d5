//! Binary bodies of /l2 and /l3: rows in the format of binary frames, and all other members as JSON
//! text.

use slotbook_book::{Header, MarketInfo};

use super::bytes::ByteWriter;
use super::encode::{Makers, OrderWriter, first_byte, write_all_levels};
use super::{Kind, Units};
use crate::l3::OrderLine;
use crate::level::SourcedLevel;

/// Row type: levels.
const LEVELS: u8 = 0;

/// Row type: orders.
const ORDERS: u8 = 1;

/// Appends a binary body to `out`.
#[derive(Debug)]
pub(crate) struct BodyBytes<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> BodyBytes<'a> {
    pub(crate) const fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Writes the levels of both sides, grouped; the other members are written separately.
    pub(crate) fn write_levels(
        &mut self,
        (info, header, grouping_ticks): (&MarketInfo, &Header, u32),
        sides: (impl IntoIterator<Item = SourcedLevel>, impl IntoIterator<Item = SourcedLevel>),
    ) {
        let units = Units::grouped(info, grouping_ticks);
        self.write_start(LEVELS, units, header);
        write_all_levels(self.out, sides, units);
    }

    /// Writes the orders of both sides; the other members are written separately.
    pub(crate) fn write_orders(
        &mut self,
        (info, header): (&MarketInfo, &Header),
        (bids, asks): (
            impl Iterator<Item = OrderLine> + Clone,
            impl Iterator<Item = OrderLine> + Clone,
        ),
    ) {
        let units = Units::grouped(info, 1);
        self.write_start(ORDERS, units, header);
        let mut makers = Makers::new();
        let mut writer = OrderWriter::new(self.out, (units, header.slot), &mut makers);
        writer.write_list(bids);
        writer.write_list(asks);
    }

    /// Returns the output buffer, to which the JSON text of the other members is appended.
    pub(crate) const fn members(&mut self) -> &mut Vec<u8> {
        self.out
    }

    fn write_start(&mut self, rows: u8, units: Units, header: &Header) {
        let mut bytes = ByteWriter::new(self.out);
        bytes.byte(first_byte(Kind::Body, header.state));
        bytes.byte(rows);
        [units.price, units.size, header.slot.0].into_iter().for_each(|one| bytes.varint(one));
    }
}
