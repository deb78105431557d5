//! The levels and orders of AMM quotes and indicative quotes.

use slotbook_protocol::model::amm::gate::FillGate;
use slotbook_protocol::model::amm::{AmmInputs, AmmQuote, PerpAmm};

use crate::book::Book;
use crate::markets::amm::VammExclusion;
use crate::markets::market::Change;
use crate::markets::quotes::MarketQuotes;
use crate::model::market::MarketId;
use crate::{Level, OrderRow, Side};

impl Book {
    /// Computes a market's quotes as of the last turn, unless they are current. Call it before
    /// reading them.
    pub fn refresh_quotes(&mut self, id: MarketId) {
        if let Some(market) = self.markets.list.get_mut(id.index()) {
            market.make_quotes(self.markets.indicative.policy);
        }
    }

    /// Returns the AMM levels of a side, best first, as of the last turn. None until
    /// [`Book::refresh_quotes`], for spot markets, and while the AMM is excluded.
    #[must_use]
    pub fn vamm_levels(&self, id: MarketId, side: Side) -> &[Level] {
        self.markets.get(id).map_or(&[], |market| market.vamm.levels(side))
    }

    /// Returns whether the book contains a perp market's AMM as of the last turn, or the reason why
    /// not. Computes the levels, because some quotes have none. `None` for spot and unknown
    /// markets.
    pub fn vamm_state(&mut self, id: MarketId) -> Option<Result<(), VammExclusion>> {
        let market = self.markets.list.get_mut(id.index())?;
        market.vamm.make_levels(market.info.market_index)
    }

    /// Returns the quote of a perp market's AMM as of the last turn. `None` for spot and unknown
    /// markets.
    #[must_use]
    pub fn vamm_quote(&self, id: MarketId) -> Option<Result<AmmQuote, VammExclusion>> {
        let vamm = &self.markets.get(id)?.vamm;
        vamm.account().map(|_| vamm.quote())
    }

    /// Returns the AMM in a perp market's account, and the inputs of its quote as of the last turn,
    /// or the reason why there are none. `None` for spot and unknown markets.
    #[must_use]
    pub fn vamm_account(
        &self,
        id: MarketId,
    ) -> Option<(&PerpAmm, Result<AmmInputs, VammExclusion>)> {
        let vamm = &self.markets.get(id)?.vamm;
        Some((vamm.account()?, vamm.inputs()))
    }

    /// What may fill of a perp market besides its prices, as of the last turn; `None` where no rule
    /// limits it: on Drift v2, and in spot and unknown markets.
    #[must_use]
    pub fn fill_gate(&self, id: MarketId) -> Option<FillGate> {
        self.markets.get(id)?.fill_gate(&self.markets.exchange)
    }

    /// Whether the last change of this market concerned only quotes, AMM or indicative.
    #[must_use]
    pub fn changed_quotes_only(&self, id: MarketId) -> bool {
        let last_change = self.markets.get(id).map(|market| market.last_change);
        matches!(last_change, Some(Change::Quotes | Change::Indicative))
    }

    /// Returns whether the last change of this market concerned only indicative quotes.
    #[must_use]
    pub fn changed_indicative_only(&self, id: MarketId) -> bool {
        self.markets.get(id).is_some_and(|market| market.last_change == Change::Indicative)
    }

    /// Returns the levels of indicative quotes of a side, best first, under the policy. None for an
    /// unknown market, and until the quotes of this sequence number are derived.
    #[must_use]
    pub fn indicative_levels(&self, id: MarketId, side: Side) -> &[Level] {
        self.derived_quotes(id).map_or(&[], |quotes| quotes.levels(side))
    }

    /// Returns the indicative quotes of a side as orders, in fill order; `queue` counts only
    /// quotes. All have the maker [`crate::INDICATIVE_MAKER`], and an id that stays while their
    /// maker quotes without a break. None under the conditions of [`Book::indicative_levels`].
    #[must_use]
    pub fn indicative_orders(&self, id: MarketId, side: Side) -> &[OrderRow] {
        self.derived_quotes(id).map_or(&[], |quotes| quotes.rows(side))
    }

    fn derived_quotes(&self, id: MarketId) -> Option<&MarketQuotes> {
        let market = self.markets.get(id)?;
        (market.quotes.derived_at == Some(market.seq)).then_some(&market.quotes)
    }
}
