//! Binary frames, for readers that request `"encoding":"binary"`: the content of JSON frames in a
//! tenth of their size. `docs/binary.md` specifies the format.
//!
//! `encode` writes the frames of topics, `body` the bodies of /l2 and /l3.

pub(crate) mod body;
pub(super) mod bytes;
pub(super) mod encode;
#[cfg(test)]
#[path = "../../../tests/streams/bytes.rs"]
mod reader;

use slotbook_book::MarketInfo;

use super::spec::{Channel, TopicSpec};
use crate::level::SizeScale;

/// The version of the format.
pub(super) const VERSION: u8 = 1;

/// The first byte: its highest bit distinguishes a frame from JSON text; the version follows.
pub(super) const FIRST_BYTE: u8 = 0x80 | (VERSION << 4);

/// The frame type, in the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Snapshot = 0,
    Delta = 1,
    Heartbeat = 2,
    /// A message without a stream: a body of /l2 or /l3, or a message of candles or trades.
    Body = 3,
}

/// Flag bit of a snapshot: the stream's frames contain the time of their creation.
pub(super) const FLAG_TIMING: u8 = 1;

/// The row format, in the lowest two bits of a level's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// The level is removed; no data follows.
    Gone = 0,
    /// The size follows in units; orders are its only source.
    Lots = 1,
    /// A byte with the sources follows, then the exact size of each source.
    Sourced = 2,
    /// The exact price follows, then the same as for `Sourced`; a level without sources is removed.
    Exact = 3,
}

/// Bits of a [`RowKind`].
pub(super) const ROW_KIND_BITS: u32 = 2;

/// Values below this limit fit a double after the shift by row kind and sign; larger values are
/// written exactly.
pub(super) const UNITS_END: u64 = 1 << 48;

/// The largest unit, so that a whole number of units is below 2^80.
pub(super) const UNIT_MAX: u64 = u32::MAX as u64;

/// The number of recent makers that back-references can name; other makers are written as keys. It
/// limits the cost of writing an order.
pub(super) const MAKERS_NAMED_MAX: usize = 64;

/// Flag bits of an order.
pub(super) const ORDER_REDUCE_ONLY: u8 = 1;
pub(super) const ORDER_POST_ONLY: u8 = 2;
pub(super) const ORDER_SIGNED_MSG: u8 = 4;
pub(super) const ORDER_EXACT_PRICE: u8 = 8;
pub(super) const ORDER_EXACT_SIZES: u8 = 16;
pub(super) const ORDER_HAS_OFFSET: u8 = 32;
pub(super) const ORDER_EXPIRES: u8 = 64;

/// The units of a topic's prices and sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Units {
    /// Price unit, 1e6: the tick, or the group width.
    pub price: u64,
    /// Size unit, 1e9: the lot.
    pub size: u64,
}

impl Units {
    /// Returns the units of a topic, from its market's current account.
    pub(super) fn of(info: &MarketInfo, spec: &TopicSpec) -> Self {
        match spec.channel {
            Channel::Book { grouping_ticks, .. } => Self::grouped(info, grouping_ticks),
            Channel::Bbo | Channel::L3 { .. } => Self::grouped(info, 1),
        }
    }

    /// Returns the units of a market with price groups; 0 and 1 ticks mean no groups.
    pub(crate) fn grouped(info: &MarketInfo, grouping_ticks: u32) -> Self {
        let ticks = u64::from(grouping_ticks.max(1));
        let lot = SizeScale::from_decimals(info.decimals).to_wire(u128::from(info.step.0));
        Self {
            price: bounded(info.tick.0.saturating_mul(ticks)),
            size: bounded(u64::try_from(lot).unwrap_or(0)),
        }
    }
}

/// Returns 1, which every value is a multiple of, for an invalid unit.
fn bounded(unit: u64) -> u64 {
    if (1..=UNIT_MAX).contains(&unit) { unit } else { 1 }
}
