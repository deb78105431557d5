//! The market hash is equal for equal books, and a difference is located to the order.

use crate::common::{Bench, NOW, ORACLE, OrderBytes, SLOT, key, lazer, perp_market, perp_position};
use crate::common::{spot_market, spot_position, state, user, with_byte, with_u64};
use slotbook_book::{FeedState, HashParts, IndicativeQuote, MarketHash, MarketId};
use slotbook_book::{OrderHash, QuotedSide, Side};
use slotbook_protocol::model::units::Pubkey;

fn hashes(bench: &mut Bench) -> Vec<MarketHash> {
    bench.book.end_turn(1);
    let mut hashes = Vec::new();
    bench.book.market_hashes(&mut hashes);
    bench.book.check_integrity().expect("every invariant holds");
    hashes
}

fn parts(bench: &mut Bench, id: MarketId) -> HashParts {
    bench.book.end_turn(1);
    bench.book.hash_parts(id).expect("a known market")
}

fn orders_of(bench: &Bench, id: MarketId) -> Vec<OrderHash> {
    let mut orders = Vec::new();
    bench.book.order_hashes(id, &mut orders);
    orders
}

fn two_orders() -> [OrderBytes; 2] {
    [OrderBytes::limit(Side::Bid, 990, 50, 1), OrderBytes::offset(Side::Ask, 50, 60, 2)]
}

#[test]
fn a_hash_is_of_orders_that_are_not_shown_too() {
    let mut bench = Bench::new();
    let hidden = OrderBytes::limit(Side::Bid, 990, 50, 1).expires(NOW - 1);
    let before = hashes(&mut bench);
    bench.put(key(1), &user(&[hidden]));
    assert!(bench.ids(Side::Bid).is_empty());
    assert_ne!(hashes(&mut bench), before);
    bench.put(key(1), &user(&[]));
    assert_eq!(hashes(&mut bench), before);
}

/// The hash parts that a change of the perp market affects.
fn changed_by(change: impl FnOnce(&mut Bench)) -> Vec<&'static str> {
    let mut bench = Bench::new();
    let reducing = OrderBytes::limit(Side::Ask, 1_010, 50, 3).reduce_only();
    bench.put(key(1), &perp_position(user(&[two_orders()[0], reducing]), 40));
    let id = bench.perp();
    let before = parts(&mut bench, id);
    change(&mut bench);
    bench.book.check_integrity().expect("every invariant holds");
    let after = parts(&mut bench, id);
    let is_other = [
        ("orders", before.orders != after.orders),
        ("account", before.account != after.account),
        ("exchange", before.exchange != after.exchange),
        ("oracle", before.oracle != after.oracle),
        ("indicative", before.indicative != after.indicative),
    ];
    is_other.into_iter().filter(|(_, is_other)| *is_other).map(|(name, _)| name).collect()
}

fn changed_by_put(account: Pubkey, data: &[u8]) -> Vec<&'static str> {
    changed_by(|bench| {
        bench.put(account, data);
    })
}

#[test]
fn each_part_is_of_its_own() {
    let reducing = OrderBytes::limit(Side::Ask, 1_010, 50, 3).reduce_only();
    let account = user(&[two_orders()[0], reducing]);
    let position = perp_position(account.clone(), 41);
    let moved = changed_by_put(key(1), &position);
    assert_eq!(moved, ["orders"], "the position bounds a reduce-only order");
    let frozen = with_byte(perp_position(account, 40), 4348, 1);
    assert_eq!(changed_by_put(key(1), &frozen), ["orders"]);
    let tick = with_u64(perp_market(), 816, 20);
    assert_eq!(changed_by_put(key(201), &tick), ["account"]);
    let users_with_base = with_u64(perp_market(), 1136, 0);
    assert_eq!(changed_by_put(key(201), &users_with_base), [""; 0]);
    let volatile = with_u64(state(0), 928, 6);
    assert_eq!(changed_by_put(key(200), &volatile), ["exchange"]);
    let price = lazer(1_001, SLOT);
    assert_eq!(changed_by_put(ORACLE, &price), ["oracle"]);
    let quote = IndicativeQuote {
        bid: Some(QuotedSide { price: 990, size: 5_000_000_000 }),
        ask: None,
        is_oracle_offset: false,
    };
    let quoted = changed_by(|bench| {
        let id = bench.perp();
        bench.book.set_indicative(id, key(9), &[quote], 1).expect("a good quote");
    });
    assert_eq!(quoted, ["indicative"]);
}

#[test]
fn time_feed_and_the_accounts_that_show_nothing_are_not_in_it() {
    assert_eq!(changed_by(|bench| bench.book.set_state(FeedState::Stale)), [""; 0]);
    assert_eq!(changed_by(|bench| bench.clock(SLOT + 1, NOW + 1)), [""; 0]);
    assert_eq!(changed_by(|bench| bench.clock(SLOT + 900, NOW)), ["oracle"], "it is stale then");
    assert_eq!(changed_by_put(key(3), &user(&[])), [""; 0]);
    assert_eq!(changed_by_put(key(202), &spot_market()), [""; 0]);
}

#[test]
fn a_market_that_is_found_late_has_the_orders_that_were_there() {
    let orders = [OrderBytes::limit(Side::Bid, 990, 50, 1).spot(7)];
    let late = with_byte(spot_market(), 684, 7);
    let mut one = Bench::new();
    hashes(&mut one);
    one.put(key(1), &spot_position(user(&orders), 7, 30));
    one.put(key(203), &late);
    let mut other = Bench::new();
    hashes(&mut other);
    other.put(key(203), &late);
    other.put(key(1), &spot_position(user(&orders), 7, 30));
    assert_eq!(hashes(&mut one), hashes(&mut other));
    assert_eq!(orders_of(&one, MarketId(2)).len(), 1);
}

/// Makers and orders of each in the books of the next test: 4,000 orders in two markets.
const MAKERS: u16 = 200;
const ORDERS: u32 = 20;

fn maker(number: u16) -> Pubkey {
    let mut key = [3; 32];
    key[30..].copy_from_slice(&number.to_be_bytes());
    Pubkey(key)
}

fn orders_of_maker(number: u16) -> Vec<OrderBytes> {
    let order = |id: u32| {
        let price = 900 + 7 * u64::from(id) + u64::from(number % 13);
        let size = 1_000 + u64::from(number) * 5;
        let order = match id % 3 {
            0 => OrderBytes::limit(Side::Bid, price, size, id),
            1 => OrderBytes::limit(Side::Ask, price + 200, size, id),
            _ => OrderBytes::offset(Side::Ask, i32::from(number) + 5, size, id),
        };
        if id.is_multiple_of(5) { order.spot(1) } else { order }
    };
    (1..=ORDERS).map(order).collect()
}

#[test]
fn one_changed_lot_among_thousands_of_orders_is_found_a_hundred_times_of_a_hundred() {
    let mut one = Bench::new();
    for number in 0..MAKERS {
        one.put(maker(number), &user(&orders_of_maker(number)));
    }
    let before = hashes(&mut one);
    let lists = [one.perp(), one.spot()].map(|id| orders_of(&one, id));
    assert_eq!(lists.iter().map(Vec::len).sum::<usize>(), 4_000);
    for round in 0..100_u16 {
        let (number, at) = (round * 37 % MAKERS, usize::from(round * 11 % 20));
        let mut orders = orders_of_maker(number);
        let size = if round % 2 == 0 { 1_005 } else { 995 } + u64::from(number) * 5;
        orders[at].u64(16, size);
        one.put(maker(number), &user(&orders));
        let after = hashes(&mut one);
        let other: Vec<usize> = (0..before.len()).filter(|id| before[*id] != after[*id]).collect();
        let [id] = other[..] else { panic!("round {round}: {other:?} are others") };
        let id = MarketId(u16::try_from(id).expect("few markets"));
        let was = &lists[usize::from(id == one.spot())];
        let now = orders_of(&one, id);
        let found: Vec<_> = now.iter().filter(|order| !was.contains(order)).collect();
        let named = (maker(number), u32::try_from(at).expect("few orders") + 1);
        assert_eq!(found.iter().map(|o| (o.maker, o.order_id)).collect::<Vec<_>>(), [named]);
        one.put(maker(number), &user(&orders_of_maker(number)));
        assert_eq!(hashes(&mut one), before);
    }
}

#[test]
fn a_user_whose_key_becomes_the_market_of_its_order_leaves_that_markets_hash() {
    let mut bench = Bench::new();
    hashes(&mut bench);
    bench.put(key(1), &user(&[OrderBytes::limit(Side::Bid, 990, 50, 1).spot(2)]));
    bench.put(key(1), &with_byte(spot_market(), 684, 2));
    let hash = hashes(&mut bench).pop().expect("the new market");
    let mut other = Bench::new();
    other.put(key(1), &with_byte(spot_market(), 684, 2));
    assert_eq!(hash, hashes(&mut other).pop().expect("the new market"));
}
