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
    /// The number of the account in a source whose last update is the last one that was applied;
    /// [`NO_SOURCE`] for any other update.
    pub(crate) source: u32,
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

/// An update of no numbered source.
pub(crate) const NO_SOURCE: u32 = u32::MAX;

/// Bytes of a piece of [`Rest`].
pub(crate) const PIECE: usize = 64;

/// The bytes of an account before and after its order slots, in pieces. A piece of zeros takes no
/// memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest {
    /// Bit mask of the pieces that are not zero.
    used: u64,
    pieces: Vec<[u8; PIECE]>,
}

/// Bit masks of the pieces of other bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestChanges {
    /// The pieces that are not zero.
    used: u64,
    /// The pieces that may differ from those before.
    pub(crate) changed: u64,
}

/// The pieces of both parts. The last piece of a part overlaps the piece before it.
#[inline]
fn pieces(parts: [&[u8]; 2]) -> [&[[u8; PIECE]]; 4] {
    let [head, tail] = parts.map(|part| {
        let last = part.last_chunk().map_or(&[][..], std::slice::from_ref);
        [part.as_chunks().0, last]
    });
    [head[0], head[1], tail[0], tail[1]]
}

impl Rest {
    /// Returns the changes to other bytes; `None` for the same bytes.
    #[inline]
    pub(crate) fn changes(&self, parts: [&[u8]; 2]) -> Option<RestChanges> {
        let (mut used, mut changed, mut bit, mut held) = (0, 0, 1, self.pieces.iter());
        for pieces in pieces(parts) {
            for piece in pieces {
                if !is_zero(piece) {
                    used |= bit;
                    let is_same = held.next().is_some_and(|held| is_same_piece(held, piece));
                    changed |= if is_same { 0 } else { bit };
                }
                bit <<= 1;
            }
        }
        if used != self.used {
            // Pieces were compared with others.
            changed = used | self.used;
        }
        (changed != 0).then_some(RestChanges { used, changed })
    }

    /// Replaces the bytes by those of which [`Rest::changes`] returned the changes.
    pub(crate) fn replace(&mut self, RestChanges { used, .. }: RestChanges, parts: [&[u8]; 2]) {
        self.used = used;
        self.pieces.clear();
        self.pieces.reserve_exact(used.count_ones() as usize);
        let given = pieces(parts).into_iter().flatten().enumerate();
        let given = given.filter(|(index, _)| used >> index & 1 == 1);
        self.pieces.extend(given.map(|(_, piece)| piece));
    }

    /// Writes the bytes into zeros.
    pub(crate) fn write(&self, parts: [&mut [u8]; 2]) {
        let (mut used, mut held) = (self.used, self.pieces.iter());
        let mut write = |to: &mut [u8; PIECE]| {
            if used & 1 == 1 {
                *to = held.next().copied().unwrap_or(*to);
            }
            used >>= 1;
        };
        for part in parts {
            part.as_chunks_mut().0.iter_mut().for_each(&mut write);
            part.last_chunk_mut().into_iter().for_each(&mut write);
        }
    }
}

#[inline]
fn is_zero(piece: &[u8; PIECE]) -> bool {
    piece.iter().fold(0, |found, byte| found | byte) == 0
}

#[inline]
fn is_same_piece(left: &[u8; PIECE], right: &[u8; PIECE]) -> bool {
    left.iter().zip(right).fold(0, |found, (one, other)| found | (one ^ other)) == 0
}

impl User {
    pub(crate) fn new(key: Pubkey) -> Self {
        Self {
            key,
            seed: hash_bytes(&key.0),
            version: Version::default(),
            seen: 0,
            source: NO_SOURCE,
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
