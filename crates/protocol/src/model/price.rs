//! Rounding to tick and step, and the price of an order as the program computes it.

use core::fmt;

use crate::model::clock::SlotClock;
use crate::model::enums::Direction;
use crate::model::order::Order;
use crate::model::units::{BaseQty, OraclePrice, PREDICTION_PRICE_MAX, Price, PriceOffset};

/// The reason why an order has no price at a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceError {
    /// The price is relative to an oracle, and no oracle price is usable.
    OracleNotFound,
    /// The program cannot compute the price: a fixed-price auction that gets worse, a slot below
    /// the order's slot, or an overflow.
    MathError,
}

impl fmt::Display for PriceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::OracleNotFound => "oracle price was absent, but the order is priced by it",
            Self::MathError => "price calculation had no result",
        })
    }
}

impl core::error::Error for PriceError {}

/// The parameters that make a protected maker's price worse for the taker. Source:
/// programs/drift/src/state/protected_maker_mode_config.rs `ProtectedMakerParams`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtectedMakerParams {
    /// Divisor of the price in units of 1e-4; 0 for the default, which is 1/1000 of the price.
    pub limit_price_divisor: u8,
    /// Minimum offset that the market's deviation requires, 1e6.
    pub dynamic_offset: u64,
    /// The market's tick, 1e6.
    pub tick_size: Price,
}

/// Rounds a price to the tick: down for a bid (long), up for an ask (short). A tick of 0 rounds
/// nothing. Saturates on overflow. Source: programs/drift/src/math/orders.rs `standardize_price`.
#[must_use]
#[inline]
pub const fn standardize_price(price: Price, tick: Price, direction: Direction) -> Price {
    if tick.0 == 0 {
        return price;
    }
    standardize_beyond(price, price.0 % tick.0, tick, direction)
}

/// Rounds like [`standardize_price`], given the remainder of the price by the tick, for a caller
/// that has a faster division.
#[inline]
pub(crate) const fn standardize_beyond(
    price: Price,
    beyond: u64,
    tick: Price,
    direction: Direction,
) -> Price {
    match direction {
        _ if beyond == 0 => price,
        Direction::Long => Price(price.0 - beyond),
        Direction::Short => Price(price.0.saturating_add(tick.0 - beyond)),
    }
}

/// Rounds a size down to the step. A step of 0 rounds nothing. Source:
/// programs/drift/src/math/orders.rs `standardize_base_asset_amount`.
#[must_use]
#[inline]
pub const fn standardize_base(base: BaseQty, step: BaseQty) -> BaseQty {
    if step.0 == 0 { base } else { BaseQty(base.0 - base.0 % step.0) }
}

/// Returns the price at which a resting oracle-offset order fills: on the tick, at least one tick,
/// and in a prediction market at most 1. Source: programs/drift/src/state/user.rs
/// `get_limit_price`.
#[must_use]
#[inline]
pub fn resting_offset_price(
    oracle: OraclePrice,
    offset: PriceOffset,
    tick: Price,
    direction: Direction,
    is_prediction: bool,
) -> Price {
    let price = capped_offset_price(oracle, offset.0, tick, is_prediction);
    standardize_price(price, tick, direction)
}

/// Returns `max(oracle + offset, tick)`, in a prediction market at most 1e6; not rounded to the
/// tick yet.
#[inline]
fn capped_offset_price(
    oracle: OraclePrice,
    offset: i64,
    floor: Price,
    is_prediction: bool,
) -> Price {
    let price = oracle.0.saturating_add(offset).max(to_i64(floor.0));
    let price = Price(u64::try_from(price).unwrap_or(0));
    if is_prediction { price.min(Price(PREDICTION_PRICE_MAX)) } else { price }
}

/// Returns the auction price at a slot, as the program computes it: on the tick, and for offset
/// auctions at least one tick.
///
/// # Errors
/// [`PriceError::MathError`] for a slot below the order's slot, for a fixed-price auction that gets
/// worse for the taker's counterparty (long downwards, short upwards), and for negative fixed
/// prices; [`PriceError::OracleNotFound`] for an offset auction without an oracle price.
///
/// Source: programs/drift/src/math/auction.rs `calculate_auction_price`.
pub fn auction_price_program(
    order: &Order,
    clock: &SlotClock,
    tick: Price,
    oracle: Option<OraclePrice>,
    is_prediction: bool,
) -> Result<Price, PriceError> {
    if clock.slot < order.slot {
        return Err(PriceError::MathError);
    }
    let price = if order.has_offset_auction() {
        let oracle = oracle.ok_or(PriceError::OracleNotFound)?;
        let offset = auction_value(order, clock)?;
        let price = i128::from(oracle.0).checked_add(offset).ok_or(PriceError::MathError)?;
        let price = i64::try_from(price).map_err(|_| PriceError::MathError)?;
        capped_offset_price(OraclePrice(price), 0, tick, is_prediction)
    } else {
        fixed_auction_price(order, clock)?
    };
    Ok(standardize_price(price, tick, order.direction))
}

/// Returns the price of a fixed-price auction: neither price may be negative, and the auction must
/// not get worse.
fn fixed_auction_price(order: &Order, clock: &SlotClock) -> Result<Price, PriceError> {
    let start = u64::try_from(order.auction_start_price).map_err(|_| PriceError::MathError)?;
    let end = u64::try_from(order.auction_end_price).map_err(|_| PriceError::MathError)?;
    let worsens = match order.direction {
        Direction::Long => end < start,
        Direction::Short => start < end,
    };
    if worsens && order.auction_duration != 0 {
        return Err(PriceError::MathError);
    }
    let price = auction_value(order, clock)?;
    u64::try_from(price).map(Price).map_err(|_| PriceError::MathError)
}

/// Returns the auction's price at a slot: linear between start and end, rounded toward the start.
fn auction_value(order: &Order, clock: &SlotClock) -> Result<i128, PriceError> {
    let (start, end) = (i128::from(order.auction_start_price), i128::from(order.auction_end_price));
    let duration = order.auction_ms();
    if duration == 0 {
        return Ok(end);
    }
    let passed = i128::from(clock.ms_since(order.slot).min(duration));
    let duration = i128::from(duration);
    let moved = |distance: i128| distance.checked_mul(passed).map(|product| product / duration);
    let value = match order.direction {
        Direction::Long => moved(end - start).and_then(|moved| start.checked_add(moved)),
        Direction::Short => moved(start - end).and_then(|moved| start.checked_sub(moved)),
    };
    value.ok_or(PriceError::MathError)
}

/// Returns the limit price at a slot, as the program computes it; `None` when the order has none.
///
/// # Errors
/// The errors of [`auction_price_program`]; [`PriceError::OracleNotFound`] for an oracle offset
/// without an oracle price.
///
/// Source: programs/drift/src/state/user.rs `get_limit_price`.
pub fn limit_price_program(
    order: &Order,
    clock: &SlotClock,
    tick: Price,
    oracle: Option<OraclePrice>,
    fallback: Option<Price>,
    is_prediction: bool,
    protected: Option<ProtectedMakerParams>,
) -> Result<Option<Price>, PriceError> {
    if has_auction_price_checked(order, clock)? {
        return auction_price_program(order, clock, tick, oracle, is_prediction).map(Some);
    }
    if order.oracle_price_offset.0 != 0 {
        let oracle = oracle.ok_or(PriceError::OracleNotFound)?;
        let offset = order.oracle_price_offset.0;
        let mut price = capped_offset_price(oracle, offset, tick, is_prediction);
        if let Some(params) = protected {
            price = protect_program(price, order.direction, params);
        }
        return Ok(Some(standardize_price(price, tick, order.direction)));
    }
    if order.price.0 == 0 {
        return Ok(fallback.map(|price| standardize_price(price, tick, order.direction)));
    }
    Ok(Some(match protected {
        Some(params) => {
            let price = protect_program(order.price, order.direction, params);
            standardize_price(price, tick, order.direction)
        }
        None => order.price,
    }))
}

/// Returns the same as [`Order::has_auction_price`], but fails for a slot below the order's slot,
/// where the program's subtraction underflows.
fn has_auction_price_checked(order: &Order, clock: &SlotClock) -> Result<bool, PriceError> {
    if order.auction_duration != 0 && clock.slot < order.slot {
        return Err(PriceError::MathError);
    }
    Ok(order.has_auction_price(clock))
}

/// The divisor 1 in the unit of a protected maker's divisor.
const DIVISOR_PRECISION: u64 = 10_000;

/// Divisor of the price for a protected maker's offset when the market sets no divisor.
const DEFAULT_DIVISOR: u64 = 1_000;

/// Minimum offset of a protected maker, in ticks.
const OFFSET_TICKS_MIN: u64 = 8;

/// Divisor of the price for the maximum offset of a protected maker: a twentieth.
const OFFSET_MAX_DIVISOR: u64 = 20;

/// Returns a protected maker's price by the program's integer divisor; not rounded to the tick yet.
/// Source: programs/drift/src/math/orders.rs `apply_protected_maker_limit_price_offset`.
fn protect_program(price: Price, direction: Direction, params: ProtectedMakerParams) -> Price {
    let divisor = match params.limit_price_divisor {
        0 => DEFAULT_DIVISOR,
        divisor => DIVISOR_PRECISION / u64::from(divisor),
    };
    protect(price, direction, params, price.0 / divisor)
}

/// Moves a price away from the taker by the offset `part`, limited to the minimum and maximum
/// offset.
fn protect(price: Price, direction: Direction, params: ProtectedMakerParams, part: u64) -> Price {
    let offset = part
        .max(params.tick_size.0.saturating_mul(OFFSET_TICKS_MIN))
        .max(params.dynamic_offset)
        .min(price.0 / OFFSET_MAX_DIVISOR);
    match direction {
        Direction::Long => Price(price.0.saturating_sub(offset).max(params.tick_size.0)),
        Direction::Short => Price(price.0.saturating_add(offset)),
    }
}

#[inline]
const fn to_i64(value: u64) -> i64 {
    if value > i64::MAX.cast_unsigned() { i64::MAX } else { value.cast_signed() }
}
