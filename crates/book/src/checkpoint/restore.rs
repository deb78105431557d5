//! Restores a book from a captured state and its accounts.

use slotbook_protocol::model::units::Pubkey;
use slotbook_protocol::model::{AccountKind, kind_of};

use super::named::NamedAccounts;
use super::state::{
    BookState, ExchangeState, IndicativeState, MarketState, OracleState, UsersState,
};
use super::{Accounts, RestoreError};
use crate::apply::accounts::Source;
use crate::book::{Book, SnapshotProgress};
use crate::config::BookConfig;
use crate::limits::{MARKETS_MAX, QUARANTINE_MAX, SEQ_MAX};
use crate::markets::account::read_market;
use crate::markets::exchange::ExchangeTerms;
use crate::markets::market::{Change, Market};
use crate::model::clock::Clock;
use crate::model::update::Version;

impl Book {
    /// Restores the book that [`Book::capture`] wrote: its visible content equals the original's,
    /// now and after any further updates.
    ///
    /// `accounts` are the accounts that [`Book::apply`] accepted, in any order, each with its last
    /// accepted bytes, slot and gate, without the accounts of [`Book::forgotten`]; closed accounts
    /// are optional. They are read twice, one at a time.
    ///
    /// # Errors
    /// [`RestoreError`] when the state is malformed or the accounts do not match it.
    pub fn restore(
        config: BookConfig,
        state: &[u8],
        mut accounts: impl Accounts,
    ) -> Result<Self, RestoreError> {
        let state = BookState::read(state)?;
        check_limits(&state)?;
        let named = NamedAccounts::of(&state, &mut accounts);
        let mut book = Self::new(config);
        book.restore_exchange(&state.exchange)?;
        book.restore_time(&state);
        book.restore_markets(&state.markets, &named)?;
        book.restore_oracles(&state.oracles, &named)?;
        book.price_markets();
        book.restore_absent(&state.users.absent)?;
        book.restore_users(&state.users, &named, &mut accounts)?;
        book.settle_markets(state.markets);
        book.restore_indicative(&state.indicative)?;
        book.restore_snapshot(state.snapshot, &state.users.mentioned)?;
        book.quarantined = state.quarantined.into_iter().collect();
        Ok(book)
    }

    fn restore_time(&mut self, state: &BookState) {
        let ((slot, now), exchange) = (state.clock, &mut self.markets.exchange);
        exchange.clock = Clock { slots: exchange.terms.slots.at(slot), now };
        self.orders.reset_timers(&exchange.clock);
        self.state = state.feed;
        self.last_turn = state.last_turn;
    }

    fn restore_exchange(&mut self, state: &ExchangeState) -> Result<(), RestoreError> {
        let exchange = &mut self.markets.exchange;
        exchange.version = state.version;
        exchange.data.clone_from(&state.data.0);
        if exchange.data.is_empty() {
            return Ok(());
        }
        let state = exchange.rules.state(&exchange.data);
        let state = state.map_err(|_| RestoreError::Malformed("the exchange's state account"))?;
        exchange.sub_accounts = state.number_of_sub_accounts;
        (exchange.terms, exchange.terms_hash) = (ExchangeTerms::of(&state), None);
        Ok(())
    }

    /// Restores markets in the order of their ids, each from its last good bytes.
    fn restore_markets(
        &mut self,
        states: &[MarketState],
        named: &NamedAccounts,
    ) -> Result<(), RestoreError> {
        let rules = self.markets.exchange.rules;
        for state in states {
            let data = market_bytes(state, named)?;
            let kind = kind_of(data).ok();
            let read = kind.and_then(|kind| read_market(rules, kind, state.account, data));
            let malformed = RestoreError::AccountMalformed(state.account);
            let account = read.and_then(Result::ok).ok_or(malformed)?;
            let is_new = self.markets.find(account.info.key()).is_none();
            let id = is_new.then(|| self.markets.add(&account.info)).flatten();
            let id = id.ok_or(RestoreError::Malformed("a market is listed twice"))?;
            let market = &mut self.markets.list[id.index()];
            market.set_account(account);
            market.set_data(data);
            market.set_unusable(state.unusable);
            market.version = state.version;
            market.ladders.reset(market.info.tick.0);
        }
        self.markets.name_markets();
        Ok(())
    }

    fn restore_oracles(
        &mut self,
        states: &[OracleState],
        named: &NamedAccounts,
    ) -> Result<(), RestoreError> {
        self.markets.follow_oracles();
        if self.markets.oracles.len() != states.len() {
            return Err(RestoreError::Malformed("its oracles are not those of its markets"));
        }
        for state in states {
            let unnamed = RestoreError::Malformed("no market names an oracle of it");
            let account = self.markets.oracles.get_mut(&state.key).ok_or(unnamed)?;
            account.version = state.version;
            if state.has_data {
                let given = named.get(&state.key);
                let update = given.filter(|update| !update.data.is_empty());
                account.set_data(&update.ok_or(RestoreError::AccountMissing(state.key))?);
            }
        }
        Ok(())
    }

    fn price_markets(&mut self) {
        self.markets.refresh_all();
        for market in &mut self.markets.list {
            let inputs = market.vamm_inputs(&self.markets.exchange);
            market.replace_quote_inputs(inputs);
        }
    }

    /// Restores the keys of closed and malformed accounts, which reject older states.
    fn restore_absent(&mut self, absent: &[(Pubkey, Version)]) -> Result<(), RestoreError> {
        for (key, version) in absent {
            let is_new = self.orders.users.find(key).is_none();
            let index = is_new.then(|| self.orders.user_index(*key).ok()).flatten();
            let index = index.ok_or(RestoreError::Malformed("a closed account is listed twice"))?;
            self.orders.users.get_mut(index).version = *version;
        }
        Ok(())
    }

    fn restore_users(
        &mut self,
        state: &UsersState,
        named: &NamedAccounts,
        accounts: &mut impl Accounts,
    ) -> Result<(), RestoreError> {
        let program = self.markets.exchange.program;
        let mut restored = Ok(());
        accounts.each(&|key| !named.contains(key), &mut |update, account| {
            let is_user = update.owner == program && kind_of(update.data) == Ok(AccountKind::User);
            // An account that is already known is closed or malformed; of accounts with the same
            // key, the first counts.
            let is_known = self.orders.users.find(&update.pubkey).is_some();
            if restored.is_ok() && is_user && !is_known {
                let malformed = RestoreError::AccountMalformed(update.pubkey);
                let applied = self.apply_user(update, Source::whole(account));
                restored = applied.map(|_| ()).map_err(|_| malformed);
            }
        });
        restored?;
        let (given, sum) = (self.orders.present_users, self.orders.present_key_sum);
        let captured = state.present;
        let is_same = (given, sum) == (captured, state.key_sum);
        if is_same { Ok(()) } else { Err(RestoreError::UsersMismatch { captured, given }) }
    }

    /// Clears the changes that loading caused, and sets the counters that bodies contain.
    fn settle_markets(&mut self, states: Vec<MarketState>) {
        self.markets.dirty.0.clear();
        self.markets.quotes_may_move = false;
        for (market, state) in self.markets.list.iter_mut().zip(states) {
            market.dirty = Change::Nothing;
            market.dirty_sides = [false; 2];
            market.seq = state.seq;
            market.ts_ms = state.ts_ms;
            market.last_change = state.last_change;
            market.side_seqs = [state.side_seqs.0, state.side_seqs.1];
            market.ladders.auctions.revision = state.auctions_revision;
            market.ladders.reserve();
            restore_quotes(market, state);
        }
    }

    fn restore_indicative(&mut self, state: &IndicativeState) -> Result<(), RestoreError> {
        let indicative = &mut self.markets.indicative;
        (indicative.policy, indicative.due_ms) = (state.policy, state.due_ms);
        for quoting in self.markets.list.iter().flat_map(|market| &market.quotes.makers) {
            indicative.counts.makers += 1;
            indicative.counts.quotes += quoting.orders.len();
        }
        self.check_indicative().map_err(|violation| RestoreError::Malformed(violation.0))
    }

    fn restore_snapshot(
        &mut self,
        snapshot: SnapshotProgress,
        mentioned: &[bool],
    ) -> Result<(), RestoreError> {
        self.snapshot = snapshot;
        let indexes =
            if snapshot.is_open { self.orders.users.indexes_by_key() } else { Vec::new() };
        if mentioned.len() != indexes.len() {
            return Err(RestoreError::Malformed("its snapshot is not of its users"));
        }
        let others = snapshot.generation.wrapping_sub(1);
        for (index, is_mentioned) in indexes.into_iter().zip(mentioned) {
            let seen = if *is_mentioned { snapshot.generation } else { others };
            self.orders.users.get_mut(index).seen = seen;
        }
        Ok(())
    }
}

/// Checks all limits of a book once, so that later steps may rely on them.
fn check_limits(state: &BookState) -> Result<(), RestoreError> {
    let fits = state.markets.len() <= MARKETS_MAX
        && state.quarantined.len() <= QUARANTINE_MAX
        && state.markets.iter().all(|market| market.seq <= SEQ_MAX);
    if fits { Ok(()) } else { Err(RestoreError::Malformed("a limit of the book is passed")) }
}

fn market_bytes<'a>(
    state: &'a MarketState,
    named: &'a NamedAccounts,
) -> Result<&'a [u8], RestoreError> {
    let given = named.get(&state.account);
    match (state.unusable, given) {
        (Some(_), _) => Ok(&state.data.0),
        (None, Some(update)) => Ok(update.data),
        (None, None) => Err(RestoreError::AccountMissing(state.account)),
    }
}

fn restore_quotes(market: &mut Market, state: MarketState) {
    market.quotes.last_id = state.last_quote_id;
    market.quotes.makers = state.quotes;
}
