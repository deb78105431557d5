//! The facts of a book that need no walk over its orders.

use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::fees::FeeStructure;
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

use crate::book::Book;
use crate::markets::market::Market;
use crate::model::clock::FeedState;
use crate::model::market::{
    EmptyReason, MarketId, MarketInfo, MarketKey, OracleState, PerpStats, SpotStats,
};
use crate::{LeftOut, Side};

/// Numbers of accounts and orders, and of excluded orders by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// User accounts present.
    pub users: usize,
    /// Number of indexes assigned to user accounts; indexes of forgotten accounts are reused.
    pub user_indexes: usize,
    /// Order slots that hold an open order.
    pub open_orders: usize,
    /// Open orders that are in a ladder.
    pub resting_orders: usize,
    /// The shown orders among them.
    pub shown_orders: usize,
    /// Number of open orders that the book excludes, by [`LeftOut`] code.
    pub left_out: [usize; LeftOut::COUNT],
    /// Number of accounts that are excluded because their bytes are malformed.
    pub quarantined: usize,
}

/// The exchange's own counts of its users, and the number of accounts in the book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Number of user accounts according to the state account, including idle accounts.
    pub sub_accounts: u64,
    /// Number of perp positions according to the markets: one for each user and market.
    pub positions: u64,
    /// Number of user and market accounts in the book, including quarantined ones.
    pub accounts: usize,
    /// Number of accounts that are excluded because their bytes are malformed.
    pub quarantined: usize,
}

/// The facts of a body other than its levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Sequence number of this market in this epoch.
    pub seq: u64,
    /// The chain's slot.
    pub slot: Slot,
    /// Unix milliseconds of the turn that last changed the slot, the state or this market.
    pub ts_ms: u64,
    /// How fresh the source is.
    pub state: FeedState,
    /// Slot of the market account's newest state.
    pub market_slot: Slot,
    /// The oracle readings; the MM reading priced the offset orders.
    pub oracle: OracleState,
    /// The last oracle price that the program stored, 1e6; used when the oracle's account is
    /// absent.
    pub last_oracle_price: i64,
    /// Mark minus oracle price, both averaged over five minutes, 1e6; 0 for spot markets, which
    /// have no mark.
    pub premium: i64,
    /// The rule that empties the book; `None` when no rule does.
    pub empty_reason: Option<EmptyReason>,
}

impl Book {
    /// Markets known. Their ids are `0..market_count`.
    #[must_use]
    pub fn market_count(&self) -> usize {
        self.markets.list.len()
    }

    /// Returns the facts of a market; `None` for an unknown id.
    #[must_use]
    pub fn market(&self, id: MarketId) -> Option<&MarketInfo> {
        self.markets.get(id).map(|market| &market.info)
    }

    /// Returns all markets, in the order of their ids.
    pub fn markets(&self) -> impl Iterator<Item = &MarketInfo> {
        self.markets.list.iter().map(|market| &market.info)
    }

    /// Finds a market by its key, such as `perp_7`, or by its name on chain, both in any case. A
    /// perp market precedes a spot market of the same name, and a lower index a higher one.
    #[must_use]
    pub fn find_market_by_name(&self, name: &str) -> Option<MarketId> {
        let named = |market: &&MarketInfo| market.name.eq_ignore_ascii_case(name);
        match MarketKey::parse(name) {
            Some(key) => self.markets.find(key).map(|market| market.info.id),
            None => self.markets().filter(named).min_by_key(|info| info.rank()).map(|info| info.id),
        }
    }

    /// Finds a market by its type and index.
    #[must_use]
    pub fn find_market(&self, market_type: MarketType, market_index: u16) -> Option<MarketId> {
        self.markets.find(MarketKey { market_type, market_index }).map(|market| market.info.id)
    }

    /// Returns the account bytes and the oracle readings of a market; `None` for an unknown market,
    /// and while its account is closed or malformed.
    #[must_use]
    pub fn market_account(&self, id: MarketId) -> Option<(&[u8], OracleState)> {
        let market = self.markets.get(id).filter(|market| market.unusable.is_none())?;
        Some((&market.data, market.oracle))
    }

    /// Returns the oracle accounts that markets name, each once, in the order of their keys.
    #[must_use]
    pub fn oracle_keys(&self) -> Vec<Pubkey> {
        let mut keys: Vec<Pubkey> = self.markets.oracles.keys().copied().collect();
        keys.sort_unstable();
        keys
    }

    /// The slot of the book.
    #[must_use]
    pub fn slot(&self) -> Slot {
        self.markets.clock().slot()
    }

    /// The chain's Unix time in seconds.
    #[must_use]
    pub fn unix_seconds(&self) -> UnixSeconds {
        self.markets.clock().now
    }

    /// How fresh the book's source is.
    #[must_use]
    pub fn state(&self) -> FeedState {
        self.state
    }

    /// Returns the numbers of accounts and orders, and of excluded orders by reason. Walks the
    /// levels of markets with an empty book.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut left_out = self.orders.counts.left_out;
        let [empty, unpriced] = self
            .markets
            .list
            .iter()
            .map(Market::hidden_orders)
            .fold([0, 0], |[empty, unpriced], hidden| [empty + hidden[0], unpriced + hidden[1]]);
        left_out[LeftOut::MarketEmpty as usize] = empty;
        left_out[LeftOut::NoOraclePrice as usize] = unpriced;
        Counters {
            users: self.orders.present_users,
            user_indexes: self.orders.users.len(),
            open_orders: self.orders.counts.open,
            resting_orders: self.orders.counts.resting,
            shown_orders: self.orders.counts.resting - empty - unpriced,
            left_out,
            quarantined: self.quarantined.len(),
        }
    }

    /// Returns the counts that a snapshot of all users must match.
    #[must_use]
    pub fn census(&self) -> Census {
        let usable = self.markets.list.iter().filter(|market| market.unusable.is_none());
        let stats = usable.filter_map(|market| market.perp_stats.as_ref());
        let quarantined = self.quarantined.len();
        Census {
            sub_accounts: self.markets.exchange.sub_accounts,
            positions: stats.map(|stats| u64::from(stats.users_with_base)).sum(),
            accounts: self.orders.present_users + self.markets.list.len() + quarantined,
            quarantined,
        }
    }

    /// Returns the fees of markets of a type; the program's defaults before the exchange's state
    /// arrives.
    #[must_use]
    pub fn fees(&self, market_type: MarketType) -> &FeeStructure {
        let terms = &self.markets.exchange.terms;
        match market_type {
            MarketType::Perp => &terms.perp_fees,
            MarketType::Spot => &terms.spot_fees,
        }
    }

    /// The facts of a market's body, as of the last turn; `None` for an unknown market.
    #[must_use]
    pub fn header(&self, id: MarketId) -> Option<Header> {
        let market = self.markets.get(id)?;
        Some(Header {
            seq: market.seq,
            slot: self.markets.clock().slot(),
            ts_ms: market.ts_ms,
            state: self.state,
            market_slot: market.market_slot(),
            oracle: market.oracle,
            last_oracle_price: market.oracle_fields.last_price,
            premium: market.oracle_fields.premium,
            empty_reason: market.empty,
        })
    }

    /// Statistics of a perp market; `None` for other markets.
    #[must_use]
    pub fn perp_stats(&self, id: MarketId) -> Option<PerpStats> {
        self.markets.get(id)?.perp_stats
    }

    /// Statistics of a spot market; `None` for other markets.
    #[must_use]
    pub fn spot_stats(&self, id: MarketId) -> Option<SpotStats> {
        self.markets.get(id)?.spot_stats
    }

    /// The number of shown orders, both sides together; `None` for an unknown market.
    #[must_use]
    pub fn shown_orders(&self, id: MarketId) -> Option<usize> {
        self.markets.get(id).map(|market| market.shown_orders())
    }

    /// Returns the market's sequence number, which grows with every turn that changes its visible
    /// content.
    #[must_use]
    pub fn seq(&self, id: MarketId) -> Option<u64> {
        self.markets.get(id).map(|market| market.seq)
    }

    /// Returns whether a side's orders may have changed since a sequence number of its market. If
    /// not, rows that were read at that number are still valid. True for an unknown market.
    #[must_use]
    pub fn orders_changed_since(&self, id: MarketId, side: Side, seq: u64) -> bool {
        self.markets.get(id).is_none_or(|market| market.side_seqs[side.index()] > seq)
    }
}
