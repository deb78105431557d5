//! An order of a vector file as the 96 bytes that the chain would hold.
//!
//! Source: programs/drift/src/state/user.rs Order, protocol-v2 2.162.

use serde_json::Value;

use crate::value::{Malformed, flag, integer_or, text};

/// Bytes of one order.
pub(crate) const ORDER_BYTES: usize = 96;

/// Enum names in the order of their bytes on chain.
const STATUS: [&str; 4] = ["init", "open", "filled", "canceled"];
const ORDER_TYPE: [&str; 5] = ["market", "limit", "triggerMarket", "triggerLimit", "oracle"];
const MARKET_TYPE: [&str; 2] = ["spot", "perp"];
const DIRECTION: [&str; 2] = ["long", "short"];
const TRIGGER: [&str; 4] = ["above", "below", "triggeredAbove", "triggeredBelow"];

/// Writes the order's bytes; fields that a file leaves out are those of an open perp order.
pub(crate) fn order_bytes(order: &Value) -> Result<[u8; ORDER_BYTES], Malformed> {
    let mut bytes = [0; ORDER_BYTES];
    let unsigned: [(&str, usize); 6] = [
        ("slot", 0),
        ("price", 8),
        ("baseAssetAmount", 16),
        ("baseAssetAmountFilled", 24),
        ("quoteAssetAmountFilled", 32),
        ("triggerPrice", 40),
    ];
    for (field, at) in unsigned {
        put(&mut bytes, at, &integer_or::<u64>(order, field, 0)?.to_le_bytes());
    }
    for (field, at) in [("auctionStartPrice", 48), ("auctionEndPrice", 56), ("maxTs", 64)] {
        put(&mut bytes, at, &integer_or::<i64>(order, field, 0)?.to_le_bytes());
    }
    put(&mut bytes, 72, &integer_or::<i32>(order, "oraclePriceOffset", 0)?.to_le_bytes());
    put(&mut bytes, 76, &integer_or::<u32>(order, "orderId", 0)?.to_le_bytes());
    put(&mut bytes, 80, &integer_or::<u16>(order, "marketIndex", 0)?.to_le_bytes());
    bytes[82] = name_or(order, "status", &STATUS, "open")?;
    bytes[83] = name_or(order, "orderType", &ORDER_TYPE, "limit")?;
    bytes[84] = name_or(order, "marketType", &MARKET_TYPE, "perp")?;
    bytes[85] = integer_or(order, "userOrderId", 0)?;
    bytes[86] = name_or(order, "existingPositionDirection", &DIRECTION, "long")?;
    bytes[87] = name_or(order, "direction", &DIRECTION, "long")?;
    bytes[88] = u8::from(flag(order, "reduceOnly"));
    bytes[89] = u8::from(flag(order, "postOnly"));
    bytes[90] = u8::from(flag(order, "immediateOrCancel"));
    bytes[91] = name_or(order, "triggerCondition", &TRIGGER, "above")?;
    bytes[92] = integer_or(order, "auctionDuration", 0)?;
    bytes[93] = integer_or(order, "postedSlotTail", 0)?;
    bytes[94] = integer_or(order, "bitFlags", 0)?;
    Ok(bytes)
}

fn put(bytes: &mut [u8], at: usize, field: &[u8]) {
    bytes[at..at + field.len()].copy_from_slice(field);
}

/// The byte of a named enum variant.
fn name_or(order: &Value, key: &str, names: &[&str], default: &str) -> Result<u8, Malformed> {
    let name = if order.get(key).is_none() { default } else { text(order, key)? };
    names
        .iter()
        .position(|known| *known == name)
        .and_then(|at| u8::try_from(at).ok())
        .ok_or_else(|| Malformed(format!("{key} was {name}, must be one of {names:?}")))
}
