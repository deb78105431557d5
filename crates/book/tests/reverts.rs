//! Reverts: on one socket arrival order counts, so a lower slot is newer.

use crate::common::{Bench, ORACLE, OrderBytes, SLOT, key, lazer, perp_market, user};
use crate::common::{with_byte, with_u64};
use slotbook_book::Side::Bid;
use slotbook_book::{Applied, FeedState, Gate, Header};
use slotbook_protocol::model::enums::MarketStatus;
use slotbook_protocol::model::units::{Price, Pubkey, Slot};

/// Slots of a revert, and the lead of the state that it takes back.
const FAR: u64 = 40;

fn header(bench: &Bench) -> Header {
    bench.book.header(bench.perp()).expect("a known market")
}

/// Sends a future state, and then the present one as a revert.
fn revert(bench: &mut Bench, account: Pubkey, later: &[u8], earlier: &[u8]) {
    bench.send(account, later, SLOT + FAR, Gate::Arrival).expect("a well-formed account");
    bench.book.end_turn(1);
    let applied = bench.send(account, earlier, SLOT - FAR, Gate::Arrival);
    assert_eq!(applied, Ok(Applied::Changed));
}

#[test]
fn a_market_and_all_its_orders_are_what_the_lower_slot_says() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[OrderBytes::offset(Bid, -13, 50, 1)]));
    assert_eq!(bench.levels(Bid), [(980, 50)]);
    let seq = header(&bench).seq;
    let later = with_u64(with_byte(perp_market(), 1162, 6), 816, 100);
    bench.send(key(201), &later, SLOT + FAR, Gate::Arrival).expect("a well-formed account");
    bench.book.end_turn(1);
    assert_eq!(bench.levels(Bid), [], "a reduce-only market shows no other orders");
    let between = header(&bench);
    assert_eq!(between.market_slot, Slot(SLOT + FAR));
    bench.send(key(201), &perp_market(), SLOT - FAR, Gate::Arrival).expect("a well-formed account");
    assert!(bench.turn_changes_perp());
    assert_eq!(bench.levels(Bid), [(980, 50)]);
    let info = bench.book.market(bench.perp()).expect("a known market");
    assert_eq!((info.tick, info.status), (Price(10), MarketStatus::Active));
    let after = header(&bench);
    assert_eq!(after.market_slot, Slot(SLOT - FAR), "the body says which state it is");
    assert!(seq < between.seq && between.seq < after.seq, "seq grows all the same");
}

#[test]
fn an_oracle_is_what_the_lower_slot_says() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[OrderBytes::offset(Bid, -20, 50, 1)]));
    revert(&mut bench, ORACLE, &lazer(1_400, SLOT + FAR), &lazer(900, SLOT - FAR));
    assert_eq!(bench.levels(Bid), [(880, 50)]);
    assert!(bench.turn_changes_perp());
    let reading = header(&bench).oracle.exchange.expect("a reading");
    assert_eq!((reading.price.0, reading.slot), (900, Slot(SLOT - FAR)));
}

#[test]
fn after_a_revert_a_reading_of_a_slot_between_is_newer() {
    let mut bench = Bench::new();
    let at = |price| user(&[OrderBytes::limit(Bid, price, 50, 1)]);
    bench.book.set_state(FeedState::Live);
    bench.send(key(1), &at(100), SLOT + FAR, Gate::Arrival).expect("a well-formed account");
    bench.book.begin_snapshot(Slot(SLOT));
    let stale = bench.send(key(1), &at(110), SLOT, Gate::Snapshot);
    assert_eq!(stale, Ok(Applied::Stale), "before the revert it is older");
    bench.send(key(1), &at(120), SLOT - FAR, Gate::Arrival).expect("a well-formed account");
    assert_eq!(bench.send(key(1), &at(110), SLOT, Gate::Snapshot), Ok(Applied::Changed));
    assert_eq!(bench.levels(Bid), [(110, 50)]);
}
