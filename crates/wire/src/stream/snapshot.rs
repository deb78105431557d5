//! Snapshots: the complete content of a topic.

use super::binary::Units;
use super::binary::encode::FrameParts;
use super::parts::{Names, Reset, ShownRows, SnapshotReply, VersionStamp};
use super::spec::{Channel, TopicSpec};
use super::write::{write_all_orders, write_best, write_levels};
use crate::level::SourcedLevel;
use crate::writer::{JsonWriter, members};

#[derive(Clone, Copy, Debug)]
pub(super) struct SnapshotParts<'a> {
    pub(super) spec: &'a TopicSpec,
    /// Units; `None` for JSON text.
    pub(super) units: Option<Units>,
    /// See [`write_identity`] and [`super::binary::encode::write_identity`].
    pub(super) identity: &'a [u8],
    pub(super) moment: VersionStamp,
    pub(super) rows: ShownRows<'a>,
    pub(super) checksum: u32,
}

impl SnapshotParts<'_> {
    pub(super) fn write(&self, reply: SnapshotReply<'_>, sent_ns: u64, out: &mut Vec<u8>) {
        let Self { identity, moment, rows, checksum, .. } = *self;
        if let Some(units) = self.units {
            let parts = FrameParts { identity, timing: self.spec.timing, units, moment };
            parts.write_snapshot(reply, (rows, checksum), sent_ns, out);
        } else {
            self.write_json(reply, sent_ns, out);
        }
    }

    fn write_json(&self, reply: SnapshotReply<'_>, sent_ns: u64, out: &mut Vec<u8>) {
        let mut json = JsonWriter::new(out);
        json.raw(b"{\"type\":\"snapshot\"");
        if !reply.id.is_empty() {
            json.raw(b",\"id\":");
            json.raw(reply.id.as_bytes());
        }
        json.raw(self.identity);
        self.moment.write_timed(&mut json, self.spec.timing, sent_ns);
        json.raw(match reply.reset {
            Reset::Yes => b",\"reset\":true,",
            Reset::No => b",\"reset\":false,",
        });
        match (self.rows, self.spec.channel) {
            (ShownRows::Levels(sides), Channel::Bbo) => {
                write_best(&mut json, sides.map(<[SourcedLevel]>::first));
            }
            (ShownRows::Levels(sides), _) => write_levels(&mut json, sides),
            (ShownRows::Orders(sides), _) => write_all_orders(&mut json, sides),
        }
        write_checksum(&mut json, self.checksum);
    }
}

/// Writes the members that are constant within an epoch; they are rendered once in each epoch.
pub(super) fn write_identity(out: &mut Vec<u8>, names: Names<'_>) {
    let mut json = JsonWriter::new(out);
    members!(
        json,
        b",\"topic\":" => string(names.topic),
        b",\"channel\":" => string(names.channel.name()),
        b",\"market\":" => string(names.market),
        b",\"epoch\":" => string(names.epoch),
    );
}

/// Writes the checksum, the last member of a frame.
pub(super) fn write_checksum(json: &mut JsonWriter<'_>, checksum: u32) {
    json.raw(b",\"crc\":");
    json.u64(u64::from(checksum));
    json.raw(b"}");
}

#[cfg(test)]
mod tests {
    use super::super::binary::encode;
    use super::super::spec::{Encoding, Timing};
    use super::*;
    use crate::l3::OrderLine;
    use crate::level::SourcedLevel;
    use crate::sources::Sources;
    use slotbook_book::{FeedState, MarketId};
    use slotbook_protocol::model::units::{Price, Pubkey, Slot, UnixSeconds};
    use std::fmt::Write;
    use std::path::Path;

    const VECTORS: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/vectors/binary/exact.jsonl");
    const UNITS: Units = Units { price: 100, size: 10_000_000 };

    fn level(price: u64, sizes: [u128; 3]) -> SourcedLevel {
        SourcedLevel { price: Price(price), sizes }
    }

    fn order((price, size, queue): (u64, u128, u128), maker: u8, offset: i64) -> OrderLine {
        OrderLine {
            price: Price(price),
            size,
            queue,
            oracle_price_offset: offset,
            maker: Pubkey([maker; 32]),
            order_id: u32::MAX - u32::from(maker),
            slot: Slot(400_000_001 - u64::from(maker)),
            max_ts: UnixSeconds(i64::from(maker % 2) * 1_800_000_000),
            reduce_only: maker.is_multiple_of(3),
            post_only: maker.is_multiple_of(2),
            signed_msg: maker.is_multiple_of(5),
        }
    }

    /// A line of the vectors: the snapshot of these rows in both encodings.
    fn line(channel: Channel, timing: Timing, rows: ShownRows<'_>) -> String {
        let encoding = Encoding::Binary;
        let (market, sources) = (MarketId(0), Sources::NONE);
        let spec = TopicSpec { market, channel, sources, timing, interval_ms: 0, encoding };
        let topic = spec.name("SOL-PERP");
        let names = Names { topic: &topic, channel, market: "SOL-PERP", epoch: "exact" };
        let (mut json, mut binary) = (Vec::new(), Vec::new());
        for (units, out) in [(None, &mut json), (Some(UNITS), &mut binary)] {
            let mut identity = Vec::new();
            match units {
                Some(units) => encode::write_identity(&mut identity, names, timing, units),
                None => write_identity(&mut identity, names),
            }
            let moment = VersionStamp {
                seq: (1 << 53) - 1,
                slot: Slot(400_000_000),
                ts_ms: 1_800_000_000_000,
                state: FeedState::Stale,
                received_ns: 0,
            };
            let snapshot = SnapshotParts {
                spec: &spec,
                units,
                identity: &identity,
                moment,
                rows,
                checksum: 7,
            };
            snapshot.write(SnapshotReply { id: "\"é\"", reset: Reset::Yes }, u64::MAX, out);
        }
        let mut hex = String::new();
        binary.iter().for_each(|byte| write!(hex, "{byte:02x}").unwrap());
        format!("{{\"hex\":\"{hex}\",\"frame\":{}}}\n", String::from_utf8(json).unwrap())
    }

    #[test]
    fn values_that_are_not_whole_units_are_the_vectors_of_exact_ones() {
        let bids = [
            level(u64::MAX, [1, 0, 0]),
            level(u64::MAX - 100, [10_000_000, 0, 0]),
            level(85_000_050, [10_000_000, 7, 0]),
            level(85_000_000, [10_000_000 << 49, 0, 0]),
            level(84_999_999, [0, 123_456_789, u128::MAX >> 1]),
            level(84_999_899, [0, 0, 20_000_000]),
        ];
        let asks = [level(u64::MAX, [10_000_000 << 40, 0, 0])];
        let orders = [
            order((85_000_100, 10_000_000, 0), 1, 0),
            order((85_000_000, 12_345, 10_000_000), 2, -5),
            order((84_999_999, 20_000_000, 30_000_000), 1, i64::MIN),
            order((84_999_899, u128::MAX, 0), 15, i64::MAX),
        ];
        let book = Channel::Book { depth_levels: 20, grouping_ticks: 1 };
        let l3 = Channel::L3 { depth_orders: 100, maker: None };
        let lines = [
            line(book, Timing::On, ShownRows::Levels([&bids, &asks])),
            line(book, Timing::Off, ShownRows::Levels([&[], &asks])),
            line(l3, Timing::Off, ShownRows::Orders([&orders, &orders[2..]])),
        ];
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(VECTORS, lines.concat()).unwrap();
        }
        assert_eq!(lines.concat(), std::fs::read_to_string(Path::new(VECTORS)).unwrap());
    }
}
