//! Costs and states that a topic must avoid.

use slotbook_book::Side;
use slotbook_wire::stream::spec::Channel;
use slotbook_wire::stream::topic::{FrameTimes, Reset, SnapshotReply};

use super::world::{World, book_of, l3_of, spec};
use crate::common::{ORACLE, OrderBytes, key, lazer, user};

/// Moves the oracle, and with it the price of every floating order.
fn churn(world: &mut World, round: u32) {
    let price = 1_000 + i64::from(round % 7) * 10;
    world.bench.put(ORACLE, &lazer(price, world.bench.slot));
    for maker in 1..20_u8 {
        let away = u64::from(round % 5) * 10;
        let size = 5 + 5 * u64::from(round % 3);
        let floating = i32::from(maker);
        let orders = [
            OrderBytes::limit(Side::Bid, 900 - away - u64::from(maker) * 10, size, 1),
            OrderBytes::limit(Side::Ask, 1_300 + away + u64::from(maker) * 10, size, 2),
            OrderBytes::offset(Side::Bid, -30 - floating, 5, 3),
            OrderBytes::offset(Side::Ask, 30 + floating, 5, 4),
        ];
        world.bench.put(key(maker), &user(&orders));
    }
    world.end_turn();
}

#[test]
fn frames_are_made_without_allocating() {
    let mut world = World::new();
    let market = world.bench.perp();
    let channels = [book_of(10, 1), book_of(50, 3), Channel::Bbo, l3_of(50, None)];
    for channel in [&channels[..], &[l3_of(50, Some(key(3)))]].concat() {
        world.follow(spec(market, channel));
    }
    let mut out = Vec::new();
    let (mut frames, mut allocations) = (0, 0);
    for round in 0..200 {
        churn(&mut world, round);
        let World { bench, epoch, scratch, followed, .. } = &mut world;
        let measured = allocation_counter::measure(|| {
            for followed in followed {
                let times = FrameTimes::default();
                let pending = followed.topic.next_frame(&bench.book, epoch, times, scratch);
                frames += usize::from(pending.is_some_and(|mut pending| {
                    assert!(!pending.write_frame().is_empty());
                    pending.publish();
                    true
                }));
                out.clear();
                followed.topic.write_heartbeat(&bench.book, &mut out);
                followed.topic.write_snapshot(
                    SnapshotReply { id: "1", reset: Reset::Yes },
                    0,
                    &mut out,
                );
            }
        });
        // All prices and sizes have occurred before, after the rounds in which they repeat.
        allocations = if round < 105 { 0 } else { allocations + measured.count_total };
    }
    assert!(frames > 900, "every round changes nearly every topic: {frames}");
    assert_eq!(allocations, 0);
}

#[test]
fn a_topic_shows_what_was_published_also_when_the_book_has_moved_on() {
    let mut world = World::new();
    let market = world.bench.perp();
    churn(&mut world, 1);
    world.follow(spec(market, book_of(10, 1)));
    let published = super::world::snapshot(&world.followed[0].topic);
    churn(&mut world, 2);
    world.epoch.push('2');
    assert_eq!(super::world::snapshot(&world.followed[0].topic), published);
    let times = FrameTimes::default();
    let World { bench, epoch, scratch, followed, .. } = &mut world;
    let topic = &mut followed[0].topic;
    assert!(topic.next_frame(&bench.book, epoch, times, scratch).is_some());
    assert_eq!(super::world::snapshot(topic), published, "a frame that nobody took is nothing");
    world.publish(0);
    world.check(0);
}
