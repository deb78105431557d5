//! Every open order is shown, or counted under exactly one reason.

use crate::common::{
    Bench, NOW, ORACLE, OrderBytes, key, lazer, perp_market, state, user, with_byte,
};
use slotbook_book::LeftOut;
use slotbook_book::Side::{Ask, Bid};

/// The counts by reason; checks that every open order is shown or counted, and that the user's
/// order list agrees.
fn reasons(bench: &Bench) -> Vec<(LeftOut, usize)> {
    let counters = bench.book.counters();
    let left_out: usize = counters.left_out.iter().sum();
    assert_eq!(counters.shown_orders + left_out, counters.open_orders);
    let mut rows = Vec::new();
    bench.book.open_orders(&key(1), &mut rows);
    if bench.book.market_count() > 0 {
        let mut listed = [0; LeftOut::COUNT];
        rows.iter().filter_map(|row| row.left_out).for_each(|reason| listed[reason as usize] += 1);
        assert_eq!((rows.len(), listed), (counters.open_orders, counters.left_out));
    }
    let counted = LeftOut::ALL.into_iter().zip(counters.left_out);
    counted.filter(|(_, count)| *count > 0).collect()
}

#[test]
fn orders_of_a_market_or_an_owner_that_shows_nothing_are_left_out_for_it() {
    let mut bench = Bench::new();
    let orders = [
        OrderBytes::limit(Bid, 100, 50, 1),
        OrderBytes::limit(Ask, 120, 50, 2),
        OrderBytes::offset(Ask, 30, 50, 3),
        OrderBytes::limit(Bid, 90, 50, 4).expires(NOW - 1),
        OrderBytes::limit(Bid, 90, 50, 5).spot(1),
    ];
    bench.put(key(1), &user(&orders));
    assert_eq!(reasons(&bench), [(LeftOut::Expired, 1)]);
    bench.put(key(201), &with_byte(perp_market(), 1165, 4));
    assert_eq!(reasons(&bench), [(LeftOut::Expired, 1), (LeftOut::MarketEmpty, 3)]);
    bench.put(key(200), &state(8));
    assert_eq!(reasons(&bench), [(LeftOut::Expired, 1), (LeftOut::MarketEmpty, 4)]);
    bench.put(key(200), &state(0));
    bench.put(key(201), &perp_market());
    assert_eq!(reasons(&bench), [(LeftOut::Expired, 1)]);
    bench.put(key(1), &with_byte(user(&orders), 4348, 1));
    assert_eq!(reasons(&bench), [(LeftOut::Expired, 1), (LeftOut::OwnerFrozen, 4)]);
}

#[test]
fn offset_orders_without_a_usable_oracle_are_left_out_for_it() {
    let mut bench = Bench::new();
    let orders = [
        OrderBytes::limit(Bid, 100, 50, 1),
        OrderBytes::offset(Bid, -30, 50, 2),
        OrderBytes::offset(Bid, -33, 50, 3),
        OrderBytes::offset(Ask, 30, 50, 4),
    ];
    bench.put(key(1), &user(&orders));
    assert_eq!(reasons(&bench), []);
    for unusable in [&lazer(0, 1_000)[..], &lazer(1_000, 1_000)[..20], &[]] {
        bench.put(ORACLE, unusable);
        assert_eq!(reasons(&bench), [(LeftOut::NoOraclePrice, 3)]);
        assert_eq!(bench.book.counters().shown_orders, 1);
    }
    bench.put(key(201), &[]);
    assert_eq!(reasons(&bench), [(LeftOut::MarketEmpty, 4)], "the whole market counts first");
}

#[test]
fn each_reason_has_a_name_of_its_own_at_its_code() {
    let names: std::collections::BTreeSet<_> = LeftOut::ALL.map(LeftOut::name).into();
    assert_eq!(names.len(), LeftOut::COUNT);
    for (code, reason) in LeftOut::ALL.into_iter().enumerate() {
        assert_eq!(reason as usize, code);
    }
}
