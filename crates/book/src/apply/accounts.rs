//! Checks raw accounts and applies them to the book.

use slotbook_protocol::model::units::Pubkey;
use slotbook_protocol::model::user::{TouchedParts, user_status};
use slotbook_protocol::model::{AccountKind, ProtocolError, kind_of};

use crate::book::Book;
use crate::ladder::arena::handle_of;
use crate::limits::{MARKETS_MAX, QUARANTINE_MAX};
use crate::markets::account::{MarketAccount, read_market};
use crate::markets::exchange::ExchangeTerms;
use crate::model::market::EmptyReason;
use crate::model::update::{AccountUpdate, Applied, BookError, Gate};
use crate::orders::changed_parts::ChangedParts;
use crate::orders::order_store::bits;
use crate::orders::users::NO_SOURCE;

/// Status bits of an owner that is being liquidated or bankrupt. `positionFlag` has the same bits
/// for a position, but old accounts hold stale bytes there, so the book does not read it.
pub(crate) const FROZEN: u8 = user_status::BEING_LIQUIDATED | user_status::BANKRUPT;

/// The account of a numbered source in which an update is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) account: u32,
    /// The parts whose bytes may differ from the book's. Other order slots are not read.
    pub(crate) touched: TouchedParts,
}

impl Source {
    /// The whole account: every part may have changed. `None` for an account without a number.
    pub(crate) fn whole(account: Option<u32>) -> Self {
        Self { account: account.unwrap_or(NO_SOURCE), touched: TouchedParts::ALL }
    }
}

impl Book {
    /// Applies one account: a user, a market, the exchange's state, or an oracle that a market
    /// names.
    ///
    /// # Errors
    /// [`BookError::Malformed`] when the layout of a program account is invalid; the account then
    /// leaves the book until a well-formed state arrives. [`BookError::LimitExceeded`] when a table
    /// is full.
    pub fn apply(&mut self, update: AccountUpdate<'_>) -> Result<Applied, BookError> {
        self.apply_numbered(&update, None)
    }

    /// Applies the account of a numbered source like [`Book::apply`], so that the next update of the
    /// source may be an [`AccountDelta`](crate::AccountDelta).
    ///
    /// # Errors
    /// Those of [`Book::apply`].
    #[inline]
    pub fn apply_numbered(
        &mut self,
        update: &AccountUpdate<'_>,
        account: Option<u32>,
    ) -> Result<Applied, BookError> {
        self.changed_parts = None;
        // Whatever the update is, the source has its bytes, and a user that stays has others.
        if account.is_some()
            && let Some(index) = self.orders.users.find(&update.pubkey)
        {
            self.orders.users.get_mut(index).source = NO_SOURCE;
        }
        if let Some(applied) = self.markets.apply_oracle(update, self.snapshot.replaces) {
            if applied != Applied::Stale {
                self.remove_user_of(&update.pubkey);
            }
            return Ok(applied);
        }
        if update.data.is_empty() || update.owner != self.markets.exchange.program {
            return Ok(self.close(update));
        }
        match kind_of(update.data) {
            Ok(AccountKind::User) => self.apply_user(update, Source::whole(account)),
            Ok(AccountKind::State) => self.apply_state(update),
            Ok(kind) => {
                let rules = self.markets.exchange.rules;
                if let Some(account) = read_market(rules, kind, update.pubkey, update.data) {
                    return self.apply_market(update, account);
                }
                if !self.is_known(&update.pubkey) {
                    return Ok(Applied::Ignored);
                }
                let discriminator = *update.data.first_chunk().unwrap_or(&[0; 8]);
                self.quarantine(update, ProtocolError::WrongDiscriminator { discriminator })
            }
            Err(cause) => self.quarantine(update, cause),
        }
    }

    /// Returns the parts whose bytes the last [`Book::apply`] changed; the other parts equal the
    /// previous applied state of this user. `None` when the user is new to the book, or the update
    /// was not applied.
    #[must_use]
    pub const fn changed_parts(&self) -> Option<ChangedParts> {
        self.changed_parts
    }

    /// Quarantines an account whose bytes were truncated, like a malformed account.
    ///
    /// # Errors
    /// [`BookError::Malformed`] when the book contained the account.
    pub fn quarantine_truncated(
        &mut self,
        update: AccountUpdate<'_>,
    ) -> Result<Applied, BookError> {
        if !self.is_known(&update.pubkey) {
            return Ok(Applied::Ignored);
        }
        self.quarantine(&update, ProtocolError::WrongLength { expected: 8, actual: 0 })
    }

    fn is_known(&self, pubkey: &Pubkey) -> bool {
        self.orders.users.find(pubkey).is_some()
            || self.markets.list.iter().any(|market| market.info.account == *pubkey)
    }

    /// Forgets the numbers of accounts, because another source follows.
    pub fn forget_source(&mut self) {
        for index in 0..self.orders.users.len() {
            self.orders.users.get_mut(index).source = NO_SOURCE;
        }
    }

    pub(crate) fn apply_user(
        &mut self,
        update: &AccountUpdate<'_>,
        Source { account, touched }: Source,
    ) -> Result<Applied, BookError> {
        let index = self.orders.user_index(update.pubkey)?;
        if !self.admits_user(index, update) {
            return Ok(Applied::Stale);
        }
        let read = self.markets.exchange.rules.user(update.data).and_then(|view| {
            let rest = self.orders.users.get(index).rest.changes(view.beside_orders());
            let counts = view.order_counts();
            let is_read = (rest.is_some() && touched.before_orders) || counts.is_some();
            let positions = is_read.then(|| view.positions()).transpose()?;
            let changed = self.orders.changed_slots(index, &view, touched.orders)?;
            Ok((view, rest, positions, changed))
        });
        let (view, rest, mut positions, changed) = match read {
            Ok(read) => read,
            Err(cause) => return self.quarantine(update, cause),
        };
        let Self { orders, markets, .. } = self;
        if let (Some(counts), Some(positions)) = (view.order_counts(), &mut positions) {
            positions.mark_elsewhere(counts, &orders.held_in(index, &view, changed));
        }
        let user = orders.users.get_mut(index);
        user.version.accept(update);
        user.source = account;
        // A log omits unchanged accounts of a snapshot, but not one that has other amounts.
        let is_news = update.gate == Gate::Snapshot && rest.is_some();
        if let Some(changes) = rest {
            user.rest.replace(changes, view.beside_orders());
            orders.users.set_authority(index, view.authority());
        }
        let was_present = orders.set_present(index);
        let pieces = rest.map_or(0, |rest| rest.changed);
        self.changed_parts = was_present.then_some(ChangedParts { orders: changed, pieces });
        let mut affected = 0;
        if rest.is_some() || positions.is_some() {
            let is_frozen = view.status() & FROZEN != 0;
            let positions = positions.as_ref();
            affected = orders.set_status_and_positions(index, is_frozen, positions, markets);
        }
        orders.set_slots(index, &view, changed, markets);
        let reconsider = changed | affected;
        for slot in bits(reconsider) {
            orders.reposition(handle_of(index, slot), markets);
        }
        if !self.quarantined.is_empty() {
            self.quarantined.remove(&update.pubkey);
        }
        if was_present && reconsider == 0 {
            return Ok(if is_news { Applied::Changed } else { Applied::Unchanged });
        }
        self.count_in_snapshot(update, was_present);
        Ok(Applied::Changed)
    }

    /// Returns whether the update is newer than the book, and records that the open snapshot
    /// contains the account.
    fn admits_user(&mut self, index: usize, update: &AccountUpdate<'_>) -> bool {
        let user = self.orders.users.get_mut(index);
        if update.gate == Gate::Snapshot {
            user.seen = self.snapshot.generation;
        }
        user.version.admits(update, self.snapshot.replaces)
    }

    /// Closes a user or market account; other closed accounts do not affect the book.
    fn close(&mut self, update: &AccountUpdate<'_>) -> Applied {
        let taken_out = self.take_out(update, EmptyReason::MarketClosed);
        if taken_out == Some(Applied::Closed) {
            self.quarantined.remove(&update.pubkey);
        }
        taken_out.unwrap_or(Applied::Ignored)
    }

    /// Removes the user and the market of this key; one key can have been both. Returns `Closed`,
    /// `Stale` when the book has a newer state of either, or `None` when the book has neither.
    fn take_out(&mut self, update: &AccountUpdate<'_>, reason: EmptyReason) -> Option<Applied> {
        let user = self.orders.users.find(&update.pubkey);
        let mut markets = self.markets.list.iter();
        let market = markets.position(|market| market.info.account == update.pubkey);
        if user.is_none() && market.is_none() {
            return None;
        }
        let admits_user = user.is_none_or(|index| self.admits_user(index, update));
        let replaces = self.snapshot.replaces;
        let version = market.map(|at| &self.markets.list[at].version);
        if !admits_user || version.is_some_and(|version| !version.admits(update, replaces)) {
            return Some(Applied::Stale);
        }
        if let Some(index) = user {
            self.orders.users.get_mut(index).version.accept(update);
            self.remove_user(index);
        }
        if let Some(at) = market {
            self.empty_market(at, update, reason);
        }
        Some(Applied::Closed)
    }

    fn empty_market(&mut self, at: usize, update: &AccountUpdate<'_>, reason: EmptyReason) {
        let market = &mut self.markets.list[at];
        market.version.accept(update);
        market.set_unusable(Some(reason));
        let id = market.info.id;
        self.markets.refresh(id);
    }

    fn remove_user_of(&mut self, pubkey: &Pubkey) {
        if let Some(index) = self.orders.users.find(pubkey) {
            self.remove_user(index);
        }
    }

    /// Removes all orders of a user. The key stays, so that older states are rejected.
    pub(crate) fn remove_user(&mut self, index: usize) {
        self.orders.remove_user(index, &mut self.markets);
        self.quarantined.remove(&self.orders.users.get(index).key);
    }

    /// Removes the malformed account from the book, unless the book has a newer state.
    fn quarantine(
        &mut self,
        update: &AccountUpdate<'_>,
        cause: ProtocolError,
    ) -> Result<Applied, BookError> {
        if self.take_out(update, EmptyReason::MarketMalformed) == Some(Applied::Stale) {
            return Ok(Applied::Stale);
        }
        if self.quarantined.len() < QUARANTINE_MAX {
            self.quarantined.insert(update.pubkey);
        }
        Err(BookError::Malformed { pubkey: update.pubkey, cause })
    }

    fn apply_state(&mut self, update: &AccountUpdate<'_>) -> Result<Applied, BookError> {
        let exchange = &mut self.markets.exchange;
        if !exchange.version.admits(update, self.snapshot.replaces) {
            return Ok(Applied::Stale);
        }
        exchange.version.accept(update);
        exchange.key = Some(update.pubkey);
        let state = match exchange.rules.state(update.data) {
            Ok(state) => state,
            Err(cause) => return self.quarantine(update, cause),
        };
        exchange.sub_accounts = state.number_of_sub_accounts;
        update.data.clone_into(&mut exchange.data);
        let terms = ExchangeTerms::of(&state);
        self.quarantined.remove(&update.pubkey);
        self.remove_user_of(&update.pubkey);
        if !self.markets.exchange.set_terms(terms) {
            return Ok(Applied::Unchanged);
        }
        if self.markets.exchange.take_lengths() {
            self.time_again();
        }
        self.markets.refresh_all();
        Ok(Applied::Changed)
    }

    fn apply_market(
        &mut self,
        update: &AccountUpdate<'_>,
        account: Result<MarketAccount, ProtocolError>,
    ) -> Result<Applied, BookError> {
        let account = match account {
            Ok(account) => account,
            Err(cause) => return self.quarantine(update, cause),
        };
        let markets = &mut self.markets;
        let found = markets.find(account.info.key()).map(|market| market.info.id);
        let full = BookError::LimitExceeded {
            pubkey: update.pubkey,
            limit: "MARKETS_MAX",
            max: MARKETS_MAX,
        };
        let id = found.or_else(|| markets.add(&account.info)).ok_or(full)?;
        let market = &mut markets.list[id.index()];
        if !market.version.admits(update, self.snapshot.replaces) {
            return Ok(Applied::Stale);
        }
        market.version.accept(update);
        self.quarantined.remove(&update.pubkey);
        if found.is_none() {
            self.orders.hash_new_market(account.info.key(), &mut self.markets);
        }
        self.remove_user_of(&update.pubkey);
        let Self { orders, markets, .. } = self;
        let market = &mut markets.list[id.index()];
        market.set_data(update.data);
        let is_renamed = market.info.name != account.info.name;
        let change = market.set_account(account);
        markets.names_moved |= is_renamed;
        let is_new = found.is_none();
        let key = market.info.key();
        if is_new {
            market.ladders.elsewhere = orders.counted_elsewhere(key);
        }
        if is_new || change.oracle {
            markets.follow_oracles();
        }
        markets.refresh(id);
        if is_new || change.places {
            orders.rebuild_market(id, markets);
        } else if change.interest {
            orders.resize_reduce_only(id, markets);
        }
        Ok(Applied::Changed)
    }
}
