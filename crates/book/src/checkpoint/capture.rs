//! Captures the state that the accounts do not contain.

use slotbook_protocol::model::units::Pubkey;

use super::bytes::{Field, RawBytes};
use super::state::{
    BookState, ExchangeState, IndicativeState, MarketState, OracleState, UsersState, VERSION,
};
use crate::book::Book;
use crate::markets::exchange::Exchange;
use crate::markets::market::Market;
use crate::model::update::Version;
use crate::orders::order_store::OrderStore;
use crate::orders::users::UserTable;

impl Book {
    /// Appends the state that the last bytes of the accounts do not contain, for [`Book::restore`].
    /// Returns false, and writes nothing, within a turn, because only between two turns do accounts
    /// and this state determine the visible book.
    ///
    /// Cost: O(markets + closed accounts), plus O(users) during a snapshot.
    pub fn capture(&self, out: &mut Vec<u8>) -> bool {
        if self.markets.quotes_may_move || !self.markets.dirty.0.is_empty() {
            return false;
        }
        VERSION.put(out);
        self.state_beside_accounts().put(out);
        true
    }

    fn state_beside_accounts(&self) -> BookState {
        let markets = &self.markets;
        let mut quarantined: Vec<Pubkey> = self.quarantined.iter().copied().collect();
        quarantined.sort_unstable();
        BookState {
            clock: (markets.clock().slot(), markets.clock().now),
            feed: self.state,
            last_turn: self.last_turn,
            exchange: exchange_state(&markets.exchange),
            markets: markets.list.iter().map(market_state).collect(),
            oracles: self.oracle_keys().into_iter().map(|key| self.oracle_state(key)).collect(),
            indicative: IndicativeState {
                policy: markets.indicative.policy,
                due_ms: markets.indicative.due_ms,
            },
            snapshot: self.snapshot,
            users: self.users_state(),
            quarantined,
        }
    }

    fn users_state(&self) -> UsersState {
        let OrderStore { users, present_users, present_key_sum, .. } = &self.orders;
        UsersState {
            present: *present_users,
            key_sum: *present_key_sum,
            absent: absent_users(users, *present_users),
            mentioned: self.mentioned_users(),
        }
    }

    fn oracle_state(&self, key: Pubkey) -> OracleState {
        let account = self.markets.oracles.get(&key);
        let version = account.map_or(Version::default(), |account| account.version);
        OracleState { key, version, has_data: account.is_some_and(|account| account.is_present()) }
    }

    fn mentioned_users(&self) -> Vec<bool> {
        if !self.snapshot.is_open {
            return Vec::new();
        }
        let users = &self.orders.users;
        let seen = |index: &usize| users.get(*index).seen == self.snapshot.generation;
        users.indexes_by_key().iter().map(seen).collect()
    }
}

fn exchange_state(exchange: &Exchange) -> ExchangeState {
    ExchangeState { version: exchange.version, data: RawBytes(exchange.data.clone()) }
}

fn market_state(market: &Market) -> MarketState {
    let data = if market.unusable.is_some() { market.data.clone() } else { Vec::new() };
    let [bids, asks] = market.side_seqs;
    MarketState {
        account: market.info.account,
        version: market.version,
        unusable: market.unusable,
        data: RawBytes(data),
        seq: market.seq,
        ts_ms: market.ts_ms,
        last_change: market.last_change,
        side_seqs: (bids, asks),
        auctions_revision: market.ladders.auctions.revision,
        last_quote_id: market.quotes.last_id,
        quotes: market.quotes.makers.clone(),
    }
}

fn absent_users(users: &UserTable, present: usize) -> Vec<(Pubkey, Version)> {
    if users.known() == present {
        return Vec::new();
    }
    users.absent_by_key().into_iter().map(|user| (user.key, user.version)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: usize = 10_000;

    #[test]
    fn closed_accounts_are_listed_without_sorting_all_users() {
        let mut users = UserTable::default();
        let keys = (0..USERS as u64).map(|number| {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&number.to_le_bytes());
            Pubkey(key)
        });
        for (number, key) in keys.clone().enumerate() {
            let index = users.add(key, USERS).unwrap();
            users.get_mut(index).present = number % 5_000 != 7;
        }
        let mut absent = Vec::new();
        let measured = allocation_counter::measure(|| absent = absent_users(&users, USERS - 2));
        let closed: Vec<_> =
            keys.skip(7).step_by(5_000).map(|key| (key, Version::default())).collect();
        assert_eq!(absent, closed);
        assert!(measured.bytes_max < USERS as u64, "{} bytes", measured.bytes_max);
    }
}
