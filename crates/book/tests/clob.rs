//! Markets of Velocity whose orders rest on a CLOB program: the book does not have them, and says so.

use std::fs::read;
use std::path::PathBuf;

use slotbook_book::{AccountUpdate, Book, BookConfig, EmptyReason, Gate, LeftOut, MarketId, Side};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

use crate::common::{Bench, NOW, OrderBytes, SLOT, key, user};

/// Where an order has its flags, in Drift v2; and the flag.
const FLAGS: usize = 94;
const ON_CLOB: u8 = 64;
/// Near the price of the captured market, and a multiple of its tick.
const PRICE: u64 = 76_000_000;

fn captured(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden/velocity");
    read(folder.join(name)).expect("the capture is there")
}

/// A user of Velocity with these orders, who counts `counted` open orders in perp market 0.
fn velocity_user(orders: &[OrderBytes], counted: u8) -> Vec<u8> {
    let mut data = vec![0; 4_496];
    data[..8].copy_from_slice(&[0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec]);
    for (slot, order) in orders.iter().enumerate() {
        let at = 1_064 + slot * 104;
        data[at..at + 76].copy_from_slice(&order.0[..76]);
        data[at + 80..at + 100].copy_from_slice(&order.0[76..]);
    }
    data[424 + 78] = counted;
    data
}

struct Scene {
    book: Book,
    slot: u64,
}

impl Scene {
    fn without_market() -> Self {
        let book = Book::new(BookConfig::from(Program::Velocity.id()));
        let mut scene = Self { book, slot: SLOT };
        scene.put(key(200), &captured("velocity_state.bin"));
        scene
    }

    fn new() -> Self {
        let mut scene = Self::without_market();
        scene.put_market();
        scene
    }

    fn put_market(&mut self) {
        self.put(key(201), &captured("velocity_perp_market_0.bin"));
    }

    fn put(&mut self, pubkey: Pubkey, data: &[u8]) {
        self.slot += 1;
        let (slot, owner) = (Slot(self.slot), Program::Velocity.id());
        let update = AccountUpdate { pubkey, owner, slot, gate: Gate::Arrival, data };
        self.book.apply(update).expect("the account is read");
        self.book.set_clock(slot, UnixSeconds(NOW));
        self.book.end_turn(0);
        self.book.check_integrity().expect("the book holds its invariants");
    }

    fn shown(&self) -> (Option<EmptyReason>, usize) {
        let header = self.book.header(MarketId(0)).expect("the market is there");
        (header.empty_reason, self.book.shown_orders(MarketId(0)).expect("the market is there"))
    }
}

const EMPTY: (Option<EmptyReason>, usize) = (Some(EmptyReason::OrdersOnClob), 0);

#[test]
fn a_market_with_an_order_that_was_placed_on_a_clob_is_empty_until_it_has_none() {
    let mut scene = Scene::new();
    let order = OrderBytes::limit(Side::Bid, PRICE, 1_000_000_000, 1);
    let trigger = order.kind(3, 0);
    scene.put(key(1), &velocity_user(&[order], 1));
    assert_eq!(scene.shown(), (None, 1));
    scene.put(key(2), &velocity_user(&[order, trigger.with_byte(FLAGS, ON_CLOB)], 2));
    assert_eq!(scene.shown(), EMPTY);
    let left_out = scene.book.counters().left_out;
    assert_eq!(left_out[LeftOut::PlacedOnClob as usize], 1);
    assert_eq!(left_out[LeftOut::MarketEmpty as usize], 2);
    scene.put(key(2), &velocity_user(&[order, trigger], 2));
    assert_eq!(scene.shown(), (None, 2));
}

#[test]
fn an_order_that_was_placed_on_a_clob_is_never_depth() {
    for order_type in 0..5 {
        for condition in 0..4 {
            let order = OrderBytes::limit(Side::Ask, PRICE, 1_000_000_000, 1);
            let order = order.auction(10).kind(order_type, condition).with_byte(FLAGS, ON_CLOB | 1);
            let mut scene = Scene::new();
            scene.put(key(1), &velocity_user(&[order], 1));
            let counters = scene.book.counters();
            assert_eq!(counters.left_out[LeftOut::PlacedOnClob as usize], 1);
            assert_eq!((counters.resting_orders, counters.open_orders), (0, 1));
        }
    }
}

#[test]
fn a_market_in_which_a_user_has_more_orders_than_the_account_holds_is_empty() {
    let mut scene = Scene::new();
    let order = OrderBytes::limit(Side::Bid, PRICE, 1_000_000_000, 1);
    scene.put(key(1), &velocity_user(&[order], 1));
    scene.put(key(2), &velocity_user(&[order], 2));
    assert_eq!(scene.shown(), EMPTY);
    scene.put(key(3), &velocity_user(&[], 1));
    scene.put(key(2), &velocity_user(&[order], 1));
    assert_eq!(scene.shown(), EMPTY, "another user has orders there still");
    scene.put(key(3), &[]);
    assert_eq!(scene.shown(), (None, 2), "a closed account has none");
}

#[test]
fn a_market_that_comes_after_its_users_is_empty_as_well() {
    let order = OrderBytes::limit(Side::Bid, PRICE, 1_000_000_000, 1);
    let mut scene = Scene::without_market();
    scene.put(key(1), &velocity_user(&[order], 2));
    scene.put_market();
    assert_eq!(scene.shown(), EMPTY);
    scene.put(key(1), &velocity_user(&[order], 1));
    assert_eq!(scene.shown(), (None, 1));
    scene.put(key(1), &velocity_user(&[order.with_byte(FLAGS, ON_CLOB)], 1));
    assert_eq!(scene.shown(), EMPTY);
    scene.put_market();
    assert_eq!(scene.shown(), EMPTY, "a later state of the market changes nothing");
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
