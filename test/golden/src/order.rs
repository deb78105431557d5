//! An order of a vector file as the 96 bytes that the chain would hold.
//!
//! Source: programs/drift/src/state/user.rs Order, protocol-v2 2.162.

use serde_json::Value;

use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::order::{Order, RawOrder};

use crate::value::{flag, or_zero, text, text_of};

/// Bytes of one order.
pub(crate) const ORDER_BYTES: usize = 96;

/// Enum names in the order of their bytes on chain.
const STATUS: [&str; 4] = ["init", "open", "filled", "canceled"];
const ORDER_TYPE: [&str; 5] = ["market", "limit", "triggerMarket", "triggerLimit", "oracle"];
const MARKET_TYPE: [&str; 2] = ["spot", "perp"];
const DIRECTION: [&str; 2] = ["long", "short"];
const TRIGGER: [&str; 4] = ["above", "below", "triggeredAbove", "triggeredBelow"];

/// Writes the order's bytes; fields that a file leaves out are those of an open perp order.
pub(crate) fn order_bytes(order: &Value) -> [u8; ORDER_BYTES] {
    let mut bytes = [0; ORDER_BYTES];
    let numbers = [
        ("slot", 0, 8),
        ("price", 8, 8),
        ("baseAssetAmount", 16, 8),
        ("baseAssetAmountFilled", 24, 8),
        ("quoteAssetAmountFilled", 32, 8),
        ("triggerPrice", 40, 8),
        ("auctionStartPrice", 48, 8),
        ("auctionEndPrice", 56, 8),
        ("maxTs", 64, 8),
        ("oraclePriceOffset", 72, 4),
        ("orderId", 76, 4),
        ("marketIndex", 80, 2),
        ("userOrderId", 85, 1),
        ("auctionDuration", 92, 1),
        ("postedSlotTail", 93, 1),
        ("bitFlags", 94, 1),
    ];
    for (field, at, length) in numbers {
        let number: i128 = or_zero(order, field);
        let bits = 8 * length;
        assert!((-1_i128 << (bits - 1)..1 << bits).contains(&number), "{field} was {number}");
        bytes[at..at + length].copy_from_slice(&number.to_le_bytes()[..length]);
    }
    let names = [
        ("status", 82, &STATUS[..], "open"),
        ("orderType", 83, &ORDER_TYPE, "limit"),
        ("marketType", 84, &MARKET_TYPE, "perp"),
        ("existingPositionDirection", 86, &DIRECTION, "long"),
        ("direction", 87, &DIRECTION, "long"),
        ("triggerCondition", 91, &TRIGGER, "above"),
    ];
    for (field, at, names, default) in names {
        let name = order.get(field).map_or(default, text_of);
        let number = (0..).zip(names).find(|(_, known)| **known == name);
        bytes[at] = number.unwrap_or_else(|| panic!("{field} was {name}")).0;
    }
    for (field, at) in [("reduceOnly", 88), ("postOnly", 89), ("immediateOrCancel", 90)] {
        bytes[at] = u8::from(flag(order, field));
    }
    bytes
}

/// The order as the core reads it.
pub(crate) fn decoded(order: &Value) -> Order {
    RawOrder::from(order_bytes(order)).view().decode().expect("an order that decodes")
}

/// A direction under its name.
pub(crate) fn direction(value: &Value, key: &str) -> Direction {
    match text(value, key) {
        "long" => Direction::Long,
        "short" => Direction::Short,
        name => panic!("{key} was {name}, must be long or short"),
    }
}
