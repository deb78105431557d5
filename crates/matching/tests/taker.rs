//! How the taker's terms affect a walk: limits, sizes, post-only, reduce-only, fees.

use std::cell::Cell;

use crate::common::{self, BASE, Market, ONE, limited, perp, quote, spot};
use slotbook_book::EmptyReason;
use slotbook_matching::limits::FILLS_MAX;
use slotbook_matching::{
    Auction, FillSource, Liquidity, Maker, MarketTerms, Model, Reason, Size, Taker, TakerError,
    walk,
};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::fees::FeeStructure;
use slotbook_protocol::model::units::{
    BaseQty, PREDICTION_PRICE_MAX, Price, Pubkey, QuoteQty, Slot,
};

/// Expects a walk without fills, for this reason, that does not rest.
fn refused(market: &Market, taker: Taker, reason: Reason) {
    let walk = market.walk(&taker);
    assert_eq!((walk.fills.len(), walk.reason), (0, Some(reason)));
    assert_eq!((walk.unfilled, walk.rests), (taker.size, None));
    assert_eq!((walk.average_price, walk.worst_price, walk.price_impact), (None, None, None));
}

#[test]
fn a_limit_is_put_on_the_tick_against_the_taker() {
    let mut market = perp().resting(&[(100, 10)]);
    market.makers[0].price = Price(100_000_050);
    let at = |limit| Taker { limit: Some(Price(limit)), ..limited(market.buy(10), 100) };
    assert_eq!(market.walk(&at(100_000_099)).fills.len(), 0, "a buy at 100.0000");
    assert_eq!(market.walk(&at(100_000_100)).fills.len(), 1);
    refused(&market, at(99), Reason::LimitBelowTick);
}

#[test]
fn the_size_is_cut_to_whole_steps_and_the_rest_is_unfilled() {
    let market = perp().resting(&[(100, 1_000)]);
    let taker = Taker { size: Size::Base(BaseQty(20_999_999)), ..market.buy(0) };
    let walk = market.walk(&taker);
    assert_eq!(walk.filled_base, BaseQty(20_000_000));
    assert_eq!(walk.unfilled, Size::Base(BaseQty(999_999)));
    let walk = market.walk(&Taker { size: taker.size, ..limited(market.buy(0), 99) });
    assert_eq!(walk.rests.map(|rests| rests.size), Some(BaseQty(20_000_000)));
}

#[test]
fn an_order_below_the_smallest_is_refused_unless_it_is_reduce_only() {
    let market = perp().resting(&[(100, 1_000)]);
    refused(&market, market.buy(9), Reason::BelowMinOrderSize);
    assert_eq!(market.walk(&market.buy(10)).fills.len(), 1);
    let reduce =
        |thousandths| Taker { reduce_only: Some(-1_000_000_000), ..market.buy(thousandths) };
    assert_eq!(market.walk(&reduce(1)).fills.len(), 1);
    refused(&market, reduce(0), Reason::BelowMinOrderSize);
}

#[test]
fn a_reduce_only_order_fills_no_more_than_the_position() {
    let market = perp().resting(&[(100, 1_000)]);
    let reduce = |taker, position| Taker { reduce_only: Some(position), ..taker };
    assert_eq!(market.walk(&reduce(market.buy(50), -20_000_000)).filled_base, market.size(20));
    assert_eq!(market.walk(&reduce(market.buy(50), i64::MIN)).filled_base, market.size(50));
    refused(&market, reduce(market.buy(50), 20_000_000), Reason::NothingToReduce);
    refused(&market, reduce(market.buy(50), 0), Reason::NothingToReduce);
    refused(&market, reduce(market.sell(50), -20_000_000), Reason::NothingToReduce);
    let walk = market.walk(&limited(reduce(market.buy(50), -20_000_000), 99));
    assert_eq!(walk.rests.map(|rests| rests.size), Some(market.size(20)));
    let walk = market.walk(&reduce(Taker { size: quote(5), ..market.buy(0) }, -20_000_000));
    assert_eq!(walk.filled_base, market.size(20));
}

#[test]
fn a_reduce_only_market_takes_reduce_only_orders_alone() {
    let mut market = perp().resting(&[(100, 1_000)]);
    market.terms.is_reduce_only = true;
    refused(&market, market.buy(50), Reason::MarketReduceOnly);
    let reduce = Taker { reduce_only: Some(-1_000_000_000), ..market.buy(50) };
    assert_eq!(market.walk(&reduce).fills.len(), 1);
}

#[test]
fn a_market_that_is_empty_by_rule_fills_nothing_and_says_why() {
    let mut market = perp().resting(&[(100, 1_000)]).offers(&[(99, 10)]).amm(99, 1_000);
    market.terms.closed = Some(EmptyReason::MarketFillPaused);
    let reason = Reason::Market(EmptyReason::MarketFillPaused);
    refused(&market, market.buy(50), reason);
    assert_eq!(reason.name(), "marketFillPaused");
}

#[test]
fn a_post_only_order_rests_whole_also_where_it_crosses_resting_orders() {
    let market = perp().resting(&[(100, 10)]).offers(&[(99, 10)]);
    let post_only = Taker { post_only: true, ..limited(market.buy(20), 101) };
    let walk = market.walk(&post_only);
    assert!(walk.fills.is_empty());
    assert_eq!(
        walk.rests.map(|rests| (rests.price, rests.size)),
        Some((Price(101 * ONE), market.size(20)))
    );
}

#[test]
fn a_post_only_order_that_the_amm_would_fill_is_refused_unless_the_oracle_is_beyond_it() {
    let post_only = |taker, price| Taker { post_only: true, ..limited(taker, price) };
    let market = perp().amm(100, 1_000_000);
    refused(&market, post_only(market.buy(20), 101), Reason::PostOnlyCrosses);
    refused(&market, post_only(market.sell(20), 99), Reason::PostOnlyCrosses);
    assert!(market.walk(&post_only(market.buy(20), 99)).rests.is_some());
    assert!(market.walk(&post_only(market.sell(20), 101)).rests.is_some());

    let late = market.clone().oracle(102);
    assert!(late.walk(&post_only(market.buy(20), 101)).rests.is_some());
    refused(&late, post_only(market.sell(20), 99), Reason::PostOnlyCrosses);
    let late = market.clone().oracle(98);
    assert!(late.walk(&post_only(market.sell(20), 99)).rests.is_some());
    refused(&late, post_only(market.buy(20), 101), Reason::PostOnlyCrosses);
}

#[test]
fn a_sub_account_does_not_meet_its_own_orders_but_those_of_its_siblings() {
    let mut market = perp().resting(&[(100, 10), (101, 10), (102, 10)]).offers(&[(99, 10)]);
    market.makers[0].key = Pubkey([7; 32]);
    market.makers[2].key = Pubkey([7; 32]);
    market.jit[0].maker = Some(Pubkey([7; 32]));
    let own = Taker { key: Some(Pubkey([7; 32])), ..market.buy(40) };
    assert_eq!(market.fills(&own), [(FillSource::Dlob, 101, 10)]);
    assert_eq!(market.fills(&market.buy(40)).len(), 4);
}

#[test]
fn a_buy_of_a_quote_amount_never_costs_more_and_a_sell_never_brings_more() {
    let market = perp().resting(&[(100, 10), (101, 1_000)]);
    let of_quote = |size| Taker { size, ..market.buy(0) };
    // 1.00 at 100, then 19 steps of 0.101.
    let walk = market.walk(&of_quote(quote(3)));
    assert_eq!((walk.filled_base, walk.filled_quote), (market.size(29), QuoteQty(2_919_000)));
    assert_eq!(walk.unfilled, Size::Quote(QuoteQty(81_000)));
    let market = perp().resting(&[(101, 10), (100, 1_000)]);
    let sell = Taker { size: quote(3), ..market.sell(0) };
    let walk = market.walk(&sell);
    assert_eq!((walk.filled_base, walk.filled_quote), (market.size(29), QuoteQty(2_910_000)));
}

#[test]
fn a_quote_amount_that_is_spent_does_not_go_on_to_a_source_where_it_is_more() {
    let mut market = spot().offers(&[(102, 1_000)]).external(&[(90, 1_000)]);
    market.terms.step = BaseQty(1);
    // 11.575769 brings 0.113487 at 102, and then 0.000001 more would fit at 90.
    let sell = Taker { size: Size::Quote(QuoteQty(11_575_769)), ..market.sell(0) };
    let fills = market.walk(&sell).fills;
    assert_eq!(fills.iter().map(|fill| fill.source).collect::<Vec<_>>(), [FillSource::Jit]);
}

#[test]
fn a_quote_amount_is_spent_on_the_curve_to_the_last_step() {
    let market = perp().amm(100, 1_000);
    for taker in [market.buy(0), market.sell(0)] {
        let walk = market.walk(&Taker { size: quote(5_000), ..taker });
        let more = market.walk(&Taker {
            size: Size::Base(BaseQty(walk.filled_base.0 + market.terms.step.0)),
            ..taker
        });
        assert!(walk.filled_quote <= QuoteQty(5_000 * ONE));
        assert!(more.filled_quote > QuoteQty(5_000 * ONE), "a step more is too much");
    }
}

#[test]
fn a_quote_amount_below_the_smallest_order_is_refused() {
    let market = perp().resting(&[(100, 1_000)]);
    let of_quote = |units| Taker { size: Size::Quote(QuoteQty(units)), ..market.buy(0) };
    refused(&market, of_quote(ONE - 1), Reason::BelowMinOrderSize);
    refused(&market, of_quote(0), Reason::BelowMinOrderSize);
    assert_eq!(market.walk(&of_quote(ONE)).filled_base, market.size(10));
    let curve = perp().amm(100, 1_000);
    refused(&curve, of_quote(1), Reason::BelowMinOrderSize);
}

#[test]
fn a_limit_order_whose_quote_amount_is_below_the_smallest_does_not_rest() {
    let market = perp().resting(&[(100, 1_000)]);
    let at_99 = |units| {
        let size = Size::Quote(QuoteQty(units));
        Taker { size, ..limited(market.buy(0), 99) }
    };
    refused(&market, at_99(989_999), Reason::BelowMinOrderSize);
    refused(&market, at_99(1), Reason::BelowMinOrderSize);
    let rests = market.walk(&at_99(990_000)).rests;
    assert_eq!(rests.map(|rests| rests.size), Some(market.size(10)));
    refused(&market, Taker { post_only: true, ..at_99(500_000) }, Reason::BelowMinOrderSize);

    // The remainder after a fill is not an order with a minimum size.
    let thin = perp().resting(&[(100, 30)]);
    let walk =
        thin.walk(&Taker { size: Size::Quote(QuoteQty(3_500_000)), ..limited(thin.buy(0), 100) });
    assert_eq!(walk.rests.map(|rests| rests.size), Some(thin.size(5)));
}

#[test]
fn what_is_left_of_a_quote_amount_rests_as_base_at_the_limit() {
    let market = perp().resting(&[(100, 10)]);
    let walk = market.walk(&Taker { size: quote(3), ..limited(market.buy(0), 100) });
    assert_eq!(walk.rests.map(|rests| rests.size), Some(market.size(20)));
}

#[test]
fn quote_is_rounded_up_for_a_buy_and_down_for_a_sell() {
    let mut market = perp().resting(&[(100, 10)]);
    market.makers[0].price = Price(100_000_001);
    market.makers[0].size = BaseQty(10_000_001);
    let all = Size::Base(BaseQty(11_000_000));
    let quote_of = |taker| market.walk(&Taker { size: all, ..taker }).filled_quote;
    // 0.010000001 at 100.000001 is 1.0000001...
    assert_eq!(quote_of(market.buy(0)), QuoteQty(1_000_001));
    assert_eq!(quote_of(market.sell(0)), QuoteQty(1_000_000));
}

#[test]
fn spot_fills_are_whole_steps_of_the_token_and_perp_fills_are_what_is_left() {
    let mut market = spot().resting(&[(100, 10), (101, 10)]);
    market.makers[0].size = BaseQty(10_500);
    assert_eq!(market.walk(&market.buy(15)).fills[0].size, BaseQty(10_000));
    market.makers[0].size = BaseQty(500);
    assert_eq!(market.walk(&market.buy(10)).fills[0].order_id, Some(2), "less than a step");
    let mut market = perp().resting(&[(100, 10), (101, 10)]);
    market.makers[0].size = BaseQty(10_500_000);
    let sizes: Vec<u64> =
        market.walk(&market.buy(15)).fills.iter().map(|fill| fill.size.0).collect();
    assert_eq!(sizes, [10_500_000, 4_500_000]);
}

#[test]
fn fees_are_those_of_the_tier_the_market_and_the_referral() {
    let mut market = perp().resting(&[(100, 1_000)]);
    let fee = |market: &Market, taker: Taker| market.walk(&taker).taker_fee.0;
    let buy = market.buy(1_000);
    assert_eq!(fee(&market, buy), 100_000, "0.1 % of 100");
    assert_eq!(fee(&market, Taker { fee_tier: 5, ..buy }), 50_000);
    assert_eq!(fee(&market, Taker { referred: true, ..buy }), 95_000, "5 % less");
    market.terms.fee_adjustment = -50;
    assert_eq!(fee(&market, buy), 50_000);
    let walk = market.walk(&limited(market.buy(10), 99));
    let rate = walk.rests.unwrap().rebate_rate;
    assert_eq!(rate.numerator * 10_000, rate.denominator, "half of 0.02 %");
    market.terms.fee_adjustment = -100;
    assert_eq!(fee(&market, buy), 0);

    let spot = spot().resting(&[(100, 1_000)]);
    let buy = Taker { fee_tier: 5, referred: true, ..spot.buy(1_000) };
    assert_eq!(fee(&spot, buy), 100_000, "spot markets know one tier and no discount");
}

#[test]
fn fees_of_velocity_lift_all_to_a_tier_and_add_what_the_market_does() {
    let mut market = perp().resting(&[(100, 1_000)]);
    let mut fees = FeeStructure::perps_default(Program::Velocity);
    let walked = |market: &Market, fees: &FeeStructure, fee_tier| {
        let mut makers = market.makers.iter().copied();
        let liquidity = Liquidity { fees, ..market.liquidity(&mut makers) };
        let walk = walk(&Taker { fee_tier, ..market.buy(1_000) }, liquidity, Model::Spec);
        (walk.taker_fee.0, walk.fills[0].maker_rebate.0)
    };
    assert_eq!(walked(&market, &fees, 0), (40_000, 2_500), "4 bps and 0.25 of 100");
    assert_eq!(walked(&market, &fees, 5), (15_000, 2_500), "the fourth tier is the best");
    fees.promo_tier = 1;
    assert_eq!([0, 2].map(|tier| walked(&market, &fees, tier).0), [30_000, 20_000]);
    market.terms.taker_fee_addon_tenth_bps = 10;
    market.terms.fee_adjustment = 50;
    assert_eq!(walked(&market, &fees, 0), (60_000, 3_750), "4 bps and a half more");
}

#[test]
fn the_amm_is_taken_up_to_where_its_price_is_the_limit() {
    let market = perp().amm(100, 1_000);
    let filled = |taker| market.walk(&taker).filled_base.0;
    // The price is 100 / (1 - x / 1000)^2: 102 at x = 9.85.
    let buy = limited(market.buy(100_000), 102);
    assert_eq!(filled(buy) / 1_000_000, 9_852);
    let sell = limited(market.sell(100_000), 98);
    assert_eq!(filled(sell) / 1_000_000, 10_152);
    assert_eq!(filled(limited(market.buy(100_000), 100)), 0);
}

#[test]
fn reserves_that_are_no_curve_fill_nothing() {
    let mut market = perp().resting(&[(100, 10)]).amm(100, 1_000);
    let buy = market.buy(20);
    let amm = market.amm.unwrap();
    for broken in [
        (0, amm.reserves.quote, amm.reserves.sqrt_k, amm.reserves.peg),
        (amm.reserves.base, 0, 0, amm.reserves.peg),
        (u128::MAX, u128::MAX, u128::MAX, u128::MAX),
        (amm.reserves.base, amm.reserves.quote, amm.reserves.sqrt_k, 0),
        (1, 1, 1, 1),
    ] {
        let (base, quote, sqrt_k, peg) = broken;
        let amm = market.amm.as_mut().unwrap();
        (amm.reserves.base, amm.reserves.quote) = (base, quote);
        (amm.reserves.sqrt_k, amm.reserves.peg, amm.available) = (sqrt_k, peg, u128::MAX);
        for taker in [buy, limited(buy, 200), Taker { size: common::quote(9), ..buy }] {
            let walk = market.walk(&taker);
            assert!(walk.fills.iter().all(|fill| fill.source == FillSource::Dlob), "{broken:?}");
        }
    }
}

#[test]
fn a_price_impact_is_measured_from_the_best_price_there_was() {
    let impact = |market: &Market, taker: Taker| market.walk(&taker).price_impact;
    let market = perp().resting(&[(100, 10), (110, 10)]);
    assert_eq!(impact(&market, market.buy(10)), Some(0));
    assert_eq!(impact(&market, market.buy(20)), Some(50_000));
    let market = perp().resting(&[(100, 10), (90, 10)]);
    assert_eq!(impact(&market, market.sell(20)), Some(50_000));
    // The book comes first, although the AMM has a better price.
    let market = perp().resting(&[(110, 10)]).amm(100, 1_000_000);
    assert_eq!(impact(&market, market.buy(10)), Some(100_000));
}

/// The rules of the program about orders that /match takes, by the function of
/// programs/drift/src/validation/order.rs in drift-labs/protocol-v2 at
/// 03cdaeea2b756d62282b90c765a6fb1de1c72485, each with orders that break it and orders at its bound.
/// Sizes, and what depends on the book, are reasons of a walk.
#[test]
fn what_the_program_does_not_place_is_refused_by_name() {
    use TakerError as E;
    let market = perp();
    let (buy, sell) = (market.buy(10), market.sell(10));
    let auction = |taker: Taker, start, end| {
        let [start, end] = [start, end].map(Price);
        Taker {
            auction: Some(Auction { start, end, duration_slots: 10, elapsed_slots: 0 }),
            ..taker
        }
    };
    let none = |taker: Taker| {
        let auction = taker.auction.map(|auction| Auction { duration_slots: 0, ..auction });
        Taker { auction, ..taker }
    };
    let post_only = |taker: Taker| Taker { post_only: true, ..taker };
    let at = |taker: Taker, limit| Taker { limit: Some(Price(limit)), ..taker };
    let no_limit = Taker { limit: None, ..limited(buy, 1) };
    let anywhere: &[(&str, Taker, Option<E>)] = &[
        ("validate_limit_order: price", no_limit, Some(E::LimitWithoutPrice)),
        ("validate_limit_order: price", limited(buy, 1), None),
        ("validate_limit_order: post only", post_only(limited(sell, 1)), None),
        (
            "validate_limit_order: post only",
            auction(post_only(limited(buy, 1)), 1, 1),
            Some(E::PostOnlyAuction),
        ),
        (
            "validate_limit_order_auction_params",
            none(auction(limited(buy, 9), 1, 2)),
            Some(E::AuctionWithoutSlots),
        ),
        ("validate_market_order: post only", post_only(buy), Some(E::MarketPostOnly)),
        ("validate_auction_params: start", auction(buy, 0, 2), Some(E::AuctionWithoutPrice)),
        ("validate_auction_params: end", auction(sell, 2, 0), Some(E::AuctionWithoutPrice)),
        ("validate_auction_params: long", auction(buy, 2, 1), Some(E::AuctionImproves)),
        ("validate_auction_params: long", auction(buy, 2, 2), None),
        ("validate_auction_params: short", auction(sell, 1, 2), Some(E::AuctionImproves)),
        ("validate_auction_params: short", auction(sell, 2, 2), None),
        ("validate_auction_params: market", none(auction(buy, 2, 1)), Some(E::AuctionImproves)),
        (
            "validate_auction_params: long limit",
            at(auction(buy, 2, 6), 5),
            Some(E::AuctionPassesLimit),
        ),
        ("validate_auction_params: long limit", at(auction(buy, 2, 5), 5), None),
        (
            "validate_auction_params: short limit",
            at(auction(sell, 6, 4), 5),
            Some(E::AuctionPassesLimit),
        ),
        ("validate_auction_params: short limit", at(auction(sell, 6, 5), 5), None),
    ];
    let above = PREDICTION_PRICE_MAX + 1;
    let most = PREDICTION_PRICE_MAX;
    let of_predictions: &[(&str, Taker, Option<E>)] = &[
        ("validate_order: price", at(limited(sell, 1), above), Some(E::Prediction("limitPrice"))),
        ("validate_order: price", at(buy, 2 * most), Some(E::Prediction("limitPrice"))),
        ("validate_order: price", at(limited(buy, 1), most), None),
        // The price of a buy is put on the tick below before it is looked at.
        ("validate_order: price", at(limited(buy, 1), above), None),
        ("validate_order: start", auction(sell, above, 1), Some(E::Prediction("auctionStart"))),
        ("validate_order: end", auction(buy, 1, 2 * most), Some(E::Prediction("auctionEnd"))),
        ("validate_order: end", auction(buy, most, most), None),
    ];
    let (largest, auctioned) = (u64::MAX, i64::MAX.cast_unsigned());
    let on_ticks: &[(&str, Taker, Option<E>)] = &[
        (
            "standardize_price: short",
            at(limited(sell, 1), largest),
            Some(E::BeyondTick("limitPrice")),
        ),
        ("standardize_price: short", at(limited(sell, 1), largest - largest % 100), None),
        ("standardize_price: short", at(limited(sell, 1), largest - 100), None),
        (
            "standardize_price: short",
            at(limited(sell, 1), largest - 99),
            Some(E::BeyondTick("limitPrice")),
        ),
        ("standardize_price: long", at(limited(buy, 1), largest), None),
        (
            "standardize_price_i64: start",
            auction(sell, auctioned, 1),
            Some(E::BeyondTick("auctionStart")),
        ),
        (
            "standardize_price_i64: end",
            auction(sell, auctioned - auctioned % 100, auctioned - 8),
            Some(E::BeyondTick("auctionEnd")),
        ),
        ("standardize_price_i64: long", auction(buy, 1, auctioned), None),
    ];
    for (rule, taker, error) in on_ticks {
        let terms = MarketTerms { tick: Price(100), ..market.terms };
        assert_eq!(taker.check(&terms).err(), *error, "{rule}: {taker:?}");
    }
    let plain = market.terms;
    let prediction = MarketTerms { is_prediction: true, tick: Price(100), ..plain };
    for (rule, taker, error) in anywhere.iter().chain(of_predictions) {
        let of_all = error.filter(|_| anywhere.iter().any(|row| row.1 == *taker));
        assert_eq!(taker.check(&plain).err(), of_all, "{rule} in any market: {taker:?}");
        assert_eq!(taker.check(&prediction).err(), *error, "{rule} of predictions: {taker:?}");
    }
    // The price of a maker's sell is put on the tick above.
    let offer = |taker: Taker, price| taker.check_offer(&prediction, Price(price)).err();
    assert_eq!(offer(sell, above), None);
    assert_eq!(offer(buy, most), None);
    assert_eq!(offer(buy, above), Some(E::Prediction("jit")));
    assert_eq!(buy.check_offer(&plain, Price(above)).err(), None);
}

#[test]
fn no_more_orders_are_asked_for_than_are_filled_and_one() {
    let market = perp().resting(&[(100, 10); 10_000]);
    let asked = Cell::new(0);
    let mut makers = market.makers.iter().copied().inspect(|_| asked.set(asked.get() + 1));
    let walk = walk(&market.buy(70), market.liquidity(&mut makers), Model::Spec);
    assert_eq!(walk.fills.len(), 7);
    assert!(asked.get() <= 8, "{} orders were asked for", asked.get());
}

#[test]
fn a_walk_ends_at_the_most_fills_and_what_is_left_is_unfilled() {
    let market = perp().resting(&vec![(100, 10); FILLS_MAX + 5]);
    let walk = market.walk(&limited(market.buy(10 * (FILLS_MAX as u64 + 2)), 100));
    assert_eq!(walk.fills.len(), FILLS_MAX);
    assert_eq!(walk.reason, Some(Reason::FillsExceeded));
    assert_eq!(walk.unfilled, Size::Base(market.size(20)));
    assert_eq!(walk.rests, None, "it would go on filling");
}

#[test]
fn fees_beyond_all_numbers_end_the_walk() {
    let market = perp().resting(&[(100, 30_000), (100, 30_000)]);
    let mut fees = FeeStructure::perps_default(Program::Drift);
    // The fee of each fill is two thirds of the maximum amount.
    (fees.tiers[0].fee_numerator, fees.tiers[0].fee_denominator) = (u32::MAX, 1);
    let mut makers = market.makers.iter().copied();
    let liquidity = Liquidity { fees: &fees, ..market.liquidity(&mut makers) };
    let walk = walk(&market.buy(60_000), liquidity, Model::Spec);
    assert_eq!((walk.fills.len(), walk.reason), (1, Some(Reason::FeeExceeded)));
    assert_eq!(walk.taker_fee, walk.fills[0].taker_fee);
}

#[test]
fn amounts_beyond_all_numbers_end_the_walk() {
    let mut market = perp();
    let order = |order_id, price, size| Maker {
        key: Pubkey([1; 32]),
        order_id,
        price: Price(price),
        size: BaseQty(size),
        slot: Slot(1),
    };
    market.makers = vec![order(1, 100 * ONE, BASE), order(2, u64::MAX, u64::MAX)];
    let all = Taker { size: Size::Base(BaseQty(u64::MAX)), ..market.buy(0) };
    let walk = market.walk(&all);
    assert_eq!((walk.fills.len(), walk.reason), (1, Some(Reason::QuoteExceeded)));
    market.terms.decimals = u32::MAX;
    let walk = market.walk(&all);
    assert_eq!((walk.fills.len(), walk.reason), (0, Some(Reason::QuoteExceeded)));
    let small = Taker { size: quote(1), ..all };
    assert_eq!(market.walk(&small).reason, Some(Reason::QuoteExceeded));
    assert_eq!(MarketTerms { ..market.terms }.decimals, u32::MAX);
}
