//! The exact text of frames. Their checksums come from Python's `zlib.crc32`.

use serde_json::json;
use slotbook_book::{FeedState, MarketId, Side};
use slotbook_wire::sources::Sources;
use slotbook_wire::stream::spec::{Channel, Timing, TopicSpec};
use slotbook_wire::stream::topic::{FrameTimes, Reset, SnapshotReply, StreamScratch, Topic};

use super::world::{Followed, World, book_of, l3_of, snapshot, spec};
use crate::common::{OrderBytes, key, perp_market, spot_market, user, with_byte};

fn text(frame: Vec<u8>) -> String {
    String::from_utf8(frame).unwrap()
}

/// A bid of 5 at 990 and two asks of 10 at 1,010, one queued after the other.
fn quoted() -> World {
    let mut world = World::new();
    world.bench.put(key(1), &user(&[OrderBytes::limit(Side::Bid, 990, 5, 1)]));
    world.bench.put(key(2), &user(&[OrderBytes::limit(Side::Ask, 1_010, 10, 1)]));
    let behind = OrderBytes::limit(Side::Ask, 1_010, 10, 7).placed_at(995);
    world.bench.put(key(3), &user(&[behind]));
    world.end_turn();
    world
}

#[test]
fn less_than_a_unit_of_the_wire_is_shown_nowhere() {
    let mut world = World::new();
    let (fine, account) = (with_byte(spot_market(), 680, 11), key(60));
    world.bench.put(account, &fine);
    let bid = |price, size, id| OrderBytes::limit(Side::Bid, price, size, id).spot(1);
    world.bench.put(key(1), &user(&[bid(990, 99, 1), bid(980, 199, 2)]));
    world.end_turn();
    let market = world.bench.spot();
    for (channel, row) in
        [(book_of(10, 1), json!(["980", "1", {"dlob": "1"}])), (l3_of(10, None), json!("1"))]
    {
        let Followed { reader, .. } = world.follow(spec(market, channel));
        let [bids, asks] = &reader.sides;
        assert_eq!((bids.len(), asks.len()), (1, 0), "{bids:?}");
        assert!(bids[0] == row || bids[0]["size"] == row, "{bids:?}");
    }
    world.bench.put(key(1), &user(&[bid(990, 99, 1), bid(980, 99, 2)]));
    world.end_turn();
    for index in 0..2 {
        world.publish(index).unwrap();
        world.check(index);
        assert!(world.followed[index].reader.sides.iter().all(Vec::is_empty));
    }
}

#[test]
fn a_change_of_state_alone_has_empty_sides_and_keeps_the_number() {
    let mut world = quoted();
    let market = world.bench.perp();
    world.follow(spec(market, book_of(10, 10)));
    world.follow(spec(market, Channel::Bbo));
    world.follow(spec(market, l3_of(10, None)));
    world.bench.book.set_state(FeedState::Lagging);
    world.end_turn();
    let ends = [
        r#""prev":2,"seq":2,"slot":1000,"ts":3,"state":"lagging","bids":[],"asks":[],"crc":"#,
        r#""prev":2,"seq":2,"slot":1000,"ts":3,"state":"lagging","bid":["990","5"],"ask":["1010","20"],"crc":"#,
        concat!(
            r#""prev":2,"seq":2,"slot":1000,"ts":3,"state":"lagging","#,
            r#""bids":{"add":[],"change":[],"remove":[]},"asks":{"add":[],"change":[],"remove":[]},"crc":"#
        ),
    ];
    for (index, end) in ends.into_iter().enumerate() {
        let frame = text(world.publish(index).unwrap());
        assert!(frame.contains(end), "{frame}");
    }
}

#[test]
fn the_best_prices_are_told_whole() {
    let mut world = quoted();
    let market = world.bench.perp();
    let timing = TopicSpec { timing: Timing::On, ..spec(market, Channel::Bbo) };
    world.follow(timing);
    world.bench.put(key(1), &user(&[]));
    world.end_turn();
    let World { bench, epoch, scratch, followed, .. } = &mut world;
    let topic = &mut followed[0].topic;
    let times = FrameTimes { received_ns: 17, sent_ns: 1_700_000_000_000_000_123 };
    let mut pending = topic.next_frame(&bench.book, epoch, times, scratch).unwrap();
    assert_eq!(
        text(pending.write_frame().to_vec()),
        concat!(
            r#"{"type":"delta","topic":"bbo:SOL-PERP:timing","channel":"bbo","market":"SOL-PERP","#,
            r#""epoch":"e1","prev":2,"seq":3,"slot":1000,"ts":3,"#,
            r#""recvNs":"17","sendNs":"1700000000000000123","state":"live","#,
            r#""bid":null,"ask":["1010","20"],"crc":423435065}"#
        )
    );
    pending.publish();
    let mut again = Vec::new();
    topic.write_snapshot(SnapshotReply { id: "[1]", reset: Reset::Yes }, 99, &mut again);
    assert_eq!(
        text(again),
        concat!(
            r#"{"type":"snapshot","id":[1],"topic":"bbo:SOL-PERP:timing","channel":"bbo","#,
            r#""market":"SOL-PERP","epoch":"e1","seq":3,"slot":1000,"ts":3,"#,
            r#""recvNs":"17","sendNs":"99","state":"live","reset":true,"#,
            r#""bid":null,"ask":["1010","20"],"crc":423435065}"#
        )
    );
}

#[test]
fn a_topic_that_begins_again_has_its_epoch_until_the_next_frame() {
    let mut world = quoted();
    let market = world.bench.perp();
    world.follow(spec(market, book_of(10, 1)));
    let World { bench, epoch, scratch, followed, .. } = &mut world;
    let topic = &mut followed[0].topic;
    topic.begin_again();
    let mut heartbeat = Vec::new();
    topic.write_heartbeat(&bench.book, &mut heartbeat);
    assert_eq!(super::follower::parse(&heartbeat)["epoch"], "e1");
    let times = FrameTimes::default();
    let mut pending = topic.next_frame(&bench.book, epoch, times, scratch).unwrap();
    assert!(text(pending.write_frame().to_vec()).contains(r#""epoch":"e1","seq":2,"#));
    assert_eq!(pending.reset(), Reset::Yes);
    pending.publish();
    assert!(topic.next_frame(&bench.book, epoch, times, scratch).is_none());
}

#[test]
fn a_heartbeat_has_the_state_of_the_rows_that_were_sent() {
    let mut world = quoted();
    let market = world.bench.perp();
    world.bench.book.set_state(FeedState::Rebuilding);
    world.follow(spec(market, book_of(10, 1)));
    let state_of_heartbeat = |world: &World| {
        let mut heartbeat = Vec::new();
        world.followed[0].topic.write_heartbeat(&world.bench.book, &mut heartbeat);
        super::follower::parse(&heartbeat)["state"].clone()
    };
    world.bench.put(key(1), &user(&[]));
    world.bench.book.set_state(FeedState::Live);
    world.end_turn();
    assert_eq!(state_of_heartbeat(&world), "rebuilding");
    world.publish(0).unwrap();
    assert_eq!(state_of_heartbeat(&world), "live");
}

#[test]
fn a_name_that_cannot_be_written_everywhere_is_replaced_by_the_key() {
    let mut world = quoted();
    let mut market = perp_market();
    market[1_000..1_032].copy_from_slice(b"A\",\"x\":\"\\\n                      ");
    world.bench.put(key(201), &market);
    world.end_turn();
    let market = world.bench.perp();
    let followed = world.follow(spec(market, book_of(10, 1)));
    let frame = super::follower::parse(&snapshot(&followed.topic));
    assert_eq!(frame["market"], "perp_0");
    assert_eq!(frame["topic"], "book:perp_0:10");
    let mut heartbeat = Vec::new();
    world.followed[0].topic.write_heartbeat(&world.bench.book, &mut heartbeat);
    assert_eq!(super::follower::parse(&heartbeat)["topic"], frame["topic"]);
}

#[test]
fn a_name_says_what_departs_from_the_usual() {
    let plain = spec(MarketId(0), book_of(50, 1));
    let maker = bs58::encode([3; 32]).into_string();
    let all = TopicSpec {
        sources: Sources { vamm: true, indicative: true },
        timing: Timing::On,
        channel: book_of(500, 25),
        ..plain
    };
    let vamm = Sources { vamm: true, indicative: false };
    let cases = [
        (plain, "book:M:50".to_owned()),
        (TopicSpec { channel: book_of(10, 2), ..plain }, "book:M:10:g2".to_owned()),
        (all, "book:M:500:g25:vamm:indicative:timing".to_owned()),
        (TopicSpec { channel: Channel::Bbo, ..all }, "bbo:M:vamm:indicative:timing".to_owned()),
        (TopicSpec { channel: l3_of(20, None), ..plain }, "l3:M:20".to_owned()),
        (TopicSpec { interval_ms: 250, ..plain }, "book:M:50:250ms".to_owned()),
        (
            TopicSpec { interval_ms: 1_000, ..all },
            "book:M:500:g25:vamm:indicative:timing:1000ms".to_owned(),
        ),
        (
            TopicSpec { channel: l3_of(20, Some(key(3))), sources: vamm, ..all },
            format!("l3:M:20:{maker}:vamm:timing"),
        ),
    ];
    for (spec, name) in cases {
        assert_eq!(spec.name("M"), name);
    }
}

#[test]
fn there_is_no_topic_of_an_unknown_market() {
    let world = World::new();
    let spec = spec(MarketId(77), Channel::Bbo);
    let mut scratch = StreamScratch::default();
    assert!(Topic::open(&world.bench.book, spec, "e", 0, &mut scratch).is_none());
}
