//! The members of JSON frames that depend on the channel.

use slotbook_protocol::model::units::Price;

use super::diff::OrderChanges;
use super::rows::{Difference, Fresh};
use crate::l3::{OrderLine, write_orders};
use crate::level::SourcedLevel;
use crate::writer::JsonWriter;

/// Writes `"bids":[...],"asks":[...]` with every level.
pub(super) fn write_levels(json: &mut JsonWriter<'_>, sides: [&[SourcedLevel]; 2]) {
    for (name, side) in NAMES.into_iter().zip(sides) {
        json.raw(name);
        json.raw(b"[");
        json.list(side, |json, level| level.write_entry(json));
        json.raw(b"]");
    }
}

/// Writes `"bids":[...],"asks":[...]` with the changed levels.
pub(super) fn write_level_changes(json: &mut JsonWriter<'_>, fresh: &[Fresh<SourcedLevel>; 2]) {
    for (name, fresh) in NAMES.into_iter().zip(fresh) {
        json.raw(name);
        json.raw(b"[");
        json.list(fresh.differences(), |json, difference| match difference {
            Difference::Came(level) | Difference::Became(level) => level.write_entry(json),
            Difference::Went(level) => write_gone(json, level.price),
        });
        json.raw(b"]");
    }
}

/// Writes `"bid":[price,size],"ask":null`.
pub(super) fn write_best(json: &mut JsonWriter<'_>, best: [Option<&SourcedLevel>; 2]) {
    for (name, level) in [b"\"bid\":" as &[u8], b",\"ask\":"].into_iter().zip(best) {
        json.raw(name);
        let Some(level) = level else {
            json.raw(b"null");
            continue;
        };
        json.raw(b"[\"");
        json.u64(level.price.0);
        json.raw(b"\",\"");
        json.u128(level.size());
        json.raw(b"\"]");
    }
}

/// Writes `"bids":[...],"asks":[...]` with every order.
pub(super) fn write_all_orders(json: &mut JsonWriter<'_>, sides: [&[OrderLine]; 2]) {
    for (name, side) in NAMES.into_iter().zip(sides) {
        json.raw(name);
        json.raw(b"[");
        write_orders(json, side.iter().copied());
        json.raw(b"]");
    }
}

/// Writes `"bids":{...},"asks":{...}` with the changed orders.
pub(super) fn write_order_changes(json: &mut JsonWriter<'_>, sides: &[OrderChanges; 2]) {
    for (name, side) in NAMES.into_iter().zip(sides) {
        json.raw(name);
        json.raw(b"{\"add\":[");
        write_orders(json, side.came.iter().copied());
        json.raw(b"],\"change\":[");
        write_orders(json, side.became.iter().copied());
        json.raw(b"],\"remove\":[");
        json.list(&side.went, |json, OrderLine { maker, order_id, .. }| {
            json.raw(b"[");
            json.key(maker);
            json.raw(b",");
            json.u64(u64::from(*order_id));
            json.raw(b"]");
        });
        json.raw(b"]}");
    }
}

/// The names of the sides with their punctuation.
const NAMES: [&[u8]; 2] = [b"\"bids\":", b",\"asks\":"];

fn write_gone(json: &mut JsonWriter<'_>, price: Price) {
    json.raw(b"[\"");
    json.u64(price.0);
    json.raw(b"\",\"0\",{}]");
}
