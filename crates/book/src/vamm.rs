//! The levels of a perp market's own automated maker.

use crate::Side;
use crate::book::Book;
use crate::market::MarketId;
use crate::view::Level;

impl Book {
    /// Quotes a market as of the last turn, unless that was done before. To be called before its
    /// quotes are read.
    pub fn refresh_quotes(&mut self, id: MarketId) {
        let Some(market) = self.markets.get_mut(id.index()) else { return };
        market.vamm.refresh();
        self.refresh_indicative(id);
    }

    /// The levels of the market's automated maker on a side, best first, as of the last
    /// [`Book::refresh_quotes`].
    #[must_use]
    pub fn vamm_levels(&self, id: MarketId, side: Side) -> &[Level] {
        self.markets.get(id.index()).map_or(&[], |market| &market.vamm.levels[side.index()])
    }

    /// Whether the last turn changed nothing of this market but its quotes.
    #[must_use]
    pub fn changed_quotes_only(&self, id: MarketId) -> bool {
        self.markets.get(id.index()).is_some_and(|market| market.turned == Change::Quotes)
    }

    /// Notes that quotes of a market changed in this turn, and nothing else of it yet.
    pub(crate) fn touch_quotes(&mut self, id: MarketId) {
        let market = &mut self.markets[id.index()];
        if market.dirty == Change::Nothing {
            market.dirty = Change::Quotes;
            self.dirty.push(id);
        }
    }
}

/// What of a market a turn changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing that is shown.
    Nothing,
    /// What is shown beside orders, to those who ask for it.
    Quotes,
    /// What everybody is shown.
    Book,
}

/// The automated maker of one market.
#[derive(Debug, Default)]
pub(crate) struct Vamm {
    levels: [Vec<Level>; 2],
}

impl Vamm {
    fn refresh(&mut self) {}
}
