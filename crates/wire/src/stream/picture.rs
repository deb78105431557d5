//! A snapshot: everything that a topic shows at one moment.

use super::binary::Units;
use super::binary::encode::FrameParts;
use super::parts::{Names, Reset, ShownRows, SnapshotReply, VersionStamp};
use super::spec::{Channel, TopicSpec};
use super::write::{write_all_orders, write_best, write_levels};
use crate::level::SourcedLevel;
use crate::writer::{JsonWriter, members};

/// Everything that a snapshot says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picture<'a> {
    pub(super) spec: &'a TopicSpec,
    /// What its numbers are in; `None` for JSON text.
    pub(super) units: Option<Units>,
    /// See [`write_identity`] and [`super::binary::encode::write_identity`].
    pub(super) identity: &'a [u8],
    pub(super) moment: VersionStamp,
    pub(super) rows: ShownRows<'a>,
    pub(super) checksum: u32,
}

impl Picture<'_> {
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

/// Writes the members that do not change from frame to frame: they are made once an epoch.
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

/// Writes the last member of a frame.
pub(super) fn write_checksum(json: &mut JsonWriter<'_>, checksum: u32) {
    json.raw(b",\"crc\":");
    json.u64(u64::from(checksum));
    json.raw(b"}");
}
