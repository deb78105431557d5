//! The body of /l3: both sides by order.

use slotbook_book::OrderRow;

use crate::head::BodyHead;
use crate::writer::{JsonWriter, literal, members};

/// One resting order of /l3, sizes at 1e9.
pub type OrderLine = OrderRow<u128>;

/// Writes a whole /l3 body. The orders come in book order.
pub fn write_l3<const N: bool>(
    json: &mut JsonWriter<'_, N>,
    head: &BodyHead<'_>,
    bids: impl IntoIterator<Item = OrderLine>,
    asks: impl IntoIterator<Item = OrderLine>,
) {
    literal!(json, b"{\"bids\":[");
    write_orders(json, bids);
    literal!(json, b"],\"asks\":[");
    write_orders(json, asks);
    json.raw(b"]");
    head.write_without_prices(json);
}

pub(crate) fn write_orders<const N: bool>(
    json: &mut JsonWriter<'_, N>,
    orders: impl IntoIterator<Item = OrderLine>,
) {
    json.list(orders, |json, order| write_order(json, &order));
}

fn write_order<const N: bool>(json: &mut JsonWriter<'_, N>, order: &OrderLine) {
    members!(
        json,
        b"{\"price\":\"" => u64(order.price.0),
        b"\",\"size\":\"" => u128(order.size),
        b"\",\"queue\":\"" => u128(order.queue),
        b"\",\"oraclePriceOffset\":\"" => i64(order.oracle_price_offset),
        b"\",\"maker\":" => key(&order.maker),
        b",\"orderId\":" => u64(u64::from(order.order_id)),
        b",\"slot\":" => u64(order.slot.0),
        b",\"maxTs\":" => i64(order.max_ts.0),
        b",\"reduceOnly\":" => bool(order.reduce_only),
        b",\"postOnly\":" => bool(order.post_only),
        b",\"signedMsg\":" => bool(order.signed_msg),
        b"}",
    );
}
