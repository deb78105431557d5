//! A reading that the book lacks reveals a lost notification.

use crate::common::{
    Bench, ORACLE, OrderBytes, PROGRAM, SLOT, key, lazer, perp_market, state, user,
};
use crate::common::{perp_position, with_byte, with_u64};
use slotbook_book::Side::{Ask, Bid};
use slotbook_book::{AccountUpdate, Gate};
use slotbook_protocol::model::units::{Pubkey, Slot};

/// `User.idle`. Source: programs/drift/src/state/user.rs `User`.
const IDLE: usize = 4350;

fn bid(price: u64) -> Vec<u8> {
    user(&[OrderBytes::limit(Bid, price, 50, 1)])
}

/// Whether the book lacks a state read so many slots after its own.
fn lacks(bench: &Bench, pubkey: Pubkey, data: &[u8], slots_after: i64) -> bool {
    let slot = Slot(bench.slot.saturating_add_signed(slots_after));
    bench.book.lacks(&AccountUpdate { pubkey, owner: PROGRAM, slot, gate: Gate::Snapshot, data })
}

#[track_caller]
fn check(account: u8, held: &[u8], read: &[u8], expected: bool) {
    let mut bench = Bench::new();
    bench.put(key(account), held);
    assert_eq!(lacks(&bench, key(account), read, 1), expected);
    assert!(
        !lacks(&bench, key(account), read, 0),
        "a state of the same slot may be an earlier one"
    );
    assert!(!lacks(&bench, key(account), read, -1), "an older state is not lacking");
}

#[test]
fn a_user_with_other_orders_is_lacking() {
    check(1, &bid(100), &bid(110), true);
    check(1, &bid(100), &user(&[]), true);
    check(1, &bid(100), &bid(100), false);
    let moved = with_u64(bid(100), 4320, 7);
    check(1, &bid(100), &moved, false);
}

#[test]
fn a_user_with_another_position_or_status_is_lacking() {
    check(1, &bid(100), &perp_position(bid(100), 5), true);
    check(1, &bid(100), &with_byte(bid(100), 4348, 1), true);
}

#[test]
fn a_user_that_the_book_never_had_is_lacking() {
    assert!(lacks(&Bench::new(), key(1), &bid(100), 1));
}

#[test]
fn what_no_node_notifies_of_is_not_lacking() {
    check(1, &bid(100), &[], false);
    check(1, &bid(100), &with_byte(user(&[]), IDLE, 1), false);
    assert!(!lacks(&Bench::new(), key(1), &with_byte(user(&[]), IDLE, 1), 1));
}

#[test]
fn malformed_accounts_are_not_lacking() {
    check(1, &bid(100), &bid(110)[..100], false);
    let mut bench = Bench::new();
    assert!(bench.send(key(1), &bid(110)[..100], SLOT, Gate::Arrival).is_err());
    assert!(!lacks(&bench, key(1), &bid(110)[..100], 1));
}

/// `PerpMarket.contract_type`. Source: programs/drift/src/state/perp_market.rs `PerpMarket`.
const CONTRACT_TYPE: usize = 1163;

#[test]
fn a_market_that_was_never_readable_is_not_lacking() {
    let unknown = with_byte(perp_market(), CONTRACT_TYPE, 99);
    let mut bench = Bench::new();
    assert!(bench.send(key(210), &unknown, SLOT, Gate::Snapshot).is_err());
    assert!(!lacks(&bench, key(210), &unknown, 1));
}

#[test]
fn markets_the_state_and_oracles_are_compared() {
    check(201, &perp_market(), &with_u64(perp_market(), 816, 100), true);
    check(201, &perp_market(), &perp_market(), false);
    check(200, &state(0), &state(8), true);
    check(200, &state(0), &state(0), false);
    let bench = Bench::new();
    assert!(!lacks(&bench, ORACLE, &lazer(1_000, SLOT), 1));
    assert!(lacks(&bench, ORACLE, &lazer(1_200, SLOT), 1));
    assert!(!lacks(&bench, ORACLE, &[], 1));
}

#[test]
fn users_in_turn_are_those_with_orders_or_all_that_a_page_has_room_for() {
    let mut bench = Bench::new();
    for account in 1..=5 {
        bench.put(key(account), &user(&[OrderBytes::limit(Ask, 130, 5, 2)]));
    }
    bench.put(key(3), &user(&[]));
    let (first, next) = bench.book.users_in_turn(0, 2);
    let (second, end) = bench.book.users_in_turn(next, 2);
    assert_eq!((first, next), (vec![key(1), key(2)], 2));
    assert_eq!((second, end), (vec![key(4), key(5)], 0));
    assert_eq!(bench.book.users_in_turn(99, 3), (vec![], 0));
    assert_eq!(bench.book.users_in_turn(0, 5), ((1..=5).map(key).collect(), 0));
}

/// Checks the verdict of a reading without the account: none at or before the slot of its last
/// write.
#[track_caller]
fn check_gone(bench: &Bench, account: Pubkey, owner: Pubkey, data: &[u8]) {
    let outlives = |slots_after: i64| {
        let slot = Slot(bench.slot.saturating_add_signed(slots_after));
        let update = AccountUpdate { pubkey: account, owner, slot, gate: Gate::Snapshot, data };
        bench.book.outlives(&update)
    };
    assert!(outlives(1), "a later reading has no such account");
    assert!(!outlives(0), "the account may have been written after the reading");
    assert!(!outlives(-1), "the reading is older than the account");
}

#[test]
fn an_account_that_a_later_reading_has_not_is_outlived() {
    let mut bench = Bench::new();
    bench.put(key(1), &bid(100));
    bench.put(key(200), &state(0));
    bench.put(key(201), &perp_market());
    let nobody = Pubkey([0; 32]);
    for account in [key(1), key(200), key(201)] {
        check_gone(&bench, account, nobody, &[]);
        check_gone(&bench, account, key(99), &bid(100));
    }
    check_gone(&bench, ORACLE, nobody, &[]);
    check_gone(&bench, key(1), PROGRAM, &with_byte(user(&[]), IDLE, 1));
    for (account, held) in [(key(1), bid(100)), (key(201), perp_market())] {
        check_gone(&bench, account, PROGRAM, &held[1..]);
        check_gone(&bench, account, PROGRAM, &held[..held.len() - 1]);
        check_gone(&bench, account, PROGRAM, &[held.as_slice(), &[0; 64]].concat());
    }
}

#[test]
fn an_account_that_a_reading_has_is_not_outlived() {
    let mut bench = Bench::new();
    bench.put(key(1), &bid(100));
    let outlives = |pubkey: Pubkey, owner: Pubkey, data: &[u8]| {
        let slot = Slot(bench.slot + 5);
        bench.book.outlives(&AccountUpdate { pubkey, owner, slot, gate: Gate::Snapshot, data })
    };
    assert!(!outlives(key(1), PROGRAM, &bid(110)));
    assert!(!outlives(ORACLE, key(99), &lazer(1_000, SLOT)));
    assert!(!outlives(key(2), Pubkey([0; 32]), &[]), "the book never had the account");
}

#[test]
fn what_is_closed_is_outlived_no_more() {
    let mut bench = Bench::new();
    let nobody = Pubkey([0; 32]);
    for (account, held) in [(key(1), bid(100)), (key(201), perp_market())] {
        bench.put(account, &held);
        bench.put(account, &[]);
        let slot = Slot(bench.slot + 5);
        let update =
            AccountUpdate { pubkey: account, owner: nobody, slot, gate: Gate::Snapshot, data: &[] };
        assert!(!bench.book.outlives(&update));
    }
}
