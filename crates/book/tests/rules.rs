//! Which orders are in the book, at which price, size and place: DESIGN section 4, rule by rule.

use crate::common::{Bench, NOW, ORACLE, OrderBytes, SLOT, key, lazer, perp_market};
use crate::common::{state, user, with_byte, with_u64};
use slotbook_book::{Applied, BookError, EmptyReason, FeedState, Gate, LeftOut, MarketId, Side};
use slotbook_protocol::model::enums::MarketStatus;
use slotbook_protocol::model::units::{Price, Pubkey, Slot};

use Side::{Ask, Bid};

/// Checks that one order of one user is left out for this reason.
fn check(order: OrderBytes, reason: LeftOut) {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[order]));
    let side = if order.0[87] == 0 { Bid } else { Ask };
    assert_eq!(bench.levels(side), []);
    let counted = bench.book.counters().left_out[reason as usize];
    assert_eq!(counted, 1, "left out as {}", reason.name());
}

#[test]
fn orders_that_take_or_wait_are_not() {
    check(OrderBytes::limit(Bid, 100, 50, 1).kind(0, 0), LeftOut::TakerOnly);
    check(OrderBytes::limit(Bid, 100, 50, 1).kind(2, 2), LeftOut::TakerOnly);
    check(OrderBytes::limit(Bid, 100, 50, 1).kind(4, 0), LeftOut::TakerOnly);
    check(OrderBytes::limit(Bid, 100, 50, 1).kind(3, 0), LeftOut::Untriggered);
    check(OrderBytes::limit(Bid, 100, 50, 1).kind(3, 1), LeftOut::Untriggered);
    check(OrderBytes::limit(Bid, 100, 50, 1).auction(10).placed_at(SLOT), LeftOut::InAuction);
    check(OrderBytes::limit(Bid, 0, 50, 1), LeftOut::NoPrice);
    check(OrderBytes::limit(Bid, 100, 50, 1).reduce_only(), LeftOut::NothingToReduce);
    check(OrderBytes::limit(Bid, 100, 4, 1), LeftOut::BelowStep);
    check(OrderBytes::limit(Bid, 100, 50, 1).filled(46), LeftOut::BelowStep);
    check(OrderBytes::limit(Bid, 100, 50, 1).filled(60), LeftOut::BelowStep);
    check(OrderBytes::limit(Bid, 100, 50, 1).filled(50).reduce_only(), LeftOut::BelowStep);
}

#[test]
fn without_a_usable_oracle_offset_orders_are_left_out_and_the_body_says_so() {
    let mut bench = Bench::new();
    let orders = [OrderBytes::offset(Bid, -13, 50, 1), OrderBytes::limit(Bid, 900, 5, 2)];
    bench.put(key(1), &user(&orders));
    let excluded = |bench: &Bench| {
        let header = bench.book.header(bench.perp()).expect("a known market");
        header.oracle.excluded.map(|reason| reason.name())
    };
    assert_eq!(excluded(&bench), None);
    bench.clock(SLOT + 121, NOW + 60);
    assert_eq!(excluded(&bench), Some("staleForMargin"));
    assert_eq!(bench.levels(Bid), [(900, 5)]);
    bench.put(ORACLE, &lazer(1_000, SLOT + 121));
    assert_eq!(bench.levels(Bid), [(980, 50), (900, 5)]);
    bench.put(ORACLE, &lazer(0, SLOT + 121));
    assert_eq!(excluded(&bench), Some("nonPositive"));
    bench.put(ORACLE, &lazer(1_000, SLOT + 121)[..20]);
    assert_eq!(excluded(&bench), Some("oracleMalformed"));
    bench.put(ORACLE, &[]);
    assert_eq!(excluded(&bench), Some("oracleMissing"));
    assert_eq!(bench.levels(Bid), [(900, 5)]);
}

#[test]
fn a_market_that_does_not_fill_shows_an_empty_book_and_names_the_reason() {
    let market = perp_market();
    for (account, data, reason) in [
        (201, with_byte(market.clone(), 1162, 0), EmptyReason::MarketStatus),
        (201, with_byte(market.clone(), 1162, 4), EmptyReason::MarketStatus),
        (201, with_byte(market.clone(), 1162, 8), EmptyReason::MarketStatus),
        (201, with_byte(market.clone(), 1165, 4), EmptyReason::MarketFillPaused),
        (200, state(8), EmptyReason::ExchangeFillPaused),
        (201, with_u64(market, 1080, NOW.unsigned_abs()), EmptyReason::MarketExpired),
    ] {
        let mut bench = Bench::new();
        bench.put(key(1), &user(&[OrderBytes::limit(Bid, 100, 50, 1)]));
        bench.book.end_turn(1);
        bench.put(key(account), &data);
        assert_eq!(bench.levels(Bid), []);
        let header = bench.book.header(bench.perp()).expect("a known market");
        assert_eq!(header.empty_reason, Some(reason));
        assert_eq!(bench.book.best(bench.perp(), Bid), None);
        assert!(bench.turn_changes_perp());
        bench.put(key(200), &state(0));
        bench.put(key(201), &perp_market());
        assert_eq!(bench.levels(Bid), [(100, 50)], "the book is back when the reason is gone");
    }
}

#[test]
fn only_changes_that_show_make_a_turn() {
    let mut bench = Bench::new();
    let order = OrderBytes::limit(Bid, 100, 50, 1);
    bench.put(key(1), &user(&[order]));
    assert!(bench.turn_changes_perp());
    let seq = bench.book.seq(bench.perp());
    assert_eq!(bench.put(key(1), &user(&[order])), Applied::Unchanged);
    bench.put(key(1), &user(&[order, OrderBytes::limit(Bid, 90, 50, 2).kind(0, 0)]));
    let mut unseen = order;
    unseen.u64(32, 77);
    bench.put(key(1), &user(&[unseen]));
    bench.clock(SLOT + 1, NOW);
    assert!(!bench.turn_changes_perp());
    assert_eq!(bench.book.seq(bench.perp()), seq);
    bench.put(key(1), &user(&[order.expires(NOW + 100)]));
    assert!(bench.turn_changes_perp(), "an order's expiry is shown in /l3");
    bench.put(ORACLE, &lazer(1_001, SLOT));
    assert!(bench.turn_changes_perp(), "the oracle is shown in the body");
    bench.book.set_state(FeedState::Live);
    assert!(!bench.turn_changes_perp(), "a state is not a change of the book");
}

// Specification: event-placed, event-canceled, event-filled, event-oracle.
#[test]
fn a_change_is_of_the_side_of_its_order_and_an_oracle_price_of_both() {
    let mut bench = Bench::new();
    let (bid, ask) = (OrderBytes::limit(Bid, 100, 50, 1), OrderBytes::limit(Ask, 110, 50, 2));
    let mut check = |(account, data): (Pubkey, Vec<u8>), sides: [bool; 2]| {
        let seq = bench.book.seq(bench.perp()).unwrap();
        bench.put(account, &data);
        bench.book.end_turn(0);
        let changed = |side| bench.book.orders_changed_since(bench.perp(), side, seq);
        assert_eq!([Bid, Ask].map(changed), sides);
    };
    let moved = OrderBytes::limit(Bid, 99, 50, 1);
    check((key(1), user(&[bid, ask])), [true, true]);
    check((key(1), user(&[bid])), [false, true]);
    check((key(1), user(&[moved])), [true, false]);
    check((key(1), user(&[moved.placed_at(SLOT - 5)])), [true, false]);
    check((ORACLE, lazer(1_200, SLOT).to_vec()), [true, true]);
}

#[test]
fn the_socket_decides_by_arrival_and_a_snapshot_by_slot() {
    let mut bench = Bench::new();
    let at = |price| user(&[OrderBytes::limit(Bid, price, 50, 1)]);
    bench.book.set_state(FeedState::Live);
    bench.book.begin_snapshot(Slot(SLOT));
    bench.put(key(1), &at(100));
    let slot = bench.slot;
    let sends = [
        (at(200), slot, Gate::Snapshot, Applied::Stale, 100),
        (at(200), slot + 1, Gate::Snapshot, Applied::Changed, 200),
        (at(300), slot - 5, Gate::Arrival, Applied::Changed, 300),
        (at(400), slot - 5, Gate::WriteVersion(0), Applied::Stale, 300),
        (at(400), slot - 5, Gate::WriteVersion(1), Applied::Changed, 400),
        (at(500), slot - 5, Gate::WriteVersion(1), Applied::Stale, 400),
        (at(500), slot - 4, Gate::WriteVersion(0), Applied::Changed, 500),
    ];
    for (data, slot, gate, applied, price) in sends {
        assert_eq!(bench.send(key(1), &data, slot, gate), Ok(applied), "{gate:?} at {slot}");
        assert_eq!(bench.levels(Bid), [(price, 50)]);
    }
}

/// On one socket the order of arrival counts, so that a lower slot is newer.
#[test]
fn a_market_and_all_its_orders_are_what_the_lower_slot_says() {
    let header = |bench: &Bench| bench.book.header(bench.perp()).expect("a known market");
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[OrderBytes::offset(Bid, -13, 50, 1)]));
    assert_eq!(bench.levels(Bid), [(980, 50)]);
    let seq = header(&bench).seq;
    let later = with_u64(with_byte(perp_market(), 1162, 6), 816, 100);
    bench.send(key(201), &later, SLOT + 40, Gate::Arrival).expect("a well-formed account");
    bench.book.end_turn(1);
    assert_eq!(bench.levels(Bid), [], "a reduce-only market shows no other orders");
    let between = header(&bench);
    assert_eq!(between.market_slot, Slot(SLOT + 40));
    bench.send(key(201), &perp_market(), SLOT - 40, Gate::Arrival).expect("a well-formed account");
    assert!(bench.turn_changes_perp());
    assert_eq!(bench.levels(Bid), [(980, 50)]);
    let info = bench.book.market(bench.perp()).expect("a known market");
    assert_eq!((info.tick, info.status), (Price(10), MarketStatus::Active));
    let after = header(&bench);
    assert_eq!(after.market_slot, Slot(SLOT - 40), "the body says which state it is");
    assert!(seq < between.seq && between.seq < after.seq, "seq grows all the same");
}

#[test]
fn a_snapshot_adds_repairs_and_removes() {
    let mut bench = Bench::new();
    let slot = bench.slot;
    let at = |price| user(&[OrderBytes::limit(Bid, price, 50, 1)]);
    for (byte, price) in [(1, 100), (2, 110), (3, 120)] {
        bench.put(key(byte), &at(price));
    }
    let newer = slot + 2;
    bench.book.set_state(FeedState::Live);
    bench.send(key(4), &at(130), newer + 5, Gate::Arrival).expect("a well-formed account");
    bench.book.begin_snapshot(Slot(newer));
    for (byte, price) in [(1, 100), (2, 115), (5, 150)] {
        bench.send(key(byte), &at(price), newer, Gate::Snapshot).expect("a well-formed account");
    }
    let report = bench.book.end_snapshot();
    assert_eq!((report.added, report.changed, report.removed, report.seen), (1, 1, 1, 3));
    assert_eq!(bench.levels(Bid), [(150, 50), (130, 50), (115, 50), (100, 50)]);
}

#[test]
fn closed_accounts_leave_and_older_states_do_not_bring_them_back() {
    let mut bench = Bench::new();
    let account = user(&[OrderBytes::limit(Bid, 100, 50, 1)]);
    let slot = bench.slot;
    bench.put(key(1), &account);
    assert!(bench.book.has_user(&key(1)));
    assert_eq!(bench.send(key(1), &[], slot + 3, Gate::Arrival), Ok(Applied::Closed));
    assert!(!bench.book.has_user(&key(1)), "a closed account leaves its key behind");
    assert!(!bench.book.has_user(&key(2)));
    assert_eq!(bench.levels(Bid), []);
    assert_eq!(bench.book.counters().users, 0);
    assert_eq!(bench.send(key(1), &account, slot + 2, Gate::Snapshot), Ok(Applied::Stale));
    assert_eq!(bench.send(key(1), &account, slot + 4, Gate::Arrival), Ok(Applied::Changed));
    assert_eq!(bench.levels(Bid), [(100, 50)]);
    assert_eq!(bench.send(key(77), &[], slot, Gate::Arrival), Ok(Applied::Ignored));
}

#[test]
fn forgotten_indexes_are_used_again_without_a_trace() {
    let mut bench = Bench::new();
    let slot = bench.slot;
    for round in 0..20u64 {
        let at = slot + round * 10;
        let byte = u8::try_from(round).expect("few rounds") + 20;
        let expiry = NOW + i64::try_from(round).expect("few rounds") * 5 + 3;
        let order = OrderBytes::limit(Bid, 100, 50, 1).expires(expiry);
        bench.send(key(byte), &user(&[order]), at, Gate::Arrival).expect("well-formed");
        assert_eq!(bench.levels(Bid), [(100, 50)]);
        bench.send(key(byte), &[], at + 1, Gate::Arrival).expect("closing always works");
        bench.book.begin_snapshot(Slot(at + 2));
        bench.book.end_snapshot();
        // Timers of the index's previous owners fire now, without effect.
        bench.clock(at + 3, NOW + i64::try_from(round).expect("few rounds") * 5);
    }
    assert_eq!(bench.levels(Bid), []);
    assert_eq!(bench.book.counters().open_orders, 0);
    assert_eq!(bench.book.counters().user_indexes, 1);
}

#[test]
fn a_malformed_account_is_out_until_it_is_well_formed() {
    let mut bench = Bench::new();
    let good = user(&[OrderBytes::limit(Bid, 100, 50, 1)]);
    let slot = bench.slot;
    for bad in [
        good[..4375].to_vec(),
        with_byte(good.clone(), 1192 + 82, 4),
        with_byte(good.clone(), 1192 + 83, 5),
        with_byte(good.clone(), 1192 + 88, 2),
        with_byte(good.clone(), 138, 2),
        with_byte(good.clone(), 0, 0),
    ] {
        bench.put(key(1), &good);
        bench.put(key(2), &user(&[OrderBytes::limit(Bid, 90, 50, 1)]));
        let outcome = bench.send(key(1), &bad, slot, Gate::Arrival);
        assert!(matches!(outcome, Err(BookError::Malformed { .. })), "{outcome:?}");
        assert_eq!(bench.levels(Bid), [(90, 50)], "the rest of the book goes on");
        assert_eq!(bench.book.counters().quarantined, 1);
        bench.put(key(1), &good);
        assert_eq!(bench.levels(Bid), [(100, 50), (90, 50)]);
        assert_eq!(bench.book.counters().quarantined, 0);
    }
}

#[test]
fn an_old_state_harms_nothing_malformed_or_not() {
    let mut bench = Bench::new();
    let good = user(&[OrderBytes::limit(Bid, 100, 50, 1)]);
    bench.book.set_state(FeedState::Live);
    bench.book.begin_snapshot(Slot(SLOT - 1));
    bench.put(key(1), &good);
    for bad in [good[..4375].to_vec(), good[..3].to_vec(), with_byte(good.clone(), 1274, 9)] {
        assert_eq!(bench.send(key(1), &bad, SLOT - 1, Gate::Snapshot), Ok(Applied::Stale));
    }
    let market = perp_market();
    assert_eq!(bench.send(key(201), &market[..9], SLOT - 1, Gate::Snapshot), Ok(Applied::Stale));
    assert_eq!(bench.send(key(200), &state(8), SLOT - 1, Gate::Snapshot), Ok(Applied::Stale));
    assert_eq!(bench.levels(Bid), [(100, 50)]);
}

/// A faulty node can return market bytes for a user's key. Both kinds must then be updated or
/// closed together.
#[test]
fn a_key_that_was_a_user_and_is_a_market_is_old_or_closed_as_a_whole() {
    let good = user(&[OrderBytes::limit(Bid, 100, 50, 1)]);
    for older in [&[][..], &good[..4375]] {
        let mut bench = Bench::new();
        bench.book.set_state(FeedState::Live);
        bench.put(key(1), &good);
        bench.send(key(201), &good, SLOT + 1, Gate::Arrival).expect("a user of the market's key");
        bench.send(key(201), &perp_market(), SLOT + 9, Gate::Arrival).expect("the market again");
        bench.send(key(201), &good, SLOT + 2, Gate::Arrival).expect("a user once more");
        assert_eq!(bench.levels(Bid), [(100, 100)]);
        let outcome = bench.send(key(201), older, SLOT + 5, Gate::Snapshot);
        assert_eq!(outcome, Ok(Applied::Stale), "the market is newer");
        assert_eq!(bench.levels(Bid), [(100, 100)], "what is stale changes nothing");
        bench.send(key(201), &[], SLOT + 10, Gate::Arrival).expect("closing always works");
        let header = bench.book.header(bench.perp()).expect("a known market");
        assert_eq!(header.empty_reason, Some(EmptyReason::MarketClosed), "the market as well");
    }
}

#[test]
fn bytes_that_did_not_arrive_whole_take_a_known_account_out() {
    let mut bench = Bench::new();
    let good = user(&[OrderBytes::limit(Bid, 100, 50, 1)]);
    bench.put(key(1), &good);
    let unread = |pubkey, slot| slotbook_book::AccountUpdate {
        pubkey,
        owner: key(0),
        slot: Slot(slot),
        gate: Gate::Arrival,
        data: &[],
    };
    assert!(bench.book.quarantine_truncated(unread(key(1), SLOT + 1)).is_err());
    assert_eq!(bench.levels(Bid), []);
    assert_eq!(bench.book.quarantine_truncated(unread(key(99), SLOT + 1)), Ok(Applied::Ignored));
    bench.put(key(1), &good);
    assert_eq!(bench.levels(Bid), [(100, 50)]);
    assert_eq!(bench.book.counters().quarantined, 0);
}

#[test]
fn markets_of_one_name_resolve_by_index_whatever_their_arrival() {
    for indexes in [[7, 9], [9, 7]] {
        let mut bench = Bench::new();
        for index in indexes {
            let mut market = with_byte(perp_market(), 1160, index);
            market[1000..1003].copy_from_slice(b"TWN");
            bench.put(key(210 + index), &market);
        }
        let found = bench.book.find_market_by_name("twn-perp").expect("known");
        assert_eq!(bench.book.market(found).expect("known").market_index, 7);
    }
}

/// A perp market of this index with this name on chain.
fn named_market(index: u8, name: &[u8]) -> Vec<u8> {
    let mut market = with_byte(perp_market(), 1160, index);
    market[1000..1032].fill(b' ');
    market[1000..1000 + name.len()].copy_from_slice(name);
    market
}

fn symbols(bench: &Bench) -> Vec<String> {
    bench.book.markets().skip(2).map(|info| info.symbol.clone()).collect()
}

#[test]
fn each_market_has_a_symbol_of_its_own_that_finds_it() {
    let names: [&[u8]; 13] = [
        b"",
        b"*",
        b".",
        b"..",
        b"a/b",
        b"a,b",
        b"a:b%",
        b"A\"\n",
        "A\u{202e}B".as_bytes(),
        b"perp_40",
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZ12345\xc3",
        b"TWN",
        b"twn",
    ];
    let mut bench = Bench::new();
    for (index, name) in (40..).zip(names) {
        bench.put(key(170 + index), &named_market(index, name));
    }
    bench.turn_changes_perp();
    for info in bench.book.markets().skip(2) {
        let own_key = format!("perp_{}", info.market_index);
        let expected = if info.name == "TWN" { "TWN" } else { &own_key };
        assert_eq!(info.symbol, expected, "{:?}", info.name);
        for said in [&info.symbol, &own_key, &own_key.to_uppercase()] {
            assert_eq!(bench.book.find_market_by_name(said), Some(info.id), "{said}");
        }
    }
    for unknown in ["perp_040", "perp_+40", "perp_", "perp_99", "spot_40", "perp_70000"] {
        assert_eq!(bench.book.find_market_by_name(unknown), None, "{unknown}");
    }
}

#[test]
fn markets_that_change_names_in_one_turn_change_symbols() {
    let mut bench = Bench::new();
    let put = |bench: &mut Bench, names: [&[u8]; 2]| {
        for (index, name) in (40..).zip(names) {
            bench.put(key(170 + index), &named_market(index, name));
        }
        bench.turn_changes_perp();
    };
    put(&mut bench, [b"ONE", b"TWO"]);
    assert_eq!(symbols(&bench), ["ONE", "TWO"]);
    put(&mut bench, [b"TWO", b"ONE"]);
    assert_eq!(symbols(&bench), ["TWO", "ONE"]);
    put(&mut bench, [b"TWO", b"TWO"]);
    assert_eq!(symbols(&bench), ["TWO", "perp_41"]);
    let seq = |bench: &Bench| bench.book.header(MarketId(3)).expect("known").seq;
    let before = seq(&bench);
    bench.put(key(210), &named_market(40, b"SIX"));
    bench.turn_changes_perp();
    assert_eq!(symbols(&bench), ["SIX", "TWO"]);
    assert_eq!(seq(&bench), before + 1);
}
