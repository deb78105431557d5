//! Binary frames have the same content as the JSON frames of the same moment.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use slotbook_book::Side;
use slotbook_wire::l3::OrderLine;
use slotbook_wire::level::{Source, SourcedLevel};
use slotbook_wire::sources::Sources;
use slotbook_wire::stream::binary::decode::{
    Body, CheckedRows, DecodeError, Frame, OrderChange, Rows, StreamIdentity, decode,
};
use slotbook_wire::stream::spec::{Channel, Encoding, Timing, TopicSpec};
use slotbook_wire::stream::topic::{FrameTimes, Reset, SnapshotReply, Topic};

use super::life::{Event, event, happen};
use super::world::{World, book_of, l3_of, spec};
use crate::common::{OrderBytes, key, perp_market, user};

const STATES: [&str; 4] = ["rebuilding", "live", "lagging", "stale"];
const TIMES: FrameTimes = FrameTimes { received_ns: 17, sent_ns: 1_700_000_000_000_000_123 };

/// Offset of the tick in the market's account.
const TICK_OFFSET: usize = 816;

/// A topic in both encodings, with the state of a binary reader.
struct Pair {
    json: Topic,
    binary: Topic,
    identity: StreamIdentity,
}

impl Pair {
    fn open(world: &mut World, spec: TopicSpec) -> Self {
        let as_bytes = TopicSpec { encoding: Encoding::Binary, ..spec };
        let book = &world.bench.book;
        let mut open =
            |spec| Topic::open(book, spec, &world.epoch, 17, &mut world.scratch).unwrap();
        let (json, binary) = (open(spec), open(as_bytes));
        let identity = identity_of(&snapshot(&binary, ("", Reset::No)));
        let pair = Self { json, binary, identity };
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
            self.identity = identity_of(&binary);
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
        let frame = decode(binary, |_| Some(&self.identity)).unwrap();
        let mut expected = super::follower::parse(json);
        expected["topic"] = format!("{}:binary", expected["topic"].as_str().unwrap()).into();
        assert_eq!(json_of(&frame, &self.identity), Value::Object(expected));
    }
}

fn snapshot(topic: &Topic, (id, reset): (&str, Reset)) -> Vec<u8> {
    let mut frame = Vec::new();
    topic.write_snapshot(SnapshotReply { id, reset }, TIMES.sent_ns, &mut frame);
    frame
}

fn identity_of(snapshot: &[u8]) -> StreamIdentity {
    let Body::Snapshot { identity, .. } = decode(snapshot, |_| None).unwrap().body else {
        panic!("it is a snapshot");
    };
    identity
}

/// The equivalent JSON frame.
fn json_of(frame: &Frame, identity: &StreamIdentity) -> Value {
    let mut members = Map::new();
    let head =
        [("topic", &identity.topic), ("channel", &identity.channel), ("market", &identity.market)];
    let kind = match &frame.body {
        Body::Snapshot { .. } => "snapshot",
        Body::Delta { .. } => "delta",
        Body::Heartbeat => "heartbeat",
    };
    members.insert("type".into(), kind.into());
    let named = if kind == "heartbeat" { &head[..1] } else { &head };
    members.extend(named.iter().map(|(name, text)| ((*name).to_owned(), (*text).clone().into())));
    members.insert("epoch".into(), identity.epoch.clone().into());
    for (name, number) in [("seq", frame.seq), ("slot", frame.slot), ("ts", frame.ts_ms)] {
        members.insert(name.into(), number.into());
    }
    members.insert("state".into(), STATES[usize::from(frame.state)].into());
    match &frame.body {
        Body::Snapshot { is_reset, request_id, rows, .. } => {
            members.insert("reset".into(), (*is_reset).into());
            if !request_id.is_empty() {
                members.insert("id".into(), serde_json::from_str(request_id).unwrap());
            }
            insert_rows(&mut members, rows, &identity.channel);
        }
        Body::Delta { prev, rows } => {
            members.insert("prev".into(), (*prev).into());
            insert_rows(&mut members, rows, &identity.channel);
        }
        Body::Heartbeat => {}
    }
    Value::Object(members)
}

fn insert_rows(members: &mut Map<String, Value>, checked: &CheckedRows, channel: &str) {
    if let Some([received, sent]) = checked.timing {
        members.insert("recvNs".into(), received.to_string().into());
        members.insert("sendNs".into(), sent.to_string().into());
    }
    let sides: [Value; 2] = match &checked.rows {
        Rows::Levels(sides) if channel == "bbo" => sides.each_ref().map(|side| best_of(side)),
        Rows::Levels(sides) => sides.each_ref().map(|side| side.iter().map(level_of).collect()),
        Rows::Orders(sides) => sides.each_ref().map(|side| orders_of(side)),
        Rows::OrderChanges(sides) => sides.each_ref().map(changes_of),
    };
    let names = if channel == "bbo" { ["bid", "ask"] } else { ["bids", "asks"] };
    members.extend(names.into_iter().map(str::to_owned).zip(sides));
    members.insert("crc".into(), checked.crc.into());
}

fn best_of(side: &[SourcedLevel]) -> Value {
    assert!(side.len() <= 1);
    side.first()
        .map_or(Value::Null, |level| json!([level.price.0.to_string(), level.size().to_string()]))
}

fn level_of(level: &SourcedLevel) -> Value {
    let named = Source::ALL.into_iter().zip(level.sizes).filter(|(_, size)| *size > 0);
    let sources: Map<_, _> =
        named.map(|(source, size)| (source.name().to_owned(), size.to_string().into())).collect();
    json!([level.price.0.to_string(), level.size().to_string(), sources])
}

fn orders_of(lines: &[OrderLine]) -> Value {
    lines.iter().map(order_of).collect()
}

fn order_of(line: &OrderLine) -> Value {
    json!({
        "price": line.price.0.to_string(), "size": line.size.to_string(),
        "queue": line.queue.to_string(), "oraclePriceOffset": line.oracle_price_offset.to_string(),
        "maker": bs58::encode(line.maker.0).into_string(), "orderId": line.order_id,
        "slot": line.slot.0, "maxTs": line.max_ts.0, "reduceOnly": line.reduce_only,
        "postOnly": line.post_only, "signedMsg": line.signed_msg,
    })
}

fn changes_of(change: &OrderChange) -> Value {
    let remove: Vec<Value> = change
        .remove
        .iter()
        .map(|(maker, id)| json!([bs58::encode(maker.0).into_string(), id]))
        .collect();
    json!({ "add": orders_of(&change.add), "change": orders_of(&change.change), "remove": remove })
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

    #[test]
    fn no_bytes_take_a_reader_down(
        first in any::<u8>(), mut rest in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut world = World::new();
        let market = world.bench.perp();
        let channel = if first & 1 == 0 { l3_of(10, None) } else { book_of(10, 1) };
        let pair = Pair::open(&mut world, spec(market, channel));
        for kind in [0x90 | (first & 15), first] {
            rest.insert(0, kind);
            let _ = decode(&rest, |_| Some(&pair.identity));
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
fn a_frame_that_is_cut_is_none() {
    for channel in [book_of(10, 1), Channel::Bbo, l3_of(10, None)] {
        let (_, pair) = quoted(channel);
        let whole = snapshot(&pair.binary, ("1", Reset::No));
        let read = |bytes: &[u8]| decode(bytes, |_| Some(&pair.identity));
        assert!(read(&whole).is_ok());
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length} bytes");
        }
        assert_eq!(read(&[&whole[..], &[0]].concat()), Err(DecodeError::Behind));
    }
}

#[test]
fn frames_of_other_versions_streams_and_names_are_none() {
    let (_, pair) = quoted(book_of(10, 1));
    let whole = snapshot(&pair.binary, ("", Reset::No));
    let spoilt = |index: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[index] = byte;
        decode(&bytes, |_| None)
    };
    assert_eq!(spoilt(0, 0xa1), Err(DecodeError::NoFrame));
    assert_eq!(spoilt(0, b'{'), Err(DecodeError::NoFrame));
    assert_eq!(spoilt(0, 0x9d), Err(DecodeError::NoFrame));
    assert!(matches!(spoilt(0, 0x95), Err(DecodeError::UnknownStream(_))));
    assert_eq!(spoilt(8, b'x'), Err(DecodeError::WrongIdentity));
}

#[test]
fn other_units_begin_with_a_snapshot() {
    let (mut world, mut pair) = quoted(book_of(10, 1));
    let price = pair.identity.units.price;
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
    assert_eq!(identity_of(pending.write_frame()).units.price, price * 2);
    pending.publish();
    assert!(pair.binary.next_frame(&bench.book, epoch, TIMES, scratch).is_none());
}

const HOSTILE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/vectors/binary/hostile.jsonl"));

/// A Rust reader leaves the JSON text of a request id to its user.
const UNREAD: &str = "an id that is not JSON";

#[test]
fn frames_that_break_a_bound_are_none() {
    let mut streams = std::collections::HashMap::new();
    let mut refused = 0;
    for line in HOSTILE.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let hex = line["hex"].as_str().unwrap();
        let bytes: Vec<u8> = (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect();
        let frame = decode(&bytes, |id| streams.get(&id));
        let is_taken = line["taken"] == true || line["name"] == UNREAD;
        assert_eq!(frame.is_ok(), is_taken, "{line}");
        refused += usize::from(!is_taken);
        if let Ok(Frame { id, body: Body::Snapshot { identity, .. }, .. }) = frame {
            streams.insert(id, identity);
        }
    }
    assert!(refused > 40);
}
