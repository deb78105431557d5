//! Reading the orders of a side one by one.

use crate::common::{Bench, OrderBytes, key, user};
use slotbook_book::{OrderRow, QueueScratch, Side};
use slotbook_protocol::model::units::Pubkey;

use Side::{Ask, Bid};

#[test]
fn orders_asked_for_one_by_one_stand_in_book_order_however_long_their_queue() {
    let mut bench = Bench::new();
    for maker in 1..=5 {
        let order = |id| OrderBytes::limit(Bid, 980, 10, id).placed_at(u64::from(id * 7 % 13));
        let orders: Vec<OrderBytes> = (1..=32).map(order).collect();
        bench.put(key(maker), &user(&orders));
    }
    bench.put(key(6), &user(&[OrderBytes::limit(Bid, 990, 10, 1)]));
    let mut rows = Vec::new();
    bench.book.orders(bench.perp(), Bid, usize::MAX, &mut rows);
    let mut scratch = QueueScratch::default();
    let all: Vec<OrderRow> = bench.book.resting(bench.perp(), Bid, &mut scratch).collect();
    assert_eq!(all.len(), 161);
    assert_eq!(all, rows);
    let again = bench.book.resting(bench.perp(), Bid, &mut scratch).next();
    assert_eq!(again.as_ref(), rows.first(), "a reading that was given up leaves nothing behind");
    assert!(bench.book.resting(bench.perp(), Ask, &mut scratch).next().is_none());
}

/// A used scratch must read the same as a fresh one.
fn expect_fresh(bench: &Bench, scratch: &mut QueueScratch, count: usize) {
    let market = bench.perp();
    let fresh = |limit| {
        let mut scratch = QueueScratch::default();
        bench.book.resting(market, Bid, &mut scratch).take(limit).collect::<Vec<_>>()
    };
    for limit in [1, 20, 3, usize::MAX, 5] {
        let again: Vec<OrderRow> = bench.book.resting(market, Bid, scratch).take(limit).collect();
        assert_eq!(again, fresh(limit));
    }
    assert_eq!(fresh(usize::MAX).len(), count);
}

#[test]
fn a_long_queue_is_read_anew_when_its_side_has_changed() {
    let mut bench = Bench::new();
    let orders = |slots: u64| -> Vec<OrderBytes> {
        (1..=32)
            .map(|id| OrderBytes::limit(Bid, 980, 10, id).placed_at(slots % u64::from(id)))
            .collect()
    };
    for maker in 1..=5 {
        bench.put(key(maker), &user(&orders(1_000 + u64::from(maker))));
    }
    let mut scratch = QueueScratch::default();
    bench.book.end_turn(1);
    expect_fresh(&bench, &mut scratch, 160);
    // Another order of the same sizes at the same price.
    bench.put(key(3), &user(&orders(2_003)));
    bench.book.end_turn(2);
    expect_fresh(&bench, &mut scratch, 160);
    bench.put(key(4), &user(&orders(1_004)[..10]));
    bench.book.end_turn(3);
    expect_fresh(&bench, &mut scratch, 138);
    bench.put(key(6), &user(&[OrderBytes::limit(Ask, 1_020, 10, 1)]));
    bench.book.end_turn(4);
    expect_fresh(&bench, &mut scratch, 138);
}

#[test]
fn a_long_queue_is_read_anew_within_a_turn() {
    let mut bench = Bench::new();
    let orders: Vec<OrderBytes> = (1..=32).map(|id| OrderBytes::limit(Bid, 980, 10, id)).collect();
    for maker in 1..=5 {
        bench.put(key(maker), &user(&orders));
    }
    let mut scratch = QueueScratch::default();
    bench.book.end_turn(1);
    expect_fresh(&bench, &mut scratch, 160);
    bench.put(key(1), &user(&orders[..2]));
    expect_fresh(&bench, &mut scratch, 130);
    bench.put(key(1), &user(&orders[..1]));
    expect_fresh(&bench, &mut scratch, 129);
}

#[test]
fn orders_of_one_slot_and_id_stand_by_the_whole_keys_of_their_makers() {
    let mut bench = Bench::new();
    let order = OrderBytes::limit(Bid, 980, 10, 1);
    let makers: Vec<Pubkey> = (0..100)
        .map(|number: u8| {
            let mut key = [9; 32];
            (key[0], key[20]) = (number % 3, number.wrapping_mul(37));
            Pubkey(key)
        })
        .collect();
    for maker in &makers {
        bench.put(*maker, &user(&[order]));
    }
    let mut scratch = QueueScratch::default();
    let stand = bench.book.resting(bench.perp(), Bid, &mut scratch).map(|row| row.maker);
    let mut sorted = makers;
    sorted.sort();
    assert_eq!(stand.collect::<Vec<_>>(), sorted);
}
