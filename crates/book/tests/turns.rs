//! The result of the end of a turn.

use crate::common::{Bench, OrderBytes, key, user};
use slotbook_book::Side;

#[test]
fn a_turn_names_its_markets_in_the_order_of_their_ids() {
    let mut bench = Bench::new();
    let mut ids = [bench.perp(), bench.spot()];
    ids.sort_unstable();
    bench.book.end_turn(1);
    let perp = OrderBytes::limit(Side::Bid, 990, 50, 1);
    let spot = OrderBytes::limit(Side::Bid, 990, 50, 2).spot(1);
    bench.put(key(1), &user(&[spot, perp]));
    assert_eq!(bench.book.end_turn(2), ids);
    bench.put(key(1), &user(&[perp, spot]));
    assert_eq!(bench.book.end_turn(3), ids);
}
