//! The members of frames that depend on what a topic shows.

use slotbook_book::Side;
use slotbook_protocol::units::Price;

use super::diff::{Difference, OrderChanges, each_difference};
use crate::l3::{OrderLine, write_orders};
use crate::level::SourcedLevel;
use crate::writer::JsonWriter;

/// Both sides, bids first.
pub(super) type Sides<R> = [Vec<R>; 2];

/// Writes `"bids":[...],"asks":[...]` with every level.
pub(super) fn write_levels(json: &mut JsonWriter<'_>, sides: &Sides<SourcedLevel>) {
    for (name, side) in NAMES.into_iter().zip(sides) {
        json.raw(name);
        let mut comma: &[u8] = b"[";
        for level in side {
            json.raw(comma);
            level.write_entry(json);
            comma = b",";
        }
        json.raw(if side.is_empty() { b"[]" } else { b"]" });
    }
}

/// Writes `"bids":[...],"asks":[...]` with the levels that are not as they were. Answers how many
/// these are.
pub(super) fn write_level_changes(
    json: &mut JsonWriter<'_>,
    old: &Sides<SourcedLevel>,
    new: &Sides<SourcedLevel>,
) -> usize {
    let mut count = 0;
    for ((name, side), (old, new)) in NAMES.into_iter().zip(Side::BOTH).zip(old.iter().zip(new)) {
        json.raw(name);
        json.raw(b"[");
        let mut comma: &[u8] = b"";
        each_difference(side, old, new, |difference| {
            json.raw(comma);
            match difference {
                Difference::Came(level) | Difference::Became(level) => level.write_entry(json),
                Difference::Went(level) => write_gone(json, level.price),
            }
            comma = b",";
            count += 1;
        });
        json.raw(b"]");
    }
    count
}

/// Writes `"bid":[price,size],"ask":null`.
pub(super) fn write_best(json: &mut JsonWriter<'_>, sides: &Sides<SourcedLevel>) {
    for (name, side) in [b"\"bid\":" as &[u8], b",\"ask\":"].into_iter().zip(sides) {
        json.raw(name);
        match side.first() {
            Some(level) => {
                json.raw(b"[\"");
                json.u64(level.price.0);
                json.raw(b"\",\"");
                json.u128(level.size());
                json.raw(b"\"]");
            }
            None => json.raw(b"null"),
        }
    }
}

/// Writes `"bids":[...],"asks":[...]` with every order.
pub(super) fn write_all_orders(json: &mut JsonWriter<'_>, sides: &Sides<OrderLine>) {
    for (name, side) in NAMES.into_iter().zip(sides) {
        json.raw(name);
        json.raw(b"[");
        write_orders(json, side.iter().copied());
        json.raw(b"]");
    }
}

/// Writes `"bids":{...},"asks":{...}` with what happened to the orders.
pub(super) fn write_order_changes(json: &mut JsonWriter<'_>, sides: &[OrderChanges; 2]) {
    for (name, side) in NAMES.into_iter().zip(sides) {
        json.raw(name);
        json.raw(b"{\"add\":[");
        write_orders(json, side.came.iter().copied());
        json.raw(b"],\"change\":[");
        write_orders(json, side.became.iter().copied());
        json.raw(b"],\"remove\":[");
        let mut comma: &[u8] = b"[";
        for (maker, order_id) in &side.went {
            json.raw(comma);
            json.key(maker);
            json.raw(b",");
            json.u64(u64::from(*order_id));
            json.raw(b"]");
            comma = b",[";
        }
        json.raw(b"]}");
    }
}

/// The names of the sides with what stands before them.
const NAMES: [&[u8]; 2] = [b"\"bids\":", b",\"asks\":"];

fn write_gone(json: &mut JsonWriter<'_>, price: Price) {
    json.raw(b"[\"");
    json.u64(price.0);
    json.raw(b"\",\"0\",{}]");
}
