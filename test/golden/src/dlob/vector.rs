//! A `dlob` vector file, parsed.

use std::collections::BTreeMap;

use serde_json::Value;
use slotbook_naive::{Key, MarketKey, MarketKind, Order, ProtectedParams, ReadingOrder};
use slotbook_protocol::model::units::Pubkey;

use super::views::{self, Views};
use crate::order::{ORDER_BYTES, order_bytes};
use crate::value::{at, flag, integer, integers, list, optional, text, text_of};

/// One recorded order.
#[derive(Clone, Debug)]
pub(super) struct VectorOrder {
    /// What the naive book's readings need of it.
    pub(super) entry: ReadingOrder,
    /// The order as the chain holds it.
    pub(super) bytes: [u8; ORDER_BYTES],
}

/// An oracle's price and confidence, at 1e6.
#[derive(Clone, Copy, Debug)]
pub(super) struct OraclePrice {
    pub(super) price: i64,
    pub(super) confidence: u64,
}

/// One question time.
#[derive(Clone, Debug)]
pub(super) struct VectorSnapshot {
    pub(super) slot: u64,
    pub(super) oracles: BTreeMap<MarketKey, OraclePrice>,
    /// What the incumbent answered for each market; none when every question failed.
    pub(super) recorded: Vec<(String, MarketKey, Option<Box<Views>>)>,
}

/// A whole file.
#[derive(Clone, Debug)]
pub(super) struct Vector {
    pub(super) ts: i64,
    pub(super) insert_slot: u64,
    pub(super) markets: Vec<MarketKey>,
    pub(super) protected: BTreeMap<MarketKey, ProtectedParams>,
    pub(super) orders: Vec<VectorOrder>,
    pub(super) snapshots: Vec<VectorSnapshot>,
}

impl Vector {
    pub(super) fn parse(file: &Value) -> Self {
        let oracles = parse_oracles(at(file, "oracles"));
        let (questions, answers) = (list(file, "snapshots"), list(file, "expected"));
        assert_eq!(questions.len(), answers.len(), "snapshots and answers");
        let snapshot = |(question, answer)| parse_snapshot(question, answer, oracles.clone());
        let protected = file.get("protectedMakerParams").filter(|params| params.is_object());
        let protected = protected.map_or(Vec::new(), by_market).into_iter();
        Vector {
            ts: integer(file, "ts"),
            insert_slot: integer(file, "insertSlot"),
            markets: list(file, "markets").iter().map(|name| market_key(text_of(name))).collect(),
            protected: protected
                .filter(|(_, _, params)| params.is_object())
                .map(|(_, market, params)| (market, parse_params(params)))
                .collect(),
            orders: list(file, "orders").iter().map(parse_order).collect(),
            snapshots: questions.iter().zip(answers).map(snapshot).collect(),
        }
    }
}

fn parse_params(value: &Value) -> ProtectedParams {
    ProtectedParams {
        tick: integer(value, "tickSize"),
        limit_price_divisor: integer(value, "limitPriceDivisor"),
        dynamic_offset: integer(value, "dynamicOffset"),
    }
}

fn parse_order(value: &Value) -> VectorOrder {
    let bytes = order_bytes(at(value, "order"));
    let entry = ReadingOrder {
        order: Order::from_bytes(&bytes),
        user: key_of(text(value, "user")),
        position: optional(value, "existingPosition").unwrap_or(0),
        inserted_base: integer(value, "baseAssetAmount"),
        is_protected: flag(value, "isProtectedMaker"),
        is_signed: text(value, "via") == "signedMsg",
    };
    VectorOrder { entry, bytes }
}

fn key_of(text: &str) -> Key {
    text.parse::<Pubkey>().expect("an address").0
}

/// `perp-0` and `spot-1`.
fn market_key(name: &str) -> MarketKey {
    let (kind, index) = name.split_once('-').expect("a market");
    let kind = match kind {
        "perp" => MarketKind::Perp,
        "spot" => MarketKind::Spot,
        _ => panic!("{name} is not a market"),
    };
    (kind, index.parse().expect("the index of a market"))
}

/// The entries of an object keyed by market.
pub(super) fn by_market(value: &Value) -> Vec<(String, MarketKey, &Value)> {
    let object = value.as_object().expect("markets are an object");
    object.iter().map(|(name, value)| (name.clone(), market_key(name), value)).collect()
}

fn parse_oracles(value: &Value) -> BTreeMap<MarketKey, OraclePrice> {
    let oracles = by_market(value).into_iter().map(|(_, market, oracle)| {
        let (price, confidence) = (integer(oracle, "price"), integer(oracle, "confidence"));
        (market, OraclePrice { price, confidence })
    });
    oracles.collect()
}

fn parse_snapshot(
    question: &Value,
    answer: &Value,
    mut oracles: BTreeMap<MarketKey, OraclePrice>,
) -> VectorSnapshot {
    if let Some(moved) = question.get("oracles").filter(|value| value.is_object()) {
        oracles.extend(parse_oracles(moved));
    }
    let recorded = by_market(at(answer, "markets")).into_iter();
    let recorded = recorded.map(|(name, market, value)| {
        let views = value.get("throws").is_none().then(|| Box::new(parse_views(value)));
        (name, market, views)
    });
    VectorSnapshot { slot: integer(question, "slot"), oracles, recorded: recorded.collect() }
}

fn parse_views(value: &Value) -> Views {
    let sides = |of: &Value, text: fn(&Value) -> String| {
        ["bids", "asks"].map(|side| list(of, side).iter().map(text).collect())
    };
    let level = |value: &Value| views::level(integer(value, "price"), integer(value, "size"));
    let row = |value: &Value| {
        let (price, size) = (integer(value, "price"), integer(value, "size"));
        views::row(price, size, text(value, "maker"), integer(value, "orderId"))
    };
    let indexes = |key| integers::<u64>(value, key).iter().map(u64::to_string).collect();
    let best = |key| optional::<i128>(value, key).iter().map(i128::to_string).collect();
    let makers = |key| list(value, key).iter().map(|maker| text_of(maker).to_owned()).collect();
    [
        ["restingBidIndex", "restingAskIndex"].map(indexes),
        sides(at(value, "l3"), row),
        sides(at(value, "l2Depth10"), level),
        sides(at(value, "l2Depth100"), level),
        ["bestBid", "bestAsk"].map(best),
        ["bestMakersForLong4", "bestMakersForShort4"].map(makers),
    ]
}
