//! Which oracle reading prices the oracle-offset orders, and whether it may.
//!
//! Source: programs/drift/src/math/oracle.rs oracle_validity, state/oracle.rs MMOraclePriceData.

use crate::account::State;
use crate::slots::{Moment, UNIT_MS};

/// An oracle reading in plain integers: price and confidence at 1e6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) price: i128,
    pub(crate) confidence: i128,
    pub(crate) slot: u64,
    pub(crate) sequence: Option<u64>,
    pub(crate) enough_data: bool,
    /// Stable coin sources have three times the margin staleness limit.
    pub(crate) is_stable_coin: bool,
}

/// The MM oracle's fields of a perp market.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MmFields {
    pub(crate) price: i64,
    pub(crate) slot: u64,
    pub(crate) sequence: u64,
}

/// What the guard rails say about a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    NonPositive,
    TooVolatile,
    TooUncertain,
    StaleForMargin,
    InsufficientDataPoints,
    StaleForAmm,
    Valid,
}

impl Validity {
    /// Orders with an oracle offset need one of these three.
    pub(crate) fn is_usable(self) -> bool {
        matches!(self, Self::Valid | Self::StaleForAmm | Self::InsufficientDataPoints)
    }
}

/// What the guard rails compare a reading with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    pub(crate) rails: &'a State,
    pub(crate) last_twap: i64,
    pub(crate) confidence_multiple: i128,
    pub(crate) at: Moment,
}

/// Judges a reading; the first rule that applies wins.
pub(crate) fn validity(reading: &Reading, limits: &Limits<'_>) -> Validity {
    let price = reading.price;
    let twap = i128::from(limits.last_twap);
    let age = limits.at.since(reading.slot);
    let margin_slots = i128::from(limits.rails.stale_for_margin_slots)
        * if reading.is_stable_coin { 3 } else { 1 };
    if price <= 0 {
        Validity::NonPositive
    } else if price.max(twap) / price.min(twap).max(1) > i128::from(limits.rails.too_volatile_ratio)
    {
        Validity::TooVolatile
    } else if reading.confidence.max(1) * 1_000_000 / price
        > i128::from(limits.rails.confidence_max) * limits.confidence_multiple
    {
        Validity::TooUncertain
    } else if age > margin_slots * UNIT_MS {
        Validity::StaleForMargin
    } else if !reading.enough_data {
        Validity::InsufficientDataPoints
    } else if age > i128::from(limits.rails.stale_for_amm_slots) * UNIT_MS {
        Validity::StaleForAmm
    } else {
        Validity::Valid
    }
}

/// The reading that prices a perp market: the MM oracle where it may stand in for the exchange's.
pub(crate) fn mm_or_exchange(exchange: Reading, mm: MmFields, limits: &Limits<'_>) -> Reading {
    let candidate = Reading {
        price: i128::from(mm.price),
        slot: mm.slot,
        sequence: Some(mm.sequence),
        enough_data: true,
        ..exchange
    };
    let difference = (candidate.price - exchange.price).abs();
    let is_absent = mm.price == 0 || mm.slot == 0;
    let parts = difference * 1_000_000 / exchange.price.abs().max(1);
    let is_too_far = parts > 10_000;
    let is_invalid =
        matches!(validity(&candidate, limits), Validity::NonPositive | Validity::TooVolatile);
    if is_absent || is_too_far || is_invalid || exchange_is_newer(&exchange, mm) {
        exchange
    } else {
        Reading { confidence: exchange.confidence + difference, ..candidate }
    }
}

/// By sequence id when both have one and they are within 0.01 percent of each other, else by slot.
fn exchange_is_newer(exchange: &Reading, mm: MmFields) -> bool {
    if let Some(sequence) = exchange.sequence {
        let (theirs, ours) = (u128::from(sequence), u128::from(mm.sequence));
        if theirs != 0 && ours != 0 && theirs.abs_diff(ours) < theirs / 10_000 {
            return theirs > ours;
        }
    }
    exchange.slot > mm.slot
}
