//! Encodes the frames of a topic as bytes.

use slotbook_book::{FeedState, Side};
use slotbook_protocol::model::units::{Price, Pubkey, Slot};
use slotbook_protocol::model::varint::zigzag;

use super::bytes::ByteWriter;
use super::{
    FIRST_BYTE, FLAG_TIMING, Kind, MAKERS_NAMED_MAX, ORDER_EXACT_PRICE, ORDER_EXACT_SIZES,
    ORDER_EXPIRES, ORDER_HAS_OFFSET, ORDER_POST_ONLY, ORDER_REDUCE_ONLY, ORDER_SIGNED_MSG,
    ROW_KIND_BITS, RowKind, UNITS_END, Units,
};
use crate::l3::OrderLine;
use crate::level::SourcedLevel;
use crate::stream::diff::OrderChanges;
use crate::stream::parts::{Names, Reset, ShownRows, SnapshotReply, VersionStamp};
use crate::stream::rows::{Difference, Fresh};
use crate::stream::spec::Timing;

/// Bytes of a stream id.
const STREAM_ID_BYTES: usize = 4;

/// Writes the identity of a topic, preceded by the stream id: the checksum of the identity. Frames
/// use the epoch and units of the snapshot with their stream id, so a reader with another snapshot
/// cannot misread them.
pub(in crate::stream) fn write_identity(
    out: &mut Vec<u8>,
    names: Names<'_>,
    timing: Timing,
    units: Units,
) {
    let start = out.len();
    let mut bytes = ByteWriter::new(out);
    bytes.u32(0);
    for text in [names.topic, names.channel.name(), names.market, names.epoch] {
        bytes.text(text.as_bytes());
    }
    bytes.byte(if timing == Timing::On { FLAG_TIMING } else { 0 });
    bytes.varint(units.price);
    bytes.varint(units.size);
    let id = crc32fast::hash(&out[start + STREAM_ID_BYTES..]);
    out[start..start + STREAM_ID_BYTES].copy_from_slice(&id.to_le_bytes());
}

#[derive(Clone, Copy, Debug)]
pub(in crate::stream) struct FrameParts<'a> {
    /// See [`write_identity`].
    pub(in crate::stream) identity: &'a [u8],
    pub(in crate::stream) timing: Timing,
    pub(in crate::stream) units: Units,
    pub(in crate::stream) moment: VersionStamp,
}

impl FrameParts<'_> {
    /// Writes a snapshot; `crc` is the checksum of its rows.
    pub(in crate::stream) fn write_snapshot(
        &self,
        reply: SnapshotReply<'_>,
        (rows, crc): (ShownRows<'_>, u32),
        sent_ns: u64,
        out: &mut Vec<u8>,
    ) {
        let (mut makers, mut bytes) = (Makers::new(), ByteWriter::new(out));
        bytes.byte(first_byte(Kind::Snapshot, self.moment.state));
        bytes.raw(self.identity);
        self.write_moment(&mut bytes, None, sent_ns);
        bytes.byte(u8::from(reply.reset == Reset::Yes));
        bytes.text(reply.id.as_bytes());
        match rows {
            ShownRows::Levels([bids, asks]) => {
                write_all_levels(out, (bids.iter().copied(), asks.iter().copied()), self.units);
            }
            ShownRows::Orders(sides) => {
                let parts = (self.units, self.moment.slot);
                let mut writer = OrderWriter::new(out, parts, &mut makers);
                sides.into_iter().for_each(|side| writer.write_list(side.iter().copied()));
            }
        }
        out.extend_from_slice(&crc.to_le_bytes());
    }

    pub(in crate::stream) fn write_delta_head(&self, prev: u64, sent_ns: u64, out: &mut Vec<u8>) {
        let mut bytes = ByteWriter::new(out);
        bytes.byte(first_byte(Kind::Delta, self.moment.state));
        bytes.raw(&self.identity[..STREAM_ID_BYTES]);
        self.write_moment(&mut bytes, Some(prev), sent_ns);
    }

    pub(in crate::stream) fn write_heartbeat(&self, out: &mut Vec<u8>) {
        let VersionStamp { seq, slot, ts_ms, state, .. } = self.moment;
        let mut bytes = ByteWriter::new(out);
        bytes.byte(first_byte(Kind::Heartbeat, state));
        bytes.raw(&self.identity[..STREAM_ID_BYTES]);
        [seq, slot.0, ts_ms].into_iter().for_each(|number| bytes.varint(number));
    }

    fn write_moment(&self, bytes: &mut ByteWriter<'_>, prev: Option<u64>, sent_ns: u64) {
        let VersionStamp { seq, slot, ts_ms, received_ns, .. } = self.moment;
        bytes.varint(seq);
        if let Some(prev) = prev {
            bytes.varint(seq.saturating_sub(prev));
        }
        bytes.varint(slot.0);
        bytes.varint(ts_ms);
        if self.timing == Timing::On {
            bytes.varint(received_ns);
            bytes.varint(sent_ns);
        }
    }
}

pub(super) fn first_byte(kind: Kind, state: FeedState) -> u8 {
    FIRST_BYTE | ((kind as u8) << 2) | state as u8
}

#[inline]
pub(super) fn write_all_levels(
    out: &mut Vec<u8>,
    (bids, asks): (impl IntoIterator<Item = SourcedLevel>, impl IntoIterator<Item = SourcedLevel>),
    units: Units,
) {
    let mut writer = LevelWriter::new(out, (Side::Bid, units), 0);
    bids.into_iter().for_each(|level| writer.write_level(&level));
    let first_price = writer.end();
    let mut writer = LevelWriter::new(out, (Side::Ask, units), first_price);
    asks.into_iter().for_each(|level| writer.write_level(&level));
    writer.end();
}

/// Writes the best level of each side, if any.
pub(in crate::stream) fn write_best(
    out: &mut Vec<u8>,
    best: [Option<&SourcedLevel>; 2],
    units: Units,
) {
    let [bid, ask] = best.map(Option::<&SourcedLevel>::copied);
    write_all_levels(out, (bid, ask), units);
}

pub(in crate::stream) fn write_level_changes(
    out: &mut Vec<u8>,
    fresh: &[Fresh<SourcedLevel>; 2],
    units: Units,
) {
    let mut first_price = 0;
    for (fresh, side) in fresh.iter().zip(Side::BOTH) {
        let mut writer = LevelWriter::new(out, (side, units), first_price);
        fresh.differences().for_each(|difference| match difference {
            Difference::Came(level) | Difference::Became(level) => writer.write_level(level),
            Difference::Went(level) => writer.write_gone(level.price),
        });
        first_price = writer.end();
    }
}

/// Writes the levels of one side; each price is written as its distance from the previous price.
struct LevelWriter<'a> {
    bytes: ByteWriter<'a>,
    side: Side,
    units: Units,
    before: u64,
    first_price: Option<u64>,
}

impl<'a> LevelWriter<'a> {
    /// Starts a side whose first price is relative to `before`.
    const fn new(out: &'a mut Vec<u8>, (side, units): (Side, Units), before: u64) -> Self {
        Self { bytes: ByteWriter::new(out), side, units, before, first_price: None }
    }

    /// Ends the side. Returns its first price, relative to which the next side is written.
    fn end(mut self) -> u64 {
        self.bytes.byte(0);
        self.first_price.unwrap_or(self.before)
    }

    fn write_level(&mut self, level: &SourcedLevel) {
        if let [dlob, 0, 0] = level.sizes
            && let Some(lots) = whole_units(dlob, self.units.size)
            && lots > 0
            && self.write_head(level.price, RowKind::Lots)
        {
            self.bytes.varint(lots);
            return;
        }
        if !self.write_head(level.price, RowKind::Sourced) {
            self.write_exact_head(level.price);
        }
        let named = level.sizes.iter().zip(0..);
        self.bytes.byte(named.fold(0, |all, (size, bit)| all | (u8::from(*size > 0) << bit)));
        level.sizes.iter().filter(|size| **size > 0).for_each(|size| self.bytes.wide(*size));
    }

    fn write_gone(&mut self, price: Price) {
        if !self.write_head(price, RowKind::Gone) {
            self.write_exact_head(price);
            self.bytes.byte(0);
        }
    }

    /// Writes the distance of a price from the previous one in units; false when the distance is
    /// not a whole number of units, or would read as the end of the side.
    #[inline]
    fn write_head(&mut self, price: Price, kind: RowKind) -> bool {
        let Some(units) = distance(self.side, self.before, price.0, self.units.price) else {
            return false;
        };
        let head = (zigzag(units) << ROW_KIND_BITS) | kind as u64;
        if head == 0 {
            return false;
        }
        self.bytes.varint(head);
        self.pass(price);
        true
    }

    fn write_exact_head(&mut self, price: Price) {
        self.bytes.varint(RowKind::Exact as u64);
        self.bytes.varint(price.0);
        self.pass(price);
    }

    fn pass(&mut self, price: Price) {
        self.before = price.0;
        self.first_price.get_or_insert(price.0);
    }
}

/// Returns the distance of a price from the previous one in units, positive away from the best
/// price: bids go down, asks up.
#[inline]
fn distance(side: Side, before: u64, price: u64, unit: u64) -> Option<i64> {
    let (from, to) = match side {
        Side::Bid => (price, before),
        Side::Ask => (before, price),
    };
    let units = whole_units(u128::from(from.abs_diff(to)), unit)?.cast_signed();
    Some(if to >= from { units } else { -units })
}

/// Returns an amount in whole units that a double represents exactly; `None` for other amounts.
#[inline]
fn whole_units(amount: u128, unit: u64) -> Option<u64> {
    let amount = u64::try_from(amount).ok()?;
    let units = amount / unit;
    (units * unit == amount && units < UNITS_END).then_some(units)
}

pub(in crate::stream) fn write_order_changes(
    out: &mut Vec<u8>,
    sides: &[OrderChanges; 2],
    parts: &FrameParts<'_>,
    makers: &mut Makers,
) {
    let mut writer = OrderWriter::new(out, (parts.units, parts.moment.slot), makers);
    for side in sides {
        writer.write_list(side.came.iter().copied());
        writer.write_list(side.became.iter().copied());
        writer.bytes.varint(side.went.len() as u64);
        for line in &side.went {
            writer.write_maker(line.maker);
            writer.bytes.varint(u64::from(line.order_id));
        }
    }
}

/// The makers that the frame has named recently, the newest last; a reused buffer.
pub(in crate::stream) type Makers = Vec<Pubkey>;

/// Writes the orders of a frame; each price is written as its distance from the previous order's
/// price.
pub(super) struct OrderWriter<'a> {
    bytes: ByteWriter<'a>,
    units: Units,
    frame_slot: u64,
    before: u64,
    makers: &'a mut Makers,
}

impl<'a> OrderWriter<'a> {
    pub(super) fn new(
        out: &'a mut Vec<u8>,
        (units, frame_slot): (Units, Slot),
        makers: &'a mut Makers,
    ) -> Self {
        makers.clear();
        let bytes = ByteWriter::new(out);
        Self { bytes, units, frame_slot: frame_slot.0, before: 0, makers }
    }

    pub(super) fn write_list(&mut self, lines: impl Iterator<Item = OrderLine> + Clone) {
        self.bytes.varint(lines.clone().count() as u64);
        lines.for_each(|line| self.write_order(&line));
    }

    fn write_order(&mut self, line: &OrderLine) {
        let away = distance(Side::Ask, self.before, line.price.0, self.units.price);
        let lots = |size| whole_units(size, self.units.size);
        let sizes = lots(line.size).zip(lots(line.queue));
        self.bytes.byte(flags_of(line, away.is_none(), sizes.is_none()));
        match away {
            Some(units) => self.bytes.zigzag(units),
            None => self.bytes.varint(line.price.0),
        }
        self.before = line.price.0;
        match sizes {
            Some((size, queue)) => [size, queue].into_iter().for_each(|one| self.bytes.varint(one)),
            None => [line.size, line.queue].into_iter().for_each(|one| self.bytes.wide(one)),
        }
        self.write_maker(line.maker);
        self.bytes.varint(u64::from(line.order_id));
        self.bytes.zigzag(self.frame_slot.wrapping_sub(line.slot.0).cast_signed());
        if line.oracle_price_offset != 0 {
            self.bytes.zigzag(line.oracle_price_offset);
        }
        if line.max_ts.0 != 0 {
            self.bytes.zigzag(line.max_ts.0);
        }
    }

    /// Writes a back-reference to a recent key, or 0 and the key.
    fn write_maker(&mut self, maker: Pubkey) {
        let named = self.makers.iter().rev().take(MAKERS_NAMED_MAX);
        if let Some((ago, _)) = (1_u64..).zip(named).find(|(_, named)| **named == maker) {
            self.bytes.varint(ago);
            return;
        }
        self.bytes.byte(0);
        self.bytes.raw(&maker.0);
        self.makers.push(maker);
    }
}

fn flags_of(line: &OrderLine, is_price_exact: bool, is_size_exact: bool) -> u8 {
    let flags = [
        (line.reduce_only, ORDER_REDUCE_ONLY),
        (line.post_only, ORDER_POST_ONLY),
        (line.signed_msg, ORDER_SIGNED_MSG),
        (is_price_exact, ORDER_EXACT_PRICE),
        (is_size_exact, ORDER_EXACT_SIZES),
        (line.oracle_price_offset != 0, ORDER_HAS_OFFSET),
        (line.max_ts.0 != 0, ORDER_EXPIRES),
    ];
    flags.into_iter().filter(|(is_set, _)| *is_set).fold(0, |all, (_, flag)| all | flag)
}

#[cfg(test)]
mod tests {
    use super::super::reader::read_frame;
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;
    use slotbook_protocol::model::units::UnixSeconds;

    use crate::stream::spec::Channel;
    use crate::stream::write::{write_all_orders, write_levels};
    use crate::writer::JsonWriter;

    const MOMENT: VersionStamp = VersionStamp {
        seq: 1 << 52,
        slot: Slot(400_000_000),
        ts_ms: 1_800_000_000_000,
        state: FeedState::Live,
        received_ns: 0,
    };

    fn amount(unit: u64) -> impl Strategy<Value = u128> {
        prop_oneof![
            4 => (1_u64..1_000).prop_map(move |units| u128::from(units) * u128::from(unit)),
            2 => 1_u128..1_000_000_000_000,
            1 => (u128::MAX >> 2)..(u128::MAX / 3),
        ]
    }

    fn price(unit: u64) -> impl Strategy<Value = Price> {
        amount(unit).prop_map(|price| Price(u64::try_from(price).unwrap_or(u64::MAX)))
    }

    fn units() -> impl Strategy<Value = Units> {
        let unit = || prop_oneof![Just(1_u64), 2_u64..2_000, Just(super::super::UNIT_MAX)];
        (unit(), unit()).prop_map(|(price, size)| Units { price, size })
    }

    /// Levels best first, of one source or of several.
    fn levels(side: Side, units: Units) -> impl Strategy<Value = Vec<SourcedLevel>> {
        let size = move || prop_oneof![Just(0_u128), amount(units.size)];
        let sizes = prop_oneof![
            amount(units.size).prop_map(|size| [size, 0, 0]),
            (size(), size(), amount(units.size)).prop_map(|(a, b, c)| [a, b, c]),
        ];
        let level = (price(units.price), sizes);
        let levels = proptest::collection::vec(level, 0..12);
        levels.prop_map(move |levels| {
            let mut levels: Vec<_> =
                levels.into_iter().map(|(price, sizes)| SourcedLevel { price, sizes }).collect();
            levels.sort_by_key(|level| match side {
                Side::Bid => u64::MAX - level.price.0,
                Side::Ask => level.price.0,
            });
            levels.dedup_by_key(|level| level.price);
            levels
        })
    }

    fn orders(units: Units) -> impl Strategy<Value = Vec<OrderLine>> {
        let amounts = (price(units.price), amount(units.size), amount(units.size));
        let rest = (any::<u8>(), any::<u32>(), any::<i64>(), -9_i64..9, any::<bool>());
        let order = (amounts, rest).prop_map(|((price, size, queue), rest)| {
            let (maker, order_id, oracle_price_offset, seconds, flag) = rest;
            OrderLine {
                price,
                size,
                queue,
                oracle_price_offset: if flag { oracle_price_offset } else { 0 },
                maker: Pubkey([maker; 32]),
                order_id,
                slot: Slot(MOMENT.slot.0.wrapping_add_signed(seconds)),
                max_ts: UnixSeconds(seconds.max(0) * 1_000_000_000),
                reduce_only: flag,
                post_only: seconds % 2 == 0,
                signed_msg: seconds % 3 == 0,
            }
        });
        proptest::collection::vec(order, 0..90)
    }

    /// Checks that a snapshot has the rows that JSON has.
    fn check(channel: Channel, units: Units, rows: ShownRows<'_>) {
        let mut identity = Vec::new();
        let names = Names { topic: "topic", channel, market: "market", epoch: "epoch" };
        write_identity(&mut identity, names, Timing::Off, units);
        let (timing, moment) = (Timing::Off, MOMENT);
        let parts = FrameParts { identity: &identity, timing, units, moment };
        let mut frame = Vec::new();
        let reply = SnapshotReply { id: "", reset: Reset::No };
        parts.write_snapshot(reply, (rows, 7), 0, &mut frame);
        let (_, frame) = read_frame(&frame, None);
        let mut json = vec![b'{'];
        match rows {
            ShownRows::Orders(sides) => write_all_orders(&mut JsonWriter::new(&mut json), sides),
            ShownRows::Levels(sides) => write_levels(&mut JsonWriter::new(&mut json), sides),
        }
        json.push(b'}');
        let expected: Value = serde_json::from_slice(&json).unwrap();
        assert_eq!([&frame["bids"], &frame["asks"]], [&expected["bids"], &expected["asks"]]);
    }

    proptest! {
        #[test]
        fn levels_of_any_price_and_size_come_exactly(
            (units, bids, asks) in units().prop_flat_map(|units| {
                (Just(units), levels(Side::Bid, units), levels(Side::Ask, units))
            }),
        ) {
            let channel = Channel::Book { depth_levels: 20, grouping_ticks: 1 };
            check(channel, units, ShownRows::Levels([&bids, &asks]));
        }

        #[test]
        fn orders_of_any_price_and_size_come_exactly(
            (units, bids, asks) in units().prop_flat_map(|units| {
                (Just(units), orders(units), orders(units))
            }),
        ) {
            let channel = Channel::L3 { depth_orders: 100, maker: None };
            check(channel, units, ShownRows::Orders([&bids, &asks]));
        }
    }

    #[test]
    fn a_level_that_goes_where_the_other_side_began_is_not_the_end() {
        let units = Units { price: 10, size: 5 };
        let mut bytes = Vec::new();
        let mut writer = LevelWriter::new(&mut bytes, (Side::Ask, units), 500);
        writer.write_gone(Price(500));
        writer.end();
        assert_eq!(bytes, [3, 0xf4, 3, 0, 0]);
    }
}
