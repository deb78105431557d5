//! The parts of a topic's frames that both encodings share.

use slotbook_book::{FeedState, Header};
use slotbook_protocol::model::units::Slot;

use super::spec::{Channel, Timing};
use crate::l3::OrderLine;
use crate::level::SourcedLevel;
use crate::writer::{JsonWriter, members};

/// Receipt of the changes and creation of their frame, in unix nanoseconds; 0 for unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameTimes {
    /// Arrival of the turn's first notification.
    pub received_ns: u64,
    /// Creation of the frame.
    pub sent_ns: u64,
}

/// The request that a snapshot replies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotReply<'a> {
    /// The JSON text of the request id; empty for none.
    pub id: &'a str,
    /// Whether the reader must discard an earlier state.
    pub reset: Reset,
}

/// Whether a snapshot replaces an earlier state of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reset {
    /// The reader must discard its state.
    Yes,
    /// The reader's first snapshot.
    #[default]
    No,
}

impl From<bool> for Reset {
    fn from(reset: bool) -> Self {
        if reset { Self::Yes } else { Self::No }
    }
}

/// The version of the book in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VersionStamp {
    pub(super) seq: u64,
    pub(super) slot: Slot,
    pub(super) ts_ms: u64,
    pub(super) state: FeedState,
    pub(super) received_ns: u64,
}

impl VersionStamp {
    pub(super) fn of(header: &Header, received_ns: u64) -> Self {
        let Header { seq, slot, ts_ms, state, .. } = *header;
        Self { seq, slot, ts_ms, state, received_ns }
    }

    pub(super) fn write(&self, json: &mut JsonWriter<'_>) {
        self.write_numbers(json);
        self.write_state(json);
    }

    pub(super) fn write_timed(&self, json: &mut JsonWriter<'_>, timing: Timing, sent_ns: u64) {
        self.write_numbers(json);
        if timing == Timing::On {
            json.raw(b",\"recvNs\":\"");
            json.u64(self.received_ns);
            json.raw(b"\",\"sendNs\":\"");
            json.u64(sent_ns);
            json.raw(b"\"");
        }
        self.write_state(json);
    }

    fn write_numbers(&self, json: &mut JsonWriter<'_>) {
        members!(
            json,
            b",\"seq\":" => u64(self.seq),
            b",\"slot\":" => u64(self.slot.0),
            b",\"ts\":" => u64(self.ts_ms),
        );
    }

    fn write_state(&self, json: &mut JsonWriter<'_>) {
        json.raw(b",\"state\":\"");
        json.raw(self.state.name().as_bytes());
        json.raw(b"\"");
    }
}

/// The rows of a snapshot, bids first.
#[derive(Clone, Copy, Debug)]
pub(super) enum ShownRows<'a> {
    Levels([&'a [SourcedLevel]; 2]),
    Orders([&'a [OrderLine]; 2]),
}

/// The names by which readers know a topic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub(super) topic: &'a str,
    pub(super) channel: Channel,
    pub(super) market: &'a str,
    pub(super) epoch: &'a str,
}
