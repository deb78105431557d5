//! Reverts: on one socket arrival order counts, so a lower slot is newer.

use crate::common::{Bench, NOW, ORACLE, OrderBytes, SLOT, key, lazer, perp_market, state, user};
use crate::common::{with_byte, with_u64};
use slotbook_book::Side::{Ask, Bid};
use slotbook_book::{Applied, EmptyReason, FeedState, Gate, Header};
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
fn a_user_is_what_the_lower_slot_says() {
    let mut bench = Bench::new();
    let earlier = user(&[OrderBytes::limit(Bid, 100, 50, 1), OrderBytes::limit(Ask, 130, 5, 2)]);
    let later = user(&[OrderBytes::limit(Bid, 110, 70, 3)]);
    revert(&mut bench, key(1), &later, &earlier);
    assert_eq!((bench.levels(Bid), bench.levels(Ask)), (vec![(100, 50)], vec![(130, 5)]));
    assert!(bench.turn_changes_perp());
}

#[test]
fn a_closed_user_is_back_when_its_closing_is_reverted() {
    let mut bench = Bench::new();
    let account = user(&[OrderBytes::limit(Bid, 100, 50, 1)]);
    bench.put(key(1), &account);
    revert(&mut bench, key(1), &[], &account);
    assert_eq!(bench.levels(Bid), [(100, 50)]);
    assert_eq!(bench.book.counters().users, 1);
}

#[test]
fn a_user_that_was_made_in_the_reverted_slots_is_closed_at_the_lower_one() {
    let mut bench = Bench::new();
    bench
        .send(key(1), &user(&[OrderBytes::limit(Bid, 100, 50, 1)]), SLOT + FAR, Gate::Arrival)
        .expect("a well-formed account");
    assert_eq!(bench.send(key(1), &[], SLOT - FAR, Gate::Arrival), Ok(Applied::Closed));
    assert_eq!(bench.levels(Bid), []);
}

#[test]
fn a_malformed_state_that_is_reverted_does_no_harm() {
    let mut bench = Bench::new();
    let account = user(&[OrderBytes::limit(Bid, 100, 50, 1)]);
    bench.put(key(1), &account);
    assert!(bench.send(key(1), &account[..100], SLOT + FAR, Gate::Arrival).is_err());
    assert_eq!(bench.book.counters().quarantined, 1);
    assert_eq!(bench.send(key(1), &account, SLOT - FAR, Gate::Arrival), Ok(Applied::Changed));
    assert_eq!(bench.book.counters().quarantined, 0);
    assert_eq!(bench.levels(Bid), [(100, 50)]);
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
fn a_market_that_was_closed_or_paused_fills_again() {
    let paused = with_byte(perp_market(), 1165, 4);
    for (later, reason) in
        [(vec![], EmptyReason::MarketClosed), (paused, EmptyReason::MarketFillPaused)]
    {
        let mut bench = Bench::new();
        bench.put(key(1), &user(&[OrderBytes::limit(Bid, 100, 50, 1)]));
        bench.send(key(201), &later, SLOT + FAR, Gate::Arrival).expect("a well-formed account");
        assert_eq!(header(&bench).empty_reason, Some(reason));
        let applied = bench.send(key(201), &perp_market(), SLOT - FAR, Gate::Arrival);
        assert_eq!(applied, Ok(Applied::Changed));
        assert_eq!(header(&bench).empty_reason, None);
        assert_eq!(bench.levels(Bid), [(100, 50)]);
    }
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
fn the_exchange_state_is_what_the_lower_slot_says() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[OrderBytes::limit(Bid, 100, 50, 1)]));
    revert(&mut bench, key(200), &state(8), &state(0));
    assert_eq!(header(&bench).empty_reason, None);
    assert_eq!(bench.levels(Bid), [(100, 50)]);
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

#[test]
fn a_clock_that_goes_back_shows_again_what_had_expired() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[OrderBytes::limit(Bid, 100, 50, 1).expires(NOW + 5)]));
    bench.clock(SLOT + FAR, NOW + 6);
    assert_eq!(bench.levels(Bid), []);
    bench.clock(SLOT - FAR, NOW + 4);
    assert_eq!(bench.levels(Bid), [(100, 50)]);
}
