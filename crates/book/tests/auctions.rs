//! The orders in auction, sentence by sentence.

use crate::common::{Bench, NOW, ORACLE, OrderBytes, SLOT, key, lazer, perp_market};
use crate::common::{perp_position, spot_market, state, user, with_byte};
use slotbook_book::{AuctionRow, Side};

/// `OrderType::Market`.
const MARKET: u8 = 0;
/// `OrderType::TriggerMarket`.
const TRIGGER_MARKET: u8 = 2;
/// `OrderType::Oracle`.
const ORACLE_ORDER: u8 = 4;
/// `TriggerCondition::TriggeredAbove`.
const TRIGGERED_ABOVE: u8 = 2;
/// `OrderBitFlag::OracleTriggerMarket`.
const ORACLE_TRIGGER_MARKET: u8 = 2;

/// A limit order of 100 at 1,000 whose auction runs for so many slots from [`SLOT`] on.
fn limit(side: Side, duration: u8, id: u32) -> OrderBytes {
    OrderBytes::limit(side, 1_000, 100, id).placed_at(SLOT).auction(duration)
}

fn between(mut order: OrderBytes, start: i64, end: i64) -> OrderBytes {
    order.u64(48, start.cast_unsigned()).u64(56, end.cast_unsigned());
    order
}

fn auctions(bench: &Bench) -> Vec<AuctionRow> {
    bench.book.check_integrity().expect("every invariant holds");
    let mut rows = Vec::new();
    bench.book.auctions(bench.perp(), &mut rows);
    rows
}

fn ids(bench: &Bench) -> Vec<u32> {
    auctions(bench).iter().map(|row| row.order.order_id).collect()
}

/// Start, current and end price of the only order in auction.
fn prices(bench: &Bench) -> [Option<u64>; 3] {
    let rows = auctions(bench);
    assert_eq!(rows.len(), 1, "{rows:?}");
    [rows[0].start, rows[0].current, rows[0].end].map(|price| price.map(|price| price.0))
}

fn revision(bench: &Bench) -> Option<u64> {
    bench.book.auctions_revision(bench.perp())
}

#[test]
fn a_limit_order_leaves_its_auction_for_the_book_in_the_slot_after_its_last() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[limit(Side::Bid, 5, 7)]));
    for slot in SLOT - 3..SLOT + 20 {
        bench.clock(slot, NOW);
        let in_auction = slot <= SLOT + 5;
        assert_eq!(ids(&bench), if in_auction { vec![7] } else { vec![] }, "slot {slot}");
        assert_eq!(bench.ids(Side::Bid), if in_auction { vec![] } else { vec![7] }, "slot {slot}");
        if let [row] = auctions(&bench)[..] {
            assert_eq!(row.slots_left, SLOT + 5 - slot);
        }
    }
    bench.clock(SLOT + 5, NOW);
    assert_eq!(ids(&bench), [7], "time that goes back brings the auction back");
    assert!(bench.ids(Side::Bid).is_empty());
}

#[test]
fn a_market_order_leaves_its_auction_for_nowhere() {
    let mut bench = Bench::new();
    let triggered = limit(Side::Ask, 3, 2).kind(TRIGGER_MARKET, TRIGGERED_ABOVE);
    let waiting = limit(Side::Ask, 3, 3).kind(TRIGGER_MARKET, 0);
    let orders = [limit(Side::Bid, 2, 1).kind(MARKET, 0), triggered, waiting];
    bench.put(key(1), &user(&orders));
    for (slot, listed) in [(0, vec![1, 2]), (2, vec![1, 2]), (3, vec![2]), (4, vec![])] {
        bench.clock(SLOT + slot, NOW);
        assert_eq!(ids(&bench), listed, "slot {slot}");
        assert!(bench.ids(Side::Bid).is_empty() && bench.ids(Side::Ask).is_empty());
    }
    bench.put(key(1), &user(&[limit(Side::Bid, 0, 1).kind(MARKET, 0)]));
    assert!(ids(&bench).is_empty(), "a market order without an auction is in none");
}

#[test]
fn the_price_goes_from_start_to_end_on_the_tick() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[between(limit(Side::Bid, 4, 1), 1_000, 1_090)]));
    // A bid rounds down to the tick of 10: 1,022 becomes 1,020.
    for (slot, price) in [(-1, 1_000), (0, 1_000), (1, 1_020), (2, 1_040), (4, 1_090)] {
        bench.clock(SLOT.saturating_add_signed(slot), NOW);
        assert_eq!(prices(&bench), [Some(1_000), Some(price), Some(1_090)], "slot {slot}");
    }
    bench.put(key(1), &user(&[between(limit(Side::Ask, 4, 1), 1_090, 1_001)]));
    bench.clock(SLOT + 1, NOW);
    assert_eq!(prices(&bench), [Some(1_090), Some(1_070), Some(1_010)], "an ask rounds up");
}

#[test]
fn an_auction_of_offsets_moves_with_the_oracle() {
    let of_oracle = |order: OrderBytes| between(order, -100, 100);
    let floating = OrderBytes::offset(Side::Bid, 300, 100, 1).placed_at(SLOT).auction(4);
    let trigger = limit(Side::Bid, 4, 1).kind(TRIGGER_MARKET, TRIGGERED_ABOVE);
    let cases = [
        limit(Side::Bid, 4, 1).kind(ORACLE_ORDER, 0),
        floating,
        trigger.with_byte(94, ORACLE_TRIGGER_MARKET),
    ];
    for order in cases.map(of_oracle) {
        let mut bench = Bench::new();
        bench.put(key(1), &user(&[order]));
        assert_eq!(prices(&bench), [Some(900), Some(900), Some(1_100)]);
        bench.clock(SLOT + 2, NOW);
        assert_eq!(prices(&bench), [Some(900), Some(1_000), Some(1_100)]);
        bench.put(ORACLE, &lazer(2_000, SLOT + 2));
        assert!(bench.turn_changes_perp(), "readers must learn of the oracle");
        assert_eq!(prices(&bench), [Some(1_900), Some(2_000), Some(2_100)]);
        bench.put(ORACLE, &lazer(-1, SLOT + 2));
        assert!(ids(&bench).is_empty(), "without a price there is nothing to fill at");
    }
}

#[test]
fn an_auction_that_the_program_cannot_price_is_listed_without_prices() {
    let backwards = between(limit(Side::Bid, 4, 1), 1_090, 1_000);
    let unpriced = OrderBytes::limit(Side::Bid, 0, 100, 1).placed_at(SLOT).auction(4);
    for order in [backwards, unpriced.kind(MARKET, 0)] {
        let mut bench = Bench::new();
        bench.put(key(1), &user(&[order]));
        assert_eq!(prices(&bench), [None; 3]);
    }
}

#[test]
fn an_auction_without_prices_of_its_own_is_at_the_limit_price() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[limit(Side::Bid, 4, 1)]));
    assert_eq!(prices(&bench), [Some(1_000); 3]);
    let floating = OrderBytes::offset(Side::Ask, -300, 100, 1).placed_at(SLOT).auction(4);
    bench.put(key(1), &user(&[floating]));
    assert_eq!(prices(&bench), [Some(700); 3]);
}

#[test]
fn cancelled_filled_and_expired_orders_vanish() {
    let mut bench = Bench::new();
    let order = limit(Side::Bid, 200, 1);
    let market = limit(Side::Bid, 200, 2).kind(MARKET, 0);
    for gone in [order.with_byte(82, 3), order.filled(100), order.filled(96)] {
        bench.put(key(1), &user(&[order]));
        assert_eq!(ids(&bench), [1]);
        bench.put(key(1), &user(&[gone]));
        assert!(ids(&bench).is_empty());
    }
    let triggered = limit(Side::Bid, 200, 3).kind(TRIGGER_MARKET, TRIGGERED_ABOVE);
    bench.put(key(1), &user(&[order, market, triggered].map(|order| order.expires(NOW + 5))));
    bench.clock(SLOT + 1, NOW + 5);
    assert_eq!(ids(&bench), [1, 2, 3]);
    bench.clock(SLOT + 2, NOW + 6);
    assert_eq!(ids(&bench), [3], "a trigger order never expires");
    bench.clock(SLOT + 2, NOW + 5);
    assert_eq!(ids(&bench), [1, 2, 3]);
}

#[test]
fn accounts_in_liquidation_and_markets_that_cannot_fill_have_no_auctions() {
    let mut bench = Bench::new();
    let plain = user(&[limit(Side::Bid, 9, 1)]);
    let reduce_only = perp_position(user(&[limit(Side::Bid, 9, 2).reduce_only()]), -50);
    bench.put(key(1), &plain);
    bench.put(key(2), &reduce_only);
    assert_eq!(ids(&bench), [1, 2]);
    for (frozen, listed) in [(1, vec![2]), (2, vec![2]), (0, vec![1, 2])] {
        bench.put(key(1), &with_byte(plain.clone(), 4348, frozen));
        assert_eq!(ids(&bench), listed, "status {frozen}");
    }
    // Status 6 is reduce-only, 2 is funding paused.
    for (status, listed) in [(6, vec![2]), (2, vec![]), (1, vec![1, 2])] {
        bench.put(key(201), &with_byte(perp_market(), 1162, status));
        assert_eq!(ids(&bench), listed, "market status {status}");
    }
    bench.put(key(200), &state(8));
    assert!(ids(&bench).is_empty());
}

#[test]
fn a_position_that_shrinks_shrinks_its_orders_and_tells_readers() {
    let mut bench = Bench::new();
    let order = user(&[limit(Side::Bid, 9, 1).reduce_only()]);
    bench.put(key(1), &perp_position(order.clone(), -50));
    let (before, size) = (revision(&bench), auctions(&bench)[0].size);
    bench.put(key(1), &perp_position(order.clone(), -40));
    assert_ne!(revision(&bench), before);
    assert_eq!((size.0, auctions(&bench)[0].size.0), (50, 40));
    bench.put(key(1), &perp_position(order, 40));
    assert!(auctions(&bench).is_empty(), "there is nothing to reduce");
}

#[test]
fn auctions_come_by_slot_then_id_then_maker_and_leave_the_book_as_it_is() {
    let mut bench = Bench::new();
    bench.book.end_turn(1);
    let late = limit(Side::Ask, 9, 1).placed_at(SLOT + 1);
    bench.put(key(1), &user(&[late, limit(Side::Bid, 9, 5)]));
    bench.put(key(3), &user(&[limit(Side::Bid, 9, 4)]));
    bench.put(key(2), &user(&[limit(Side::Ask, 9, 4)]));
    let listed: Vec<_> = auctions(&bench)
        .iter()
        .map(|row| (row.order.slot.0 - SLOT, row.order.order_id, row.maker.0[0]))
        .collect();
    assert_eq!(listed, [(0, 4, 2), (0, 4, 3), (0, 5, 1), (1, 1, 1)]);
    assert!(!bench.turn_changes_perp(), "auctions are not the book");
}

#[test]
fn the_order_of_arrival_decides_nothing_between_orders_of_one_account() {
    let (first, second) = (limit(Side::Bid, 9, 4), limit(Side::Ask, 9, 4));
    let mut at_once = Bench::new();
    at_once.put(key(1), &user(&[first, second]));
    let mut one_by_one = Bench::new();
    one_by_one.put(key(1), &user(&[OrderBytes([0; 96]), second]));
    one_by_one.put(key(1), &user(&[first, second]));
    assert_eq!(auctions(&at_once), auctions(&one_by_one));
}

#[test]
fn orders_of_other_markets_are_not_listed() {
    let mut bench = Bench::new();
    bench.put(key(202), &spot_market());
    bench.put(key(1), &user(&[limit(Side::Bid, 9, 1), limit(Side::Bid, 9, 2).spot(1)]));
    assert_eq!(ids(&bench), [1]);
    let mut rows = Vec::new();
    bench.book.auctions(bench.spot(), &mut rows);
    assert_eq!(rows.len(), 1);
    bench.book.auctions(slotbook_book::MarketId(99), &mut rows);
    assert_eq!(rows.len(), 1, "an unknown market has none");
    assert_eq!(bench.book.auctions_revision(slotbook_book::MarketId(99)), None);
}
