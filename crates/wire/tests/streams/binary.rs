//! Binary frames have the same content as the JSON frames of the same moment.

use proptest::prelude::*;
use serde_json::Value;
use slotbook_book::Side;
use slotbook_wire::sources::Sources;
use slotbook_wire::stream::spec::{Channel, Encoding, Timing, TopicSpec};
use slotbook_wire::stream::topic::{FrameTimes, Reset, SnapshotReply, Topic};

use super::bytes::{Stream, read_frame};
use super::life::{Event, event, happen};
use super::world::{World, book_of, l3_of, spec};
use crate::common::{OrderBytes, key, perp_market, user};

const TIMES: FrameTimes = FrameTimes { received_ns: 17, sent_ns: 1_700_000_000_000_000_123 };

/// Offset of the tick in the market's account.
const TICK_OFFSET: usize = 816;

/// A topic in both encodings, with the state of a binary reader.
struct Pair {
    json: Topic,
    binary: Topic,
    stream: Stream,
}

impl Pair {
    fn open(world: &mut World, spec: TopicSpec) -> Self {
        let as_bytes = TopicSpec { encoding: Encoding::Binary, ..spec };
        let book = &world.bench.book;
        let mut open =
            |spec| Topic::open(book, spec, &world.epoch, 17, &mut world.scratch).unwrap();
        let (json, binary) = (open(spec), open(as_bytes));
        let (stream, _) = read_frame(&snapshot(&binary, ("", Reset::No)), None);
        let pair = Self { json, binary, stream };
        for reply in [("", Reset::No), ("\"seven\"", Reset::Yes), ("7", Reset::No)] {
            pair.check_snapshot(reply);
        }
        pair
    }

    /// Publishes both; returns the lengths of their frames.
    fn publish(&mut self, world: &mut World) -> Option<[usize; 2]> {
        let World { bench, epoch, scratch, .. } = world;
        let mut next = |topic: &mut Topic| {
            let mut pending = topic.next_frame(&bench.book, epoch, TIMES, scratch)?;
            let frame = pending.write_frame().to_vec();
            pending.publish();
            Some(frame)
        };
        let (json, binary) = (next(&mut self.json), next(&mut self.binary));
        assert_eq!(json.is_some(), binary.is_some());
        let (json, binary) = (json?, binary?);
        if json.starts_with(b"{\"type\":\"snapshot\"") {
            (self.stream, _) = read_frame(&binary, None);
        }
        self.check_frame(&json, &binary);
        self.check_snapshot(("", Reset::Yes));
        let mut heartbeats = [Vec::new(), Vec::new()];
        self.json.write_heartbeat(&bench.book, &mut heartbeats[0]);
        self.binary.write_heartbeat(&bench.book, &mut heartbeats[1]);
        self.check_frame(&heartbeats[0], &heartbeats[1]);
        Some([json.len(), binary.len()])
    }

    fn check_snapshot(&self, reply: (&str, Reset)) {
        self.check_frame(&snapshot(&self.json, reply), &snapshot(&self.binary, reply));
    }

    fn check_frame(&self, json: &[u8], binary: &[u8]) {
        let (_, frame) = read_frame(binary, Some(&self.stream));
        let mut expected = super::follower::parse(json);
        expected["topic"] = format!("{}:binary", expected["topic"].as_str().unwrap()).into();
        assert_eq!(frame, Value::Object(expected));
    }
}

fn snapshot(topic: &Topic, (id, reset): (&str, Reset)) -> Vec<u8> {
    let mut frame = Vec::new();
    topic.write_snapshot(SnapshotReply { id, reset }, TIMES.sent_ns, &mut frame);
    frame
}

fn specs(world: &World) -> Vec<TopicSpec> {
    let market = world.bench.perp();
    let channels = [
        book_of(3, 1),
        book_of(50, 1),
        book_of(10, 10),
        book_of(500, 1_000_000),
        Channel::Bbo,
        l3_of(4, None),
        l3_of(50, None),
        l3_of(50, Some(key(2))),
    ];
    let mut specs: Vec<_> = channels.into_iter().map(|channel| spec(market, channel)).collect();
    let sources = Sources { vamm: true, indicative: true };
    specs.push(TopicSpec { sources, timing: Timing::On, ..specs[1] });
    specs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn both_encodings_of_a_topic_say_the_same(
        before in proptest::collection::vec(event(), 0..20),
        events in proptest::collection::vec(event(), 1..60),
    ) {
        let mut world = World::new();
        before.iter().for_each(|event| happen(&mut world, event));
        world.end_turn();
        let specs = specs(&world);
        let mut pairs: Vec<_> =
            specs.into_iter().map(|spec| Pair::open(&mut world, spec)).collect();
        for event in events.iter().chain([&Event::Turn { topics: 0 }]) {
            happen(&mut world, event);
            if let Event::Turn { .. } = event {
                for pair in &mut pairs {
                    pair.publish(&mut world);
                }
            }
        }
    }
}

/// A book of two bids and an ask, and a pair that follows it.
fn quoted(channel: Channel) -> (World, Pair) {
    let mut world = World::new();
    let bids = [OrderBytes::limit(Side::Bid, 990, 5, 1), OrderBytes::limit(Side::Bid, 970, 10, 2)];
    world.bench.put(key(1), &user(&bids));
    world.bench.put(key(2), &user(&[OrderBytes::limit(Side::Ask, 1_010, 10, 1)]));
    world.end_turn();
    let market = world.bench.perp();
    let pair = Pair::open(&mut world, spec(market, channel));
    (world, pair)
}

#[test]
fn other_units_begin_with_a_snapshot() {
    let (mut world, mut pair) = quoted(book_of(10, 1));
    let price = pair.stream.price_unit;
    let mut market = perp_market();
    let tick = market[TICK_OFFSET..TICK_OFFSET + 8].first_chunk().map(|at| u64::from_le_bytes(*at));
    assert_eq!(tick, Some(price));
    market[TICK_OFFSET..TICK_OFFSET + 8].copy_from_slice(&(price * 2).to_le_bytes());
    world.bench.put(key(201), &market);
    world.bench.put(key(1), &user(&[OrderBytes::limit(Side::Bid, 980, 5, 1)]));
    world.end_turn();
    let World { bench, epoch, scratch, .. } = &mut world;
    let mut pending = pair.binary.next_frame(&bench.book, epoch, TIMES, scratch).unwrap();
    assert_eq!(pending.reset(), Reset::Yes);
    assert_eq!(read_frame(pending.write_frame(), None).0.price_unit, price * 2);
    pending.publish();
    assert!(pair.binary.next_frame(&bench.book, epoch, TIMES, scratch).is_none());
}
