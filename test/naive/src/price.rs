//! The price formulas, written a second time, in `i128`.
//!
//! Nothing here is shared with the protocol room: the two are compared by the tests.

use crate::account::Order;
use crate::rules::MarketContext;
use crate::slots::UNIT_MS;

/// Highest price of a prediction market, at 1e6.
const PREDICTION_PRICE_MAX: i128 = 1_000_000;

/// Rounds a price to the tick: bids down, asks up; zero stays zero.
pub fn round_to_tick(price: i128, tick: i128, is_bid: bool) -> i128 {
    let over = price.rem_euclid(tick);
    match (over, is_bid) {
        (0, _) => price,
        (_, true) => price - over,
        (_, false) => price + tick - over,
    }
}

/// Price at which an oracle-offset order rests.
///
/// Source: programs/drift/src/state/user.rs get_limit_price: floor of one tick, prediction cap,
/// then the tick.
pub fn resting_offset_price(oracle: i128, order: &Order, tick: i128, is_prediction: bool) -> i128 {
    let raw = (oracle + i128::from(order.oracle_price_offset)).max(tick);
    let capped = if is_prediction { raw.min(PREDICTION_PRICE_MAX) } else { raw };
    round_to_tick(capped, tick, order.is_bid())
}

/// Price of the order's auction as the SDK calculates it: not rounded, floor 1 for oracle offsets.
///
/// Source: sdk/src/math/auction.ts getAuctionPrice.
pub fn auction_price_sdk(order: &Order, slot: u64, oracle: i128) -> i128 {
    let slots = i128::from(slot) - i128::from(order.slot);
    auction_price(order, slots * UNIT_MS, oracle)
}

fn auction_price(order: &Order, passed_ms: i128, oracle: i128) -> i128 {
    let start = i128::from(order.auction_start_price);
    let end = i128::from(order.auction_end_price);
    let duration = order.auction_ms();
    let elapsed = passed_ms.min(duration);
    let value = if duration == 0 {
        end
    } else if order.is_bid() {
        start + (end - start) * elapsed / duration
    } else {
        start - (start - end) * elapsed / duration
    };
    if order.auction_is_oracle_offset() { (oracle + value).max(1) } else { value }
}

/// Price at which the program fills an order so far into its auction; `None` where it fails:
/// prices below zero, and an auction of fixed prices that gets worse for its maker.
///
/// Source: programs/drift/src/math/auction.rs calculate_auction_price.
pub(crate) fn auction_price_program(
    order: &Order,
    passed_ms: i128,
    market: &MarketContext,
) -> Option<i128> {
    let (start, end) = (order.auction_start_price, order.auction_end_price);
    let price = if order.auction_is_oracle_offset() {
        let offset = auction_price(&Order { order_type: 0, ..*order }, passed_ms, 0);
        let price = (market.oracle? + offset).max(market.tick);
        if market.is_prediction { price.min(PREDICTION_PRICE_MAX) } else { price }
    } else {
        let worsens = if order.is_bid() { end < start } else { start < end };
        if start < 0 || end < 0 || worsens {
            return None;
        }
        auction_price(order, passed_ms, 0)
    };
    Some(round_to_tick(price, market.tick, order.is_bid()))
}

/// What a protected maker's price is moved by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct ProtectedParams {
    pub tick: i128,
    pub limit_price_divisor: i128,
    pub dynamic_offset: i128,
}

/// Price at which the SDK shows a protected maker's order.
///
/// Source: sdk/src/math/orders.ts applyProtectedMakerParams.
pub fn protected_price_sdk(price: i128, is_bid: bool, params: &ProtectedParams) -> i128 {
    let share = if params.limit_price_divisor > 0 {
        divide_by_float(price, 10_000, params.limit_price_divisor)
    } else {
        price / 1_000
    };
    protected_price(price, share, is_bid, params)
}

/// Price at which the program fills a protected maker's order, before the tick: its divisor is an
/// integer.
///
/// Source: programs/drift/src/math/orders.rs apply_protected_maker_limit_price_offset.
pub fn protected_price_program(price: i128, is_bid: bool, params: &ProtectedParams) -> i128 {
    let divisor =
        if params.limit_price_divisor > 0 { 10_000 / params.limit_price_divisor } else { 1_000 };
    protected_price(price, price / divisor.max(1), is_bid, params)
}

fn protected_price(price: i128, share: i128, is_bid: bool, params: &ProtectedParams) -> i128 {
    let offset = share.max(8 * params.tick).max(params.dynamic_offset).min(price / 20);
    if is_bid { (price - offset).max(params.tick) } else { price + offset }
}

/// `value / (over / under)` as the SDK's big integers do it when they are handed a floating-point
/// number: word by word of 26 bits, each quotient cut to an integer, the remainder carried as a
/// fraction.
///
/// Source: bn.js 5 BN.prototype.idivn. The one place of this crate that calculates in doubles.
#[allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the SDK calculates in doubles"
)]
fn divide_by_float(value: i128, over: i128, under: i128) -> i128 {
    const WORD_BITS: u32 = 26;
    let divisor = over as f64 / under as f64;
    let mut quotient = 0_i128;
    let mut carry = 0.0_f64;
    for word in (0..4).rev() {
        let digit = (value >> (word * WORD_BITS)) & ((1 << WORD_BITS) - 1);
        let dividend = digit as f64 + carry * f64::from(1_u32 << WORD_BITS);
        quotient = (quotient << WORD_BITS) + (dividend / divisor) as i128;
        carry = dividend % divisor;
    }
    quotient
}

/// The price at which an order rests; `None` when it needs an oracle and there is none to use.
pub(crate) fn shown_price(order: &Order, market: &MarketContext) -> Option<i128> {
    if order.oracle_price_offset == 0 {
        return Some(i128::from(order.price));
    }
    let oracle = market.oracle?;
    Some(resting_offset_price(oracle, order, market.tick, market.is_prediction))
}
