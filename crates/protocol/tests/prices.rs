//! Prices against recorded outputs: of the SDK, unrounded, and of the program, on the tick.
#![expect(clippy::unwrap_used, reason = "a test")]

use serde_json::Value;
use slotbook_protocol::model::enums::{
    Direction, MarketType, OrderStatus, OrderType, TriggerCondition,
};
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::price::{
    PriceError, ProtectedMakerParams, auction_price_program, limit_price_program,
};
use slotbook_protocol::model::units::{
    BaseQty, OraclePrice, Price, PriceOffset, QuoteQty, Slot, UnixSeconds,
};

fn cases(text: &str, count: usize) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap().clone();
    assert_eq!(cases.len(), count, "the file holds every case");
    cases
}

/// An integer written as text; an absent one is 0.
fn number<T: core::str::FromStr>(value: &Value) -> T {
    value.as_str().unwrap_or("0").parse().ok().expect("an integer of the field's type")
}

fn optional<T: core::str::FromStr>(value: &Value) -> Option<T> {
    value.as_str().map(|_| number(value))
}

fn variant<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, value: &Value) -> T {
    let wanted = value.as_str().unwrap_or_else(|| name(all[0]));
    *all.iter().find(|variant| name(**variant) == wanted).expect("a known variant")
}

fn order(json: &Value) -> Order {
    Order {
        slot: Slot(number(&json["slot"])),
        price: Price(number(&json["price"])),
        base_asset_amount: BaseQty(number(&json["baseAssetAmount"])),
        base_asset_amount_filled: BaseQty(number(&json["baseAssetAmountFilled"])),
        quote_asset_amount_filled: QuoteQty(number(&json["quoteAssetAmountFilled"])),
        trigger_price: Price(number(&json["triggerPrice"])),
        auction_start_price: number(&json["auctionStartPrice"]),
        auction_end_price: number(&json["auctionEndPrice"]),
        max_ts: UnixSeconds(number(&json["maxTs"])),
        oracle_price_offset: PriceOffset(number(&json["oraclePriceOffset"])),
        order_id: number(&json["orderId"]),
        market_index: number(&json["marketIndex"]),
        status: OrderStatus::Open,
        order_type: variant(OrderType::ALL, OrderType::name, &json["orderType"]),
        market_type: variant(MarketType::ALL, MarketType::name, &json["marketType"]),
        user_order_id: number(&json["userOrderId"]),
        existing_position_direction: Direction::Long,
        direction: variant(Direction::ALL, Direction::name, &json["direction"]),
        reduce_only: json["reduceOnly"].as_bool().unwrap(),
        post_only: json["postOnly"].as_bool().unwrap(),
        immediate_or_cancel: json["immediateOrCancel"].as_bool().unwrap(),
        trigger_condition: variant(
            TriggerCondition::ALL,
            TriggerCondition::name,
            &json["triggerCondition"],
        ),
        auction_duration: number(&json["auctionDuration"]),
        posted_slot_tail: number(&json["postedSlotTail"]),
        bit_flags: number(&json["bitFlags"]),
    }
}

fn protected(json: &Value) -> Option<ProtectedMakerParams> {
    json.is_object().then(|| ProtectedMakerParams {
        limit_price_divisor: number(&json["limitPriceDivisor"]),
        dynamic_offset: number(&json["dynamicOffset"]),
        tick_size: Price(number(&json["tickSize"])),
    })
}

fn oracle(case: &Value) -> Option<OraclePrice> {
    optional(&case["oraclePrice"]).map(OraclePrice)
}

fn error_name(error: PriceError) -> &'static str {
    match error {
        PriceError::OracleNotFound => "OracleNotFound",
        PriceError::MathError => "MathError",
    }
}

#[test]
fn auction_prices_are_the_programs() {
    for case in
        cases(include_str!("../../../test/golden/vectors/prices/onchain-auction-price.json"), 132)
    {
        let (order, clock) = (order(&case["order"]), Slot(number(&case["slot"])).into());
        let (expected, name) = (&case["expected"], &case["name"]);
        let tick = Price(number(&case["tickSize"]));
        let is_prediction = case["isPrediction"].as_bool().unwrap();
        match auction_price_program(&order, &clock, tick, oracle(&case), is_prediction) {
            Ok(price) => assert_eq!(Some(price.0), optional(&expected["price"]), "{name}"),
            Err(error) => assert_eq!(error_name(error), expected["error"], "{name}"),
        }
    }
}

#[test]
fn limit_prices_are_the_programs() {
    for case in
        cases(include_str!("../../../test/golden/vectors/prices/onchain-limit-price.json"), 132)
    {
        let (order, clock) = (order(&case["order"]), Slot(number(&case["slot"])).into());
        let (expected, name) = (&case["expected"], &case["name"]);
        let tick = Price(number(&case["tickSize"]));
        let is_prediction = case["isPrediction"].as_bool().unwrap();
        let fallback = optional(&case["fallbackPrice"]).map(Price);
        let params = protected(&case["protectedMakerParams"]);
        let oracle = oracle(&case);
        match limit_price_program(&order, &clock, tick, oracle, fallback, is_prediction, params) {
            Ok(price) => {
                assert!(expected["error"].is_null(), "{name}");
                assert_eq!(price.map(|price| price.0), optional(&expected["price"]), "{name}");
                assert_eq!(
                    order.is_resting_limit(&clock),
                    expected["isRestingLimitOrder"],
                    "{name}"
                );
                assert_eq!(order.has_limit_price(&clock), expected["hasLimitPrice"], "{name}");
            }
            Err(error) => assert_eq!(error_name(error), expected["error"], "{name}"),
        }
    }
}
