//! The door: raw accounts come in, are checked, and change the book.

use slotbook_protocol::ProtocolError;
use slotbook_protocol::account::{AccountKind, kind_of};
use slotbook_protocol::amm::PerpAmm;
use slotbook_protocol::market::{PerpMarketView, SpotMarketView};
use slotbook_protocol::order::OrderView;
use slotbook_protocol::state::StateView;
use slotbook_protocol::units::{BaseQty, Price, Pubkey};
use slotbook_protocol::user::{UserView, user_status};

use crate::book::Book;
use crate::ladder::arena::{NO_MARKET, handle_of};
use crate::limits::{MARKETS_MAX, ORDER_BYTES, ORDERS_PER_USER, QUARANTINE_MAX, USERS_MAX};
use crate::markets::exchange::Fees;
use crate::markets::market::{Interest, Market, OracleFields};
use crate::model::market::EmptyReason;
use crate::model::market::{MarketId, MarketInfo, PerpFigures};
use crate::model::update::{AccountUpdate, Applied, BookError, Gate};
use crate::orders::order_store::bits;
use crate::orders::users::{Positions, positions_of};

impl Book {
    /// Applies one account: a user, a market, the exchange's state, or an oracle a market names.
    ///
    /// # Errors
    /// [`BookError::Malformed`] when a program account's bytes are not what the program writes; the
    /// account is then out of the book until a well-formed state arrives.
    /// [`BookError::LimitExceeded`] when a table is full.
    pub fn apply(&mut self, update: AccountUpdate<'_>) -> Result<Applied, BookError> {
        if self.oracles.contains_key(&update.pubkey) {
            return Ok(self.apply_oracle(&update));
        }
        if update.data.is_empty() || update.owner != self.config.program {
            return Ok(self.close(&update));
        }
        match kind_of(update.data) {
            Ok(AccountKind::User) => self.apply_user(&update),
            Ok(AccountKind::PerpMarket) => self.apply_perp_market(&update),
            Ok(AccountKind::SpotMarket) => self.apply_spot_market(&update),
            Ok(AccountKind::State) => self.apply_state(&update),
            Ok(_) if self.is_known(&update.pubkey) => {
                let discriminator = *update.data.first_chunk().unwrap_or(&[0; 8]);
                self.quarantine(&update, ProtocolError::WrongDiscriminator { discriminator })
            }
            Ok(_) => Ok(Applied::Ignored),
            Err(cause) => self.quarantine(&update, cause),
        }
    }

    /// Takes an account whose bytes did not arrive whole out of the book, as a malformed one.
    ///
    /// # Errors
    /// [`BookError::Malformed`] when it is out now.
    pub fn leave_out(&mut self, update: AccountUpdate<'_>) -> Result<Applied, BookError> {
        let cause = ProtocolError::WrongLength { expected: 8, actual: 0 };
        if self.is_known(&update.pubkey) {
            self.quarantine(&update, cause)
        } else {
            Ok(Applied::Ignored)
        }
    }

    fn is_known(&self, pubkey: &Pubkey) -> bool {
        self.users.find(pubkey).is_some()
            || self.markets.iter().any(|market| market.info.account == *pubkey)
    }

    fn apply_user(&mut self, update: &AccountUpdate<'_>) -> Result<Applied, BookError> {
        let index = self.user_index(update)?;
        if !self.passes_gate(index, update) {
            return Ok(Applied::Stale);
        }
        let read = UserView::parse(update.data).and_then(|view| {
            let positions = positions_of(&view)?;
            let changed = self.changed_slots(index, view.orders_bytes())?;
            Ok((view, positions, changed))
        });
        let (view, positions, changed) = match read {
            Ok(read) => read,
            Err(cause) => return self.quarantine(update, cause),
        };
        let was_present = self.users.get(index).present;
        self.accept_user(index, update);
        let owner_changed = self.set_owner(index, view.status() & FROZEN != 0, positions);
        self.copy_slots(index, view.orders_bytes(), changed);
        let reconsider = changed | owner_changed;
        for slot in bits(reconsider) {
            self.reposition(handle_of(index, slot));
        }
        if was_present && reconsider == 0 {
            return Ok(Applied::Unchanged);
        }
        self.note_snapshot(update, was_present);
        Ok(Applied::Changed)
    }

    /// The index of a user account, given now when its key is new.
    fn user_index(&mut self, update: &AccountUpdate<'_>) -> Result<usize, BookError> {
        if let Some(index) = self.users.find(&update.pubkey) {
            return Ok(index);
        }
        let added = self.users.add(update.pubkey, USERS_MAX);
        let index = added.ok_or(BookError::LimitExceeded {
            pubkey: update.pubkey,
            limit: "USERS_MAX",
            max: USERS_MAX,
        })?;
        while self.arena.len() <= index {
            self.arena.grow();
        }
        Ok(index)
    }

    fn passes_gate(&mut self, index: usize, update: &AccountUpdate<'_>) -> bool {
        let (generation, replaces) = (self.snapshot.generation, self.snapshot.replaces);
        let user = self.users.get_mut(index);
        if update.gate == Gate::Snapshot {
            user.seen = generation;
        }
        user.version.admits(update, replaces)
    }

    fn accept_user(&mut self, index: usize, update: &AccountUpdate<'_>) {
        let user = self.users.get_mut(index);
        user.version.accept(update);
        if !user.present {
            user.present = true;
            self.present_users += 1;
        }
        if !self.quarantined.is_empty() {
            self.quarantined.remove(&update.pubkey);
        }
    }

    /// The slots whose bytes differ, every one of them checked.
    fn changed_slots(
        &self,
        index: usize,
        orders: &[u8; ORDERS_PER_USER * ORDER_BYTES],
    ) -> Result<u32, ProtocolError> {
        let (new, _) = orders.as_chunks::<ORDER_BYTES>();
        let old = &self.arena.block(index).raw;
        let mut changed = 0;
        for (slot, (new, old)) in new.iter().zip(old).enumerate() {
            if new != old {
                OrderView::new(new).check()?;
                changed |= 1 << slot;
            }
        }
        Ok(changed)
    }

    /// Takes over status and positions; returns the slots whose place depends on what changed.
    fn set_owner(&mut self, index: usize, frozen: bool, positions: Positions) -> u32 {
        let user = self.users.get_mut(index);
        let mut reconsider = 0;
        if user.frozen != frozen {
            user.frozen = frozen;
            reconsider |= user.open;
        }
        if user.positions != positions {
            user.positions = positions;
            reconsider |= user.reduce_only;
        }
        reconsider
    }

    /// Copies changed slots into the book's memory.
    fn copy_slots(
        &mut self,
        index: usize,
        orders: &[u8; ORDERS_PER_USER * ORDER_BYTES],
        changed: u32,
    ) {
        let (new, _) = orders.as_chunks::<ORDER_BYTES>();
        for slot in bits(changed) {
            self.set_raw(handle_of(index, slot), &new[slot]);
        }
    }

    /// Closes a user or market account; anything else that is closed is not ours.
    fn close(&mut self, update: &AccountUpdate<'_>) -> Applied {
        if let Some(index) = self.users.find(&update.pubkey) {
            if !self.passes_gate(index, update) {
                return Applied::Stale;
            }
            self.users.get_mut(index).version.accept(update);
            self.take_out(index);
            return Applied::Closed;
        }
        let lost = self.lose_market(update, EmptyReason::MarketClosed);
        if lost == Some(Applied::Closed) {
            self.quarantined.remove(&update.pubkey);
        }
        lost.unwrap_or(Applied::Ignored)
    }

    /// Empties the market of an account that is closed or malformed: `Closed`, or `Stale` for an
    /// old state; `None` when no market has this account.
    fn lose_market(&mut self, update: &AccountUpdate<'_>, reason: EmptyReason) -> Option<Applied> {
        let market = self.markets.iter_mut().find(|m| m.info.account == update.pubkey)?;
        if !market.version.admits(update, self.snapshot.replaces) {
            return Some(Applied::Stale);
        }
        market.version.accept(update);
        market.unusable = Some(reason);
        let id = market.info.id;
        self.touch(id);
        self.refresh_market(id);
        Some(Applied::Closed)
    }

    /// Takes every order of a user out of the book. The key stays, to gate older states.
    pub(crate) fn take_out(&mut self, index: usize) {
        let open = self.users.get(index).open;
        for slot in bits(open) {
            let handle = handle_of(index, slot);
            self.set_raw(handle, &[0; ORDER_BYTES]);
            self.reposition(handle);
        }
        self.arena.block_mut(index).raw = [[0; ORDER_BYTES]; ORDERS_PER_USER];
        let user = self.users.get_mut(index);
        debug_assert!(user.open == 0, "Invariant: an absent user has no open orders");
        self.quarantined.remove(&user.key);
        user.positions = Positions::NONE;
        user.frozen = false;
        if user.present {
            user.present = false;
            self.present_users -= 1;
        }
    }

    /// Leaves a malformed account out, and what the book had of it, unless it is an old state.
    fn quarantine(
        &mut self,
        update: &AccountUpdate<'_>,
        cause: ProtocolError,
    ) -> Result<Applied, BookError> {
        if let Some(index) = self.users.find(&update.pubkey) {
            if !self.passes_gate(index, update) {
                return Ok(Applied::Stale);
            }
            self.users.get_mut(index).version.accept(update);
            self.take_out(index);
        }
        if self.lose_market(update, EmptyReason::MarketMalformed) == Some(Applied::Stale) {
            return Ok(Applied::Stale);
        }
        if self.quarantined.len() < QUARANTINE_MAX {
            self.quarantined.insert(update.pubkey);
        }
        Err(BookError::Malformed { pubkey: update.pubkey, cause })
    }

    fn apply_state(&mut self, update: &AccountUpdate<'_>) -> Result<Applied, BookError> {
        if !self.state_version.admits(update, self.snapshot.replaces) {
            return Ok(Applied::Stale);
        }
        self.state_version.accept(update);
        let view = match StateView::parse(update.data) {
            Ok(view) => view,
            Err(cause) => return self.quarantine(update, cause),
        };
        self.quarantined.remove(&update.pubkey);
        let (status, rails) = (view.exchange_status(), view.oracle_guard_rails());
        let fees = Fees::of(&view);
        if self.exchange_status == status && self.guard_rails == rails && self.fees == fees {
            return Ok(Applied::Unchanged);
        }
        self.exchange_status = status;
        self.quotes_may_move = true;
        self.guard_rails = rails;
        self.fees = fees;
        self.refresh_markets();
        Ok(Applied::Changed)
    }

    fn apply_perp_market(&mut self, update: &AccountUpdate<'_>) -> Result<Applied, BookError> {
        match PerpMarketView::parse(update.data).and_then(|view| read_perp(&view, update.pubkey)) {
            Ok(read) => self.apply_market(update, read),
            Err(cause) => self.quarantine(update, cause),
        }
    }

    fn apply_spot_market(&mut self, update: &AccountUpdate<'_>) -> Result<Applied, BookError> {
        match SpotMarketView::parse(update.data).and_then(|view| read_spot(&view, update.pubkey)) {
            Ok(read) => self.apply_market(update, read),
            Err(cause) => self.quarantine(update, cause),
        }
    }

    fn apply_market(
        &mut self,
        update: &AccountUpdate<'_>,
        mut read: MarketRead,
    ) -> Result<Applied, BookError> {
        let (id, found) = self.market_for(update, &read.info)?;
        let market = &mut self.markets[id.index()];
        if !market.version.admits(update, self.snapshot.replaces) {
            return Ok(Applied::Stale);
        }
        market.version.accept(update);
        self.quarantined.remove(&update.pubkey);
        let market = &mut self.markets[id.index()];
        read.info.id = id;
        let places_change = found || market.places_differ(&read);
        let interest_changed = market.interest != read.interest;
        let oracle_of = |info: &MarketInfo| (info.oracle, info.oracle_source);
        let oracle_changes = found || oracle_of(&market.info) != oracle_of(&read.info);
        market.unusable = None;
        market.info = read.info;
        market.oracle_fields = read.oracle_fields;
        market.interest = read.interest;
        market.figures = read.figures;
        if let Some(amm) = read.amm {
            market.vamm.set(amm);
        }
        self.touch(id);
        if oracle_changes {
            self.follow_oracles();
        }
        self.refresh_market(id);
        if places_change {
            self.rebuild_market(id);
        } else if interest_changed {
            self.resize_reduce_only(id);
        }
        Ok(Applied::Changed)
    }

    /// The market's number, and whether it was given just now.
    fn market_for(
        &mut self,
        update: &AccountUpdate<'_>,
        info: &MarketInfo,
    ) -> Result<(MarketId, bool), BookError> {
        let key = info.key();
        if let Some(id) = self.market_id(key) {
            return Ok((id, false));
        }
        let full = BookError::LimitExceeded {
            pubkey: update.pubkey,
            limit: "MARKETS_MAX",
            max: MARKETS_MAX,
        };
        if self.markets.len() >= MARKETS_MAX {
            return Err(full);
        }
        let id = MarketId(u16::try_from(self.markets.len()).map_err(|_| full)?);
        self.markets.push(Market::new(info.clone()));
        let ids = &mut self.market_ids[key.market_type as usize];
        let at = usize::from(key.market_index);
        if ids.len() <= at {
            ids.resize(at + 1, NO_MARKET);
        }
        ids[at] = id.0;
        Ok((id, true))
    }
}

/// Being liquidated or bankrupt. `positionFlag` says the same of a position, but holds stale bytes
/// in old accounts and is not read.
const FROZEN: u8 = user_status::BEING_LIQUIDATED | user_status::BANKRUPT;

/// What the book takes from a market account.
struct MarketRead {
    info: MarketInfo,
    oracle_fields: OracleFields,
    interest: Interest,
    /// Of a perp market.
    amm: Option<PerpAmm>,
    /// Of a perp market.
    figures: Option<PerpFigures>,
}

impl Market {
    /// True when the new account may put orders elsewhere than they stand.
    fn places_differ(&self, read: &MarketRead) -> bool {
        let reduce_only = slotbook_protocol::enums::MarketStatus::ReduceOnly;
        self.info.tick != read.info.tick
            || self.info.step != read.info.step
            || self.info.decimals != read.info.decimals
            || self.is_reduce_only() != (read.info.status == reduce_only)
    }
}

/// Decimals of a perp's base size. Source: programs/drift/src/math/constants.rs `BASE_PRECISION`.
const PERP_DECIMALS: u32 = 9;

fn read_perp(view: &PerpMarketView<'_>, account: Pubkey) -> Result<MarketRead, ProtocolError> {
    use slotbook_protocol::enums::{ContractType, MarketType};
    Ok(MarketRead {
        info: MarketInfo {
            id: MarketId(NO_MARKET),
            account,
            name: view.name(),
            market_type: MarketType::Perp,
            market_index: view.market_index(),
            status: view.status()?,
            tick: at_least_one(view.order_tick_size()),
            step: at_least_one_base(view.order_step_size()),
            min_order_size: view.min_order_size(),
            decimals: PERP_DECIMALS,
            mint: None,
            fee_adjustment: view.fee_adjustment(),
            is_prediction: view.contract_type()? == ContractType::Prediction,
            oracle: view.oracle(),
            oracle_source: view.oracle_source()?,
            paused_operations: view.paused_operations(),
            expiry_ts: view.expiry_ts(),
        },
        oracle_fields: OracleFields {
            mm_price: view.mm_oracle_price().0,
            mm_slot: view.mm_oracle_slot().0,
            mm_sequence_id: view.mm_oracle_sequence_id(),
            last_price: view.last_oracle_price().0,
            last_twap: view.last_oracle_price_twap().0,
            premium: premium(view),
            confidence_multiplier: view.contract_tier()?.confidence_multiplier(),
        },
        interest: Interest::default(),
        amm: Some(PerpAmm::of(view)),
        figures: Some(figures(view)),
    })
}

fn figures(view: &PerpMarketView<'_>) -> PerpFigures {
    let funding_twap = match view.last_funding_oracle_twap().0 {
        0 => view.last_oracle_price_twap().0,
        twap => twap,
    };
    PerpFigures {
        base_long: view.base_long(),
        base_short: view.base_short(),
        funding_rate: view.last_funding_rate(),
        funding_rate_24h: view.last_24h_average_funding_rate(),
        funding_oracle_twap: funding_twap,
        funding_ts: view.last_funding_rate_ts(),
    }
}

/// Source: sdk/src/dlob/orderBookLevels.ts `uncrossL2`, what it adds to the oracle's price.
fn premium(view: &PerpMarketView<'_>) -> i64 {
    let mark = i64::try_from(view.last_mark_price_twap_5min().0).unwrap_or(i64::MAX);
    mark.saturating_sub(view.last_oracle_price_twap_5min().0)
}

fn read_spot(view: &SpotMarketView<'_>, account: Pubkey) -> Result<MarketRead, ProtocolError> {
    use slotbook_protocol::enums::MarketType;
    Ok(MarketRead {
        info: MarketInfo {
            id: MarketId(NO_MARKET),
            account,
            name: view.name(),
            market_type: MarketType::Spot,
            market_index: view.market_index(),
            status: view.status()?,
            tick: at_least_one(view.order_tick_size()),
            step: at_least_one_base(view.order_step_size()),
            min_order_size: view.min_order_size(),
            decimals: view.decimals(),
            mint: Some(view.mint()),
            fee_adjustment: view.fee_adjustment(),
            is_prediction: false,
            oracle: view.oracle(),
            oracle_source: view.oracle_source()?,
            paused_operations: view.paused_operations(),
            expiry_ts: view.expiry_ts(),
        },
        oracle_fields: OracleFields {
            last_price: view.last_oracle_price().0,
            last_twap: view.last_oracle_price_twap().0,
            confidence_multiplier: view.asset_tier()?.confidence_multiplier(),
            ..OracleFields::default()
        },
        interest: Interest {
            deposit: view.cumulative_deposit_interest(),
            borrow: view.cumulative_borrow_interest(),
        },
        amm: None,
        figures: None,
    })
}

/// A tick of 0 in an account that is still being set up counts as 1.
fn at_least_one(tick: Price) -> Price {
    Price(tick.0.max(1))
}

fn at_least_one_base(step: BaseQty) -> BaseQty {
    BaseQty(step.0.max(1))
}
