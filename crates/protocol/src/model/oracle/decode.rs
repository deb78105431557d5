//! Decodes the accounts of each oracle source.

use super::{OracleAverage, OracleReading};
use crate::bytes::{i32_at, i64_at, i128_at, u8_at, u32_at, u64_at};
use crate::layout::leaf;
use crate::model::account::AccountKind;
use crate::model::enums::OracleSource;
use crate::model::error::ProtocolError;
use crate::model::tables::{Tables, checked};
use crate::model::units::{OraclePrice, PRICE_PRECISION, Pubkey, Slot};

/// The reading of an account, or why there is none.
type Decoded = Result<OracleReading, ProtocolError>;

/// Owner of Pyth push feeds. Source: programs/drift/src/ids.rs `pyth_program`.
pub const PYTH_PROGRAM: Pubkey =
    Pubkey::from_base58("FsJ3A3u2vn5cTVofAjvy6y5kwABJAqYWpe4975bi2epH");

/// Owner of Pyth pull updates. Source: programs/drift/src/ids.rs `drift_oracle_receiver_program`.
pub const PYTH_RECEIVER_PROGRAM: Pubkey =
    Pubkey::from_base58("G6EoTTTgpkNBtVXo96EQp2m6uwwVh2Kt6YidjkmQqoha");

/// Owner of Switchboard v2 aggregators. Source: programs/drift/src/ids.rs `switchboard_program`.
pub const SWITCHBOARD_PROGRAM: Pubkey =
    Pubkey::from_base58("SW1TCH7qEPTdLsDHRgPuMQjbQxKdH2aBStViMFnt64f");

/// Owner of Switchboard on-demand feeds.
/// Source: programs/drift/src/ids.rs `switchboard_on_demand`.
pub const SWITCHBOARD_ON_DEMAND_PROGRAM: Pubkey =
    Pubkey::from_base58("SBondMDrcV3K4kxZR1HNVT7osZxAHVHgYXL5Ze1oMUv");

/// Returns the reading of the quote asset, which has no account: price 1, always fresh. Source:
/// programs/drift/src/state/oracle.rs `get_oracle_price`.
#[must_use]
pub const fn quote_asset_reading(slot: Slot) -> OracleReading {
    OracleReading {
        price: OraclePrice(PRICE_PRECISION.cast_signed()),
        confidence: 1,
        slot,
        sequence_id: None,
        has_sufficient_data: true,
        average: None,
    }
}

/// See `Program::oracle`. Source: programs/drift/src/state/oracle.rs `get_oracle_price`.
pub(crate) fn decode_oracle<T: Tables>(
    source: OracleSource,
    owner: &Pubkey,
    data: &[u8],
) -> Decoded {
    let is_old = matches!(
        source,
        OracleSource::PythPull
            | OracleSource::Pyth1KPull
            | OracleSource::Pyth1MPull
            | OracleSource::PythStableCoinPull
            | OracleSource::Switchboard
            | OracleSource::SwitchboardOnDemand
    );
    if is_old && !T::HAS_OLD_ORACLES {
        return Err(ProtocolError::InvalidEnum { field: "oracle_source", value: source as u8 });
    }
    decode_source::<T>(source, owner, data)
}

fn decode_source<T: Tables>(source: OracleSource, owner: &Pubkey, data: &[u8]) -> Decoded {
    match source {
        OracleSource::Pyth => pyth_push::<T>(owner, data, 1),
        OracleSource::Pyth1K => pyth_push::<T>(owner, data, 1_000),
        OracleSource::Pyth1M => pyth_push::<T>(owner, data, 1_000_000),
        OracleSource::PythStableCoin => pyth_push::<T>(owner, data, 1).map(held_at_one),
        OracleSource::PythPull => pyth_pull(owner, data, 1),
        OracleSource::Pyth1KPull => pyth_pull(owner, data, 1_000),
        OracleSource::Pyth1MPull => pyth_pull(owner, data, 1_000_000),
        OracleSource::PythStableCoinPull => pyth_pull(owner, data, 1).map(held_at_one),
        OracleSource::PythLazer => pyth_lazer::<T>(owner, data, 1),
        OracleSource::PythLazer1K => pyth_lazer::<T>(owner, data, 1_000),
        OracleSource::PythLazer1M => pyth_lazer::<T>(owner, data, 1_000_000),
        OracleSource::PythLazerStableCoin => pyth_lazer::<T>(owner, data, 1).map(held_at_one),
        OracleSource::Switchboard => switchboard(owner, data),
        OracleSource::SwitchboardOnDemand => switchboard_on_demand(owner, data),
        OracleSource::Prelaunch => prelaunch::<T>(owner, data),
        OracleSource::QuoteAsset => Err(ProtocolError::NoOracleAccount),
    }
}

fn check_owner(owner: &Pubkey, expected: &Pubkey) -> Result<(), ProtocolError> {
    if owner == expected { Ok(()) } else { Err(ProtocolError::WrongOwner { owner: *owner }) }
}

/// Other programs may extend their accounts, so only shorter accounts are rejected.
fn check_start(data: &[u8], start: &[u8], bytes_min: usize) -> Result<(), ProtocolError> {
    if data.len() < bytes_min {
        return Err(ProtocolError::WrongLength { expected: bytes_min, actual: data.len() });
    }
    if data.starts_with(start) {
        return Ok(());
    }
    let discriminator = *data.first_chunk().unwrap_or(&[0; 8]);
    Err(ProtocolError::WrongDiscriminator { discriminator })
}

fn check_word(
    data: &[u8],
    at: usize,
    field: &'static str,
    expected: u32,
) -> Result<(), ProtocolError> {
    let value = u8_at(data, at);
    if u32_at(data, at) == expected {
        Ok(())
    } else {
        Err(ProtocolError::InvalidEnum { field, value })
    }
}

/// A Pyth price before scaling: the number is `price * 10^exponent`.
struct PythPrice {
    price: i64,
    confidence: u64,
    exponent: i32,
    /// Units of the asset to which one price refers.
    multiple: u128,
}

/// Highest exponent of ten in 128 bits.
const EXPONENT_MAX: u32 = 38;

impl PythPrice {
    /// Returns price and confidence at 1e6, truncated toward zero. The exponent's sign is ignored.
    /// Source: programs/drift/src/state/oracle.rs `get_pyth_price`.
    fn scaled(&self) -> Result<(i64, u64), ProtocolError> {
        let scale = self.scale()?;
        let price = scale.signed(i128::from(self.price)).and_then(|price| price.try_into().ok());
        let confidence = scale
            .unsigned(u128::from(self.confidence))
            .and_then(|confidence| confidence.try_into().ok());
        Ok((
            price.ok_or(ProtocolError::OutOfRange { field: "price" })?,
            confidence.ok_or(ProtocolError::OutOfRange { field: "conf" })?,
        ))
    }

    /// Scales an average that is stored like the price; `None` when a value cannot be scaled.
    fn average(&self, price: i64, confidence: i64) -> Option<OracleAverage> {
        let scale = self.scale().ok()?;
        let scaled = |value: i64| scale.signed(i128::from(value))?.try_into().ok();
        Some(OracleAverage { price: scaled(price)?, confidence: scaled(confidence)? })
    }

    fn scale(&self) -> Result<Scale, ProtocolError> {
        let exponent = self.exponent.unsigned_abs();
        if exponent > EXPONENT_MAX {
            return Err(ProtocolError::OutOfRange { field: "exponent" });
        }
        let precision = 10u128.pow(exponent);
        if precision <= self.multiple {
            return Err(ProtocolError::OutOfRange { field: "exponent" });
        }
        Ok(Scale::of(precision / self.multiple))
    }
}

/// Returns the average for a feed without an average, the same as in the SDK.
const fn price_twice(price: i64) -> OracleAverage {
    OracleAverage { price, confidence: price }
}

/// The scale from a precision to 1e6: one of the two factors is 1.
#[derive(Clone, Copy)]
struct Scale {
    times: u128,
    divided_by: u128,
}

impl Scale {
    fn of(precision: u128) -> Self {
        let target = u128::from(PRICE_PRECISION);
        if precision > target {
            Self { times: 1, divided_by: precision / target }
        } else {
            Self { times: target / precision.max(1), divided_by: 1 }
        }
    }

    fn unsigned(self, value: u128) -> Option<u128> {
        let value = value.checked_mul(self.times)?;
        if self.divided_by == 1 { Some(value) } else { value.checked_div(self.divided_by) }
    }

    fn signed(self, value: i128) -> Option<i128> {
        let magnitude = self.unsigned(value.unsigned_abs())?;
        let magnitude = i128::try_from(magnitude).ok()?;
        Some(if value < 0 { -magnitude } else { magnitude })
    }
}

/// Maximum distance from 1 at which a stable coin's price counts as 1, 1e6.
const STABLE_COIN_BAND: u64 = 500;

/// Sets a stable coin's price to exactly 1 when its distance from 1 is within the confidence and
/// within [`STABLE_COIN_BAND`]. Source: programs/drift/src/state/oracle.rs
/// `get_pyth_stable_coin_price`.
fn held_at_one(mut reading: OracleReading) -> OracleReading {
    let one = PRICE_PRECISION.cast_signed();
    if reading.price.0.abs_diff(one) <= reading.confidence.min(STABLE_COIN_BAND) {
        reading.price = OraclePrice(one);
    }
    reading
}

/// Offsets in a Pyth push price account.
mod push {
    pub(super) const MAGIC: [u8; 4] = 0xa1b2_c3d4u32.to_le_bytes();
    pub(super) const BYTES_MIN: usize = 240;
    pub(super) const VERSION_AT: usize = 4;
    pub(super) const VERSION: u32 = 2;
    pub(super) const ACCOUNT_TYPE: usize = 8;
    pub(super) const ACCOUNT_TYPE_PRICE: u32 = 3;
    pub(super) const EXPONENT: usize = 20;
    pub(super) const NUM_COMPONENTS: usize = 24;
    pub(super) const NUM_QUOTERS: usize = 28;
    /// The SDK reads `lastSlot` at offset 32; the program reads `validSlot`.
    pub(super) const VALID_SLOT: usize = 40;
    pub(super) const AVERAGE: usize = 48;
    pub(super) const AVERAGE_CONFIDENCE: usize = 72;
    pub(super) const PRICE: usize = 208;
    pub(super) const CONFIDENCE: usize = 216;
    /// Number of publishers that always suffices, whatever the total number.
    pub(super) const PUBLISHERS_MIN: u32 = 3;
}

fn pyth_push<T: Tables>(owner: &Pubkey, data: &[u8], multiple: u128) -> Decoded {
    check_owner(owner, &PYTH_PROGRAM)?;
    check_start(data, &push::MAGIC, push::BYTES_MIN)?;
    if !T::HAS_OLD_ORACLES {
        check_word(data, push::VERSION_AT, "version", push::VERSION)?;
    }
    check_word(data, push::ACCOUNT_TYPE, "account_type", push::ACCOUNT_TYPE_PRICE)?;
    let exponent = i32_at(data, push::EXPONENT);
    let (price, confidence) = (i64_at(data, push::PRICE), u64_at(data, push::CONFIDENCE));
    let stored = PythPrice { price, confidence, exponent, multiple };
    let (price, confidence) = stored.scaled()?;
    let components = u32_at(data, push::NUM_COMPONENTS).min(push::PUBLISHERS_MIN);
    Ok(OracleReading {
        price: OraclePrice(price),
        confidence,
        slot: Slot(u64_at(data, push::VALID_SLOT)),
        sequence_id: None,
        has_sufficient_data: u32_at(data, push::NUM_QUOTERS) >= components,
        average: stored
            .average(i64_at(data, push::AVERAGE), i64_at(data, push::AVERAGE_CONFIDENCE)),
    })
}

/// Offsets in a Pyth pull update. The message starts after the verification level, whose length
/// depends on its variant.
mod pull {
    pub(super) const DISCRIMINATOR: [u8; 8] = 0x22f1_2363_9d7e_f4cdu64.to_be_bytes();
    pub(super) const LEVEL: usize = 40;
    pub(super) const LEVEL_PARTIAL: u8 = 0;
    pub(super) const LEVEL_FULL: u8 = 1;
    pub(super) const MESSAGE_PARTIAL: usize = 42;
    pub(super) const MESSAGE_FULL: usize = 41;
    pub(super) const MESSAGE_BYTES: usize = 92;
    pub(super) const PRICE: usize = 32;
    pub(super) const CONFIDENCE: usize = 40;
    pub(super) const EXPONENT: usize = 48;
    pub(super) const PUBLISH_TIME: usize = 52;
    pub(super) const POSTED_SLOT: usize = 84;
}

fn pyth_pull(owner: &Pubkey, data: &[u8], multiple: u128) -> Decoded {
    check_owner(owner, &PYTH_RECEIVER_PROGRAM)?;
    check_start(data, &pull::DISCRIMINATOR, pull::MESSAGE_FULL + pull::MESSAGE_BYTES)?;
    let start = match u8_at(data, pull::LEVEL) {
        pull::LEVEL_PARTIAL => pull::MESSAGE_PARTIAL,
        pull::LEVEL_FULL => pull::MESSAGE_FULL,
        value => return Err(ProtocolError::InvalidEnum { field: "verification_level", value }),
    };
    let expected = start + pull::MESSAGE_BYTES;
    let Some(message) = data.get(start..expected) else {
        return Err(ProtocolError::WrongLength { expected, actual: data.len() });
    };
    let exponent = i32_at(message, pull::EXPONENT);
    let (price, confidence) = (i64_at(message, pull::PRICE), u64_at(message, pull::CONFIDENCE));
    let (price, confidence) = PythPrice { price, confidence, exponent, multiple }.scaled()?;
    Ok(OracleReading {
        price: OraclePrice(price),
        confidence,
        slot: Slot(u64_at(message, pull::POSTED_SLOT)),
        sequence_id: u64::try_from(i64_at(message, pull::PUBLISH_TIME)).ok(),
        has_sufficient_data: true,
        average: Some(price_twice(price)),
    })
}

fn pyth_lazer<T: Tables>(owner: &Pubkey, data: &[u8], multiple: u128) -> Decoded {
    check_owner(owner, &T::ID)?;
    let data = checked::<T>(AccountKind::PythLazerOracle, data)?;
    let exponent = leaf!(T::PYTH_LAZER_ORACLE, data, i32 "exponent");
    let (price, confidence) = (
        leaf!(T::PYTH_LAZER_ORACLE, data, i64 "price"),
        leaf!(T::PYTH_LAZER_ORACLE, data, u64 "conf"),
    );
    let (price, confidence) = PythPrice { price, confidence, exponent, multiple }.scaled()?;
    Ok(OracleReading {
        price: OraclePrice(price),
        confidence,
        slot: Slot(leaf!(T::PYTH_LAZER_ORACLE, data, u64 "postedSlot")),
        sequence_id: Some(leaf!(T::PYTH_LAZER_ORACLE, data, u64 "publishTime")),
        has_sufficient_data: true,
        average: Some(price_twice(price)),
    })
}

/// The program's own price: it is at 1e6 already, and never stale.
/// Source: programs/drift/src/state/oracle.rs `get_prelaunch_price`.
fn prelaunch<T: Tables>(owner: &Pubkey, data: &[u8]) -> Decoded {
    check_owner(owner, &T::ID)?;
    let data = checked::<T>(AccountKind::PrelaunchOracle, data)?;
    Ok(OracleReading {
        price: OraclePrice(leaf!(T::PRELAUNCH_ORACLE, data, i64 "price")),
        confidence: leaf!(T::PRELAUNCH_ORACLE, data, u64 "confidence"),
        slot: Slot(leaf!(T::PRELAUNCH_ORACLE, data, u64 "ammLastUpdateSlot")),
        sequence_id: None,
        has_sufficient_data: true,
        average: None,
    })
}

/// Offsets in a Switchboard v2 aggregator.
mod aggregator {
    pub(super) const DISCRIMINATOR: [u8; 8] = 0xd9e6_4165_c9a2_1b7du64.to_be_bytes();
    pub(super) const BYTES_MIN: usize = 3851;
    pub(super) const MIN_ORACLE_RESULTS: usize = 236;
    pub(super) const NUM_SUCCESS: usize = 341;
    pub(super) const ROUND_OPEN_SLOT: usize = 350;
    pub(super) const RESULT: usize = 366;
    pub(super) const STD_DEVIATION: usize = 386;
    /// Bytes of a decimal's mantissa; the scale follows it.
    pub(super) const MANTISSA_BYTES: usize = 16;
    /// The confidence is at least the price divided by this number.
    pub(super) const CONFIDENCE_DIVISOR: u64 = 1_000;
}

/// Source: programs/drift/src/state/oracle.rs `get_switchboard_price`.
fn switchboard(owner: &Pubkey, data: &[u8]) -> Decoded {
    check_owner(owner, &SWITCHBOARD_PROGRAM)?;
    check_start(data, &aggregator::DISCRIMINATOR, aggregator::BYTES_MIN)?;
    let price = switchboard_decimal(data, aggregator::RESULT, "result")?;
    let deviation = switchboard_decimal(data, aggregator::STD_DEVIATION, "std_deviation")?;
    // A negative deviation is invalid; it must not result in a small confidence interval.
    let confidence = match u64::try_from(deviation) {
        Ok(deviation) => deviation.max(price.unsigned_abs() / aggregator::CONFIDENCE_DIVISOR),
        Err(_) => u64::MAX,
    };
    let successes = u32_at(data, aggregator::NUM_SUCCESS);
    Ok(OracleReading {
        price: OraclePrice(price),
        confidence,
        slot: Slot(u64_at(data, aggregator::ROUND_OPEN_SLOT)),
        sequence_id: None,
        has_sufficient_data: successes >= u32_at(data, aggregator::MIN_ORACLE_RESULTS),
        average: None,
    })
}

/// Returns `mantissa / 10^scale` at 1e6. Source: programs/drift/src/state/oracle.rs
/// `convert_switchboard_decimal`.
fn switchboard_decimal(data: &[u8], at: usize, field: &'static str) -> Result<i64, ProtocolError> {
    let out_of_range = ProtocolError::OutOfRange { field };
    let mantissa = i128_at(data, at);
    let scale = u32_at(data, at + aggregator::MANTISSA_BYTES);
    let precision = 10u128.checked_pow(scale).ok_or(out_of_range)?;
    let value = Scale::of(precision).signed(mantissa).ok_or(out_of_range)?;
    i64::try_from(value).map_err(|_| out_of_range)
}

/// Offsets in a Switchboard on-demand feed.
mod on_demand {
    pub(super) const DISCRIMINATOR: [u8; 8] = 0xc41b_6cc4_0ad7_db28u64.to_be_bytes();
    pub(super) const BYTES_MIN: usize = 3208;
    pub(super) const SUBMISSIONS: usize = 8;
    pub(super) const SUBMISSION_COUNT: usize = 32;
    pub(super) const SUBMISSION_BYTES: usize = 64;
    pub(super) const LANDED_AT: usize = 40;
    pub(super) const VALUE: usize = 48;
    pub(super) const RANGE: usize = 2312;
    /// Values are at 1e18.
    pub(super) const TO_PRICE_PRECISION: i128 = 1_000_000_000_000;
}

/// The mean of the submissions that landed last. The SDK takes the median that the account holds.
/// Source: programs/drift/src/state/oracle.rs `get_sb_on_demand_price`.
fn switchboard_on_demand(owner: &Pubkey, data: &[u8]) -> Decoded {
    check_owner(owner, &SWITCHBOARD_ON_DEMAND_PROGRAM)?;
    check_start(data, &on_demand::DISCRIMINATOR, on_demand::BYTES_MIN)?;
    let submissions = (0..on_demand::SUBMISSION_COUNT).map(|index| {
        let at = on_demand::SUBMISSIONS + index * on_demand::SUBMISSION_BYTES;
        (u64_at(data, at + on_demand::LANDED_AT), i128_at(data, at + on_demand::VALUE))
    });
    let newest = submissions.clone().map(|(landed_at, _)| landed_at).max().unwrap_or(0);
    let (mut sum, mut count) = (0i128, 0i128);
    for (_, value) in submissions.filter(|(landed_at, _)| *landed_at == newest) {
        sum = sum.checked_add(value).ok_or(ProtocolError::OutOfRange { field: "value" })?;
        count += 1;
    }
    let price = sum / count.max(1) / on_demand::TO_PRICE_PRECISION;
    let range = i128_at(data, on_demand::RANGE) / on_demand::TO_PRICE_PRECISION;
    let price = i64::try_from(price).map_err(|_| ProtocolError::OutOfRange { field: "value" })?;
    let confidence =
        u64::try_from(range).map_err(|_| ProtocolError::OutOfRange { field: "range" })?;
    Ok(OracleReading {
        price: OraclePrice(price),
        confidence,
        slot: Slot(newest),
        sequence_id: None,
        has_sufficient_data: true,
        average: None,
    })
}
