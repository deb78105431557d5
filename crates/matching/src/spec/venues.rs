//! External venues, whose levels fill first where they are better than on-chain liquidity.

use slotbook_protocol::model::units::Price;

use crate::external::ExternalLevel;
use crate::fill::{FillSource, Origin};
use crate::tally::Tally;
use crate::terms::is_worse;

/// The unfilled levels of external venues, best first.
#[derive(Debug)]
pub(super) struct Venues<'a> {
    levels: &'a [ExternalLevel],
}

impl<'a> Venues<'a> {
    pub(super) fn new(levels: &'a [ExternalLevel]) -> Self {
        Self { levels }
    }

    pub(super) fn best_price(&self) -> Option<Price> {
        self.levels.first().map(|level| level.price)
    }

    /// Fills from the levels that are strictly better than the next on-chain price. Returns false
    /// when the walk is over.
    pub(super) fn fill_better(&mut self, than: Price, tally: &mut Tally) -> bool {
        self.fill_while(tally, |tally, price| is_worse(tally.direction, than, price))
    }

    /// Fills from the remaining levels. Returns false when the walk is over.
    pub(super) fn fill_rest(&mut self, tally: &mut Tally) -> bool {
        self.fill_while(tally, |_, _| true)
    }

    fn fill_while(&mut self, tally: &mut Tally, wanted: impl Fn(&Tally, Price) -> bool) -> bool {
        while let Some((level, rest)) = self.levels.split_first() {
            if !tally.accepts(level.price) || !wanted(tally, level.price) {
                break;
            }
            self.levels = rest;
            let origin = Origin { source: FillSource::External, maker: None, order_id: None };
            if !tally.fill_offer(level.price, level.size, origin) {
                return false;
            }
        }
        tally.is_open()
    }
}
