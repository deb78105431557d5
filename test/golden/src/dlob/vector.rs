//! A `dlob` vector file, parsed.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::Value;
use slotbook_naive::{Key, MarketKey, MarketKind, Order, ProtectedParams, ReadingOrder};
use slotbook_protocol::model::units::Pubkey;

use super::views::{Row, Views};
use crate::order::{ORDER_BYTES, order_bytes};
use crate::value::{Malformed, at, flag, integer, integer_of, integer_or_null, list, text};

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

/// What the incumbent answered for one market at one snapshot.
#[derive(Clone, Debug)]
pub(super) enum Recorded {
    /// Every question failed.
    Throws,
    /// The answers.
    Views(Box<Views>),
}

/// One question time.
#[derive(Clone, Debug)]
pub(super) struct VectorSnapshot {
    pub(super) slot: u64,
    pub(super) oracles: BTreeMap<MarketKey, OraclePrice>,
    pub(super) recorded: Vec<(String, MarketKey, Recorded)>,
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
    /// Why part of the file is for a later room.
    pub(super) not_ours: Option<&'static str>,
}

impl Vector {
    pub(super) fn parse(file: &Value) -> Result<Self, Malformed> {
        let orders: Vec<VectorOrder> =
            list(file, "orders")?.iter().map(parse_order).collect::<Result<_, _>>()?;
        let markets = list(file, "markets")?.iter().map(market_value).collect::<Result<_, _>>()?;
        let default_oracles = parse_oracles(at(file, "oracles")?)?;
        let questions = list(file, "snapshots")?;
        let answers = list(file, "expected")?;
        if questions.len() != answers.len() {
            return Err(Malformed("snapshots and expected differ in length".to_owned()));
        }
        let snapshots = questions
            .iter()
            .zip(answers)
            .map(|(question, answer)| parse_snapshot(question, answer, &default_oracles))
            .collect::<Result<_, _>>()?;
        Ok(Vector {
            ts: integer(file, "ts")?,
            insert_slot: integer(file, "insertSlot")?,
            markets,
            protected: parse_protected(file.get("protectedMakerParams"))?,
            not_ours: not_ours(file),
            orders,
            snapshots,
        })
    }
}

/// Families of which a part is not ours, recognised by what the file holds.
fn not_ours(file: &Value) -> Option<&'static str> {
    file.get("nodesToFill").map(|_| "nodesToFill queries are a filler's crossing finder")
}

fn parse_order(value: &Value) -> Result<VectorOrder, Malformed> {
    let bytes = order_bytes(at(value, "order")?)?;
    let entry = ReadingOrder {
        order: Order::from_bytes(&bytes),
        user: key_of(text(value, "user")?)?,
        position: integer_or_null(value, "existingPosition")?.unwrap_or(0),
        inserted_base: integer(value, "baseAssetAmount")?,
        is_protected: flag(value, "isProtectedMaker"),
        is_signed: text(value, "via")? == "signedMsg",
    };
    Ok(VectorOrder { entry, bytes })
}

fn key_of(text: &str) -> Result<Key, Malformed> {
    Pubkey::from_str(text)
        .map(|key| key.0)
        .map_err(|_| Malformed(format!("{text} is not an address")))
}

/// `perp-0` and `spot-1`.
fn market_key(name: &str) -> Result<MarketKey, Malformed> {
    let bad = || Malformed(format!("{name} is not a market"));
    let (kind, index) = name.split_once('-').ok_or_else(bad)?;
    let kind = match kind {
        "perp" => MarketKind::Perp,
        "spot" => MarketKind::Spot,
        _ => return Err(bad()),
    };
    Ok((kind, index.parse().map_err(|_| bad())?))
}

fn market_value(value: &Value) -> Result<MarketKey, Malformed> {
    market_key(value.as_str().unwrap_or_default())
}

/// The entries of an object keyed by market.
pub(super) fn by_market(value: &Value) -> Result<Vec<(String, MarketKey, &Value)>, Malformed> {
    let object = value.as_object().ok_or_else(|| Malformed("markets are not an object".into()))?;
    object.iter().map(|(name, value)| Ok((name.clone(), market_key(name)?, value))).collect()
}

fn parse_oracles(value: &Value) -> Result<BTreeMap<MarketKey, OraclePrice>, Malformed> {
    by_market(value)?
        .into_iter()
        .map(|(_, market, oracle)| {
            let price = integer(oracle, "price")?;
            Ok((market, OraclePrice { price, confidence: integer(oracle, "confidence")? }))
        })
        .collect()
}

fn parse_protected(
    value: Option<&Value>,
) -> Result<BTreeMap<MarketKey, ProtectedParams>, Malformed> {
    let Some(value) = value.filter(|value| value.is_object()) else {
        return Ok(BTreeMap::new());
    };
    by_market(value)?
        .into_iter()
        .filter(|(_, _, params)| params.is_object())
        .map(|(_, market, params)| {
            let params = ProtectedParams {
                tick: integer(params, "tickSize")?,
                limit_price_divisor: integer(params, "limitPriceDivisor")?,
                dynamic_offset: integer(params, "dynamicOffset")?,
            };
            Ok((market, params))
        })
        .collect()
}

fn parse_snapshot(
    question: &Value,
    answer: &Value,
    default_oracles: &BTreeMap<MarketKey, OraclePrice>,
) -> Result<VectorSnapshot, Malformed> {
    let mut oracles = default_oracles.clone();
    if let Some(moved) = question.get("oracles").filter(|value| value.is_object()) {
        oracles.extend(parse_oracles(moved)?);
    }
    let recorded = by_market(at(answer, "markets")?)?
        .into_iter()
        .map(|(name, market, value)| Ok((name, market, parse_recorded(value)?)))
        .collect::<Result<_, _>>()?;
    Ok(VectorSnapshot { slot: integer(question, "slot")?, oracles, recorded })
}

fn parse_recorded(value: &Value) -> Result<Recorded, Malformed> {
    if value.get("throws").is_some() {
        return Ok(Recorded::Throws);
    }
    let l3 = at(value, "l3")?;
    Ok(Recorded::Views(Box::new(Views {
        order: [numbers(value, "restingBidIndex")?, numbers(value, "restingAskIndex")?],
        l3: [parse_rows(l3, "bids")?, parse_rows(l3, "asks")?],
        l2_depth_10: parse_levels(at(value, "l2Depth10")?)?,
        l2_depth_100: parse_levels(at(value, "l2Depth100")?)?,
        best: [integer_or_null(value, "bestBid")?, integer_or_null(value, "bestAsk")?],
        makers: [keys(value, "bestMakersForLong4")?, keys(value, "bestMakersForShort4")?],
    })))
}

fn numbers(value: &Value, key: &str) -> Result<Vec<usize>, Malformed> {
    let number = |value: &Value| {
        integer_of(value)
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| Malformed(format!("{key} holds {value}")))
    };
    list(value, key)?.iter().map(number).collect()
}

fn keys(value: &Value, key: &str) -> Result<Vec<Key>, Malformed> {
    list(value, key)?.iter().map(|value| key_of(value.as_str().unwrap_or_default())).collect()
}

fn parse_rows(l3: &Value, side: &str) -> Result<Vec<Row>, Malformed> {
    let row = |value: &Value| {
        Ok(Row {
            price: integer(value, "price")?,
            size: integer(value, "size")?,
            maker: key_of(text(value, "maker")?)?,
            order_id: integer(value, "orderId")?,
        })
    };
    list(l3, side)?.iter().map(row).collect()
}

fn parse_levels(l2: &Value) -> Result<[Vec<(i128, i128)>; 2], Malformed> {
    let level = |value: &Value| Ok((integer(value, "price")?, integer(value, "size")?));
    let side = |name: &str| list(l2, name)?.iter().map(level).collect::<Result<Vec<_>, _>>();
    Ok([side("bids")?, side("asks")?])
}
