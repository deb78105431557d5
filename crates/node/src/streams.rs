//! The JavaScript interface of streaming topics: a handle for each topic, and finished frames.

use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;
use slotbook_core::streams::{NotOpened, UnknownTopic};
use slotbook_wire::sources::Sources;
use slotbook_wire::stream::spec::{Channel, Encoding, Timing, TopicSpec};
use slotbook_wire::stream::topic::{FrameTimes, Reset, SnapshotReply};

use crate::convert::{copy_out, count, maker_of, market_of};
use crate::core::Core;

/// Bytes of a word of a call.
pub(crate) const WORD_BYTES: usize = 8;

/// The number of words of a call: receipt and creation time of the frame go in; prev, seq and reset
/// come out.
pub(crate) const CALL_WORDS: usize = 3;

/// There is no such market.
const UNKNOWN_MARKET: i32 = -1;

/// The maker is no key.
const INVALID_MAKER: i32 = -2;

/// There is no room for another topic.
const TOPICS_EXCEEDED: i32 = -3;

/// The return value for an unknown handle. No frame is that long.
const UNKNOWN_TOPIC: i32 = i32::MIN;

/// What a topic shows.
#[napi(object)]
pub struct TopicOptions {
    /// 0 book, 1 bbo, 2 l3.
    pub channel: u32,
    /// The number of the market.
    pub market: u32,
    /// Levels a side, or orders a side; ignored for bbo.
    pub depth: u32,
    /// The grid in ticks, for book; 0 and 1 for none.
    pub grouping: u32,
    /// The sources in addition to orders: 1 the market's AMM, 2 indicative quotes, 3 both.
    pub sources: u32,
    /// The user account whose orders alone are included, for l3; empty for all.
    pub maker: String,
    /// Whether frames say when they were made.
    pub timing: bool,
    /// The minimum interval between two frames that the client chose, in milliseconds; 0 for none.
    pub interval_ms: u32,
    /// Whether frames are binary instead of JSON.
    pub binary: bool,
}

#[napi]
impl Core {
    /// Returns the name of the topic with these options; null for an unknown market, or when the
    /// maker is not a key.
    #[napi]
    pub fn topic_name(&self, options: TopicOptions) -> Option<String> {
        let spec = spec_of(&options).ok()?;
        Some(spec.name(&self.core.book().market(spec.market)?.symbol))
    }

    /// Opens a topic whose first publication is the current book. The first word of `call_words` is
    /// the receipt time of the newest part of that book. Returns the handle; -1 for an unknown
    /// market, -2 when the maker is not a key, -3 when there are too many topics.
    #[napi]
    pub fn open_topic(&mut self, options: TopicOptions, call_words: BufferSlice<'_>) -> i32 {
        let spec = match spec_of(&options) {
            Ok(spec) => spec,
            Err(code) => return code,
        };
        match self.core.open_topic(spec, times_of(&call_words).received_ns) {
            Ok(handle) => i32::try_from(handle).unwrap_or(TOPICS_EXCEEDED),
            Err(NotOpened::UnknownMarket) => UNKNOWN_MARKET,
            Err(NotOpened::TopicsExceeded) => TOPICS_EXCEEDED,
        }
    }

    /// Closes a topic. Returns false when there is no topic with this handle.
    #[napi]
    pub fn close_topic(&mut self, handle: u32) -> bool {
        self.core.close_topic(handle)
    }

    /// Topics that are open.
    #[napi(getter)]
    pub fn topic_count(&self) -> u32 {
        count(self.core.topic_count())
    }

    /// Publishes the changes since the last publication of a topic: writes the frame into `out`.
    /// `call_words` are three 64-bit words in the machine's byte order: the unix nanoseconds of
    /// receipt and of creation of the frame go in; prev, seq, and 1 for a snapshot of another
    /// epoch, come out. Returns the length of the frame; 0 when there is nothing to publish;
    /// -2147483648 for an unknown topic; another negative number is the negative of the length that
    /// `out` must have, and then nothing is published.
    #[napi]
    pub fn topic_frame(
        &mut self,
        handle: u32,
        mut call_words: BufferSlice<'_>,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let times = times_of(&call_words);
        let mut pending = match self.core.topic_frame(handle, times) {
            Ok(Some(pending)) => pending,
            Ok(None) => return 0,
            Err(UnknownTopic) => return UNKNOWN_TOPIC,
        };
        let written = copy_out(Some(pending.write_frame()), &mut out);
        if written < 0 {
            return written;
        }
        let (words, _) = call_words.as_chunks_mut::<WORD_BYTES>();
        if let Some(words) = words.first_chunk_mut::<CALL_WORDS>() {
            let reset = u64::from(pending.reset() == Reset::Yes);
            *words = [pending.prev(), pending.seq(), reset].map(u64::to_ne_bytes);
        }
        pending.publish();
        written
    }

    /// Writes the snapshot of a topic's last publication into `out`. `id` is the JSON text of the
    /// request's id, empty for none; the second word of `call_words` is the creation time of the
    /// frame. Returns the length; 0 for an unknown topic; when `out` is too small, the negative of
    /// the length that it must have.
    #[napi]
    pub fn topic_snapshot(
        &mut self,
        handle: u32,
        id: String,
        reset: bool,
        call_words: BufferSlice<'_>,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let sent_ns = times_of(&call_words).sent_ns;
        let reply = SnapshotReply { id: &id, reset: Reset::from(reset) };
        copy_out(Some(self.core.topic_snapshot(handle, reply, sent_ns)), &mut out)
    }

    /// Writes a heartbeat of a topic into `out`. Returns the same as `topicSnapshot`.
    #[napi]
    pub fn topic_heartbeat(&mut self, handle: u32, mut out: BufferSlice<'_>) -> i32 {
        copy_out(Some(self.core.topic_heartbeat(handle)), &mut out)
    }
}

/// Decodes the options, or returns the code of their error.
fn spec_of(options: &TopicOptions) -> Result<TopicSpec, i32> {
    let market = market_of(options.market).ok_or(UNKNOWN_MARKET)?;
    let maker = maker_of(&options.maker).map_err(|_| INVALID_MAKER)?;
    let channel = match options.channel {
        1 => Channel::Bbo,
        2 => Channel::L3 { depth_orders: options.depth, maker },
        _ => Channel::Book { depth_levels: options.depth, grouping_ticks: options.grouping },
    };
    Ok(TopicSpec {
        market,
        channel,
        sources: Sources::of_bits(options.sources),
        timing: Timing::from(options.timing),
        interval_ms: options.interval_ms,
        encoding: Encoding::from(options.binary),
    })
}

fn times_of(call_words: &[u8]) -> FrameTimes {
    let (words, _) = call_words.as_chunks::<WORD_BYTES>();
    let word = |index: usize| words.get(index).map_or(0, |word| u64::from_ne_bytes(*word));
    FrameTimes { received_ns: word(0), sent_ns: word(1) }
}
