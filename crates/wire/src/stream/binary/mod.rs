//! Frames as bytes, for readers that ask for `"encoding":"binary"`: the content of the JSON frames in a
//! tenth of their size. `docs/binary.md` describes them for every language.
//!
//! `encode` writes what a topic has read, `body` what /l2 and /l3 show; [`decode`] reads frames that nobody has checked,
//! [`market`] the messages of candles and trades, which the history writes.

pub(crate) mod body;
pub(super) mod bytes;
pub mod decode;
pub(super) mod encode;
mod error;
mod keys;
pub mod market;

use slotbook_book::MarketInfo;

use super::spec::{Channel, TopicSpec};
use crate::level::SizeScale;

/// The version of the format.
pub(super) const VERSION: u8 = 1;

/// The highest bit of the first byte tells a frame from JSON text, the version stands below it.
pub(super) const FIRST_BYTE: u8 = 0x80 | (VERSION << 4);

/// Of the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Snapshot = 0,
    Delta = 1,
    Heartbeat = 2,
    /// Of what has no stream: a body of /l2 or /l3, a message of candles or trades.
    Body = 3,
}

/// Of the byte of flags in a snapshot: frames carry when they were made.
pub(super) const FLAG_TIMING: u8 = 1;

/// What the head of a level says of the rest, in its lowest two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// Nothing follows: the level is gone.
    Gone = 0,
    /// The size in units follows; it is that of orders alone.
    Lots = 1,
    /// A byte that names the sources, and the exact size of each.
    Sourced = 2,
    /// The exact price, then as `Sourced`; without a source the level is gone.
    Exact = 3,
}

/// Bits of a [`RowKind`].
pub(super) const ROW_KIND_BITS: u32 = 2;

/// What is below this can be shifted by a kind and a sign, and is still a whole number to readers whose numbers are
/// doubles. More is written exactly.
pub(super) const UNITS_END: u64 = 1 << 48;

/// Units are at most this, so that a whole number of them is a number below 2^80.
pub(super) const UNIT_MAX: u64 = u32::MAX as u64;

/// Makers that an order can name by their place; the rest is written as a key once more. It bounds what
/// writing an order costs.
pub(super) const MAKERS_NAMED_MAX: usize = 64;

/// Bits of the flags of an order.
pub(super) const ORDER_REDUCE_ONLY: u8 = 1;
pub(super) const ORDER_POST_ONLY: u8 = 2;
pub(super) const ORDER_SIGNED_MSG: u8 = 4;
pub(super) const ORDER_EXACT_PRICE: u8 = 8;
pub(super) const ORDER_EXACT_SIZES: u8 = 16;
pub(super) const ORDER_HAS_OFFSET: u8 = 32;
pub(super) const ORDER_EXPIRES: u8 = 64;

/// What prices and sizes of a topic are mostly whole numbers of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Of prices, 1e6: the tick, or the grid of groups.
    pub price: u64,
    /// Of sizes, 1e9: the lot.
    pub size: u64,
}

impl Units {
    /// Those of a topic as its market is now.
    pub(super) fn of(info: &MarketInfo, spec: &TopicSpec) -> Self {
        match spec.channel {
            Channel::Book { grouping_ticks, .. } => Self::grouped(info, grouping_ticks),
            Channel::Bbo | Channel::L3 { .. } => Self::grouped(info, 1),
        }
    }

    /// Those of a market as it is now, in groups of so many ticks; 0 and 1 for none.
    pub(crate) fn grouped(info: &MarketInfo, grouping_ticks: u32) -> Self {
        let ticks = u64::from(grouping_ticks.max(1));
        let lot = SizeScale::from_decimals(info.decimals).to_wire(u128::from(info.step.0));
        Self {
            price: bounded(info.tick.0.saturating_mul(ticks)),
            size: bounded(u64::try_from(lot).unwrap_or(0)),
        }
    }
}

/// A unit that is none would say nothing: 1 is right for everything.
fn bounded(unit: u64) -> u64 {
    if (1..=UNIT_MAX).contains(&unit) { unit } else { 1 }
}
