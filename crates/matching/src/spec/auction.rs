//! Selects and sorts the offers that fill in the auction.

use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::price::standardize_price;
use slotbook_protocol::model::units::Price;

use crate::limits::JIT_OFFERS_MAX;
use crate::liquidity::JitOffer;
use crate::taker::Taker;
use crate::tally::Tally;
use crate::terms::is_worse;

/// Returns the offers that fill in the taker's auction now, best first, and equal prices in order
/// of arrival. Prices are rounded to the tick, as in the program.
///
/// An offer must not be worse than the auction's price at this slot and than the taker's limit. For
/// an order without auction data, only the limit applies. An order whose auction is over, or has
/// duration 0, takes no offers.
///
/// An indicative quote was not made for this taker. Its price must therefore not be worse than
/// `best`, the best price outside of the auction, so that it never worsens the taker's average
/// price.
pub(super) fn offers(
    taker: &Taker,
    jit: &[JitOffer],
    best: Option<Price>,
    tally: &Tally,
) -> Vec<JitOffer> {
    let bound = match taker.auction {
        None => None,
        Some(auction) => match auction.price(taker.direction, &tally.market) {
            Some(price) => Some(price),
            None => return Vec::new(),
        },
    };
    let accepts = |price: Price| {
        let bound_holds = bound.is_none_or(|bound| !is_worse(tally.direction, price, bound));
        bound_holds && tally.accepts(price)
    };
    let competes = |price| best.is_none_or(|best| !is_worse(tally.direction, price, best));
    let maker = taker.direction.opposite();
    let on_tick = |offer: &JitOffer| JitOffer {
        price: standardize_price(offer.price, tally.market.tick, maker),
        ..*offer
    };
    let mut offers: Vec<JitOffer> = jit
        .iter()
        .take(JIT_OFFERS_MAX)
        .filter(|offer| taker.key.is_none() || offer.maker != taker.key)
        .map(on_tick)
        .filter(|offer| offer.price.0 > 0 && offer.size.0 > 0 && accepts(offer.price))
        .filter(|offer| !offer.is_quote || competes(offer.price))
        .collect();
    offers.sort_by(|a, b| match taker.direction {
        Direction::Long => a.price.cmp(&b.price),
        Direction::Short => b.price.cmp(&a.price),
    });
    offers
}
