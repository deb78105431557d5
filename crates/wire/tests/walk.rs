//! The /match body over a book of accounts.

use crate::common::{self, Bench, OrderBytes, key, state, user, with_byte};
use serde_json::{Value, json};
use slotbook_book::{MarketId, Side};
use slotbook_matching::{ExternalLevel, JitOffer, Model, Size, Taker};
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::units::{BaseQty, Price, QuoteQty};
use slotbook_wire::sources::Sources;
use slotbook_wire::walk::{WalkRequest, WalkScratch, render_walk};

use Side::{Ask, Bid};

fn request(market: MarketId, taker: Taker) -> WalkRequest<'static> {
    let asked = match taker.size {
        Size::Base(base) => base.0.into(),
        Size::Quote(_) => 0,
    };
    WalkRequest {
        market,
        model: Model::Spec,
        taker,
        asked,
        jit: &[],
        sources: Sources::NONE,
        external: &[],
    }
}

fn body(bench: &Bench, request: &WalkRequest<'_>) -> Value {
    let mut out = b"before".to_vec();
    assert!(render_walk(&bench.book, request, "e1", &mut WalkScratch::default(), &mut out));
    let body = out.strip_prefix(b"before").expect("the body is behind what was there");
    serde_json::from_slice(body).expect("a body is JSON")
}

fn buy(size: u64) -> Taker {
    Taker::market(Direction::Long, Size::Base(BaseQty(size)))
}

#[test]
fn orders_fill_in_book_order_fixed_and_oracle_offset_alike() {
    let mut bench = Bench::new();
    let asks = [OrderBytes::limit(Ask, 1_020, 50, 4), OrderBytes::offset(Ask, 10, 30, 5)];
    bench.put(key(1), &user(&asks));
    bench.put(key(2), &user(&[OrderBytes::limit(Ask, 1_010, 20, 9).placed_at(5)]));
    let body = body(&bench, &request(bench.perp(), buy(95)));
    let fills = body["fills"].as_array().expect("fills are a list");
    let fills: Vec<Value> =
        fills.iter().map(|fill| json!([fill["orderId"], fill["size"]])).collect();
    assert_eq!(json!(fills), json!([[9, "20"], [5, "30"], [4, "45"]]));
}

#[test]
fn a_sell_meets_bids_and_a_buy_meets_asks() {
    let mut bench = Bench::new();
    let orders = [OrderBytes::limit(Bid, 980, 50, 1), OrderBytes::limit(Ask, 1_020, 50, 2)];
    bench.put(key(1), &user(&orders));
    let sell = Taker { direction: Direction::Short, ..buy(10) };
    let order_of =
        |taker| body(&bench, &request(bench.perp(), taker))["fills"][0]["orderId"].clone();
    assert_eq!([order_of(sell), order_of(buy(10))], [json!(1), json!(2)]);
}

#[test]
fn a_market_that_is_empty_by_rule_says_why_as_l2_does() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[OrderBytes::limit(Ask, 1_020, 50, 2)]));
    bench.put(key(200), &state(8));
    let body = body(&bench, &request(bench.perp(), buy(10)));
    assert_eq!(body["reason"], json!("exchangeFillPaused"));
    assert_eq!((&body["fills"], &body["rests"]), (&json!([]), &Value::Null));
    assert_eq!((&body["averagePrice"], &body["priceImpact"]), (&Value::Null, &Value::Null));
    assert_eq!(body["unfilled"], json!("10"));
}

#[test]
fn sizes_of_a_token_are_told_at_nine_decimals() {
    let mut bench = Bench::new();
    // Six decimals: a token of 2.5 at 40.
    bench.put(key(202), &with_byte(common::spot_market(), 680, 6));
    bench.put(key(1), &user(&[OrderBytes::limit(Ask, 40_000_000, 2_500_000, 2).spot(1)]));
    let external = [ExternalLevel { price: Price(39_000_000), size: BaseQty(500_000) }];
    let jit = [JitOffer {
        maker: None,
        order_id: None,
        price: Price(39_500_000),
        size: BaseQty(1_000_000),
        is_quote: false,
    }];
    let asked = 5_000_000_500;
    let taker = buy(5_000_000);
    let request =
        WalkRequest { asked, external: &external, jit: &jit, ..request(bench.spot(), taker) };
    let body = body(&bench, &request);
    let fills = body["fills"].as_array().expect("fills are a list");
    let fills: Vec<Value> =
        fills.iter().map(|fill| json!([fill["source"], fill["size"], fill["quote"]])).collect();
    let expected = json!([
        ["external", "500000000", "19500000"],
        ["jit", "1000000000", "39500000"],
        ["dlob", "2500000000", "100000000"],
    ]);
    assert_eq!(json!(fills), expected);
    assert_eq!(body["filledBase"], json!("4000000000"));
    assert_eq!(body["unfilled"], json!("1000000500"), "of what was asked for, to the last unit");
}

#[test]
fn fractions_are_decimal_texts_without_zeros_at_the_end() {
    let mut bench = Bench::new();
    let asks = [OrderBytes::limit(Ask, 1_000, 1_000_000_000, 1)];
    let dearer = [OrderBytes::limit(Ask, 1_025, 1_000_000_000, 1)];
    bench.put(key(1), &user(&asks));
    bench.put(key(2), &user(&dearer));
    let walk = body(&bench, &request(bench.perp(), buy(2_000_000_000)));
    assert_eq!(walk["priceImpact"], json!("0.0125"));
    let resting = Taker::limit(Direction::Long, Size::Base(BaseQty(50)), Price(999));
    let walk = body(&bench, &request(bench.perp(), Taker { fee_tier: 1, ..resting }));
    let rests = json!({"price": "990", "size": "50", "rebateRate": "0.0002"});
    assert_eq!(walk["rests"], rests);
}

#[test]
fn what_is_left_of_a_quote_amount_is_told_in_quote() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[OrderBytes::limit(Ask, 1_000_000, 1_000_000_000, 1)]));
    let taker = Taker { size: Size::Quote(QuoteQty(3_000_000)), ..buy(0) };
    let walk = body(&bench, &request(bench.perp(), taker));
    assert_eq!([&walk["filledQuote"], &walk["unfilled"]], [&json!("1000000"), &json!("2000000")]);
}

// Specification: match-book-firm.
#[test]
fn the_same_book_and_request_give_the_same_bytes_and_an_unknown_market_none() {
    let mut bench = Bench::new();
    bench.put(key(1), &user(&[OrderBytes::limit(Ask, 1_020, 50, 2)]));
    let asked = request(bench.perp(), buy(10));
    assert_eq!(body(&bench, &asked), body(&bench, &asked));
    let mut out = Vec::new();
    let unknown = request(MarketId(99), buy(10));
    assert!(!render_walk(&bench.book, &unknown, "e1", &mut WalkScratch::default(), &mut out));
    assert!(out.is_empty());
}
