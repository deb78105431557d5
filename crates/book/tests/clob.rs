//! Markets of Velocity whose orders rest on a CLOB program: the book does not have them, and says so.

use slotbook_book::{EmptyReason, LeftOut, MarketId, Side};
use slotbook_protocol::model::units::Pubkey;

use crate::common::velocity::{PERP, SLOT, Scene, captured, user as orders_of};
use crate::common::{Bench, OrderBytes, key, user};

/// Where an order has its flags, in Drift v2; and the flag.
const FLAGS: usize = 94;
const ON_CLOB: u8 = 64;
/// Near the price of the captured market, and a multiple of its tick.
const PRICE: u64 = 76_000_000;

/// A user of Velocity with these orders, who counts `counted` open orders in perp market 0.
fn velocity_user(orders: &[OrderBytes], counted: u8) -> Vec<u8> {
    let mut data = orders_of(&orders.iter().map(|order| (*order, 0)).collect::<Vec<_>>());
    data[424 + 78] = counted;
    data
}

fn put(scene: &mut Scene, pubkey: Pubkey, data: &[u8]) {
    scene.put(pubkey, data);
    scene.end_turn_at(scene.slot + 1);
}

fn put_market(scene: &mut Scene) {
    put(scene, PERP, &captured("perp_market_0"));
}

fn new_scene() -> Scene {
    let mut scene = Scene::new(SLOT);
    put_market(&mut scene);
    scene
}

fn shown(scene: &Scene) -> (Option<EmptyReason>, usize) {
    let header = scene.book.header(MarketId(0)).expect("the market is there");
    (header.empty_reason, scene.book.shown_orders(MarketId(0)).expect("the market is there"))
}

const EMPTY: (Option<EmptyReason>, usize) = (Some(EmptyReason::OrdersOnClob), 0);

#[test]
fn a_market_with_an_order_that_was_placed_on_a_clob_is_empty_until_it_has_none() {
    let mut scene = new_scene();
    let order = OrderBytes::limit(Side::Bid, PRICE, 1_000_000_000, 1);
    let trigger = order.kind(3, 0);
    put(&mut scene, key(1), &velocity_user(&[order], 1));
    assert_eq!(shown(&scene), (None, 1));
    put(&mut scene, key(2), &velocity_user(&[order, trigger.with_byte(FLAGS, ON_CLOB)], 2));
    assert_eq!(shown(&scene), EMPTY);
    let left_out = scene.book.counters().left_out;
    assert_eq!(left_out[LeftOut::PlacedOnClob as usize], 1);
    assert_eq!(left_out[LeftOut::MarketEmpty as usize], 2);
    put(&mut scene, key(2), &velocity_user(&[order, trigger], 2));
    assert_eq!(shown(&scene), (None, 2));
}

#[test]
fn an_order_that_was_placed_on_a_clob_is_never_depth() {
    for order_type in 0..5 {
        for condition in 0..4 {
            let order = OrderBytes::limit(Side::Ask, PRICE, 1_000_000_000, 1);
            let order = order.auction(10).kind(order_type, condition).with_byte(FLAGS, ON_CLOB | 1);
            let mut scene = new_scene();
            put(&mut scene, key(1), &velocity_user(&[order], 1));
            let counters = scene.book.counters();
            assert_eq!(counters.left_out[LeftOut::PlacedOnClob as usize], 1);
            assert_eq!((counters.resting_orders, counters.open_orders), (0, 1));
        }
    }
}

#[test]
fn a_market_in_which_a_user_has_more_orders_than_the_account_holds_is_empty() {
    let mut scene = new_scene();
    let order = OrderBytes::limit(Side::Bid, PRICE, 1_000_000_000, 1);
    put(&mut scene, key(1), &velocity_user(&[order], 1));
    put(&mut scene, key(2), &velocity_user(&[order], 2));
    assert_eq!(shown(&scene), EMPTY);
    put(&mut scene, key(3), &velocity_user(&[], 1));
    put(&mut scene, key(2), &velocity_user(&[order], 1));
    assert_eq!(shown(&scene), EMPTY, "another user has orders there still");
    put(&mut scene, key(3), &[]);
    assert_eq!(shown(&scene), (None, 2), "a closed account has none");
}

#[test]
fn a_market_that_comes_after_its_users_is_empty_as_well() {
    let order = OrderBytes::limit(Side::Bid, PRICE, 1_000_000_000, 1);
    let mut scene = Scene::new(SLOT);
    put(&mut scene, key(1), &velocity_user(&[order], 2));
    put_market(&mut scene);
    assert_eq!(shown(&scene), EMPTY);
    put(&mut scene, key(1), &velocity_user(&[order], 1));
    assert_eq!(shown(&scene), (None, 1));
    put(&mut scene, key(1), &velocity_user(&[order.with_byte(FLAGS, ON_CLOB)], 1));
    assert_eq!(shown(&scene), EMPTY);
    put_market(&mut scene);
    assert_eq!(shown(&scene), EMPTY, "a later state of the market changes nothing");
}

#[test]
fn the_flag_means_nothing_to_drift() {
    let mut bench = Bench::new();
    let order = OrderBytes::limit(Side::Bid, 100, 50, 1).with_byte(FLAGS, ON_CLOB);
    let mut data = user(&[order]);
    data[424 + 94] = 9;
    bench.put(key(1), &data);
    assert_eq!(bench.levels(Side::Bid), [(100, 50)]);
}
