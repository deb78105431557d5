//! The recorded orders as accounts of a chain.
//!
//! The vectors hold orders, not accounts, so one user account is made of each (user, position,
//! protected) and of each further 32 orders. The incumbent names the user as the maker of all of
//! them, but a chain has one account per address, and the maker's address decides the last tie. So
//! the first account of a user bears the user's own key, and the others bear the key plus 1, 2, ...
//! read as one big-endian number: against every other user they sort as the user itself does
//! ([`Chain::new`] checks that no other user's key lies between), and within one user a tie never
//! reaches the maker, because an order id is unique there. [`Chain::user_of`] maps an account back
//! to its user.

use std::collections::{BTreeMap, BTreeSet};

use slotbook_naive::{Key, MarketKey, MarketKind, Stamp};

use super::judge::{Books, Delivery, Pair};
use super::vector::{OraclePrice, Vector, VectorOrder, VectorSnapshot};

/// The program that owns the accounts: the exchange's own, because oracle accounts are checked for
/// it.
const PROGRAM: Key = slotbook_protocol::drift::PROGRAM_ID.0;

/// Order slots of a user account.
const ORDERS_PER_USER: usize = 32;
/// Position slots of a user account, for perp and for spot markets each.
const POSITIONS_PER_USER: usize = 8;

const USER_BYTES: usize = 4376;
const PERP_BYTES: usize = 1216;
const SPOT_BYTES: usize = 776;
const LAZER_BYTES: usize = 48;
const USER_DISCRIMINATOR: u64 = 0xec3a_97ef_e35f_759f;
const PERP_DISCRIMINATOR: u64 = 0xf737_f56b_2c0c_df0a;
const SPOT_DISCRIMINATOR: u64 = 0x2741_41a8_6b08_b164;
const LAZER_DISCRIMINATOR: u64 = 0x8579_5122_f9a1_079f;

/// `OracleSource::PythLazer`.
const PYTH_LAZER: u8 = 12;
/// `MarketStatus::Active`.
const ACTIVE: u8 = 1;
/// `UserStatus::ProtectedMakerOrders`.
const PROTECTED_MAKER: u8 = 16;
/// Decimals at which a spot balance without interest is its own token amount.
const SPOT_DECIMALS: u32 = 9;
/// Interest of 1 at the chain's precision.
const NO_INTEREST: u128 = 10_000_000_000;

/// One account: address and bytes.
type RawAccount = (Key, Vec<u8>);

/// Where an order of the recording went.
pub(super) struct Chain {
    users: Vec<RawAccount>,
    user_of: BTreeMap<Key, Key>,
    index_of: BTreeMap<(Key, u32, MarketKey), usize>,
}

/// Orders that share an account's positions.
type Group = (Key, i128, bool);

impl Chain {
    /// Makes the user accounts. Of a repeated (user, order id) the first open order is kept.
    pub(super) fn new(vector: &Vector) -> Self {
        let mut chain =
            Chain { users: Vec::new(), user_of: BTreeMap::new(), index_of: BTreeMap::new() };
        let mut groups: BTreeMap<Group, Vec<&VectorOrder>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (index, order) in vector.orders.iter().enumerate() {
            let entry = &order.entry;
            let id = entry.order.order_id;
            if entry.order.is_open() {
                if !seen.insert((entry.user, id)) {
                    continue;
                }
                chain.index_of.insert((entry.user, id, market_of(order)), index);
            }
            let group = (entry.user, entry.position, entry.is_protected);
            groups.entry(group).or_default().push(order);
        }
        let mut accounts_of: BTreeMap<Key, u64> = BTreeMap::new();
        for ((user, position, is_protected), orders) in groups {
            for chunk in orders.chunks(ORDERS_PER_USER) {
                let number = accounts_of.entry(user).or_default();
                let key = key_plus(user, *number);
                *number += 1;
                chain.user_of.insert(key, user);
                chain.users.push((key, user_account(user, position, is_protected, chunk)));
            }
        }
        // Account keys in ascending order belong to users in ascending order.
        assert!(chain.user_of.values().is_sorted(), "two users' keys are too close");
        assert_eq!(chain.user_of.len(), chain.users.len(), "two users' keys are too close");
        chain
    }

    /// The user accounts.
    fn users(&self) -> &[RawAccount] {
        &self.users
    }

    /// The recorded user behind an account.
    pub(super) fn user_of(&self, account: &Key) -> Key {
        self.user_of.get(account).copied().unwrap_or(*account)
    }

    /// The position of an order in the recording.
    pub(super) fn index_of(&self, user: Key, order_id: u32, market: MarketKey) -> usize {
        self.index_of.get(&(user, order_id, market)).copied().unwrap_or(usize::MAX)
    }
}

/// Brings both books to the moment of a snapshot, at which they are equal.
pub(super) fn advance(pair: &mut Pair, vector: &Vector, snapshot: &VectorSnapshot, chain: &Chain) {
    pair.set_clock(snapshot.slot, vector.ts);
    let mut apply = |(key, data): &RawAccount| {
        let (key, owner, slot, stamp) = (*key, PROGRAM, snapshot.slot, Stamp::Arrival);
        pair.apply(&Delivery { key, owner, slot, stamp, data });
    };
    // Markets first, so that the books know which accounts are oracles.
    for market in &vector.markets {
        let oracle = snapshot.oracles[market];
        apply(&market_account(*market, oracle));
        apply(&oracle_account(*market, oracle, snapshot.slot));
    }
    chain.users().iter().for_each(apply);
    pair.fast.end_turn(snapshot.slot);
    pair.compare().unwrap_or_else(|difference| panic!("{difference}"));
}

/// The account of a market.
fn market_account(market: MarketKey, oracle: OraclePrice) -> RawAccount {
    let key = market_account_key(market);
    let (kind, index) = market;
    let mut account = match kind {
        MarketKind::Perp => Bytes::new(PERP_BYTES, PERP_DISCRIMINATOR),
        MarketKind::Spot => Bytes::new(SPOT_BYTES, SPOT_DISCRIMINATOR),
    };
    let name = match kind {
        MarketKind::Perp => format!("{:<32}", format!("M{index}-PERP")),
        MarketKind::Spot => format!("{:<32}", format!("M{index}")),
    };
    account.put(8, &key).put(40, &oracle_key(market));
    match kind {
        MarketKind::Perp => account
            .put(96, &oracle.price.to_le_bytes())
            .put(808, &1_u64.to_le_bytes())
            .put(816, &1_u64.to_le_bytes())
            .put(824, &1_u64.to_le_bytes())
            .put(926, &[PYTH_LAZER])
            .put(1000, name.as_bytes())
            .put(1160, &index.to_le_bytes())
            .put(1162, &[ACTIVE]),
        MarketKind::Spot => account
            .put(136, name.as_bytes())
            .put(192, &oracle.price.to_le_bytes())
            .put(464, &NO_INTEREST.to_le_bytes())
            .put(480, &NO_INTEREST.to_le_bytes())
            .put(592, &1_u64.to_le_bytes())
            .put(600, &1_u64.to_le_bytes())
            .put(608, &1_u64.to_le_bytes())
            .put(680, &SPOT_DECIMALS.to_le_bytes())
            .put(684, &index.to_le_bytes())
            .put(686, &[1, PYTH_LAZER, ACTIVE]),
    };
    (key, account.0)
}

/// The account of a market's oracle, published at the given slot.
fn oracle_account(market: MarketKey, oracle: OraclePrice, slot: u64) -> RawAccount {
    let mut account = Bytes::new(LAZER_BYTES, LAZER_DISCRIMINATOR);
    account
        .put(8, &oracle.price.to_le_bytes())
        .put(16, &slot.to_le_bytes())
        .put(24, &slot.to_le_bytes())
        .put(32, &(-6_i32).to_le_bytes())
        .put(40, &oracle.confidence.to_le_bytes());
    (oracle_key(market), account.0)
}

fn user_account(user: Key, position: i128, is_protected: bool, orders: &[&VectorOrder]) -> Vec<u8> {
    let mut account = Bytes::new(USER_BYTES, USER_DISCRIMINATOR);
    account.put(8, &user).put(4352, &[1]);
    if is_protected {
        account.put(4348, &[PROTECTED_MAKER]);
    }
    for (slot, order) in orders.iter().enumerate() {
        account.put(1192 + slot * 96, &order.bytes);
    }
    let markets: BTreeSet<MarketKey> = orders.iter().map(|order| market_of(order)).collect();
    let (perps, spots): (Vec<_>, Vec<_>) =
        markets.into_iter().partition(|market| market.0 == MarketKind::Perp);
    assert!(perps.len() <= POSITIONS_PER_USER && spots.len() <= POSITIONS_PER_USER);
    for (slot, (_, index)) in perps.iter().enumerate() {
        let base = i64::try_from(position).expect("a position that fits an account");
        account
            .put(432 + slot * 96, &base.to_le_bytes())
            .put(516 + slot * 96, &index.to_le_bytes())
            .put(518 + slot * 96, &[1]);
    }
    for (slot, (_, index)) in spots.iter().enumerate() {
        let scaled = u64::try_from(position.unsigned_abs());
        account
            .put(104 + slot * 40, &scaled.expect("a position that fits an account").to_le_bytes())
            .put(136 + slot * 40, &index.to_le_bytes())
            .put(138 + slot * 40, &[u8::from(position < 0), 1]);
    }
    account.0
}

fn market_of(order: &VectorOrder) -> MarketKey {
    let kind = if order.entry.order.market_type == 0 { MarketKind::Spot } else { MarketKind::Perp };
    (kind, order.entry.order.market_index)
}

/// The key plus a number, both read as big-endian numbers.
fn key_plus(mut key: Key, number: u64) -> Key {
    let mut carry = u128::from(number);
    for byte in key.iter_mut().rev() {
        carry += u128::from(*byte);
        *byte = u8::try_from(carry % 256).expect("Invariant: a remainder of 256 is a byte");
        carry /= 256;
    }
    key
}

fn market_account_key(market: MarketKey) -> Key {
    tagged_key(0xa0, market)
}

fn oracle_key(market: MarketKey) -> Key {
    tagged_key(0xb0, market)
}

/// Addresses that no user has: a tag, a market, and zeros.
fn tagged_key(tag: u8, market: MarketKey) -> Key {
    let mut key = [0; 32];
    key[0] = tag;
    key[1] = u8::from(market.0 == MarketKind::Perp);
    key[2..4].copy_from_slice(&market.1.to_le_bytes());
    key
}

/// Account bytes under construction.
struct Bytes(Vec<u8>);

impl Bytes {
    fn new(length: usize, discriminator: u64) -> Self {
        let mut bytes = vec![0; length];
        bytes[..8].copy_from_slice(&discriminator.to_le_bytes());
        Bytes(bytes)
    }

    fn put(&mut self, at: usize, field: &[u8]) -> &mut Self {
        self.0[at..at + field.len()].copy_from_slice(field);
        self
    }
}
