//! The book itself: the last bytes of every account, and everything else worked out at each
//! question.

use std::collections::{BTreeMap, BTreeSet};

use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::OracleSource;
use slotbook_protocol::model::oracle::{OracleGuardRails, quote_asset_reading};
use slotbook_protocol::model::units::Pubkey;

use crate::account::{Account, Key, MarketKind, Order, PerpMarket, SpotMarket, State, User};
use crate::oracle::{Limits, MmFields, Reading, Validity, mm_or_exchange, validity};
use crate::price;
use crate::rules::{self, EmptyReason, MarketContext};
use crate::slots::{Moment, Slots};
use crate::view::{MarketView, Row, Side};

/// The chain's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Slot.
    pub slot: u64,
    /// Unix time in seconds.
    pub unix_seconds: i64,
}

/// How an update stands to the updates before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// It came over the one socket: what comes later is newer, and a lower slot is a revert.
    Arrival,
    /// It was read with a snapshot.
    Snapshot,
    /// It carries the validator's write version.
    WriteVersion(u64),
}

/// One account as the chain has it.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// The account's address.
    pub pubkey: Key,
    /// The owning program.
    pub owner: Key,
    /// Slot of the update.
    pub slot: u64,
    /// How it stands to the updates before it.
    pub stamp: Stamp,
    /// The account's bytes; none when it was closed.
    pub data: &'a [u8],
}

/// Whether an update was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The bytes are now the account's.
    Taken,
    /// Something newer is known.
    Stale,
    /// The book does not read this account.
    Ignored,
}

#[derive(Clone, Debug)]
struct Stored {
    owner: Key,
    slot: u64,
    write_version: u64,
    data: Vec<u8>,
    account: Option<Account>,
    role: Role,
    seen_in_snapshot: bool,
    /// A market whose account is closed or unreadable now: what it said last stays known.
    is_lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Also a user that was closed or is malformed: its slot still tells older states from newer
    /// ones.
    User,
    Oracle,
    Other,
}

/// Everything decoded, as one question sees it.
#[derive(Default)]
pub(crate) struct Decoded<'a> {
    pub(crate) users: Vec<(Key, &'a User)>,
    perps: Vec<(&'a PerpMarket, bool)>,
    spots: Vec<(&'a SpotMarket, bool)>,
    pub(crate) state: Option<&'a State>,
}

/// The plain book.
#[derive(Clone, Debug)]
pub struct NaiveBook {
    program: Key,
    clock: Clock,
    accounts: BTreeMap<Key, Stored>,
    snapshot_slot: Option<u64>,
    snapshot_kind: SnapshotKind,
}

/// What a snapshot does to what is known already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotKind {
    /// It compares: what is newer stays.
    Audit,
    /// It replaces the book, whatever slots the book had.
    Replace,
}

impl NaiveBook {
    /// An empty book of one program's accounts.
    pub fn new(program: Key) -> Self {
        NaiveBook {
            program,
            clock: Clock::default(),
            accounts: BTreeMap::new(),
            snapshot_slot: None,
            snapshot_kind: SnapshotKind::Audit,
        }
    }

    /// Sets the chain's time, forward or backward.
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    /// Takes one account.
    pub fn apply(&mut self, update: &Update<'_>) -> Outcome {
        let is_known_user =
            self.accounts.get(&update.pubkey).is_some_and(|stored| stored.role == Role::User);
        let known_market = self.accounts.get(&update.pubkey).and_then(|s| s.market().cloned());
        let is_known_market = known_market.is_some();
        let is_closed = update.data.is_empty() || update.owner != self.program;
        let account =
            if is_closed { None } else { Some(Account::read(self.program(), update.data)) };
        let role = if self.oracle_keys().contains(&update.pubkey) {
            Role::Oracle
        } else {
            match account {
                Some(Account::User(_) | Account::MalformedUser) => Role::User,
                Some(Account::Perp(_) | Account::Spot(_) | Account::State(_)) => Role::Other,
                None | Some(Account::Unknown | Account::Other) if is_known_user => Role::User,
                None | Some(Account::Unknown | Account::Other) if is_known_market => Role::Other,
                _ => return Outcome::Ignored,
            }
        };
        if let Some(stored) = self.accounts.get_mut(&update.pubkey)
            && is_stale(stored, update, self.snapshot_kind)
        {
            stored.seen_in_snapshot |= update.stamp == Stamp::Snapshot;
            return Outcome::Stale;
        }
        let was_seen =
            self.accounts.get(&update.pubkey).is_some_and(|stored| stored.seen_in_snapshot);
        let write_version = match update.stamp {
            Stamp::WriteVersion(version) => version,
            Stamp::Arrival | Stamp::Snapshot => 0,
        };
        let stored = Stored {
            owner: update.owner,
            slot: update.slot,
            write_version,
            data: update.data.to_vec(),
            is_lost: is_lost(&account, is_known_market),
            account: match known_market {
                Some(market) if is_lost(&account, true) => Some(market),
                _ => account.filter(|_| role != Role::Oracle),
            },
            role,
            seen_in_snapshot: was_seen || update.stamp == Stamp::Snapshot,
        };
        self.accounts.insert(update.pubkey, stored);
        self.forget_unnamed_oracles();
        Outcome::Taken
    }

    /// An oracle that no market names any more is forgotten, as is what it last said.
    fn forget_unnamed_oracles(&mut self) {
        let named = self.oracle_keys();
        self.accounts.retain(|key, stored| stored.role != Role::Oracle || named.contains(key));
    }

    /// Starts a snapshot that was read at a slot.
    pub fn begin_snapshot(&mut self, slot: u64, kind: SnapshotKind) {
        self.snapshot_slot = Some(slot);
        self.snapshot_kind = kind;
        self.accounts.values_mut().for_each(|stored| stored.seen_in_snapshot = false);
    }

    /// Ends the snapshot: users that it did not hold and that are not newer are gone.
    pub fn end_snapshot(&mut self) {
        let Some(slot) = self.snapshot_slot.take() else { return };
        self.accounts.retain(|_, stored| {
            let stays = self.snapshot_kind == SnapshotKind::Audit && stored.slot >= slot;
            stored.role != Role::User || stored.seen_in_snapshot || stays
        });
        self.snapshot_kind = SnapshotKind::Audit;
    }

    /// The markets, spot before perp, by index.
    pub fn market_ids(&self) -> Vec<(MarketKind, u16)> {
        self.views().into_keys().collect()
    }

    /// The book of one market; `None` when there is no such market.
    pub fn view(&self, kind: MarketKind, index: u16) -> Option<MarketView> {
        self.views().remove(&(kind, index))
    }

    /// The book of every market, spot before perp, by index.
    pub fn views(&self) -> BTreeMap<(MarketKind, u16), MarketView> {
        let decoded = self.decoded();
        let contexts = self.contexts(&decoded);
        let views = contexts.iter().map(|(market, reason)| {
            let view = self.market_view(&decoded.users, market, *reason);
            ((market.kind, market.index), view)
        });
        views.collect()
    }

    /// Every market as the rules see it, and why it shows nothing, if it does.
    pub(crate) fn contexts(
        &self,
        decoded: &Decoded<'_>,
    ) -> Vec<(MarketContext, Option<EmptyReason>)> {
        let now = self.now();
        let mut contexts = Vec::new();
        for (perp, is_lost) in &decoded.perps {
            let reason = rules::perp_empty_reason(perp, decoded.state, now);
            let reason = if *is_lost { Some(EmptyReason::Lost) } else { reason };
            contexts.push((self.perp_context(perp, decoded.state), reason));
        }
        for (spot, is_lost) in &decoded.spots {
            let reason = rules::spot_empty_reason(spot, decoded.state, now);
            let is_traded = self.program() == Program::Drift;
            let reason = if is_traded { reason } else { Some(EmptyReason::NotTraded) };
            let reason = if *is_lost { Some(EmptyReason::Lost) } else { reason };
            contexts.push((self.spot_context(spot, decoded.state), reason));
        }
        contexts
    }

    /// The program at the address of this book.
    pub(crate) fn program(&self) -> Program {
        Program::of(&Pubkey(self.program))
    }

    /// The slot, and how long slots are.
    pub(crate) fn moment(&self) -> Moment {
        let slots = self.accounts.values().rev().find_map(|stored| match &stored.account {
            Some(Account::State(state)) => Some(state.slots),
            _ => None,
        });
        Moment { slot: self.clock.slot, slots: slots.unwrap_or_default() }
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.unix_seconds
    }

    fn market_view(
        &self,
        users: &[(Key, &User)],
        market: &MarketContext,
        empty_reason: Option<EmptyReason>,
    ) -> MarketView {
        let rows = |side| match empty_reason {
            None => self.rows(users, market, side),
            Some(_) => Vec::new(),
        };
        MarketView {
            bids: rows(Side::Bid),
            asks: rows(Side::Ask),
            empty_reason,
            offset_orders_excluded: market.oracle.is_none(),
        }
    }

    /// Every order of one side, sorted: price, then slot, then order id, then maker.
    fn rows(&self, users: &[(Key, &User)], market: &MarketContext, side: Side) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let at = self.moment();
        for (maker, user) in users.iter().filter(|(_, user)| rules::user_is_shown(user)) {
            let position = rules::position_of(user, market);
            let orders = user.orders.iter().filter(|o| o.is_bid() == (side == Side::Bid));
            rows.extend(orders.filter_map(|order| {
                let row = self.row(order, *maker, position, market, side);
                let filled = rules::as_filled(order, market);
                row.filter(|_| rules::is_in_book(&filled, market, &at, self.now()))
            }));
        }
        rows.sort_by_key(|row| {
            let toward_best = if side == Side::Bid { -row.price } else { row.price };
            (toward_best, row.slot, row.order_id, row.maker)
        });
        queue_up(&mut rows);
        rows
    }

    fn row(
        &self,
        order: &Order,
        maker: Key,
        position: i128,
        market: &MarketContext,
        side: Side,
    ) -> Option<Row> {
        let size = rules::shown_size(&rules::as_filled(order, market), position);
        let price = price::shown_price(order, market).filter(|_| size >= market.step.max(1))?;
        Some(Row {
            side,
            price,
            size,
            queue: 0,
            slot: order.slot,
            order_id: order.order_id,
            maker,
            max_ts: order.max_ts,
            oracle_price_offset: order.oracle_price_offset,
            reduce_only: order.reduce_only,
            post_only: order.post_only,
            signed_msg: order.bit_flags & 1 != 0,
        })
    }

    fn perp_context(&self, perp: &PerpMarket, state: Option<&State>) -> MarketContext {
        MarketContext {
            kind: MarketKind::Perp,
            index: perp.index,
            tick: i128::from(perp.tick.max(1)),
            step: i128::from(perp.step),
            is_prediction: perp.is_prediction,
            is_reduce_only: rules::is_reduce_only(perp.status),
            reduces_every_order: self.program() == Program::Velocity,
            oracle: self.perp_oracle(perp, state),
            spot: (0, 0, 0),
        }
    }

    fn spot_context(&self, spot: &SpotMarket, state: Option<&State>) -> MarketContext {
        MarketContext {
            kind: MarketKind::Spot,
            index: spot.index,
            tick: i128::from(spot.tick.max(1)),
            step: i128::from(spot.step),
            is_prediction: false,
            is_reduce_only: rules::is_reduce_only(spot.status),
            reduces_every_order: self.program() == Program::Velocity,
            oracle: self.spot_oracle(spot, state),
            spot: (spot.deposit_interest, spot.borrow_interest, spot.decimals),
        }
    }

    fn perp_oracle(&self, market: &PerpMarket, state: Option<&State>) -> Option<i128> {
        let (reading, validity) = self.perp_reading(market, state)?;
        validity.is_usable().then_some(reading.price)
    }

    /// The reading that prices a perp market, and what the guard rails say of it.
    pub(crate) fn perp_reading(
        &self,
        market: &PerpMarket,
        state: Option<&State>,
    ) -> Option<(Reading, Validity)> {
        let exchange = self.reading(&market.oracle, market.oracle_source)?;
        let rails = state.cloned().unwrap_or_else(default_rails);
        let limits = Limits {
            rails: &rails,
            last_twap: market.last_oracle_twap,
            confidence_multiple: tier_multiple(market.tier),
            at: self.moment(),
        };
        let mm =
            MmFields { price: market.mm_price, slot: market.mm_slot, sequence: market.mm_sequence };
        let reading = mm_or_exchange(exchange, mm, &limits);
        Some((reading, validity(&reading, &limits)))
    }

    /// The bytes of a perp market's account, with what they say.
    pub(crate) fn perp_accounts(&self) -> impl Iterator<Item = (&[u8], &PerpMarket, bool)> {
        self.accounts.values().filter_map(|stored| match &stored.account {
            Some(Account::Perp(perp)) => Some((stored.data.as_slice(), perp, stored.is_lost)),
            _ => None,
        })
    }

    fn spot_oracle(&self, market: &SpotMarket, state: Option<&State>) -> Option<i128> {
        let reading = self.reading(&market.oracle, market.oracle_source)?;
        let rails = state.cloned().unwrap_or_else(default_rails);
        let limits = Limits {
            rails: &rails,
            last_twap: market.last_oracle_twap,
            confidence_multiple: asset_tier_multiple(market.tier),
            at: self.moment(),
        };
        validity(&reading, &limits).is_usable().then_some(reading.price)
    }

    fn reading(&self, oracle: &Key, source: u8) -> Option<Reading> {
        let source = OracleSource::from_byte(source).ok()?;
        let read = if source == OracleSource::QuoteAsset {
            quote_asset_reading(slotbook_protocol::model::units::Slot(self.clock.slot))
        } else {
            let stored = self.accounts.get(oracle).filter(|stored| !stored.data.is_empty())?;
            self.program().oracle(source, &self.oracle_owner(stored), &stored.data).ok()?
        };
        // A prelaunch oracle of Drift v2 is never late: its program counts the delay the other way round.
        let is_never_late = source == OracleSource::Prelaunch && self.program() == Program::Drift;
        Some(Reading {
            price: i128::from(read.price.0),
            confidence: i128::from(read.confidence),
            slot: if is_never_late { self.clock.slot } else { read.slot.0 },
            sequence: read.sequence_id,
            enough_data: read.has_sufficient_data,
            is_stable_coin: matches!(source as u8, 5 | 10 | 15),
        })
    }

    /// The owner as the protocol knows it: this book's program stands for the exchange's on any
    /// cluster.
    fn oracle_owner(&self, stored: &Stored) -> Pubkey {
        if stored.owner == self.program { self.program().id() } else { Pubkey(stored.owner) }
    }

    /// The oracle accounts that markets name; the quote asset has none.
    fn oracle_keys(&self) -> BTreeSet<Key> {
        let quote_asset = OracleSource::QuoteAsset as u8;
        self.accounts
            .values()
            .filter_map(|stored| match &stored.account {
                Some(Account::Perp(perp)) => Some((perp.oracle, perp.oracle_source)),
                Some(Account::Spot(spot)) => Some((spot.oracle, spot.oracle_source)),
                _ => None,
            })
            .filter(|(_, source)| *source != quote_asset)
            .map(|(oracle, _)| oracle)
            .collect()
    }

    pub(crate) fn decoded(&self) -> Decoded<'_> {
        let mut decoded = Decoded::default();
        for (key, stored) in &self.accounts {
            match &stored.account {
                Some(Account::User(user)) => decoded.users.push((*key, user)),
                Some(Account::Perp(perp)) => decoded.perps.push((perp, stored.is_lost)),
                Some(Account::Spot(spot)) => decoded.spots.push((spot, stored.is_lost)),
                Some(Account::State(state)) => decoded.state = Some(state),
                _ => {}
            }
        }
        decoded
    }
}

impl Stored {
    fn market(&self) -> Option<&Account> {
        self.account.as_ref().filter(|a| matches!(a, Account::Perp(_) | Account::Spot(_)))
    }
}

/// Whether a known market's account says nothing of the market any more.
fn is_lost(account: &Option<Account>, is_known_market: bool) -> bool {
    is_known_market && !matches!(account, Some(Account::Perp(_) | Account::Spot(_)))
}

/// A live update is never stale. A snapshot's loses to a state of the same slot or a later one, and
/// a write to a later write.
fn is_stale(stored: &Stored, update: &Update<'_>, kind: SnapshotKind) -> bool {
    match update.stamp {
        Stamp::Arrival => false,
        Stamp::Snapshot => kind == SnapshotKind::Audit && update.slot <= stored.slot,
        Stamp::WriteVersion(version) => {
            (update.slot, version) <= (stored.slot, stored.write_version)
        }
    }
}

/// Adds up the base ahead of each order at its price.
fn queue_up(rows: &mut [Row]) {
    for at in 1..rows.len() {
        let ahead = rows[at - 1];
        if ahead.price == rows[at].price {
            rows[at].queue = ahead.queue + ahead.size;
        }
    }
}

/// How far the confidence limit is stretched by contract tier.
///
/// Source: programs/drift/src/state/perp_market.rs get_max_confidence_interval_multiplier.
fn tier_multiple(tier: u8) -> i128 {
    match tier {
        0 | 1 => 1,
        2 => 2,
        3 => 10,
        _ => 50,
    }
}

/// How far the confidence limit is stretched by asset tier.
///
/// Source: programs/drift/src/state/spot_market.rs get_max_confidence_interval_multiplier.
fn asset_tier_multiple(tier: u8) -> i128 {
    match tier {
        0 | 1 => 1,
        2 => 5,
        _ => 50,
    }
}

/// The guard rails in force before the State account is known: the program's defaults.
fn default_rails() -> State {
    let rails = OracleGuardRails::default();
    State {
        exchange_status: 0,
        stale_for_amm_slots: rails.slots_before_stale_for_amm,
        stale_for_margin_slots: rails.slots_before_stale_for_margin,
        confidence_max: rails.confidence_interval_max_size,
        too_volatile_ratio: rails.too_volatile_ratio,
        slots: Slots::default(),
    }
}
