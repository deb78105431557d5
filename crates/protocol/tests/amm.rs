//! Captured perp markets: each has a quote near its oracle's price and a ladder of levels.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support;
use std::fmt::Display;
use std::fs::read_to_string;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::AccountKind;
use slotbook_protocol::model::amm::{
    AmmError, AmmInputs, AmmLevel, AmmQuote, AmmSide, PerpAmm, top_of_book_amounts,
};
use slotbook_protocol::model::enums::{Direction, MarketStatus};
use slotbook_protocol::model::units::Price;

/// Levels a side, as the service shows them.
const LEVELS: usize = 100;

/// The last oracle price that the market saw, a few slots and seconds later.
fn inputs(amm: &PerpAmm) -> AmmInputs {
    AmmInputs {
        oracle_price: amm.last_oracle_price,
        oracle_confidence: amm.last_oracle_price.unsigned_abs() / 1_500,
        now: amm.last_oracle_price_twap_ts.saturating_add(10),
        slot: amm.last_update_slot.saturating_add(5),
    }
}

/// The program's own form of the same moment: prices on either side of the reserve price, near the
/// SDK's, and, where the market is active, fills of all that one may take.
fn check_program(name: &str, amm: &PerpAmm, quote: &AmmQuote, is_active: bool) {
    let moved = amm.before_fill(&inputs(amm)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let price = moved.reserves().price().unwrap();
    assert_eq!(price, quote.reserve_price, "{name}");
    for (taker, sdk) in [(Direction::Long, quote.ask_price), (Direction::Short, quote.bid_price)] {
        let ours = moved.price_for(price, taker).unwrap();
        let apart = ours.0.abs_diff(sdk.0);
        // The day's premium, roundings and steps differ: a half per cent does. The bounds of a
        // prediction are in the SDK's price and not in the program's.
        let is_near = apart <= price.0 / 200 + 1;
        assert!(is_near || amm.is_prediction, "{name}: {taker:?} {ours} {sdk}");
        let most = moved.available_liquidity(taker).unwrap();
        let mut filled = moved;
        if is_active && most.0 > 0 {
            filled.fill(taker, most).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_ne!(filled.base_asset_reserve, moved.base_asset_reserve, "{name}");
        }
    }
}

fn check(name: &str, bytes: &[u8]) {
    let market = Program::Drift.perp_market(bytes).unwrap();
    let amm = market.amm;
    assert_eq!(amm.base_asset_reserve, amm.reserves().base, "{name}");
    assert_eq!(amm.order_tick_size, market.terms.order_tick_size.0, "{name}");
    let quote = AmmQuote::of(&amm, &inputs(&amm)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(quote.bid_price < quote.ask_price, "{name}: {quote:?}");
    check_program(name, &amm, &quote, market.terms.status == MarketStatus::Active);
    let amounts = top_of_book_amounts(Program::Drift, market.terms.market_index);
    let (mut bids, mut asks) = (Vec::new(), Vec::new());
    quote.levels(AmmSide::Bid, LEVELS, &amounts, &mut bids).unwrap();
    quote.levels(AmmSide::Ask, LEVELS, &amounts, &mut asks).unwrap();
    for (side, levels) in [(AmmSide::Bid, &bids), (AmmSide::Ask, &asks)] {
        let shown: u128 = levels.iter().map(|level| u128::from(level.size)).sum();
        assert!(shown <= quote.liquidity(side), "{name}: {side:?}");
        assert_eq!(levels.is_empty(), quote.liquidity(side) == 0, "{name}: {side:?}");
        let on_tick = |level: &AmmLevel| level.price.0.is_multiple_of(amm.order_tick_size);
        assert!(levels.iter().all(on_tick), "{name}: {side:?}");
    }
    assert!(bids.is_sorted_by(|better, worse| better.price >= worse.price), "{name}: {bids:?}");
    assert!(asks.is_sorted_by(|better, worse| better.price <= worse.price), "{name}: {asks:?}");
}

#[test]
fn captured_perp_markets_quote() {
    let markets: Vec<_> =
        support::captured().into_iter().filter(|a| a.kind == AccountKind::PerpMarket).collect();
    assert!(markets.len() >= 13, "13 markets or more are captured, found {}", markets.len());
    for market in markets {
        check(&market.name, &market.data);
    }
}

/// What another implementation quotes for captured markets with fields changed at random.
#[test]
fn changed_markets_quote_what_the_sdk_quotes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/changed-markets.jsonl");
    let text = read_to_string(file).unwrap();
    let mut quoted = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let bytes = BASE64_STANDARD.decode(case["account"].as_str().unwrap()).unwrap();
        let amm = Program::Drift.perp_market(&bytes).unwrap().amm;
        let moment: Vec<&str> = case["moment"].as_str().unwrap().split(' ').collect();
        let ours = answer(&amm, &moment);
        quoted += usize::from(ours.is_ok());
        let ours = ours.unwrap_or_else(|_| json!({ "none": true }));
        assert_eq!(ours, case["answer"], "{}, {moment:?}", case["name"]);
    }
    assert!(quoted >= 100, "{quoted} quoted");
}

/// Our quotes and levels in the words of the recording.
fn answer(amm: &PerpAmm, moment: &[&str]) -> Result<Value, AmmError> {
    let slot = moment[3].parse().unwrap();
    let inputs = AmmInputs {
        oracle_price: moment[0].parse().unwrap(),
        oracle_confidence: moment[1].parse().unwrap(),
        now: moment[2].parse().unwrap(),
        slot,
    };
    let count = moment[4].parse().unwrap();
    let amounts = moment[5].split(',').filter(|word| *word != "-");
    let amounts: Vec<u64> = amounts.map(|word| word.parse().unwrap()).collect();
    let quote = AmmQuote::of(amm, &inputs)?;
    let levels = |side| {
        let mut out = Vec::new();
        quote.levels(side, count, &amounts, &mut out)?;
        let pair = |level: &AmmLevel| texts(&[level.price.0, level.size]);
        Ok(Value::Array(out.iter().map(pair).collect()))
    };
    let curve = &quote.curve;
    let at = &curve.reserves;
    let terminal = curve.terminal_quote_asset_reserve;
    let price = |price: Price| u128::from(price.0);
    Ok(json!({
        "curve": texts(&[at.base, at.quote, at.sqrt_k, at.peg, terminal]),
        "earned": texts(&[
            curve.total_fee_minus_distributions,
            curve.net_revenue_since_last_funding,
        ]),
        "reservePrice": quote.reserve_price.to_string(),
        "spreads": texts(&[quote.spreads.long, quote.spreads.short]),
        "bid": texts(&[quote.bid.base, quote.bid.quote, price(quote.bid_price)]),
        "ask": texts(&[quote.ask.base, quote.ask.quote, price(quote.ask_price)]),
        "open": texts(&[quote.open_bids, quote.open_asks]),
        "bids": levels(AmmSide::Bid)?,
        "asks": levels(AmmSide::Ask)?,
    }))
}

fn texts<T: Display>(values: &[T]) -> Value {
    values.iter().map(|value| Value::String(value.to_string())).collect()
}
