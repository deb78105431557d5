//! Accounts of a numbered source, whose later updates are changes.

use crate::common::{Bench, OrderBytes, PROGRAM, SLOT, key, state, user};
use slotbook_book::Side::Bid;
use slotbook_book::{AccountDelta, AccountUpdate, Applied, BookError, Gate};
use slotbook_protocol::model::units::Slot;

/// The first byte of an order's price in the first slot.
const PRICE_AT: usize = 1_192 + 8;

fn update(data: &[u8], gate: Gate) -> AccountUpdate<'_> {
    AccountUpdate { pubkey: key(1), owner: PROGRAM, slot: Slot(SLOT), gate, data }
}

/// Changes the price of the user's order to 120.
fn change(bench: &mut Bench, gate: Gate) -> Option<Result<Applied, BookError>> {
    let runs = [(PRICE_AT, &[120][..])].into_iter();
    let applied = bench
        .book
        .apply_delta(&update(&[], gate), &AccountDelta { account: 7, length: 4_376, runs });
    bench.book.check_integrity().expect("every invariant holds");
    applied
}

fn numbered() -> Bench {
    let mut bench = Bench::new();
    let data = user(&[OrderBytes::limit(Bid, 100, 50, 1)]);
    let applied = bench.book.apply_numbered(&update(&data, Gate::Arrival), Some(7));
    assert_eq!(applied, Ok(Applied::Changed));
    bench
}

#[test]
fn changes_of_the_last_update_are_enough() {
    let mut bench = numbered();
    assert_eq!(change(&mut bench, Gate::Arrival), Some(Ok(Applied::Changed)));
    assert_eq!(bench.levels(Bid), [(120, 50)]);
}

/// The source has the bytes of an update that the book did not take.
#[test]
fn after_a_stale_update_changes_are_not_enough() {
    let mut bench = numbered();
    let stale = update(&[], Gate::WriteVersion(0));
    assert_eq!(change(&mut bench, stale.gate), Some(Ok(Applied::Stale)));
    assert_eq!(change(&mut bench, Gate::Arrival), None);
    for data in [user(&[]), state(1), vec![]] {
        let mut bench = numbered();
        let applied = bench.book.apply_numbered(&update(&data, Gate::Snapshot), Some(7));
        assert_eq!(applied, Ok(Applied::Stale));
        assert_eq!(change(&mut bench, Gate::Arrival), None);
        assert_eq!(bench.levels(Bid), [(100, 50)]);
    }
}

#[test]
fn after_an_update_of_no_source_changes_are_not_enough() {
    let mut bench = numbered();
    bench.put(key(1), &user(&[]));
    assert_eq!(change(&mut bench, Gate::Arrival), None);
    assert_eq!(bench.levels(Bid), []);
}
