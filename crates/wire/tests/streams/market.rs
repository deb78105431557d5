//! Binary messages of candles and trades have the same content as the service's JSON messages,
//! digit by digit.

use std::fmt::Write;

use slotbook_book::Side;
use slotbook_protocol::model::units::Pubkey;
use slotbook_wire::stream::binary::market::{
    Candle, MarketMessage, MessageKind, Trade, TradeSide, decode_market,
};

const RECORDED: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/vectors/binary/market.jsonl"));
const EXACT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../test/vectors/binary/market-exact.jsonl"
));
const HOSTILE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../test/vectors/binary/market-hostile.jsonl"
));

const QUOTE_PLACES: usize = 6;
const BASE_PLACES: usize = 9;

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// The bytes of each vector, and its JSON text as the service wrote it.
fn vectors() -> impl Iterator<Item = (Vec<u8>, &'static str)> {
    RECORDED.lines().chain(EXACT.lines()).map(|line| {
        let (hex, frame) = line
            .strip_prefix("{\"hex\":\"")
            .and_then(|rest| rest.strip_suffix('}'))
            .and_then(|rest| rest.split_once("\",\"frame\":"))
            .unwrap();
        (bytes_of(hex), frame)
    })
}

#[test]
fn the_vectors_are_read_digit_by_digit() {
    let mut count = 0;
    for (bytes, frame) in vectors() {
        assert_eq!(text_of(&decode_market(&bytes).unwrap()), frame);
        count += 1;
    }
    assert!(count > 20);
}

#[test]
fn what_is_cut_or_spoilt_is_refused_or_another_message() {
    let mut refused = 0;
    for (bytes, _) in vectors() {
        for at in 0..bytes.len() {
            assert!(decode_market(&bytes[..at]).is_err());
            let mut spoilt = bytes.clone();
            spoilt[at] ^= 1 << (at % 8);
            refused += usize::from(decode_market(&spoilt).is_err());
        }
    }
    assert!(refused > 500);
}

#[test]
fn messages_that_break_a_bound_are_none() {
    let mut refused = 0;
    for line in HOSTILE.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let message = decode_market(&bytes_of(line["hex"].as_str().unwrap()));
        assert_eq!(message.is_ok(), line["taken"] == true, "{line}");
        refused += usize::from(message.is_err());
    }
    assert!(refused > 30);
}

/// The equivalent JSON text, with members in the service's order.
fn text_of(message: &MarketMessage) -> String {
    let symbol = quoted(&message.symbol);
    let candle = message.candle.as_ref().map(|candle| candle_text(candle, &symbol));
    let rows: Vec<String> = message.trades.iter().map(|trade| trade_text(trade, &symbol)).collect();
    let mut trades = format!("\"trades\":[{}]", rows.join(","));
    if message.left_out > 0 {
        write!(trades, ",\"tradesLeftOut\":{}", message.left_out).unwrap();
    }
    let kind = match message.kind {
        MessageKind::CandleInit => {
            let (candle, resolution) =
                (candle.unwrap(), &message.candle.as_ref().unwrap().resolution);
            return format!(
                "{{\"type\":\"init\",\"channelType\":\"candle\",\"data\":{candle},\
                 \"symbol\":{symbol},\"resolution\":\"{resolution}\",\"candle\":{candle}}}"
            );
        }
        MessageKind::TradesInit => "init",
        MessageKind::CandleCreate => "create",
        MessageKind::TradesUpdate | MessageKind::CandleUpdate => "update",
    };
    match candle {
        Some(candle) => format!("{{\"type\":\"{kind}\",\"candle\":{candle},{trades}}}"),
        None => format!(
            "{{\"type\":\"{kind}\",\"channelType\":\"trades\",\"symbol\":{symbol},{trades}}}"
        ),
    }
}

fn candle_text(candle: &Candle, symbol: &str) -> String {
    let mut text = format!(
        "{{\"symbol\":{symbol},\"resolution\":\"{}\",\"ts\":{}",
        candle.resolution, candle.ts
    );
    for (kind, prices) in [("fill", candle.fills), ("oracle", candle.oracles)] {
        for (name, price) in ["Open", "High", "Close", "Low"].into_iter().zip(prices) {
            write!(text, ",\"{kind}{name}\":{}", decimal(price, QUOTE_PLACES)).unwrap();
        }
    }
    let (quote, base) = (candle.quote_volume, candle.base_volume);
    write!(text, ",\"quoteVolume\":{}", decimal(quote, QUOTE_PLACES)).unwrap();
    write!(text, ",\"baseVolume\":{}", decimal(base, BASE_PLACES)).unwrap();
    if let Some((ts, id)) = candle.last_trade {
        write!(text, ",\"lastTradeTs\":{ts},\"lastFillRecordId\":\"{id}\"").unwrap();
    }
    text + "}"
}

fn trade_text(trade: &Trade, symbol: &str) -> String {
    let Trade { transaction, fill, .. } = trade;
    let (is_spot, index) = trade.market;
    let quote = |amount: Option<i128>| optional(amount, |amount| decimal(amount, QUOTE_PLACES));
    let members = [
        ("ts", transaction.ts.to_string()),
        ("txSig", quoted(&bs58::encode(transaction.signature).into_string())),
        ("txSigIndex", trade.index.to_string()),
        ("slot", transaction.slot.to_string()),
        ("fillRecordId", optional(fill.record_id, |id| quoted(&id.to_string()))),
        ("marketIndex", index.to_string()),
        ("marketType", quoted(if is_spot { "spot" } else { "perp" })),
        ("symbol", symbol.to_owned()),
        ("action", quoted("fill")),
        ("actionExplanation", quoted(&trade.action_explanation)),
        ("price", quote(fill.price)),
        ("baseAssetAmountFilled", optional(fill.base, |base| decimal(base, BASE_PLACES))),
        ("quoteAssetAmountFilled", quote(fill.quote)),
        ("quoteAssetAmountSurplus", quote(fill.surplus)),
        ("oraclePrice", decimal(fill.oracle_price, QUOTE_PLACES)),
        ("filler", optional(fill.filler, key_text)),
        ("referrerReward", quote(fill.referrer_reward)),
    ];
    let rest = [
        ("fillerReward", quote(fill.filler_reward)),
        ("makerRebate", quote(trade.maker.fee)),
        ("spotFulfillmentMethodFee", quote(fill.spot_fee)),
        ("bitFlags", trade.bit_flags.to_string()),
    ];
    let text_of = |(name, value): (&str, String)| format!("\"{name}\":{value}");
    let sides = [side_text("taker", &trade.taker), side_text("maker", &trade.maker)];
    let all: Vec<String> = members
        .into_iter()
        .map(text_of)
        .chain(sides)
        .chain(rest.into_iter().map(text_of))
        .collect();
    format!("{{{}}}", all.join(","))
}

fn side_text(side: &str, values: &TradeSide) -> String {
    let direction = values.direction.map(|side| if side == Side::Bid { "long" } else { "short" });
    let amount = |amount: Option<i128>, places| optional(amount, |amount| decimal(amount, places));
    let (base, filled) = (values.order_base, values.filled_base);
    format!(
        "\"{side}\":{},\"{side}OrderId\":{},\"{side}OrderDirection\":{},\"{side}Fee\":{},\
         \"{side}OrderBaseAssetAmount\":{},\"{side}OrderCumulativeBaseAssetAmountFilled\":{},\
         \"{side}OrderCumulativeQuoteAssetAmountFilled\":{}",
        optional(values.account, key_text),
        optional(values.order_id, |id| id.to_string()),
        optional(direction, quoted),
        amount(values.fee, QUOTE_PLACES),
        amount(base, BASE_PLACES),
        amount(filled, BASE_PLACES),
        amount(values.filled_quote, QUOTE_PLACES),
    )
}

fn optional<Value>(value: Option<Value>, write: impl Fn(Value) -> String) -> String {
    value.map_or_else(|| "null".to_owned(), write)
}

fn key_text(key: Pubkey) -> String {
    quoted(&bs58::encode(key.0).into_string())
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// An amount as decimal text, without trailing zeros.
fn decimal(amount: i128, places: usize) -> String {
    let digits = format!("{:0>width$}", amount.unsigned_abs(), width = places + 1);
    let (whole, part) = digits.split_at(digits.len() - places);
    let sign = if amount < 0 { "-" } else { "" };
    match part.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{part}"),
    }
}
