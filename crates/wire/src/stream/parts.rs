//! What the frames of a topic are made of, in either encoding.

use slotbook_book::{FeedState, Header};
use slotbook_protocol::units::Slot;

use super::spec::{Channel, Timing};
use crate::l3::OrderLine;
use crate::level::SourcedLevel;
use crate::writer::{JsonWriter, members};

/// When the changes arrived and when their frame was made, in unix nanoseconds; 0 where it
/// is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameTimes {
    /// Receipt of the first notification of the turn.
    pub received_ns: u64,
    /// Making of the frame.
    pub sent_ns: u64,
}

/// The request that a snapshot replies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotReply<'a> {
    /// The JSON text of the request's id; empty where there is none.
    pub id: &'a str,
    /// Whether the reader had something before that it must forget.
    pub reset: Reset,
}

/// Whether a snapshot takes the place of something that its reader had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// It does.
    Yes,
    /// It is the first that the reader gets.
    No,
}

impl From<bool> for Reset {
    fn from(reset: bool) -> Self {
        if reset { Self::Yes } else { Self::No }
    }
}

/// The moment of the book that a publication shows.
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

/// What a topic is called, to its readers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub(super) topic: &'a str,
    pub(super) channel: Channel,
    pub(super) market: &'a str,
    pub(super) epoch: &'a str,
}
