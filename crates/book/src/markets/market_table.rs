//! All markets of the exchange, and their oracle accounts.

use std::collections::{HashMap, HashSet};

use slotbook_protocol::model::enums::{MarketType, OracleSource};
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};
use slotbook_protocol::model::user::Positions;

use super::exchange::{Exchange, ExchangeTerms};
use super::market::{Change, DirtyMarkets, Market};
use super::pricing::OracleAccount;
use super::quotes::Indicative;
use crate::LeftOut;
use crate::config::BookConfig;
use crate::ladder::arena::{Arena, Node, Place};
use crate::limits::{MARKETS_MAX, ORACLES_MAX};
use crate::model::clock::Clock;
use crate::model::hash::{HashSum, KeyHashBuilder};
use crate::model::market::{MarketId, MarketInfo, MarketKey};
use crate::model::update::{AccountUpdate, Applied, Version};

/// The key of a perp market.
const fn perp_key(market_index: u16) -> MarketKey {
    MarketKey { market_type: MarketType::Perp, market_index }
}

/// Markets by id and by key, and the state that they share.
#[derive(Debug)]
pub(crate) struct MarketTable {
    pub(crate) list: Vec<Market>,
    /// Ids by type and index; [`MarketId::NONE`] for an index without a market.
    ids: [Vec<MarketId>; 2],
    pub(crate) oracles: HashMap<Pubkey, OracleAccount, KeyHashBuilder>,
    pub(crate) exchange: Exchange,
    pub(crate) dirty: DirtyMarkets,
    pub(crate) changed: Vec<MarketId>,
    /// Whether a market is new or has another name on chain.
    pub(crate) names_moved: bool,
    /// Whether AMM quotes may have changed in markets of which nothing else has changed.
    pub(crate) quotes_may_move: bool,
    pub(crate) indicative: Indicative,
}

impl MarketTable {
    pub(crate) fn new(BookConfig { program, rules }: BookConfig) -> Self {
        let clock = Clock { slots: Slot(0).into(), now: UnixSeconds(0) };
        Self {
            list: Vec::new(),
            ids: [Vec::new(), Vec::new()],
            oracles: HashMap::default(),
            exchange: Exchange {
                program,
                rules,
                key: None,
                version: Version::default(),
                terms: ExchangeTerms::default_of(rules),
                terms_hash: None,
                data: Vec::new(),
                sub_accounts: 0,
                clock,
            },
            dirty: DirtyMarkets::default(),
            changed: Vec::new(),
            names_moved: false,
            quotes_may_move: false,
            indicative: Indicative::default(),
        }
    }

    /// Returns the chain's time, by which markets are priced and orders placed.
    pub(crate) const fn clock(&self) -> &Clock {
        &self.exchange.clock
    }

    pub(crate) fn get(&self, id: MarketId) -> Option<&Market> {
        self.list.get(id.index())
    }

    #[inline]
    pub(crate) fn find(&self, key: MarketKey) -> Option<&Market> {
        let id = *self.ids[key.market_type as usize].get(usize::from(key.market_index))?;
        self.list.get(id.index())
    }

    /// Returns whether positions may limit orders that are not reduce-only.
    #[inline]
    pub(crate) fn reduces_every_order(&self) -> bool {
        self.exchange.rules.reduces_every_order() && self.list.iter().any(Market::is_reduce_only)
    }

    /// Returns the sum of a market's order hashes; `None` for an unknown market.
    #[inline]
    pub(crate) fn orders_hash(&mut self, key: MarketKey) -> Option<&mut HashSum> {
        let id = *self.ids[key.market_type as usize].get(usize::from(key.market_index))?;
        self.list.get_mut(id.index()).map(|market| &mut market.hashes.orders)
    }

    /// Adds an unknown market; returns `None` when the table is full.
    pub(crate) fn add(&mut self, info: &MarketInfo) -> Option<MarketId> {
        let key = info.key();
        debug_assert!(self.find(key).is_none(), "Invariant: a market has one id");
        if self.list.len() >= MARKETS_MAX {
            return None;
        }
        let id = MarketId(u16::try_from(self.list.len()).ok()?);
        self.list.push(Market::new(MarketInfo { id, ..info.clone() }));
        let ids = &mut self.ids[key.market_type as usize];
        let index = usize::from(key.market_index);
        if ids.len() <= index {
            ids.resize(index + 1, MarketId::NONE);
        }
        ids[index] = id;
        self.names_moved = true;
        Some(id)
    }

    /// Sets the symbol of each market. Markets of the same name are ranked, perp markets first, and
    /// only the first one has the name as its symbol.
    pub(crate) fn name_markets(&mut self) {
        let mut ranked: Vec<&mut Market> = self.list.iter_mut().collect();
        ranked.sort_by_key(|market| market.info.rank());
        let mut taken = HashSet::new();
        for market in ranked {
            let info = &market.info;
            let is_own = info.has_plain_name() && taken.insert(info.name.to_ascii_lowercase());
            let symbol = if is_own { info.name.clone() } else { info.key().to_string() };
            if info.symbol != symbol {
                market.info.symbol = symbol;
                self.dirty.mark_book(market);
            }
        }
    }

    /// Applies an oracle account and reprices the markets that name it; returns `None` for an
    /// account that no market names. `replaces` has the meaning of [`Version::admits`].
    pub(crate) fn apply_oracle(
        &mut self,
        update: &AccountUpdate<'_>,
        replaces: bool,
    ) -> Option<Applied> {
        let account = self.oracles.get_mut(&update.pubkey)?;
        if !account.version.admits(update, replaces) {
            return Some(Applied::Stale);
        }
        account.version.accept(update);
        if !account.set_data(update) {
            return Some(Applied::Unchanged);
        }
        for id in &account.markets {
            let market = &mut self.list[id.index()];
            if market.refresh(Some(account), &self.exchange) {
                self.dirty.mark_book(market);
            }
        }
        Some(Applied::Changed)
    }

    /// Drops oracle accounts that no market names, and adds those that markets newly name.
    pub(crate) fn follow_oracles(&mut self) {
        self.oracles.values_mut().for_each(|account| account.markets.clear());
        for market in &self.list {
            if market.info.oracle_source == OracleSource::QuoteAsset {
                continue;
            }
            if self.oracles.len() < ORACLES_MAX || self.oracles.contains_key(&market.info.oracle) {
                self.oracles.entry(market.info.oracle).or_default().markets.push(market.info.id);
            }
        }
        self.oracles.retain(|_, account| !account.markets.is_empty());
    }

    /// Reprices all markets after a change of the exchange's state or the time.
    pub(crate) fn refresh_all(&mut self) {
        self.quotes_may_move = true;
        for market in &mut self.list {
            let account = self.oracles.get(&market.info.oracle);
            if market.refresh(account, &self.exchange) {
                self.dirty.mark_book(market);
            }
        }
    }

    /// Reprices one market after a change of its account.
    pub(crate) fn refresh(&mut self, id: MarketId) {
        let market = &mut self.list[id.index()];
        market.refresh(self.oracles.get(&market.info.oracle), &self.exchange);
        self.dirty.mark_book(market);
    }

    /// Adds an order slot to the list of its node's place.
    #[inline]
    pub(crate) fn insert_order(&mut self, arena: &mut Arena, handle: u32) {
        let Node { market, place, key, .. } = *arena.node(handle);
        match place {
            Place::Out(LeftOut::PlacedOnClob) => self.count_elsewhere(market, 1),
            Place::Out(_) => {}
            _ => {
                let list = &mut self.list[market.index()];
                list.ladders.insert(arena, handle);
                list.find_best_after(place, key);
                self.mark_order(market, place);
            }
        }
    }

    /// Removes an order slot from the list of its node's place.
    #[inline]
    pub(crate) fn remove_order(&mut self, arena: &mut Arena, handle: u32) {
        let Node { market, place, key, .. } = *arena.node(handle);
        match place {
            Place::Out(LeftOut::PlacedOnClob) => self.count_elsewhere(market, -1),
            Place::Out(_) => {}
            _ => {
                let list = &mut self.list[market.index()];
                list.ladders.remove(arena, handle);
                list.find_best_after(place, key);
                self.mark_order(market, place);
            }
        }
    }

    /// Counts the change of a user's positions in whose markets the user has orders elsewhere.
    pub(crate) fn move_elsewhere(&mut self, old: &Positions, new: &Positions) {
        for (positions, by) in [(new, 1), (old, -1)] {
            for position in positions.perp.iter().filter(|position| position.has_orders_elsewhere) {
                if let Some(market) = self.find(perp_key(position.market_index)) {
                    self.count_elsewhere(market.info.id, by);
                }
            }
        }
    }

    fn count_elsewhere(&mut self, id: MarketId, by: isize) {
        let market = &mut self.list[id.index()];
        let before = market.ladders.elsewhere;
        market.ladders.elsewhere = before.saturating_add_signed(by);
        if (before == 0) != (market.ladders.elsewhere == 0) {
            self.refresh(id);
        }
    }

    /// Changes the shown size of an order slot in place.
    #[inline]
    pub(crate) fn resize_order(&mut self, node: &mut Node, size: u64) {
        self.list[node.market.index()].ladders.resize(node, size);
        self.mark_order(node.market, node.place);
    }

    /// Records a change of an order that is visible in its market. Auctions have a separate
    /// revision, because they change neither the market's book nor its sequence number.
    #[inline]
    pub(crate) fn mark_order(&mut self, id: MarketId, place: Place) {
        let (side, is_offset) = match place {
            Place::Out(_) => return,
            Place::Auction(_) => {
                self.list[id.index()].ladders.auctions.revise();
                return;
            }
            Place::Fixed(side) => (side, false),
            Place::Offset(side) => (side, true),
        };
        let market = &mut self.list[id.index()];
        let revision = &mut market.ladders.revisions[side.index()];
        *revision = revision.wrapping_add(1);
        if market.empty.is_none() && (!is_offset || market.pricing.is_some()) {
            self.dirty.mark_side(market, side);
        }
    }

    /// Ends a turn: replaces the inputs of AMM quotes, and gives every changed market the next
    /// sequence number. `moved` tells whether slot or state changed in this turn.
    pub(crate) fn end_turn(&mut self, ts_ms: u64, moved: bool) {
        if std::mem::take(&mut self.names_moved) {
            self.name_markets();
        }
        self.end_quotes();
        std::mem::swap(&mut self.dirty.0, &mut self.changed);
        self.dirty.0.clear();
        // Timers fire in no fixed order, so the output is sorted.
        self.changed.sort_unstable();
        for id in &self.changed {
            self.list[id.index()].end_turn(ts_ms);
        }
        if moved {
            self.list.iter_mut().for_each(|market| market.ts_ms = ts_ms);
        }
    }

    /// Updates the AMM quotes by the state at the end of the turn. In markets whose book changes
    /// anyway, only the inputs are replaced.
    fn end_quotes(&mut self) {
        if std::mem::take(&mut self.quotes_may_move) {
            for market in &mut self.list {
                if market.vamm.account().is_none() || market.dirty == Change::Book {
                    continue;
                }
                let inputs = market.vamm_inputs(&self.exchange);
                if market.vamm.move_inputs(inputs) {
                    self.dirty.mark(market, Change::Quotes);
                }
            }
        }
        for id in &self.dirty.0 {
            let market = &mut self.list[id.index()];
            if market.dirty == Change::Book && market.info.market_type == MarketType::Perp {
                let inputs = market.vamm_inputs(&self.exchange);
                market.replace_quote_inputs(inputs);
            }
        }
    }
}
