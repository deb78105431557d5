//! The specification's sequence: auction, resting orders, AMM, external venues.

use crate::liquidity::{Liquidity, Maker};
use crate::taker::Taker;
use crate::tally::Tally;
use crate::walk::{FillSource, Origin};

/// Fills the taker from the sources in their order of priority.
pub(crate) fn walk(taker: &Taker, liquidity: Liquidity<'_>, tally: &mut Tally) {
    take_resting(taker, liquidity.makers, tally);
}

/// Takes the resting orders one by one, each at its own price; the taker's own are passed over.
fn take_resting(taker: &Taker, makers: &mut dyn Iterator<Item = Maker>, tally: &mut Tally) {
    while tally.is_open() {
        let Some(maker) = makers.next() else { return };
        if !tally.accepts(maker.price) {
            return;
        }
        if taker.key == Some(maker.key) {
            continue;
        }
        let origin = Origin {
            source: FillSource::Dlob,
            maker: Some(maker.key),
            order_id: Some(maker.order_id),
        };
        if !tally.take(maker.price, maker.size, origin) {
            return;
        }
    }
}
