//! The amounts of a fill between a taker and a maker.

use crate::divide::{div_ceil, div_floor};
use crate::model::enums::Direction;
use crate::model::error::ProtocolError;
use crate::model::units::{BaseQty, Price, QuoteQty};

/// Maximum decimals of a base asset for which 10 to this power fits in a `u128`.
const DECIMALS_MAX: u32 = 38;

/// Returns the quote amount of `base` at the maker's price, rounded in the maker's favour: down
/// when the maker buys, up when the maker sells. `decimals` are the decimals of the base asset: 9
/// for perps.
///
/// # Errors
/// [`ProtocolError::OutOfRange`] for more than 38 decimals, or for a quote amount above 64 bits.
///
/// Source: programs/drift/src/math/orders.rs `calculate_quote_asset_amount_for_maker_order`.
#[inline]
pub fn quote_for_maker(
    base: BaseQty,
    price: Price,
    decimals: u32,
    maker: Direction,
) -> Result<QuoteQty, ProtocolError> {
    if decimals > DECIMALS_MAX {
        return Err(ProtocolError::OutOfRange { field: "decimals" });
    }
    let product = u128::from(base.0) * u128::from(price.0);
    let precision = 10_u128.pow(decimals);
    let quote = match maker {
        Direction::Long => div_floor(product, precision),
        Direction::Short => div_ceil(product, precision),
    };
    u64::try_from(quote)
        .map(QuoteQty)
        .map_err(|_| ProtocolError::OutOfRange { field: "quote_asset_amount" })
}

/// Returns the base and quote amounts of a match: the smaller of the two sizes at the maker's
/// price.
///
/// # Errors
/// The same errors as [`quote_for_maker`].
///
/// Source: programs/drift/src/math/matching.rs `calculate_fill_for_matched_orders`.
#[inline]
pub fn match_fill(
    maker_base: BaseQty,
    taker_base: BaseQty,
    price: Price,
    decimals: u32,
    maker: Direction,
) -> Result<(BaseQty, QuoteQty), ProtocolError> {
    let base = maker_base.min(taker_base);
    Ok((base, quote_for_maker(base, price, decimals, maker)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_beyond_all_numbers_is_an_error() {
        let all = (BaseQty(u64::MAX), Price(u64::MAX));
        assert!(quote_for_maker(all.0, all.1, 9, Direction::Short).is_err());
        assert!(quote_for_maker(all.0, all.1, 39, Direction::Short).is_err());
        assert!(quote_for_maker(all.0, all.1, 38, Direction::Short).is_ok());
    }
}
