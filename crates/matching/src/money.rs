//! Conversions between base and quote, with the program's rounding.

use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::fill::quote_for_maker;
use slotbook_protocol::model::units::{BaseQty, Price, QuoteQty};

use crate::limits::TOKEN_DECIMALS_MAX;

/// Returns the base size 1 in base units, for a token with these decimals.
pub(crate) fn base_precision(decimals: u32) -> u128 {
    10_u128.pow(decimals.min(TOKEN_DECIMALS_MAX))
}

/// Returns the quote for `base` at a maker's price. `None` on overflow.
pub(crate) fn quote_of(
    price: Price,
    base: BaseQty,
    decimals: u32,
    taker: Direction,
) -> Option<QuoteQty> {
    quote_for_maker(base, price, decimals, taker.opposite()).ok()
}

/// Returns the largest base amount whose cost at `price` is at most `quote`, for either rounding.
pub(crate) fn base_for(quote: QuoteQty, price: Price, decimals: u32) -> BaseQty {
    let product = u128::from(quote.0).saturating_mul(base_precision(decimals));
    let base = product.checked_div(u128::from(price.0)).unwrap_or(u128::MAX);
    BaseQty(u64::try_from(base).unwrap_or(u64::MAX))
}

/// Returns the quote per base, 1e6, rounded against the taker. `None` for zero base, or on
/// overflow.
pub(crate) fn price_of(
    quote: QuoteQty,
    base: BaseQty,
    decimals: u32,
    taker: Direction,
) -> Option<Price> {
    let product = u128::from(quote.0).checked_mul(base_precision(decimals))?;
    let base = u128::from(base.0);
    let price = match taker {
        Direction::Long if base != 0 => product.div_ceil(base),
        _ => product.checked_div(base)?,
    };
    u64::try_from(price).ok().map(Price)
}
