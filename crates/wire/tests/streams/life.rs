//! After any sequence of events, a reader of any topic has the shown rows.

use proptest::prelude::*;
use slotbook_book::{FeedState, Side};
use slotbook_wire::stream::spec::Channel;

use super::world::{World, book_of, l3_of, spec};
use crate::common::{NOW, ORACLE, OrderBytes, SLOT, key, lazer, user};

#[derive(Clone, Debug)]
pub(crate) enum Event {
    Orders {
        maker: u8,
        orders: Vec<(bool, bool, u8, u8, u8)>,
    },
    Gone {
        maker: u8,
    },
    Oracle {
        price: u8,
    },
    Clock {
        slots: u8,
    },
    State(u8),
    Epoch,
    /// The turn ends, and the topics of these bits are updated.
    Turn {
        topics: u16,
    },
}

pub(crate) fn event() -> impl Strategy<Value = Event> {
    let order = (any::<bool>(), any::<bool>(), any::<u8>(), 1_u8..4, any::<u8>());
    prop_oneof![
        8 => (0_u8..6, proptest::collection::vec(order, 0..8))
            .prop_map(|(maker, orders)| Event::Orders { maker, orders }),
        1 => (0_u8..6).prop_map(|maker| Event::Gone { maker }),
        3 => any::<u8>().prop_map(|price| Event::Oracle { price }),
        2 => (0_u8..3).prop_map(|slots| Event::Clock { slots }),
        1 => (0_u8..4).prop_map(Event::State),
        1 => Just(Event::Epoch),
        8 => any::<u16>().prop_map(|topics| Event::Turn { topics }),
    ]
}

/// A few prices around the oracle's 1,000, so that makers share prices; some orders expire.
fn order((is_bid, floats, price, size, rest): (bool, bool, u8, u8, u8), id: u32) -> OrderBytes {
    let side = if is_bid { Side::Bid } else { Side::Ask };
    let (away, size) = (u64::from(price % 24) * 10, u64::from(size) * 5);
    let order = match (floats, side) {
        (true, _) => OrderBytes::offset(side, i32::from(price % 32) * 7 - 112, size, id),
        (false, Side::Bid) => OrderBytes::limit(side, 1_010 - away, size, id),
        (false, Side::Ask) => OrderBytes::limit(side, 990 + away, size, id),
    };
    let order = order.placed_at(SLOT - u64::from(rest % 8));
    if rest % 5 == 0 { order.expires(NOW + i64::from(rest % 16)) } else { order }
}

/// Every kind of topic, including shallow ones, which levels and orders enter and leave.
fn follow_all(world: &mut World) {
    let market = world.bench.perp();
    let channels = [
        book_of(1, 0),
        book_of(3, 1),
        book_of(10, 1),
        book_of(50, 1),
        book_of(2, 3),
        book_of(10, 10),
        book_of(500, 1_000_000),
        Channel::Bbo,
        l3_of(1, None),
        l3_of(4, None),
        l3_of(50, None),
        l3_of(2, Some(key(1))),
        l3_of(50, Some(key(2))),
        l3_of(50, Some(key(77))),
    ];
    for channel in channels {
        world.follow(spec(market, channel));
    }
}

pub(crate) fn happen(world: &mut World, event: &Event) {
    let bench = &mut world.bench;
    match event {
        Event::Orders { maker, orders } => {
            let orders = orders.iter().zip(1..).map(|(parts, id)| order(*parts, id));
            bench.put(key(*maker), &user(&orders.collect::<Vec<_>>()));
        }
        Event::Gone { maker } => {
            bench.put(key(*maker), &[]);
        }
        Event::Oracle { price } => {
            bench.put(ORACLE, &lazer(900 + i64::from(*price), bench.slot));
        }
        Event::Clock { slots } => {
            let slot = bench.slot + u64::from(*slots);
            bench.clock(slot, NOW + (slot - SLOT).cast_signed());
        }
        Event::State(state) => {
            let states =
                [FeedState::Rebuilding, FeedState::Live, FeedState::Lagging, FeedState::Stale];
            bench.book.set_state(states[usize::from(*state)]);
        }
        Event::Epoch => world.epoch.push('x'),
        Event::Turn { topics } => {
            world.end_turn();
            for index in (0..world.followed.len()).filter(|index| topics >> index & 1 == 1) {
                world.publish(index);
                world.check(index);
                assert_eq!(world.publish(index), None, "a book is told once");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_reader_of_frames_has_what_the_bodies_show(
        before in proptest::collection::vec(event(), 0..20),
        events in proptest::collection::vec(event(), 1..60),
    ) {
        let mut world = World::new();
        before.iter().for_each(|event| happen(&mut world, event));
        world.end_turn();
        follow_all(&mut world);
        events.iter().for_each(|event| happen(&mut world, event));
        happen(&mut world, &Event::Turn { topics: u16::MAX });
    }
}
