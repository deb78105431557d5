//! Whole bodies equal `JSON.stringify` of the plain model, byte for byte.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::oracle::{OracleAverage, OracleReading};
use slotbook_protocol::model::units::{OraclePrice, Price, Pubkey, Slot, UnixSeconds};
use slotbook_wire::head::BodyHead;
use slotbook_wire::l2::write_l2;
use slotbook_wire::l3::{OrderLine, write_l3};
use slotbook_wire::level::{Source, SourcedLevel};
use slotbook_wire::top_of_book::{TopOfBook, spread};
use slotbook_wire::writer::JsonWriter;

/// The owned half of a head, as proptest generates it.
#[derive(Clone, Debug)]
struct Facts {
    name: String,
    is_perp: bool,
    market_index: u16,
    ts_ms: u64,
    slot: u64,
    seq: u64,
    bid: Option<u64>,
    ask: Option<u64>,
    oracle: Option<OracleReading>,
    mm_oracle: Option<OracleReading>,
    last_oracle_price: i64,
    reasons: (Option<String>, Option<String>),
}

impl Facts {
    fn head(&self) -> BodyHead<'_> {
        BodyHead {
            market_name: &self.name,
            market_type: if self.is_perp { MarketType::Perp } else { MarketType::Spot },
            market_index: self.market_index,
            ts_ms: self.ts_ms,
            slot: Slot(self.slot),
            seq: self.seq,
            epoch: "e1",
            state: "live",
            top: TopOfBook { bid: self.bid.map(Price), ask: self.ask.map(Price) },
            oracle: self.oracle,
            last_oracle_price: OraclePrice(self.last_oracle_price),
            mm_oracle: self.mm_oracle,
            market_slot: Slot(self.slot / 2),
            empty_reason: self.reasons.0.as_deref(),
            offset_orders_excluded: self.reasons.1.as_deref(),
        }
    }
}

prop_compose! {
    fn reading()(
        price: i64, confidence: u64, slot: u64, enough: bool, average: Option<(i64, i64)>,
    ) -> OracleReading {
        OracleReading {
            price: OraclePrice(price),
            confidence,
            slot: Slot(slot),
            sequence_id: None,
            has_sufficient_data: enough,
            average: average.map(|(price, confidence)| OracleAverage { price, confidence }),
        }
    }
}

prop_compose! {
    fn facts()(
        (name, is_perp, market_index) in (any::<String>(), any::<bool>(), any::<u16>()),
        (ts_ms, slot, seq) in any::<(u64, u64, u64)>(),
        (bid, ask) in any::<(Option<u64>, Option<u64>)>(),
        oracle in proptest::option::of(reading()),
        mm_oracle in proptest::option::of(reading()),
        (last_oracle_price, reasons) in any::<(i64, (Option<String>, Option<String>))>(),
    ) -> Facts {
        Facts {
            name, is_perp, market_index, ts_ms, slot, seq, bid, ask, oracle, mm_oracle,
            last_oracle_price, reasons,
        }
    }
}

prop_compose! {
    fn level()(
        (price, size, other) in any::<(u64, u128, u64)>(),
        (shift, part) in (0_u32..64, 0_usize..4),
    ) -> SourcedLevel {
        // Numbers of all lengths.
        let (price, size) = (price >> shift, (size / 4) >> (2 * shift));
        let mut level = SourcedLevel::of(Source::ALL[part % 3], Price(price), size);
        if part == 3 {
            level.sizes[1] = u128::from(other);
        }
        level
    }
}

prop_compose! {
    fn order()(
        (price, size, queue) in any::<(u64, u128, u128)>(),
        (oracle_price_offset, maker) in (any::<i64>(), any::<[u8; 32]>()),
        (order_id, slot, max_ts) in any::<(u32, u64, i64)>(),
        flags: (bool, bool, bool),
    ) -> OrderLine {
        OrderLine {
            price: Price(price),
            size,
            queue,
            oracle_price_offset,
            maker: Pubkey(maker),
            order_id,
            slot: Slot(slot),
            max_ts: UnixSeconds(max_ts),
            reduce_only: flags.0,
            post_only: flags.1,
            signed_msg: flags.2,
        }
    }
}

fn model_of_reading(reading: Option<OracleReading>) -> Value {
    let Some(reading) = reading else { return json!({}) };
    let mut members = json!({
        "price": reading.price.0.to_string(),
        "slot": reading.slot.0.to_string(),
        "confidence": reading.confidence.to_string(),
        "hasSufficientNumberOfDataPoints": reading.has_sufficient_data,
    });
    if let Some(average) = reading.average {
        members["twap"] = json!(average.price.to_string());
        members["twapConfidence"] = json!(average.confidence.to_string());
    }
    members
}

fn model_of_head(facts: &Facts, body: &mut Map<String, Value>, with_prices: bool) {
    let mut put = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    let oracle = facts.oracle.map_or(facts.last_oracle_price, |reading| reading.price.0);
    let priced = facts.mm_oracle.or(facts.oracle);
    put("marketName", json!(facts.name));
    put("marketType", json!(if facts.is_perp { "perp" } else { "spot" }));
    put("marketIndex", json!(facts.market_index));
    put("ts", json!(facts.ts_ms));
    put("slot", json!(facts.slot));
    match facts.bid.zip(facts.ask) {
        _ if !with_prices => {}
        None => put("markPrice", json!(oracle.to_string())),
        Some((bid, ask)) => {
            let spread = spread(Price(bid), Price(ask), priced.map(|reading| reading.price));
            put("markPrice", json!(spread.mark.0.to_string()));
            put("bestBidPrice", json!(bid.to_string()));
            put("bestAskPrice", json!(ask.to_string()));
            put("spreadPct", json!(spread.percent.to_string()));
            put("spreadQuote", json!(spread.quote.0.to_string()));
        }
    }
    put("oracle", json!(oracle));
    put("oracleData", model_of_reading(facts.oracle));
    put("mmOracleData", model_of_reading(priced));
    put("marketSlot", json!(facts.slot / 2));
    put("seq", json!(facts.seq));
    put("epoch", json!("e1"));
    put("state", json!("live"));
    let is_crossed = matches!((facts.bid, facts.ask), (Some(bid), Some(ask)) if bid > ask);
    put("crossed", json!(is_crossed));
    let reasons = [("reason", &facts.reasons.0), ("offsetOrdersExcluded", &facts.reasons.1)];
    for (name, reason) in reasons {
        if let Some(reason) = reason {
            put(name, json!(reason));
        }
    }
}

fn model_of_level(level: &SourcedLevel) -> Value {
    let named = ["dlob", "vamm", "indicative"].into_iter().zip(level.sizes);
    let sources: Map<String, Value> = named
        .filter(|(_, size)| *size > 0)
        .map(|(name, size)| (name.to_owned(), json!(size.to_string())))
        .collect();
    let size: u128 = level.sizes.iter().sum();
    json!({"price": level.price.0.to_string(), "size": size.to_string(), "sources": sources})
}

fn model_of_order(order: &OrderLine) -> Value {
    json!({
        "price": order.price.0.to_string(),
        "size": order.size.to_string(),
        "queue": order.queue.to_string(),
        "oraclePriceOffset": order.oracle_price_offset.to_string(),
        "maker": bs58::encode(order.maker.0).into_string(),
        "orderId": order.order_id,
        "slot": order.slot.0,
        "maxTs": order.max_ts.0,
        "reduceOnly": order.reduce_only,
        "postOnly": order.post_only,
        "signedMsg": order.signed_msg,
    })
}

fn model<T>(
    facts: &Facts,
    sides: (&[T], &[T]),
    row: impl Fn(&T) -> Value,
    with_prices: bool,
) -> String {
    let mut body = Map::new();
    for (name, side) in [("bids", sides.0), ("asks", sides.1)] {
        body.insert(name.to_owned(), side.iter().map(&row).collect());
    }
    model_of_head(facts, &mut body, with_prices);
    serde_json::to_string(&body).unwrap()
}

proptest! {
    // Specification: l2-answer, shape-l2, shape-price, shape-size, shape-sources, precision-raw.
    // Specification: precision-price, precision-base, shape-source-dlob, shape-source-vamm.
    #[test]
    fn l2_equals_the_plain_model(
        facts in facts(),
        bids in proptest::collection::vec(level(), 0..4),
        asks in proptest::collection::vec(level(), 0..4),
    ) {
        let mut out = b"kept".to_vec();
        write_l2(&mut JsonWriter::new(&mut out), &facts.head(), bids.iter().copied(), asks.iter().copied());
        let expected = model(&facts, (&bids, &asks), model_of_level, true);
        prop_assert_eq!(String::from_utf8(out).unwrap(), format!("kept{expected}"));
    }

    #[test]
    fn l2_inside_a_string_is_the_string_that_holds_it(
        facts in facts(),
        bids in proptest::collection::vec(level(), 0..4),
        asks in proptest::collection::vec(level(), 0..4),
    ) {
        let mut nested = Vec::new();
        let mut json = JsonWriter::nested(&mut nested);
        write_l2(&mut json, &facts.head(), bids.iter().copied(), asks.iter().copied());
        let body = model(&facts, (&bids, &asks), model_of_level, true);
        let expected = serde_json::to_string(&body).unwrap();
        prop_assert_eq!(format!("\"{}\"", String::from_utf8(nested).unwrap()), expected);
    }

    // Specification: l3-answer, shape-l3.
    #[test]
    fn l3_equals_the_plain_model(
        facts in facts(),
        bids in proptest::collection::vec(order(), 0..4),
        asks in proptest::collection::vec(order(), 0..4),
    ) {
        let mut out = Vec::new();
        write_l3(&mut JsonWriter::new(&mut out), &facts.head(), bids.iter().copied(), asks.iter().copied());
        let expected = model(&facts, (&bids, &asks), model_of_order, false);
        prop_assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

/// The next version of a side: its levels change, reappear and repeat levels of other bodies.
fn next_levels(levels: &mut Vec<(u64, u128)>, random: &mut impl FnMut(u64) -> u64) {
    for _ in 0..=random(4) {
        // Some numbers have too many digits for the cache, and some cache indexes collide.
        let price = match random(40) {
            0 => u64::MAX - random(3),
            _ => 150_000_000 + random(3_000) * 100,
        };
        let size = match random(40) {
            0 => u128::from(u64::MAX) + u128::from(random(3)),
            1 => 10_000_000_000_000_000 - 1 + u128::from(random(3)),
            _ => u128::from(1 + random(300)) * 10_000_000,
        };
        levels.retain(|(other, _)| *other != price && random(12) > 0);
        levels.push((price, size));
    }
    levels.sort_unstable();
}

fn plain_and_nested(head: &BodyHead<'_>, sides: &[Vec<(u64, u128)>; 2]) -> [Vec<u8>; 2] {
    let level = |(price, size): &(u64, u128)| SourcedLevel::of(Source::Dlob, Price(*price), *size);
    let [bids, asks] = sides;
    let (bids, asks) = (bids.iter().rev().map(level), asks.iter().map(level));
    let (mut plain, mut nested) = (Vec::new(), Vec::new());
    write_l2(&mut JsonWriter::new(&mut plain), head, bids.clone(), asks.clone());
    write_l2(&mut JsonWriter::nested(&mut nested), head, bids, asks);
    [plain, nested]
}

fn still_facts() -> Facts {
    Facts {
        name: "SOL-PERP".to_owned(),
        is_perp: true,
        market_index: 0,
        ts_ms: 1_750_000_000_123,
        slot: 350_000_000,
        seq: 7,
        bid: Some(149_999_900),
        ask: Some(150_000_000),
        oracle: None,
        mm_oracle: None,
        last_oracle_price: 150_000_000,
        reasons: (None, None),
    }
}

#[test]
fn a_body_has_the_bytes_that_a_thread_without_texts_gives_it() {
    let facts = still_facts();
    for seed in 1..=4_u64 {
        let (mut state, mut sides) = (seed, [Vec::new(), Vec::new()]);
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % bound
        };
        for step in 0..400 {
            sides.iter_mut().for_each(|side| next_levels(side, &mut random));
            let kept = plain_and_nested(&facts.head(), &sides);
            let fresh = std::thread::scope(|scope| {
                scope.spawn(|| plain_and_nested(&facts.head(), &sides)).join().unwrap()
            });
            assert_eq!(kept, fresh, "seed {seed}, step {step}");
        }
    }
}
