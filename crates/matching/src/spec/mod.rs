//! Fills an order in the documented sequence: auction, resting orders, AMM, external venues.
//!
//! Each source is used when the previous source has no more liquidity within the taker's limit.
//! Only external levels interleave: a level that is strictly better than the next on-chain price
//! fills first.

mod auction;
mod venues;

use core::iter::Peekable;

use slotbook_protocol::model::enums::{Direction, MarketType};
use slotbook_protocol::model::units::{OraclePrice, Price};

use self::venues::Venues;
use crate::curve::{AmmOffer, Want};
use crate::fill::{FillSource, Origin, Reason};
use crate::liquidity::{JitOffer, Liquidity, Maker};
use crate::money::price_of;
use crate::taker::{OrderKind, Taker};
use crate::tally::{Amounts, Tally};
use crate::terms::best_of;

/// The resting orders, without the taker's own.
type Makers<'a> = Peekable<&'a mut dyn Iterator<Item = Maker>>;

/// Fills the taker from the sources in their order of priority.
pub(crate) fn walk(taker: &Taker, liquidity: Liquidity<'_>, tally: &mut Tally) {
    let is_perp = tally.market.market_type == MarketType::Perp;
    let amm = liquidity.amm.filter(|_| is_perp);
    if taker.post_only {
        refuse_crossing(amm, liquidity.oracle, tally);
        return;
    }
    let mut others = liquidity.makers.filter(|maker| taker.key != Some(maker.key));
    let others: &mut dyn Iterator<Item = Maker> = &mut others;
    let mut makers = others.peekable();
    let mut venues = Venues::new(if is_perp { &[] } else { liquidity.external });

    let bests = [
        makers.peek().map(|maker| maker.price),
        venues.best_price(),
        amm.and_then(|amm| amm.price()),
    ];
    let best = best_of(tally.direction, bests.into_iter().flatten());
    let offers = match crosses(bests, tally) || taker.kind == OrderKind::Market {
        true => auction::offers(taker, liquidity.jit, best, tally),
        false => Vec::new(),
    };
    let auction_best = offers.first().map(|offer| offer.price);
    tally.best = best_of(tally.direction, [best, auction_best].into_iter().flatten());

    let goes_on = fill_offers(&offers, &mut venues, tally)
        && fill_resting(&mut makers, &mut venues, tally)
        && fill_curve(amm, tally);
    if goes_on {
        venues.fill_rest(tally);
    }
}

/// Stops the walk of a post-only order that the AMM would fill immediately, because the program
/// rejects the order, unless the oracle price shows that the AMM's price is stale. Resting orders
/// do not matter. Source: programs/drift/src/validation/order.rs `validate_post_only_order`.
pub(crate) fn refuse_crossing(
    amm: Option<AmmOffer>,
    oracle: Option<OraclePrice>,
    tally: &mut Tally,
) {
    let Some(limit) = tally.limit else { return };
    let is_late = oracle.is_some_and(|oracle| match tally.direction {
        Direction::Long => i128::from(oracle.0) > i128::from(limit.0),
        Direction::Short => i128::from(oracle.0) < i128::from(limit.0),
    });
    let would_fill = amm.and_then(|amm| amm.swap(&want_of(tally))).is_some();
    if would_fill && !is_late {
        tally.stopped = Some(Reason::PostOnlyCrosses);
    }
}

/// Returns whether an order at the taker's limit crosses the spread, which means that a source
/// outside the auction has an acceptable price. An order that does not cross rests without an
/// auction.
fn crosses(bests: [Option<Price>; 3], tally: &Tally) -> bool {
    bests.into_iter().flatten().any(|best| tally.accepts(best))
}

/// Fills from the offers of the auction, best first. Returns false when the walk is over.
fn fill_offers(offers: &[JitOffer], venues: &mut Venues<'_>, tally: &mut Tally) -> bool {
    offers.iter().all(|offer| {
        let origin =
            Origin { source: FillSource::Jit, maker: offer.maker, order_id: offer.order_id };
        venues.fill_better(offer.price, tally) && tally.fill_offer(offer.price, offer.size, origin)
    })
}

/// Fills from the resting orders one by one, each at its own price. Returns false when the walk is
/// over.
fn fill_resting(makers: &mut Makers<'_>, venues: &mut Venues<'_>, tally: &mut Tally) -> bool {
    while tally.is_open() {
        let Some(maker) = makers.next_if(|maker| tally.accepts(maker.price)) else { return true };
        let origin = Origin {
            source: FillSource::Dlob,
            maker: Some(maker.key),
            order_id: Some(maker.order_id),
        };
        if !(venues.fill_better(maker.price, tally)
            && tally.fill_offer(maker.price, maker.size, origin))
        {
            return false;
        }
    }
    false
}

/// Fills from the curve up to the limit. Returns false when the walk is over.
fn fill_curve(amm: Option<AmmOffer>, tally: &mut Tally) -> bool {
    let Some(amm) = amm else { return tally.is_open() };
    let want = want_of(tally);
    let Some((base, quote)) = amm.swap(&want) else {
        tally.is_spent |= amm.is_too_dear(&want);
        return tally.is_open();
    };
    let price = price_of(quote, base, tally.market.decimals, tally.direction);
    // Because of rounding, a swap of few units can cost more than the price of the curve.
    let Some(price) = price.filter(|price| tally.accepts(*price)) else { return tally.is_open() };
    let origin = Origin { source: FillSource::Vamm, maker: None, order_id: None };
    tally.fill(price, Amounts { base, quote }, origin) && tally.is_open()
}

fn want_of(tally: &Tally) -> Want {
    Want {
        direction: tally.direction,
        base: tally.left_base(),
        quote: tally.left_quote(),
        limit: tally.limit,
        step: tally.market.step,
    }
}
