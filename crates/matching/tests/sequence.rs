//! "Matching sequence of a taker order" of the specification: a test for each row and each rule.

use crate::common::{self, Market, limited, perp, spot};
use slotbook_matching::FillSource::{Dlob, External, Jit, Vamm};
use slotbook_matching::{Auction, FillSource, OrderKind, Taker};
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::units::{BaseQty, Price};

fn check(market: &Market, taker: Taker, expected: &[(FillSource, u64, u64)]) {
    assert_eq!(market.fills(&taker), expected);
}

/// An auction between whole prices that lasts ten slots.
fn auctioned(taker: Taker, start: u64, end: u64, elapsed_slots: u64) -> Taker {
    let [start, end] = [start, end].map(|price| Price(price * common::ONE));
    Taker { auction: Some(Auction { start, end, duration_slots: 10, elapsed_slots }), ..taker }
}

// Specification: match-jit.
#[test]
fn row_1_makers_compete_in_the_auction_and_the_best_price_fills_first() {
    let market = perp().offers(&[(102, 10), (100, 10), (101, 10)]).resting(&[(99, 100)]);
    let buy = auctioned(market.buy(40), 100, 110, 10);
    check(&market, buy, &[(Jit, 100, 10), (Jit, 101, 10), (Jit, 102, 10), (Dlob, 99, 10)]);

    let market = perp().offers(&[(98, 10), (100, 10), (99, 10)]).resting(&[(101, 100)]);
    let sell = auctioned(market.sell(30), 100, 90, 10);
    check(&market, sell, &[(Jit, 100, 10), (Jit, 99, 10), (Jit, 98, 10)]);
}

#[test]
fn row_1_offers_of_one_price_fill_in_the_order_in_which_they_came() {
    let market = perp().offers(&[(101, 10), (100, 20), (100, 30)]);
    let buy = auctioned(market.buy(60), 100, 110, 10);
    check(&market, buy, &[(Jit, 100, 20), (Jit, 100, 30), (Jit, 101, 10)]);
}

// Specification: match-jit-price.
#[test]
fn row_1_the_auction_price_moves_from_start_to_end_and_bounds_the_offers() {
    let market = perp().offers(&[(100, 10), (105, 10), (110, 10)]);
    let taken = |slots| market.fills(&auctioned(market.buy(40), 100, 110, slots)).len();
    assert_eq!([0, 4, 5, 9, 10].map(taken), [1, 1, 2, 2, 3]);

    let market = perp().offers(&[(110, 10), (105, 10), (100, 10)]);
    let taken = |slots| market.fills(&auctioned(market.sell(40), 110, 100, slots)).len();
    assert_eq!([0, 4, 5, 9, 10].map(taken), [1, 1, 2, 2, 3]);
}

#[test]
fn row_1_when_the_auction_is_over_no_offer_fills() {
    let market = perp().offers(&[(100, 10)]).resting(&[(101, 10)]);
    check(&market, auctioned(market.buy(20), 100, 110, 10), &[(Jit, 100, 10), (Dlob, 101, 10)]);
    check(&market, auctioned(market.buy(20), 100, 110, 11), &[(Dlob, 101, 10)]);
    let none = Taker {
        auction: Some(Auction { end: Price(1), start: Price(1), ..NO_AUCTION }),
        ..market.buy(20)
    };
    check(&market, none, &[(Dlob, 101, 10)]);
}

/// An auction of duration 0, at the start.
const NO_AUCTION: Auction =
    Auction { start: Price(0), end: Price(0), duration_slots: 0, elapsed_slots: 0 };

#[test]
fn row_1_an_order_whose_auction_is_not_told_takes_offers_up_to_its_limit() {
    let market = perp().offers(&[(100, 10), (110, 10)]).resting(&[(101, 10)]);
    check(&market, limited(market.buy(40), 105), &[(Jit, 100, 10), (Dlob, 101, 10)]);
    check(&market, market.buy(20), &[(Jit, 100, 10), (Jit, 110, 10)]);
}

// Specification: match-book.
#[test]
fn row_2_the_book_fills_what_the_auction_left() {
    let market = perp().offers(&[(100, 30)]).resting(&[(99, 50)]);
    check(&market, market.buy(50), &[(Jit, 100, 30), (Dlob, 99, 20)]);
}

// Specification: match-book-price.
#[test]
fn row_2_the_lowest_ask_fills_buys_first_and_the_highest_bid_sells() {
    let asks = perp().resting(&[(100, 10), (101, 10), (103, 10)]);
    check(&asks, asks.buy(25), &[(Dlob, 100, 10), (Dlob, 101, 10), (Dlob, 103, 5)]);
    let bids = perp().resting(&[(103, 10), (101, 10), (100, 10)]);
    check(&bids, bids.sell(25), &[(Dlob, 103, 10), (Dlob, 101, 10), (Dlob, 100, 5)]);
}

// Specification: match-book-fifo.
#[test]
fn row_2_orders_of_one_price_fill_in_the_order_of_the_book() {
    let market = perp().resting(&[(100, 10), (100, 20), (100, 30)]);
    let ids = market.walk(&market.buy(45)).fills.into_iter();
    let ids: Vec<_> = ids.map(|fill| (fill.order_id, fill.size.0 / 1_000_000)).collect();
    assert_eq!(ids, [(Some(1), 10), (Some(2), 20), (Some(3), 15)]);
}

// Specification: match-book-walk.
#[test]
fn row_2_the_walk_goes_on_until_filled_or_exhausted() {
    let market = perp().resting(&[(100, 10), (200, 10)]);
    let walk = market.walk(&market.buy(50));
    assert_eq!(walk.fills.len(), 2);
    assert_eq!(walk.unfilled, slotbook_matching::Size::Base(market.size(30)));
    assert_eq!(walk.reason, None);
}

// Specification: match-amm, match-amm-price.
#[test]
fn row_3_the_amm_fills_the_remainder_at_worse_prices_the_more_is_taken() {
    let market = perp().resting(&[(100, 10)]).amm(100, 1_000);
    let walk = market.walk(&market.buy(100_010));
    let [book, amm] = walk.fills[..] else { panic!("two fills: {:?}", walk.fills) };
    assert_eq!((book.source, amm.source, amm.maker, amm.order_id), (Dlob, Vamm, None, None));
    assert_eq!(amm.size, market.size(100_000));
    // A tenth of the reserve moves the price by 1 / 0.9^2, and the average by 1 / 0.9.
    assert_eq!(amm.price, Price(111_111_112));
}

#[test]
fn row_3_the_amm_comes_after_the_book_also_where_it_is_better() {
    let market = perp().resting(&[(105, 10)]).amm(100, 1_000_000);
    check(&market, market.buy(20), &[(Dlob, 105, 10), (Vamm, 100, 10)]);
}

#[test]
fn row_3_the_amm_fills_no_more_than_it_has_open_and_whole_steps() {
    let mut market = perp().amm(100, 1_000_000);
    let amm = market.amm.as_mut().unwrap();
    amm.available = u128::from(BaseQty(15_500_000).0);
    check(&market, market.buy(40), &[(Vamm, 100, 15)]);
}

// Specification: match-external.
#[test]
fn row_4_an_external_level_strictly_better_than_the_next_on_chain_comes_before_it() {
    let market = spot().resting(&[(100, 10), (102, 10)]).external(&[(99, 5), (101, 5), (102, 5)]);
    let all = [
        (External, 99, 5),
        (Dlob, 100, 10),
        (External, 101, 5),
        (Dlob, 102, 10),
        (External, 102, 5),
    ];
    check(&market, market.buy(40), &all);
    let market = spot().resting(&[(102, 10), (100, 10)]).external(&[(103, 5), (101, 5)]);
    let all = [(External, 103, 5), (Dlob, 102, 10), (External, 101, 5), (Dlob, 100, 10)];
    check(&market, market.sell(40), &all);
}

#[test]
fn row_4_an_external_level_comes_before_an_offer_that_is_worse() {
    let market = spot().offers(&[(101, 10)]).external(&[(100, 5), (101, 5)]).resting(&[(102, 9)]);
    let all = [(External, 100, 5), (Jit, 101, 10), (External, 101, 5), (Dlob, 102, 9)];
    check(&market, market.buy(40), &all);
}

#[test]
fn row_4_only_spot_markets_have_external_levels_and_only_perps_an_amm() {
    let market = perp().external(&[(99, 5)]).resting(&[(100, 10)]);
    check(&market, market.buy(40), &[(Dlob, 100, 10)]);
    let market = spot().amm(99, 1_000).resting(&[(100, 10)]);
    check(&market, market.buy(40), &[(Dlob, 100, 10)]);
}

// Specification: match-rule-1.
#[test]
fn rule_1_a_limit_order_that_does_not_cross_bypasses_the_auction_and_rests() {
    let market = perp().offers(&[(99, 10)]).resting(&[(101, 10)]).amm(101, 1_000);
    let walk = market.walk(&auctioned(limited(market.buy(20), 100), 95, 100, 10));
    assert!(walk.fills.is_empty());
    let rests = walk.rests.unwrap();
    assert_eq!((rests.price, rests.size), (Price(100_000_000), market.size(20)));
    // A rebate of 0.02 %.
    assert_eq!(rests.rebate_rate.numerator * 5_000, rests.rebate_rate.denominator);

    let walk = market.walk(&limited(market.sell(20), 102));
    assert_eq!(walk.rests.map(|rests| rests.price), Some(Price(102_000_000)));
}

#[test]
fn rule_1_a_limit_order_that_crosses_fills_and_the_rest_of_it_rests() {
    let market = perp().resting(&[(100, 10), (103, 10)]);
    let walk = market.walk(&limited(market.buy(25), 102));
    assert_eq!(walk.filled_base, market.size(10));
    assert_eq!(walk.rests.map(|rests| rests.size), Some(market.size(15)));
    let market_order = Taker { kind: OrderKind::Market, ..limited(market.buy(25), 102) };
    assert_eq!(market.walk(&market_order).rests, None, "a market order does not rest");
}

#[test]
fn rule_1_a_maker_earns_a_rebate_when_it_is_filled_and_the_amm_none() {
    let market = perp().resting(&[(100, 1_000)]).amm(100, 1_000_000);
    let walk = market.walk(&market.buy(2_000));
    let rebates: Vec<u64> = walk.fills.iter().map(|fill| fill.maker_rebate.0).collect();
    assert_eq!(rebates, [20_000, 0], "0.02 % of 100");
    assert!(walk.fills.iter().all(|fill| fill.taker_fee.0 >= 100_000), "0.1 %");
}

// Specification: match-rule-2.
#[test]
fn rule_2_the_price_of_a_market_order_is_blended_over_its_sources() {
    let market = perp().offers(&[(98, 10)]).resting(&[(100, 10)]).amm(102, 1_000_000);
    let walk = market.walk(&market.buy(30));
    let sources: Vec<FillSource> = walk.fills.iter().map(|fill| fill.source).collect();
    assert_eq!(sources, [Jit, Dlob, Vamm]);
    assert_eq!(walk.average_price.map(|price| price.0 / 1_000), Some(100_000));
    assert_eq!(walk.worst_price.map(|price| price.0 / 1_000), Some(102_000));
    // The average of 98, 100 and 102 is 2 / 98 worse than the best.
    assert_eq!(walk.price_impact, Some(20_408));
}

// Specification: match-rule-3.
#[test]
fn rule_3_the_example_fills_s1_at_p1_the_rest_at_p2_and_the_residual_on_the_amm() {
    let market = perp().resting(&[(100, 10), (101, 20)]).amm(102, 1_000_000);
    check(&market, market.buy(25), &[(Dlob, 100, 10), (Dlob, 101, 15)]);
    check(&market, market.buy(35), &[(Dlob, 100, 10), (Dlob, 101, 20), (Vamm, 102, 5)]);
    assert_eq!(market.buy(35).direction, Direction::Long);
}
