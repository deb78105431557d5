//! The validity of an oracle's price, and the rule when the market makers' oracle replaces it.

use super::OracleReading;
use crate::layout::integers;
use crate::model::enums::OracleSource;
use crate::model::tables::Tables;
use crate::model::units::{OraclePrice, Slot};

/// The part 1 in the unit of confidence and divergence limits: 1e6. Source:
/// programs/drift/src/math/constants.rs `BID_ASK_SPREAD_PRECISION`, `PERCENTAGE_PRECISION`.
const PERCENTAGE_PRECISION: u128 = 1_000_000;

integers!(
    /// The limits within which an oracle's price is valid.
    /// Source: programs/drift/src/state/state.rs `OracleGuardRails`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    OracleGuardRails of T::STATE => {
        /// Maximum distance between the mark price and the oracle price, in parts of 1e6.
        mark_oracle_percent_divergence: u64 "markOraclePercentDivergence";
        /// Maximum distance between the oracle price and its five-minute average, in parts of 1e6.
        oracle_twap_5min_percent_divergence: u64 "oracleTwap5minPercentDivergence";
        /// Age in slots of 400 ms above which a price is stale for the AMM.
        slots_before_stale_for_amm: i64 "slotsBeforeStaleForAmm";
        /// Age in slots of 400 ms above which a price is stale for margin.
        slots_before_stale_for_margin: i64 "slotsBeforeStaleForMargin";
        /// Maximum confidence interval, in parts of 1e6 of the price.
        confidence_interval_max_size: u64 "confidenceIntervalMaxSize";
        /// Maximum ratio between the price and its average, in either direction.
        too_volatile_ratio: i64 "tooVolatileRatio";
    }
);

impl Default for OracleGuardRails {
    /// Returns the program's initial limits. Source: programs/drift/src/state/state.rs `Default`.
    fn default() -> Self {
        Self {
            mark_oracle_percent_divergence: 100_000,
            oracle_twap_5min_percent_divergence: 500_000,
            slots_before_stale_for_amm: 10,
            slots_before_stale_for_margin: 120,
            confidence_interval_max_size: 20_000,
            too_volatile_ratio: 5,
        }
    }
}

/// The validity of a price, in ascending order: the worst first. Source:
/// programs/drift/src/math/oracle.rs `OracleValidity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OracleValidity {
    /// Zero or negative.
    NonPositive,
    /// The ratio between the price and its average is too large.
    TooVolatile,
    /// The confidence is too wide.
    TooUncertain,
    /// Too old for margin.
    StaleForMargin,
    /// Too few publishers.
    InsufficientDataPoints,
    /// Too old for the AMM.
    StaleForAmm,
    /// Good for everything.
    Valid,
}

impl OracleValidity {
    /// The name in interfaces, camelCase.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NonPositive => "nonPositive",
            Self::TooVolatile => "tooVolatile",
            Self::TooUncertain => "tooUncertain",
            Self::StaleForMargin => "staleForMargin",
            Self::InsufficientDataPoints => "insufficientDataPoints",
            Self::StaleForAmm => "staleForAmm",
            Self::Valid => "valid",
        }
    }
}

/// How good a price is that is so old, in units of 400 ms. `confidence_multiplier` is that of the
/// market's tier; where the program's numbers overflow, the worse answer is given.
///
/// Source: programs/drift/src/math/oracle.rs `oracle_validity`.
#[must_use]
pub fn validity(
    reading: &OracleReading,
    guard_rails: &OracleGuardRails,
    last_oracle_twap: OraclePrice,
    confidence_multiplier: u64,
    age: u64,
    source: OracleSource,
) -> OracleValidity {
    let age = i64::try_from(age).unwrap_or(i64::MAX);
    if reading.price.0 <= 0 {
        OracleValidity::NonPositive
    } else if is_too_volatile(reading.price, last_oracle_twap, guard_rails) {
        OracleValidity::TooVolatile
    } else if is_too_uncertain(reading, guard_rails, confidence_multiplier) {
        OracleValidity::TooUncertain
    } else if age > stale_for_margin_after(guard_rails, source) {
        OracleValidity::StaleForMargin
    } else if !reading.has_sufficient_data {
        OracleValidity::InsufficientDataPoints
    } else if age > guard_rails.slots_before_stale_for_amm {
        OracleValidity::StaleForAmm
    } else {
        OracleValidity::Valid
    }
}

fn is_too_volatile(price: OraclePrice, twap: OraclePrice, guard_rails: &OracleGuardRails) -> bool {
    let (higher, lower) = (price.0.max(twap.0), price.0.min(twap.0).max(1));
    higher / lower > guard_rails.too_volatile_ratio
}

fn is_too_uncertain(
    reading: &OracleReading,
    guard_rails: &OracleGuardRails,
    confidence_multiplier: u64,
) -> bool {
    let price = u128::from(reading.price.0.unsigned_abs()).max(1);
    let parts = u128::from(reading.confidence.max(1)) * PERCENTAGE_PRECISION;
    let limit = u128::from(guard_rails.confidence_interval_max_size);
    // The program divides by the price, rounded down.
    parts >= (limit * u128::from(confidence_multiplier) + 1).saturating_mul(price)
}

/// Prices of stable coins move little and may be three times as old.
fn stale_for_margin_after(guard_rails: &OracleGuardRails, source: OracleSource) -> i64 {
    let slots = guard_rails.slots_before_stale_for_margin;
    match source {
        OracleSource::PythStableCoin
        | OracleSource::PythStableCoinPull
        | OracleSource::PythLazerStableCoin => slots.saturating_mul(3),
        _ => slots,
    }
}

/// Returns whether orders with an oracle offset may be priced. Source:
/// programs/drift/src/math/oracle.rs `is_oracle_valid_for_action`, `OracleOrderPrice`.
#[must_use]
pub const fn usable_for_offset_orders(validity: OracleValidity) -> bool {
    matches!(
        validity,
        OracleValidity::Valid
            | OracleValidity::StaleForAmm
            | OracleValidity::InsufficientDataPoints
    )
}

/// The market makers' oracle in the perp market's account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MmOracle {
    /// The price, 1e6; 0 when the market has none.
    pub price: OraclePrice,
    /// The slot in which the price was set; 0 when it never was.
    pub slot: Slot,
    /// Microseconds; 0 when unknown.
    pub sequence_id: u64,
}

impl MmOracle {
    const fn is_set(&self) -> bool {
        self.slot.0 != 0 && self.price.0 > 0
    }

    fn is_near(&self, exchange: &OracleReading) -> bool {
        let difference = u128::from(self.price.0.abs_diff(exchange.price.0));
        let exchange_price = u128::from(exchange.price.0.unsigned_abs()).max(1);
        difference * PERCENTAGE_PRECISION / exchange_price <= MM_DIVERGENCE_MAX
    }
}

/// Farthest that the market makers' price may be from the exchange's: 1 %, in parts of 1e6.
const MM_DIVERGENCE_MAX: u128 = PERCENTAGE_PRECISION / 100;

/// Sequence ids are comparable when they differ by less than this part: 0.01 %.
const SEQUENCE_ID_PARTS: u64 = 10_000;

/// Returns the reading that prices a perp's orders. The market makers' reading is used when it is
/// set, as recent as the exchange's, positive, not too volatile, and within 1 % of the exchange's;
/// otherwise the exchange's reading is used. The confidence of the market makers' reading is the
/// sum of the exchange's confidence and the difference of the prices. `exchange_published` is the
/// result of `Program::published` for the exchange's reading. Old accounts hold other data in the
/// place of the price, so slot 0 means that there is no price.
///
/// Source: programs/drift/src/state/perp_market.rs `get_mm_oracle_price_data`;
/// programs/drift/src/state/oracle.rs `MMOraclePriceData`.
#[must_use]
pub fn mm_oracle_reading(
    exchange: &OracleReading,
    mm: &MmOracle,
    guard_rails: &OracleGuardRails,
    last_oracle_twap: OraclePrice,
    exchange_published: Slot,
) -> OracleReading {
    let is_usable = mm.is_set() && is_as_recent(exchange, mm, exchange_published);
    let is_volatile = is_too_volatile(mm.price, last_oracle_twap, guard_rails);
    if !is_usable || !mm.is_near(exchange) || is_volatile {
        return *exchange;
    }
    OracleReading {
        price: mm.price,
        confidence: exchange.confidence.saturating_add(mm.price.0.abs_diff(exchange.price.0)),
        slot: mm.slot,
        sequence_id: None,
        has_sufficient_data: true,
        average: None,
    }
}

/// Whether the market makers' price is set, as recent as the exchange's, and too far from it to be used.
/// Source: programs/drift/src/state/oracle.rs `is_mm_exchange_diff_bps_high`.
#[must_use]
pub fn mm_oracle_diverges(
    exchange: &OracleReading,
    mm: &MmOracle,
    exchange_published: Slot,
) -> bool {
    mm.is_set() && is_as_recent(exchange, mm, exchange_published) && !mm.is_near(exchange)
}

/// By sequence id when both have one and they count alike, else by slot: the program compares
/// signed delays to the same slot.
fn is_as_recent(exchange: &OracleReading, mm: &MmOracle, exchange_published: Slot) -> bool {
    let exchange_id = exchange.sequence_id.unwrap_or(0);
    let both = exchange_id != 0 && mm.sequence_id != 0;
    if both && exchange_id.abs_diff(mm.sequence_id) < exchange_id / SEQUENCE_ID_PARTS {
        return mm.sequence_id >= exchange_id;
    }
    mm.slot >= exchange_published
}
