//! The market and oracle accounts of a checkpoint.

use std::collections::HashMap;

use slotbook_protocol::model::units::{Pubkey, Slot};

use super::Accounts;
use super::state::BookState;
use crate::model::hash::KeyHashBuilder;
use crate::model::update::{AccountUpdate, Gate};

/// The accounts that a state names, by key; `None` for a missing account.
pub(crate) struct NamedAccounts(HashMap<Pubkey, Option<Named>, KeyHashBuilder>);

struct Named {
    owner: Pubkey,
    slot: Slot,
    gate: Gate,
    data: Vec<u8>,
}

impl NamedAccounts {
    /// Copies the named accounts; for a duplicate key the last account counts.
    pub(crate) fn of(state: &BookState, accounts: &mut impl Accounts) -> Self {
        let markets = state.markets.iter().map(|market| market.account);
        let oracles = state.oracles.iter().map(|oracle| oracle.key);
        let mut named: HashMap<_, _, _> = markets.chain(oracles).map(|key| (key, None)).collect();
        let mut found = Vec::new();
        accounts.each(&|key| named.contains_key(key), &mut |update, _| {
            let AccountUpdate { pubkey, owner, slot, gate, data } = *update;
            found.push((pubkey, Named { owner, slot, gate, data: data.to_vec() }));
        });
        named.extend(found.into_iter().map(|(key, account)| (key, Some(account))));
        Self(named)
    }

    pub(crate) fn contains(&self, key: &Pubkey) -> bool {
        self.0.contains_key(key)
    }

    pub(crate) fn get(&self, key: &Pubkey) -> Option<AccountUpdate<'_>> {
        let Named { owner, slot, gate, data } = self.0.get(key)?.as_ref()?;
        Some(AccountUpdate { pubkey: *key, owner: *owner, slot: *slot, gate: *gate, data })
    }
}
