//! Applies and expires indicative quotes.

use slotbook_protocol::model::units::Pubkey;

use crate::book::Book;
use crate::limits::{
    INDICATIVE_MAKERS_MAX, INDICATIVE_PAIRS_MAX, INDICATIVE_QUOTES_MAX, QUOTE_LIFE_MS,
};
use crate::markets::market::Change;
use crate::markets::quotes::{
    IndicativeCounts, IndicativeError, IndicativePolicy, IndicativeQuote, MakerQuotes, quoted,
};
use crate::model::market::MarketId;

impl Book {
    /// Sets whether quotes may improve on the orders and the AMM. The policy applies to existing
    /// quotes from the end of the turn.
    pub fn set_indicative_policy(&mut self, policy: IndicativePolicy) {
        let markets = &mut self.markets;
        if markets.indicative.policy == policy {
            return;
        }
        for market in markets.list.iter_mut().filter(|market| !market.quotes.makers.is_empty()) {
            market.make_quotes(markets.indicative.policy);
            markets.dirty.mark(market, Change::Indicative);
        }
        markets.indicative.policy = policy;
    }

    /// Replaces a maker's quotes in a market; an empty list withdraws them. The quotes expire in
    /// the first turn that ends [`QUOTE_LIFE_MS`] after `ts_ms` (Unix milliseconds, like in
    /// [`Book::end_turn`]). Returns whether the visible quotes may have changed; an identical list
    /// only extends the expiry.
    ///
    /// # Errors
    /// [`IndicativeError`]; the maker's previous quotes remain.
    pub fn set_indicative(
        &mut self,
        id: MarketId,
        maker: Pubkey,
        quotes: &[IndicativeQuote],
        ts_ms: u64,
    ) -> Result<bool, IndicativeError> {
        let markets = &mut self.markets;
        let market = markets.list.get_mut(id.index()).ok_or(IndicativeError::UnknownMarket)?;
        if quotes.len() > INDICATIVE_QUOTES_MAX {
            return Err(IndicativeError::QuotesExceeded);
        }
        let mut orders = quoted(quotes, market.info.decimals, markets.exchange.clock.slot())?;
        let total = &mut markets.indicative;
        let found = market.quotes.find(&maker);
        let is_full = market.quotes.makers.len() >= INDICATIVE_MAKERS_MAX
            || total.counts.makers >= INDICATIVE_PAIRS_MAX;
        if found.is_err() && !orders.is_empty() && is_full {
            return Err(IndicativeError::MakersExceeded);
        }
        // Rows are made before the change, so that the first reader of this sequence number sees
        // the quotes of the last turn.
        market.make_quotes(total.policy);
        let old = found.ok().map(|index| market.quotes.makers.remove(index));
        let old_orders = old.as_ref().map_or(&[][..], |old| &old.orders);
        market.quotes.identify(&mut orders, old_orders);
        let changed = orders != old_orders;
        total.counts.makers -= usize::from(old.is_some());
        total.counts.quotes -= old_orders.len();
        if !orders.is_empty() {
            let due_ms = ts_ms.saturating_add(QUOTE_LIFE_MS);
            total.counts.makers += 1;
            total.counts.quotes += orders.len();
            total.due_ms = Some(total.due_ms.map_or(due_ms, |due| due.min(due_ms)));
            let (Ok(index) | Err(index)) = found;
            market.quotes.makers.insert(index, MakerQuotes { maker, due_ms, orders });
        }
        if changed {
            markets.dirty.mark(market, Change::Indicative);
        }
        Ok(changed)
    }

    /// Returns the earliest expiry in Unix milliseconds; `None` without quotes. A turn that ends at
    /// that time removes the expired quotes.
    #[must_use]
    pub fn indicative_due_ms(&self) -> Option<u64> {
        self.markets.indicative.due_ms
    }

    /// Quote counts over all markets.
    #[must_use]
    pub fn indicative_counts(&self) -> IndicativeCounts {
        self.markets.indicative.counts
    }

    /// Removes the quotes that have expired by the end of the turn.
    pub(crate) fn expire_quotes(&mut self, ts_ms: u64) {
        let markets = &mut self.markets;
        let Some(due_ms) = markets.indicative.due_ms else { return };
        // A clock that was set back must not extend the life of quotes.
        let due_ms_max = ts_ms.saturating_add(QUOTE_LIFE_MS);
        if due_ms > ts_ms && due_ms <= due_ms_max {
            return;
        }
        let mut next: Option<u64> = None;
        for market in &mut markets.list {
            let Some((gone, due)) = market.quotes.expire(ts_ms, due_ms_max) else { continue };
            next = [next, due].into_iter().flatten().min();
            markets.indicative.counts.makers -= gone.makers;
            markets.indicative.counts.quotes -= gone.quotes;
            if gone.makers > 0 {
                markets.dirty.mark(market, Change::Indicative);
            }
        }
        markets.indicative.due_ms = next;
    }
}
