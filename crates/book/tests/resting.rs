//! The orders of a side one by one.

mod common;

use common::{Bench, OrderBytes, key, user};
use slotbook_book::{OrderRow, QueueScratch, Side};

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
