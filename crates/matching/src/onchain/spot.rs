//! A spot order that is sent now, as the program fills it.

use slotbook_protocol::enums::Direction;
use slotbook_protocol::units::Price;

use crate::external::ExternalLevel;
use crate::liquidity::{Liquidity, Maker};
use crate::taker::Taker;
use crate::tally::{Tally, best_of, is_worse};
use crate::walk::{FillSource, Origin};

/// A fill ends with the maker that makes it longer than this.
/// Source: programs/drift/src/math/fulfillment.rs `determine_spot_fulfillment_methods`.
const MATCHES_MAX: usize = 6;

/// A taker without a limit takes external levels up to this part beyond the best.
/// Source: programs/drift/src/controller/orders.rs `fulfill_spot_order_with_external_market`.
const EXTERNAL_SLACK_DIVISOR: u64 = 100;

/// Fills the taker from external venues alone where there are some, whatever they cost; else from
/// the resting orders, of which a taker without a limit meets none.
/// Source: programs/drift/src/math/fulfillment.rs `determine_spot_fulfillment_methods`.
pub(super) fn walk(taker: &Taker, liquidity: Liquidity<'_>, tally: &mut Tally) {
    if taker.post_only {
        return;
    }
    if liquidity.external.is_empty() {
        take_makers(taker, liquidity.makers, tally);
    } else {
        take_external(liquidity.external, tally);
    }
}

fn take_makers(taker: &Taker, makers: &mut dyn Iterator<Item = Maker>, tally: &mut Tally) {
    let mut others = makers.filter(|maker| taker.key != Some(maker.key)).peekable();
    tally.best = others.peek().map(|maker| maker.price);
    if tally.limit.is_none() {
        return;
    }
    for maker in others.take(MATCHES_MAX + 1) {
        let origin = Origin {
            source: FillSource::Dlob,
            maker: Some(maker.key),
            order_id: Some(maker.order_id),
        };
        let is_met = tally.accepts(maker.price) && tally.take(maker.price, maker.size, origin);
        if !is_met || !tally.is_open() {
            return;
        }
    }
}

fn take_external(levels: &[ExternalLevel], tally: &mut Tally) {
    let direction = tally.direction;
    let best = best_of(direction, levels.iter().map(|level| level.price));
    tally.best = best;
    let limit = tally.limit.or_else(|| best.map(|best| with_slack(direction, best)));
    for level in levels {
        let origin = Origin { source: FillSource::External, maker: None, order_id: None };
        let is_within = limit.is_none_or(|limit| !is_worse(direction, level.price, limit));
        if !is_within || !tally.take(level.price, level.size, origin) || !tally.is_open() {
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
