//! The cost of writing a delta, in JSON and in binary, for the same topic.

use std::fmt::Write as _;
use std::hint::black_box;

use slotbook_book::MarketId;
use slotbook_wire::sources::Sources;
use slotbook_wire::stream::spec::{Channel, Encoding, Timing, TopicSpec};
use slotbook_wire::stream::topic::{FrameTimes, Reset, SnapshotReply, StreamScratch, Topic};

use crate::error::BenchError;
use crate::replay::{Replay, warm_book};
use crate::stopwatch::{Measured, Stopwatch};
use crate::workload::{Record, Workload};

const EPOCH: &str = "1700000000000";

/// The words of a command after the workload: `CHANNEL DEPTH ENCODING TURNS`.
fn spec_of(words: &[&str], market: MarketId) -> Option<(TopicSpec, usize)> {
    let &[channel, depth, encoding, turns] = words else { return None };
    let depth = depth.parse().ok()?;
    let channel = match channel {
        "book" => Channel::Book { depth_levels: depth, grouping_ticks: 0 },
        "bbo" => Channel::Bbo,
        "l3" => Channel::L3 { depth_orders: depth, maker: None },
        _ => return None,
    };
    let (sources, timing) = (Sources::NONE, Timing::Off);
    let encoding = Encoding::from(encoding == "binary");
    let spec = TopicSpec { market, channel, sources, timing, interval_ms: 0, encoding };
    Some((spec, turns.parse().ok()?))
}

/// Runs `frames` or `encode`, a command that [`crate::commands::Commands`] has read.
///
/// # Errors
/// When the command is not understood, or its workload cannot be applied.
pub(crate) fn run(workload: &Workload, line: &str) -> Result<String, BenchError> {
    let unknown = || BenchError::UnknownCommand(line.to_string());
    let words: Vec<&str> = line.split_whitespace().collect();
    let (&[verb, _], rest) = words.split_first_chunk().ok_or_else(unknown)?;
    let (replay, updates) = warm_book(workload)?;
    let (topic, repeats) = match verb {
        "frames" => (rest, 0),
        _ => {
            let (repeats, topic) = rest.split_last().ok_or_else(unknown)?;
            (topic, repeats.parse().map_err(|_| unknown())?)
        }
    };
    let (spec, turns) = spec_of(topic, replay.market(0)?).ok_or_else(unknown)?;
    let mut run = Deltas::new(replay, spec)?;
    if verb == "frames" {
        run.frames(&updates, turns)
    } else {
        run.encode(&updates, turns, repeats)
    }
}

/// A book that changes by one account a turn, and one of its topics.
struct Deltas {
    replay: Replay,
    topic: Topic,
    scratch: StreamScratch,
}

impl Deltas {
    fn new(mut replay: Replay, spec: TopicSpec) -> Result<Self, BenchError> {
        replay.end_turn();
        let mut scratch = StreamScratch::default();
        let topic = Topic::open(&replay.book, spec, EPOCH, 0, &mut scratch);
        Ok(Self { topic: topic.ok_or(BenchError::UnknownMarket(0))?, replay, scratch })
    }

    /// Plays turns until so many had a delta; `each` writes it as often as it likes.
    fn play(
        &mut self,
        updates: &[Record<'_>],
        turns: usize,
        mut each: impl FnMut(&mut dyn FnMut() -> usize, &mut Vec<u8>),
    ) -> Result<(), BenchError> {
        let (mut left, mut out) = (turns, Vec::new());
        for record in updates.iter().cycle() {
            if left == 0 {
                break;
            }
            self.replay.apply(*record)?;
            self.replay.end_turn();
            let Self { replay, topic, scratch } = self;
            let pending = topic.next_frame(&replay.book, EPOCH, FrameTimes::default(), scratch);
            let Some(mut pending) = pending else { continue };
            left -= 1;
            out.clear();
            out.extend_from_slice(pending.write_frame());
            each(&mut || black_box(pending.write_frame()).len(), &mut out);
            pending.publish();
        }
        Ok(())
    }

    /// The snapshot and the deltas, as hexadecimal digits.
    fn frames(&mut self, updates: &[Record<'_>], turns: usize) -> Result<String, BenchError> {
        let mut first = Vec::new();
        self.topic.write_snapshot(SnapshotReply { id: "", reset: Reset::No }, 0, &mut first);
        let mut frames = vec![hex(&first)];
        self.play(updates, turns, |_, frame| frames.push(hex(frame)))?;
        Ok(format!("{{\"frames\":[\"{}\"]}}", frames.join("\",\"")))
    }

    /// Each delta written so many times, the clock standing still between turns.
    fn encode(
        &mut self,
        updates: &[Record<'_>],
        turns: usize,
        repeats: usize,
    ) -> Result<String, BenchError> {
        let (mut total, mut bytes) = (Measured::default(), 0);
        self.play(updates, turns, |write, frame| {
            bytes += frame.len();
            let watch = Stopwatch::start();
            for _ in 0..repeats {
                black_box(write());
            }
            total.add(watch.stop(repeats));
        })?;
        Ok(format!("{{{},\"bytes\":{}}}", total.json(), bytes / turns.max(1)))
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
