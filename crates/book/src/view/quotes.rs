//! The levels and orders of quotes: the AMM's and the indicative ones.

use slotbook_protocol::amm::{AmmInputs, AmmQuote, PerpAmm};

use crate::book::Book;
use crate::markets::amm::VammExclusion;
use crate::markets::market::Change;
use crate::markets::quotes::MarketQuotes;
use crate::model::market::MarketId;
use crate::{Level, OrderRow, Side};

impl Book {
    /// Makes a market's quotes as of the last turn, unless they are made. To be called before they
    /// are read.
    pub fn refresh_quotes(&mut self, id: MarketId) {
        if let Some(market) = self.markets.list.get_mut(id.index()) {
            market.make_quotes(self.markets.indicative.policy);
        }
    }

    /// The levels of the market's AMM on a side, best first, as of the last turn. Nothing until
    /// [`Book::refresh_quotes`], for spot markets, and while the AMM is not in the book.
    #[must_use]
    pub fn vamm_levels(&self, id: MarketId, side: Side) -> &[Level] {
        self.markets.get(id).map_or(&[], |market| market.vamm.levels(side))
    }

    /// Whether the AMM of a perp market is in the book as of the last turn, and why not: its levels
    /// are made for it, because not every quote has some. `None` for a spot market, which has no
    /// AMM, and an unknown one.
    pub fn vamm_state(&mut self, id: MarketId) -> Option<Result<(), VammExclusion>> {
        let market = self.markets.list.get_mut(id.index())?;
        market.vamm.make_levels(market.info.market_index)
    }

    /// The quote of a perp market's AMM as of the last turn. `None` for a spot market and an unknown
    /// one.
    #[must_use]
    pub fn vamm_quote(&self, id: MarketId) -> Option<Result<AmmQuote, VammExclusion>> {
        let vamm = &self.markets.get(id)?.vamm;
        vamm.account().map(|_| vamm.quote())
    }

    /// The AMM of a perp market as its account stores it, and what it is quoted from as of the last
    /// turn, or why it is not. `None` for a spot market and an unknown one.
    #[must_use]
    pub fn vamm_account(
        &self,
        id: MarketId,
    ) -> Option<(&PerpAmm, Result<AmmInputs, VammExclusion>)> {
        let vamm = &self.markets.get(id)?.vamm;
        Some((vamm.account()?, vamm.inputs()))
    }

    /// Whether the turn that changed this market last changed nothing of it but its quotes, of
    /// whichever kind.
    #[must_use]
    pub fn changed_quotes_only(&self, id: MarketId) -> bool {
        let last_change = self.markets.get(id).map(|market| market.last_change);
        matches!(last_change, Some(Change::Quotes | Change::Indicative))
    }

    /// Whether the turn that changed this market last changed nothing of it but its indicative
    /// quotes.
    #[must_use]
    pub fn changed_indicative_only(&self, id: MarketId) -> bool {
        self.markets.get(id).is_some_and(|market| market.last_change == Change::Indicative)
    }

    /// The levels of a side's quotes, best first, under the policy. Nothing for an unknown market,
    /// and until the quotes of this sequence number are derived.
    #[must_use]
    pub fn indicative_levels(&self, id: MarketId, side: Side) -> &[Level] {
        self.derived_quotes(id).map_or(&[], |quotes| quotes.levels(side))
    }

    /// The quotes of a side as orders, in the order in which they would be met; `queue` counts
    /// quotes alone. All have the maker [`crate::INDICATIVE_MAKER`] and an id that stays while their
    /// maker quotes without a break. Nothing as for [`Book::indicative_levels`].
    #[must_use]
    pub fn indicative_orders(&self, id: MarketId, side: Side) -> &[OrderRow] {
        self.derived_quotes(id).map_or(&[], |quotes| quotes.rows(side))
    }

    fn derived_quotes(&self, id: MarketId) -> Option<&MarketQuotes> {
        let market = self.markets.get(id)?;
        (market.quotes.derived_at == Some(market.seq)).then_some(&market.quotes)
    }
}
