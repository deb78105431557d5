//! Simulates a new spot order as a fill of the program.

use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::price::standardize_price;
use slotbook_protocol::model::units::{BaseQty, Price};

use crate::external::ExternalLevel;
use crate::fill::{FillSource, Origin};
use crate::limits::JIT_OFFERS_MAX;
use crate::liquidity::{JitOffer, Liquidity, Maker};
use crate::taker::Taker;
use crate::tally::Tally;
use crate::terms::{best_of, is_worse};

/// Maximum makers of a fill before the last maker. Source: programs/drift/src/math/fulfillment.rs
/// `determine_spot_fulfillment_methods`.
const MATCHES_MAX: usize = 6;

/// Divisor of the best price for the slack of a taker without a limit, who accepts external levels
/// up to 1/100 worse than the best level. Source: programs/drift/src/controller/orders.rs
/// `fulfill_spot_order_with_external_market`.
const EXTERNAL_SLACK_DIVISOR: u64 = 100;

/// A maker's resting order or auction offer.
struct Offered {
    price: Price,
    size: BaseQty,
    origin: Origin,
}

/// Fills the taker only from external venues if there are any, even when makers are better;
/// otherwise from the makers, unless the taker has no limit. Source:
/// programs/drift/src/math/fulfillment.rs `determine_spot_fulfillment_methods`.
pub(super) fn walk(taker: &Taker, liquidity: Liquidity<'_>, tally: &mut Tally) {
    if taker.post_only {
        return;
    }
    let limit = limit_of(taker, tally);
    if liquidity.external.is_empty() {
        fill_from_makers(&makers_of(taker, liquidity, tally), limit, tally);
    } else {
        fill_from_venues(liquidity.external, limit, tally);
    }
}

/// Returns the auction price during the auction, and later the order's own limit. Source:
/// programs/drift/src/state/user.rs `get_limit_price`.
fn limit_of(taker: &Taker, tally: &Tally) -> Option<Price> {
    let of_auction =
        taker.auction.and_then(|auction| auction.price(taker.direction, &tally.market));
    of_auction.or(tally.limit)
}

/// Returns the makers of one fill, best first; among equal prices, resting orders are first.
fn makers_of(taker: &Taker, liquidity: Liquidity<'_>, tally: &Tally) -> Vec<Offered> {
    let resting = liquidity.makers.filter(|maker| taker.key != Some(maker.key));
    let mut makers: Vec<Offered> = resting
        .take(MATCHES_MAX + 1)
        .map(|Maker { key, order_id, price, size, .. }| {
            let (maker, order_id) = (Some(key), Some(order_id));
            Offered { price, size, origin: Origin { source: FillSource::Dlob, maker, order_id } }
        })
        .collect();
    let offers = liquidity.jit.iter().take(JIT_OFFERS_MAX).filter(|offer| {
        let is_own = taker.key.is_some() && offer.maker == taker.key;
        !is_own && offer.price.0 > 0
    });
    makers.extend(offers.map(|&JitOffer { maker, order_id, price, size, .. }| Offered {
        price: standardize_price(price, tally.market.tick, taker.direction.opposite()),
        size,
        origin: Origin { source: FillSource::Jit, maker, order_id },
    }));
    makers.sort_by(|a, b| match taker.direction {
        Direction::Long => a.price.cmp(&b.price),
        Direction::Short => b.price.cmp(&a.price),
    });
    makers.truncate(MATCHES_MAX + 1);
    makers
}

fn fill_from_makers(makers: &[Offered], limit: Option<Price>, tally: &mut Tally) {
    tally.best = makers.first().map(|maker| maker.price);
    let Some(limit) = limit else { return };
    for &Offered { price, size, origin } in makers {
        let is_met =
            !is_worse(tally.direction, price, limit) && tally.fill_offer(price, size, origin);
        if !is_met || !tally.is_open() {
            return;
        }
    }
}

fn fill_from_venues(levels: &[ExternalLevel], limit: Option<Price>, tally: &mut Tally) {
    let direction = tally.direction;
    let best = best_of(direction, levels.iter().map(|level| level.price));
    tally.best = best;
    let limit = limit.or_else(|| best.map(|best| with_slack(direction, best)));
    for level in levels {
        let origin = Origin { source: FillSource::External, maker: None, order_id: None };
        let is_within = limit.is_none_or(|limit| !is_worse(direction, level.price, limit));
        if !is_within || !tally.fill_offer(level.price, level.size, origin) || !tally.is_open() {
            return;
        }
    }
}

fn with_slack(direction: Direction, best: Price) -> Price {
    let slack = best.0 / EXTERNAL_SLACK_DIVISOR;
    Price(match direction {
        Direction::Long => best.0.saturating_add(slack),
        Direction::Short => best.0.saturating_sub(slack),
    })
}
