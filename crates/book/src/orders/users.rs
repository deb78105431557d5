//! User accounts: an index for each key, and the account data that the book needs in addition to
//! order slots.

use std::collections::HashMap;

use slotbook_protocol::model::units::Pubkey;
use slotbook_protocol::model::user::Positions;

use crate::model::hash::{KeyHashBuilder, hash_bytes};
use crate::model::update::Version;

/// What is known of one user account.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) key: Pubkey,
    /// The hash of the key, with which order hashes start.
    pub(crate) seed: u64,
    pub(crate) version: Version,
    /// The last snapshot that contained this account.
    pub(crate) seen: u32,
    /// Bit mask of the open order slots.
    pub(crate) open: u32,
    /// The reduce-only slots among them.
    pub(crate) reduce_only: u32,
    /// The time-dependent slots among them.
    pub(crate) timed: u32,
    /// `User.status & 3`: being liquidated, or bankrupt.
    pub(crate) frozen: bool,
    /// False for a closed or quarantined account, whose key only rejects older states.
    pub(crate) present: bool,
    pub(crate) positions: Positions,
    /// The wallet that owns the account.
    pub(crate) authority: Pubkey,
    pub(crate) rest: Rest,
}

/// The bytes of an account besides its order slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest(Vec<u8>);

impl Rest {
    /// Whether the bytes before and after the order slots are others.
    pub(crate) fn differs(&self, [head, tail]: [&[u8]; 2]) -> bool {
        let is_same = self.0.starts_with(head) && self.0.ends_with(tail);
        !is_same || self.0.len() != head.len() + tail.len()
    }

    /// Replaces the bytes.
    pub(crate) fn replace(&mut self, [head, tail]: [&[u8]; 2]) {
        let Self(bytes) = self;
        bytes.resize(head.len() + tail.len(), 0);
        bytes[..head.len()].copy_from_slice(head);
        bytes[head.len()..].copy_from_slice(tail);
    }

    /// Writes the bytes into zeros.
    pub(crate) fn write(&self, parts: [&mut [u8]; 2]) {
        let mut rest = &self.0[..];
        for part in parts {
            let (from, next) = rest.split_at(part.len().min(rest.len()));
            part[..from.len()].copy_from_slice(from);
            rest = next;
        }
    }
}

impl User {
    pub(crate) fn new(key: Pubkey) -> Self {
        Self {
            key,
            seed: hash_bytes(&key.0),
            version: Version::default(),
            seen: 0,
            open: 0,
            reduce_only: 0,
            timed: 0,
            frozen: false,
            present: false,
            positions: Positions::NONE,
            authority: Pubkey::default(),
            rest: Rest::default(),
        }
    }
}

/// Indexes by key. The indexes of forgotten users are reused.
#[derive(Debug, Default)]
pub(crate) struct UserTable {
    users: Vec<User>,
    by_key: HashMap<Pubkey, u32, KeyHashBuilder>,
    free: Vec<u32>,
    /// The hash of each user's wallet, so that the users of a wallet are found in a pass over few
    /// bytes.
    owners: Vec<u64>,
}

impl UserTable {
    pub(crate) fn set_authority(&mut self, index: usize, authority: Pubkey) {
        let user = &mut self.users[index];
        if user.authority != authority || self.owners.len() <= index {
            user.authority = authority;
            self.owners.resize(self.users.len().max(self.owners.len()), 0);
            self.owners[index] = hash_bytes(&authority.0);
        }
    }

    /// The present users of a wallet.
    pub(crate) fn of_authority(&self, authority: Pubkey) -> impl Iterator<Item = &User> {
        let hash = hash_bytes(&authority.0);
        let found = self.owners.iter().enumerate().filter(move |(_, owner)| **owner == hash);
        found
            .map(|(index, _)| &self.users[index])
            .filter(move |user| user.present && user.authority == authority)
    }

    /// Indexes in use plus free indexes.
    pub(crate) fn len(&self) -> usize {
        self.users.len()
    }

    pub(crate) fn find(&self, key: &Pubkey) -> Option<usize> {
        self.by_key.get(key).map(|index| *index as usize)
    }

    pub(crate) fn get(&self, index: usize) -> &User {
        &self.users[index]
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> &mut User {
        &mut self.users[index]
    }

    pub(crate) fn present(&self) -> impl Iterator<Item = &User> {
        self.users.iter().filter(|user| user.present)
    }

    /// Assigns an index to a new key; `None` when the table is full.
    pub(crate) fn add(&mut self, key: Pubkey, users_max: usize) -> Option<usize> {
        debug_assert!(self.find(&key).is_none(), "Invariant: a key has one index");
        let index = match self.free.pop() {
            Some(index) => {
                self.users[index as usize] = User::new(key);
                index
            }
            None if self.users.len() < users_max => {
                self.users.push(User::new(key));
                u32::try_from(self.users.len() - 1).ok()?
            }
            None => return None,
        };
        self.by_key.insert(key, index);
        Some(index as usize)
    }

    /// Forgets a user whose order slots have all left the book.
    pub(crate) fn forget(&mut self, index: usize) {
        let user = &mut self.users[index];
        debug_assert!(!user.present, "Invariant: only a closed account is forgotten");
        self.by_key.remove(&user.key);
        if let Ok(free) = u32::try_from(index) {
            self.free.push(free);
        }
    }

    pub(crate) fn known(&self) -> usize {
        self.by_key.len()
    }

    /// Returns the known but absent accounts, sorted by key; only these few are sorted.
    pub(crate) fn absent_by_key(&self) -> Vec<&User> {
        let users = self.by_key.values().map(|index| &self.users[*index as usize]);
        let mut absent: Vec<&User> = users.filter(|user| !user.present).collect();
        absent.sort_unstable_by_key(|user| user.key);
        absent
    }

    pub(crate) fn indexes_by_key(&self) -> Vec<usize> {
        let mut indexes: Vec<usize> = self.by_key.values().map(|index| *index as usize).collect();
        indexes.sort_unstable_by_key(|index| self.users[*index].key);
        indexes
    }

    pub(crate) fn is_known(&self, index: usize) -> bool {
        self.by_key.get(&self.users[index].key).is_some_and(|found| *found as usize == index)
    }
}
