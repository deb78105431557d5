//! The book's state, and the questions that need no walk over it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use slotbook_protocol::enums::MarketType;
use slotbook_protocol::oracle::OracleGuardRails;
use slotbook_protocol::units::{Pubkey, Slot, UnixSeconds};

use crate::Side;
use crate::ladder::arena::Arena;
use crate::limits::{AUCTION_WHEEL_BUCKETS, EXPIRY_WHEEL_BUCKETS};
use crate::markets::amm::Change;
use crate::markets::exchange::Fees;
use crate::markets::market::Market;
use crate::markets::pricing::OracleAccount;
use crate::markets::quotes::Indicative;
use crate::model::clock::FeedState;
use crate::model::hash::KeyHashBuilder;
use crate::model::left_out::LeftOut;
use crate::model::market::MarketKey;
use crate::model::market::{MarketId, MarketInfo};
use crate::model::update::Version;
use crate::orders::users::UserTable;
use crate::orders::wheel::{Timer, Wheel};

/// What a book is of.
#[derive(Clone, Copy, Debug)]
pub struct BookConfig {
    /// The exchange's program: the owner of user and market accounts.
    pub program: Pubkey,
}

/// How many accounts and orders are held, and why orders are not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// User accounts present.
    pub users: usize,
    /// Indexes given to user accounts so far; those of forgotten accounts are given again.
    pub user_indexes: usize,
    /// Order slots that hold an open order.
    pub open_orders: usize,
    /// Open orders that stand in a ladder.
    pub resting_orders: usize,
    /// Of those, the ones that their market shows.
    pub shown_orders: usize,
    /// Open orders that are not shown, by [`LeftOut`] code.
    pub left_out: [usize; LeftOut::COUNT],
    /// Accounts out of the book because their bytes are malformed.
    pub quarantined: usize,
}

/// The order book of every market of one program.
#[derive(Debug)]
pub struct Book {
    pub(crate) config: BookConfig,
    pub(crate) users: UserTable,
    pub(crate) arena: Arena,
    pub(crate) markets: Vec<Market>,
    /// Market numbers by type and index; `NO_MARKET` where there is none.
    pub(crate) market_ids: [Vec<u16>; 2],
    pub(crate) oracles: HashMap<Pubkey, OracleAccount, KeyHashBuilder>,
    pub(crate) exchange_status: u8,
    pub(crate) state_version: Version,
    pub(crate) guard_rails: OracleGuardRails,
    pub(crate) fees: Fees,
    pub(crate) slot: Slot,
    pub(crate) now: UnixSeconds,
    pub(crate) state: FeedState,
    pub(crate) auctions: Wheel,
    pub(crate) expiries: Wheel,
    /// Timers that fell due, kept to be used again.
    pub(crate) due: Vec<Timer>,
    pub(crate) dirty: Vec<MarketId>,
    /// Whether AMMs may quote otherwise, though nothing else of their markets has changed.
    pub(crate) quotes_may_move: bool,
    /// The markets that the last turn changed.
    pub(crate) turned: Vec<MarketId>,
    /// Slot and state at the end of the last turn.
    pub(crate) turned_at: Option<(Slot, FeedState)>,
    pub(crate) left_out: [usize; LeftOut::COUNT],
    pub(crate) resting_orders: usize,
    pub(crate) open_orders: usize,
    pub(crate) present_users: usize,
    pub(crate) quarantined: HashSet<Pubkey>,
    pub(crate) snapshot: crate::apply::snapshot::SnapshotProgress,
    pub(crate) indicative: Indicative,
}

impl Book {
    /// A book that has seen nothing: no markets, slot 0, state `Rebuilding`.
    #[must_use]
    pub fn new(config: BookConfig) -> Self {
        Self {
            config,
            users: UserTable::default(),
            arena: Arena::default(),
            markets: Vec::new(),
            market_ids: [Vec::new(), Vec::new()],
            oracles: HashMap::default(),
            exchange_status: 0,
            state_version: Version::default(),
            guard_rails: OracleGuardRails::default(),
            fees: Fees::default(),
            slot: Slot(0),
            now: UnixSeconds(0),
            state: FeedState::Rebuilding,
            auctions: Wheel::new(AUCTION_WHEEL_BUCKETS),
            expiries: Wheel::new(EXPIRY_WHEEL_BUCKETS),
            due: Vec::new(),
            dirty: Vec::new(),
            quotes_may_move: false,
            turned: Vec::new(),
            turned_at: None,
            left_out: [0; LeftOut::COUNT],
            resting_orders: 0,
            open_orders: 0,
            present_users: 0,
            quarantined: HashSet::new(),
            snapshot: crate::apply::snapshot::SnapshotProgress::default(),
            indicative: Indicative::default(),
        }
    }

    /// Markets known. Their ids are `0..market_count`.
    #[must_use]
    pub fn market_count(&self) -> usize {
        self.markets.len()
    }

    /// What a market's account says; `None` for a number that was never given.
    #[must_use]
    pub fn market(&self, id: MarketId) -> Option<&MarketInfo> {
        self.markets.get(id.index()).map(|market| &market.info)
    }

    /// All markets, in the order of their ids.
    pub fn markets(&self) -> impl Iterator<Item = &MarketInfo> {
        self.markets.iter().map(|market| &market.info)
    }

    /// Finds a market by its name in any case; perps win over spot markets of the same
    /// name, and lower indexes over higher ones.
    #[must_use]
    pub fn find_market_by_name(&self, name: &str) -> Option<MarketId> {
        let named = |market: &&MarketInfo| market.name.eq_ignore_ascii_case(name);
        let rank = |market: &&MarketInfo| (market.market_type, Reverse(market.market_index));
        self.markets().filter(named).max_by_key(rank).map(|market| market.id)
    }

    /// Finds a market by its type and index.
    #[must_use]
    pub fn find_market(&self, market_type: MarketType, market_index: u16) -> Option<MarketId> {
        self.market_id(MarketKey { market_type, market_index })
    }

    /// The oracle accounts that markets name, each once, in the order of their keys.
    #[must_use]
    pub fn oracle_keys(&self) -> Vec<Pubkey> {
        let mut keys: Vec<Pubkey> = self.oracles.keys().copied().collect();
        keys.sort_unstable();
        keys
    }

    /// The slot this book stands at.
    #[must_use]
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// How fresh the book's source is.
    #[must_use]
    pub fn state(&self) -> FeedState {
        self.state
    }

    /// Accounts and orders held, and orders left out by reason. Counts the orders of markets that
    /// show nothing level by level.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut left_out = self.left_out;
        let [empty, unpriced] = self
            .markets
            .iter()
            .map(Market::hidden_orders)
            .fold([0, 0], |[empty, unpriced], hidden| [empty + hidden[0], unpriced + hidden[1]]);
        left_out[LeftOut::MarketEmpty as usize] = empty;
        left_out[LeftOut::NoOraclePrice as usize] = unpriced;
        Counters {
            users: self.present_users,
            user_indexes: self.users.len(),
            open_orders: self.open_orders,
            resting_orders: self.resting_orders,
            shown_orders: self.resting_orders - empty - unpriced,
            left_out,
            quarantined: self.quarantined.len(),
        }
    }

    #[inline]
    pub(crate) fn market_id(&self, key: MarketKey) -> Option<MarketId> {
        let ids = &self.market_ids[key.market_type as usize];
        let id = *ids.get(usize::from(key.market_index))?;
        (id != crate::ladder::arena::NO_MARKET).then_some(MarketId(id))
    }

    /// Notes that something shown of a market changed in this turn, on whichever side.
    pub(crate) fn touch(&mut self, id: MarketId) {
        Side::BOTH.into_iter().for_each(|side| self.touch_side(id, side));
    }

    /// Notes that orders of one side of a market changed in this turn.
    pub(crate) fn touch_side(&mut self, id: MarketId, side: Side) {
        let market = &mut self.markets[id.index()];
        market.dirty_sides[side.index()] = true;
        if market.dirty == Change::Nothing {
            self.dirty.push(id);
        }
        market.dirty = Change::Book;
    }
}
