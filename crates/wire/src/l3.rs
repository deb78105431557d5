//! The body of /l3: both sides by order.

use slotbook_protocol::units::{Price, Pubkey, Slot, UnixSeconds};

use crate::head::BodyHead;
use crate::writer::JsonWriter;

/// One resting order as /l3 shows it, sizes at 1e9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderLine {
    /// The price at which it would fill, 1e6.
    pub price: Price,
    /// What is left of it, 1e9.
    pub size: u128,
    /// The size of the orders ahead of it at its price, 1e9.
    pub queue: u128,
    /// The distance to the oracle, 1e6; 0 for an order with a fixed price.
    pub oracle_price_offset: i64,
    /// The user account that owns it.
    pub maker: Pubkey,
    /// The number of the order within its user account.
    pub order_id: u32,
    /// The slot it was placed at.
    pub slot: Slot,
    /// When it expires, in unix seconds; 0 for never.
    pub max_ts: UnixSeconds,
    /// Whether it can only reduce its owner's position.
    pub reduce_only: bool,
    /// Whether it never takes.
    pub post_only: bool,
    /// Whether it came as a signed message.
    pub signed_msg: bool,
}

/// Writes a whole /l3 body behind what `out` already holds. The orders come in book order.
pub fn write_l3<B, A>(out: &mut Vec<u8>, head: &BodyHead<'_>, bids: B, asks: A)
where
    B: IntoIterator<Item = OrderLine>,
    A: IntoIterator<Item = OrderLine>,
{
    let mut json = JsonWriter::new(out);
    json.raw(b"{\"bids\":[");
    write_orders(&mut json, bids);
    json.raw(b"],\"asks\":[");
    write_orders(&mut json, asks);
    json.raw(b"]");
    head.write_without_prices(&mut json);
}

pub(crate) fn write_orders(json: &mut JsonWriter<'_>, orders: impl IntoIterator<Item = OrderLine>) {
    let mut comma: &[u8] = b"";
    for order in orders {
        json.raw(comma);
        write_order(json, &order);
        comma = b",";
    }
}

fn write_order(json: &mut JsonWriter<'_>, order: &OrderLine) {
    json.raw(b"{\"price\":\"");
    json.u64(order.price.0);
    json.raw(b"\",\"size\":\"");
    json.u128(order.size);
    json.raw(b"\",\"queue\":\"");
    json.u128(order.queue);
    json.raw(b"\",\"oraclePriceOffset\":\"");
    json.i64(order.oracle_price_offset);
    json.raw(b"\",\"maker\":");
    json.key(&order.maker);
    json.raw(b",\"orderId\":");
    json.u64(u64::from(order.order_id));
    json.raw(b",\"slot\":");
    json.u64(order.slot.0);
    json.raw(b",\"maxTs\":");
    json.i64(order.max_ts.0);
    json.raw(b",\"reduceOnly\":");
    json.bool(order.reduce_only);
    json.raw(b",\"postOnly\":");
    json.bool(order.post_only);
    json.raw(b",\"signedMsg\":");
    json.bool(order.signed_msg);
    json.raw(b"}");
}
