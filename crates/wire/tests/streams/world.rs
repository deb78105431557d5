//! A book, its topics and a reader for each.

use serde_json::{Value, json};
use slotbook_book::{Book, FeedState, MarketId};
use slotbook_protocol::model::units::Pubkey;
use slotbook_wire::render::{L2Request, L3Request, Rows, render_l2, render_l3};
use slotbook_wire::sources::Sources;
use slotbook_wire::stream::spec::{Channel, Encoding, Timing, TopicSpec};
use slotbook_wire::stream::topic::{FrameTimes, Reset, SnapshotReply, StreamScratch, Topic};
use slotbook_wire::uncross::Crossing;

use super::follower::Follower;
use crate::common::Bench;

/// A topic and its reader.
pub(crate) struct Followed {
    pub(crate) topic: Topic,
    spec: TopicSpec,
    pub(crate) reader: Follower,
}

/// A living book with topics.
pub(crate) struct World {
    pub(crate) bench: Bench,
    pub(crate) epoch: String,
    pub(crate) scratch: StreamScratch,
    pub(crate) followed: Vec<Followed>,
    turns: u64,
}

/// A topic with default parameters.
pub(crate) fn spec(market: MarketId, channel: Channel) -> TopicSpec {
    let (timing, encoding) = (Timing::Off, Encoding::Json);
    TopicSpec { market, channel, sources: Sources::NONE, timing, interval_ms: 0, encoding }
}

pub(crate) fn book_of(depth_levels: u32, grouping_ticks: u32) -> Channel {
    Channel::Book { depth_levels, grouping_ticks }
}

pub(crate) fn l3_of(depth_orders: u32, maker: Option<Pubkey>) -> Channel {
    Channel::L3 { depth_orders, maker }
}

pub(crate) fn snapshot(topic: &Topic) -> Vec<u8> {
    let mut frame = Vec::new();
    topic.write_snapshot(SnapshotReply { id: "", reset: Reset::No }, 0, &mut frame);
    frame
}

impl World {
    pub(crate) fn new() -> Self {
        let mut bench = Bench::new();
        bench.book.set_state(FeedState::Live);
        bench.book.end_turn(1);
        let (scratch, followed) = (StreamScratch::default(), Vec::new());
        Self { bench, epoch: "e1".to_owned(), scratch, followed, turns: 1 }
    }

    pub(crate) fn follow(&mut self, spec: TopicSpec) -> &mut Followed {
        let book = &self.bench.book;
        let topic = Topic::open(book, spec, &self.epoch, 0, &mut self.scratch).unwrap();
        let reader = Follower::open(&snapshot(&topic));
        self.followed.push(Followed { topic, spec, reader });
        self.followed.last_mut().unwrap()
    }

    pub(crate) fn end_turn(&mut self) {
        self.turns += 1;
        self.bench.book.end_turn(self.turns);
    }

    /// Updates a topic; returns its frame.
    pub(crate) fn publish(&mut self, index: usize) -> Option<Vec<u8>> {
        let followed = &mut self.followed[index];
        let (book, times) = (&self.bench.book, FrameTimes::default());
        let had = snapshot(&followed.topic);
        let mut pending = followed.topic.next_frame(book, &self.epoch, times, &mut self.scratch)?;
        let frame = pending.write_frame().to_vec();
        let (prev, seq) = (pending.prev(), pending.seq());
        pending.publish();
        assert_eq!(Follower::open(&had), followed.reader, "a snapshot is what was published");
        assert_eq!(prev, followed.reader.seq);
        followed.reader.follow(&frame);
        assert_eq!(seq, followed.reader.seq);
        assert_eq!(Follower::open(&snapshot(&followed.topic)), followed.reader);
        Some(frame)
    }

    /// The reader of an updated topic has the rows of the bodies.
    pub(crate) fn check(&self, index: usize) {
        let Followed { spec, reader, .. } = &self.followed[index];
        assert_eq!(reader.sides, shown(&self.bench.book, spec));
        assert_eq!(reader.epoch, self.epoch);
        assert_eq!(reader.state, self.bench.book.state().name());
    }
}

/// The rows of the corresponding body, in the format of the topic.
fn shown(book: &Book, spec: &TopicSpec) -> [Vec<Value>; 2] {
    let mut body = Vec::new();
    let TopicSpec { market, sources, .. } = *spec;
    let mut crossing = Crossing::default();
    match spec.channel {
        Channel::L3 { depth_orders, maker } => {
            let plain = L3Request::plain(market, usize::try_from(depth_orders).unwrap());
            let request = L3Request { maker, sources, ..plain };
            render_l3(book, &request, "e", (&mut Rows::default(), &mut crossing), &mut body);
        }
        Channel::Book { depth_levels, grouping_ticks } => {
            let depth_levels = usize::try_from(depth_levels).unwrap();
            let plain = L2Request::plain(market, depth_levels);
            let request = L2Request { grouping_ticks, sources, ..plain };
            render_l2(book, &request, "e", &mut crossing, &mut body);
        }
        Channel::Bbo => {
            let request = L2Request { sources, ..L2Request::plain(market, 1) };
            render_l2(book, &request, "e", &mut crossing, &mut body);
        }
    }
    let body: Value = serde_json::from_slice(&body).unwrap();
    ["bids", "asks"].map(|side| {
        let rows = body[side].as_array().unwrap().iter();
        rows.map(|row| match spec.channel {
            Channel::L3 { .. } => row.clone(),
            Channel::Book { .. } => json!([row["price"], row["size"], row["sources"]]),
            Channel::Bbo => json!([row["price"], row["size"]]),
        })
        .collect()
    })
}
