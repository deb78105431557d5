//! Streaming topics as JavaScript sees them: a number for each, and finished frames.

use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;
use slotbook_core::streams::{NotOpened, UnknownTopic};
use slotbook_wire::stream::spec::{Channel, Encoding, Timing, TopicSpec};
use slotbook_wire::stream::topic::{FrameTimes, Reset, SnapshotReply};

use crate::convert::{copy_out, count, maker_of, market_of, sources_of};
use crate::core::Core;

/// Bytes of a word of a call.
const WORD_BYTES: usize = 8;

/// Words of a call: in, receipt and making of the frame; out, prev, seq and reset.
const CALL_WORDS: usize = 3;

/// There is no such market.
const UNKNOWN_MARKET: i32 = -1;

/// The maker is no key.
const INVALID_MAKER: i32 = -2;

/// There is no room for another topic.
const TOPICS_EXCEEDED: i32 = -3;

/// There is no topic of this handle. No frame is that long.
const UNKNOWN_TOPIC: i32 = i32::MIN;

/// What a topic shows.
#[napi(object)]
pub struct TopicOptions {
    /// 0 book, 1 bbo, 2 l3.
    pub channel: u32,
    /// The number of the market.
    pub market: u32,
    /// Levels of a side, or orders; of no meaning for bbo.
    pub depth: u32,
    /// The grid in ticks; 0 and 1 for none. Of meaning for book only.
    pub grouping: u32,
    /// The book's sources in addition to orders: 1 the levels of the market's AMM, 2 indicative
    /// quotes, 3 both.
    pub sources: u32,
    /// Only the orders of this user account, of l3; empty for all.
    pub maker: String,
    /// Whether frames say when they were made.
    pub timing: bool,
    /// The least time between two frames that the client chose, in milliseconds; 0 for none.
    pub interval_ms: u32,
    /// Whether frames are bytes and no JSON text.
    pub binary: bool,
}

#[napi]
impl Core {
    /// The name of the topic with these options; null for an unknown market or a maker that is not
    /// a key.
    #[napi]
    pub fn topic_name(&self, options: TopicOptions) -> Option<String> {
        let spec = spec_of(&options).ok()?;
        Some(spec.name(&self.core.book().market(spec.market)?.symbol))
    }

    /// Opens a topic with the book of now as its first publication. The first word of `call_words`
    /// is when the newest part of that book came in. Returns the handle; -1 for an unknown market,
    /// -2 for a maker that is not a key, -3 when there are too many topics.
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

    /// Forgets a topic. Returns false when there is none of this handle.
    #[napi]
    pub fn close_topic(&mut self, handle: u32) -> bool {
        self.core.close_topic(handle)
    }

    /// Topics that are open.
    #[napi(getter)]
    pub fn topic_count(&self) -> u32 {
        count(self.core.topic_count())
    }

    /// Publishes what has changed since the last publication of a topic: writes the frame into
    /// `out`. `call_words` is three 64-bit words in the machine's byte order. In are the unix
    /// nanoseconds of the receipt and of the making of the frame; out are prev, seq, and 1 where
    /// the frame is the snapshot of another epoch. Returns the length of the frame; 0 when there is
    /// nothing to publish; -2147483648 when there is no such topic; another negative number is the
    /// length that `out` must have, and then nothing is published.
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
    /// request's id, empty for none; the second word of `call_words` is when the frame is made.
    /// Returns the length; 0 when there is no such topic; a negative number is the length that
    /// `out` must have.
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

    /// Writes a heartbeat of a topic into `out`. Returns as `topicSnapshot` does.
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
        sources: sources_of(options.sources),
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
