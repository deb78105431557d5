//! External venues, which come between what is on chain where they are better.

use slotbook_protocol::units::Price;

use crate::external::ExternalLevel;
use crate::tally::{Tally, is_worse};
use crate::walk::{FillSource, Origin};

/// The levels of external venues that are not taken yet, best first.
#[derive(Debug)]
pub(super) struct Venues<'a> {
    levels: &'a [ExternalLevel],
}

impl<'a> Venues<'a> {
    pub(super) fn new(levels: &'a [ExternalLevel]) -> Self {
        Self { levels }
    }

    /// The best price that is left.
    pub(super) fn touch(&self) -> Option<Price> {
        self.levels.first().map(|level| level.price)
    }

    /// Takes the levels that are strictly better than the next price on chain. Answers false when
    /// the walk is over.
    pub(super) fn take_better(&mut self, than: Price, tally: &mut Tally) -> bool {
        self.take_while(tally, |tally, price| is_worse(tally.direction, than, price))
    }

    /// Takes the levels that are left. Answers false when the walk is over.
    pub(super) fn take_rest(&mut self, tally: &mut Tally) -> bool {
        self.take_while(tally, |_, _| true)
    }

    fn take_while(&mut self, tally: &mut Tally, wanted: impl Fn(&Tally, Price) -> bool) -> bool {
        while let Some((level, rest)) = self.levels.split_first() {
            if !tally.accepts(level.price) || !wanted(tally, level.price) {
                break;
            }
            self.levels = rest;
            let origin = Origin { source: FillSource::External, maker: None, order_id: None };
            if !tally.take(level.price, level.size, origin) {
                return false;
            }
        }
        tally.is_open()
    }
}
