//! A small chain: the bytes of every account, written by offset.
//!
//! Source of offsets:
//! programs/drift/src/state/{user,perp_market,spot_market,state,pyth_lazer_oracle}.rs.

use slotbook_protocol::drift::layouts::PERP_MARKET;

use super::rng::Rng;
use crate::common;

pub(crate) type Key = [u8; 32];

/// The exchange's program.
pub(crate) const PROGRAM: Key = slotbook_protocol::drift::PROGRAM_ID.0;

/// Most users and order slots of a seed; see [`Shape`].
const USERS_MAX: u8 = 48;
pub(crate) const ORDERS_AT: usize = 1192;
pub(crate) const ORDER_BYTES: usize = 96;

/// The size of a seed's world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) users: u8,
    pub(crate) order_slots: usize,
    /// Most of the orders go to the first market.
    pub(crate) is_crowded: bool,
}

impl Shape {
    /// Few users and slots, so that commands hit existing orders; sometimes a crowded market, so
    /// that ladders exceed one chunk.
    pub(crate) fn any(rng: &mut Rng) -> Self {
        if rng.one_in(12) {
            Shape { users: USERS_MAX, order_slots: 32, is_crowded: true }
        } else {
            Shape { users: 8, order_slots: 10, is_crowded: false }
        }
    }
}

/// `OracleSource` bytes.
pub(crate) const PYTH_LAZER: u8 = 12;
pub(crate) const PYTH_LAZER_STABLE_COIN: u8 = 15;
pub(crate) const PRELAUNCH: u8 = 6;
const QUOTE_ASSET: u8 = 2;

/// A market of the world: kind byte (0 spot, 1 perp) and index.
pub(crate) type MarketTag = (u8, u16);

pub(crate) const MARKETS: [MarketTag; 5] = [(1, 0), (1, 1), (0, 1), (0, 2), (0, 3)];

/// All accounts by key; an empty account does not exist.
pub(crate) struct World {
    pub(crate) slot: u64,
    pub(crate) now: i64,
    pub(crate) accounts: Vec<(Key, Vec<u8>)>,
}

impl World {
    /// Markets, oracles, state and empty users.
    pub(crate) fn new(rng: &mut Rng, users: u8) -> Self {
        let mut world = World { slot: 1_000, now: 10_000, accounts: Vec::new() };
        for (number, market) in MARKETS.into_iter().enumerate() {
            world.accounts.push((market_key(market), market_account(rng, number, market)));
        }
        for oracle in 0..2 {
            world.accounts.push((oracle_key(oracle), oracle_account(1_000_000, 1_000)));
        }
        world.accounts.push((state_key(), common::state(0)));
        for user in 0..users {
            world.accounts.push((user_key(user), empty_user(user)));
        }
        world
    }

    pub(crate) fn data(&self, key: &Key) -> &Vec<u8> {
        &self.accounts.iter().find(|(found, _)| found == key).expect("Invariant: a known key").1
    }

    pub(crate) fn data_mut(&mut self, key: &Key) -> &mut Vec<u8> {
        let found = self.accounts.iter_mut().find(|(found, _)| found == key);
        &mut found.expect("Invariant: a known key").1
    }

    /// Writes a field of an account.
    pub(crate) fn put(&mut self, key: &Key, at: usize, field: &[u8]) {
        put(self.data_mut(key), at, field);
    }
}

pub(crate) fn put(data: &mut [u8], at: usize, field: &[u8]) {
    data[at..at + field.len()].copy_from_slice(field);
}

pub(crate) fn user_key(user: u8) -> Key {
    // Keys with equal first bytes, so that tie-breaks reach the last ones.
    let mut key = [0x70; 32];
    key[31] = user.wrapping_mul(97);
    key[30] = user;
    key
}

pub(crate) fn market_key(market: MarketTag) -> Key {
    let mut key = [0xaa; 32];
    key[0] = market.0;
    key[1..3].copy_from_slice(&market.1.to_le_bytes());
    key
}

pub(crate) fn oracle_key(oracle: u8) -> Key {
    let mut key = [0xbb; 32];
    key[0] = oracle;
    key
}

pub(crate) fn state_key() -> Key {
    [0xcc; 32]
}

pub(crate) fn empty_user(user: u8) -> Vec<u8> {
    let mut data = common::user(&[]);
    put(&mut data, 8, &[user; 32]);
    data
}

pub(crate) fn oracle_account(price: i64, slot: u64) -> Vec<u8> {
    let mut data = common::lazer(price, slot);
    put(&mut data, 16, &(slot * 400_000).to_le_bytes());
    put(&mut data, 40, &100_u64.to_le_bytes());
    data
}

/// A prelaunch oracle: the price is at 1e6 already.
pub(crate) fn prelaunch_account(price: i64, amm_slot: u64) -> Vec<u8> {
    let mut data = vec![0; 120];
    put(&mut data, 0, &[0x5c, 0x0e, 0x8b, 0xea, 0x48, 0xf4, 0x44, 0x1a]);
    put(&mut data, 8, &price.to_le_bytes());
    put(&mut data, 24, &1_000_u64.to_le_bytes());
    put(&mut data, 40, &amm_slot.to_le_bytes());
    data
}

fn market_account(rng: &mut Rng, number: usize, market: MarketTag) -> Vec<u8> {
    let tick = rng.pick(&[1_u64, 10, 100, 250]);
    let step = rng.pick(&[1_u64, 5, 100]);
    // The quote market has no oracle account; the others share two.
    let oracle = if number == 4 { [0; 32] } else { oracle_key(u8::from(number == 1)) };
    if market.0 == 1 {
        perp_account(market, oracle, tick, step)
    } else {
        spot_account(market, oracle, tick, step)
    }
}

fn perp_account(market: MarketTag, oracle: Key, tick: u64, step: u64) -> Vec<u8> {
    let mut data = common::perp_market();
    put(&mut data, 8, &market_key(market));
    put(&mut data, 40, &oracle);
    put(&mut data, 96, &1_000_000_i64.to_le_bytes());
    put(&mut data, 808, &step.to_le_bytes());
    put(&mut data, 816, &tick.to_le_bytes());
    put(&mut data, 1000, format!("{:<32}", format!("M{}-PERP", market.1)).as_bytes());
    put(&mut data, 1160, &market.1.to_le_bytes());
    put_curve(&mut data);
    // The second perp is a prediction market.
    data[1163] = if market.1 == 1 { 2 } else { 0 };
    data
}

/// A curve at the oracle's first price.
fn put_curve(data: &mut [u8]) {
    let reserve = 100_000_000_000_000_u128;
    for (path, value) in [
        ("amm.baseAssetReserve", reserve),
        ("amm.quoteAssetReserve", reserve),
        ("amm.sqrtK", reserve),
        ("amm.pegMultiplier", 1_000_000),
        ("amm.minBaseAssetReserve", reserve / 10 * 9),
        ("amm.maxBaseAssetReserve", reserve / 10 * 11),
    ] {
        put_amm(data, (path, "u128"), &value.to_le_bytes());
    }
    put_amm(data, ("amm.baseSpread", "u32"), &333_u32.to_le_bytes());
    put_amm(data, ("amm.maxSpread", "u32"), &50_000_u32.to_le_bytes());
    put_amm(data, ("amm.curveUpdateIntensity", "u8"), &[100]);
    put_amm(data, ("amm.lastOracleConfPct", "u64"), &20_000_u64.to_le_bytes());
    put_amm(data, ("amm.fundingPeriod", "i64"), &3_600_i64.to_le_bytes());
    put_amm(data, TWAP_TS, &9_000_i64.to_le_bytes());
}

/// The time of the last update of the oracle's average price: the spread depends on the elapsed
/// time.
pub(crate) const TWAP_TS: (&str, &str) = ("amm.historicalOracleData.lastOraclePriceTwapTs", "i64");

fn put_amm(data: &mut [u8], (path, kind): (&str, &'static str), field: &[u8]) {
    put(data, PERP_MARKET.at(path, kind), field);
}

fn spot_account(market: MarketTag, oracle: Key, tick: u64, step: u64) -> Vec<u8> {
    let mut data = common::spot_market();
    put(&mut data, 8, &market_key(market));
    put(&mut data, 40, &oracle);
    put(&mut data, 136, format!("{:<32}", format!("M{}", market.1)).as_bytes());
    put(&mut data, 192, &1_000_000_i64.to_le_bytes());
    put(&mut data, 592, &step.to_le_bytes());
    put(&mut data, 600, &tick.to_le_bytes());
    // Decimals 9, 6 and 8.
    put(&mut data, 680, &[9_u32, 6, 8][usize::from(market.1 - 1)].to_le_bytes());
    put(&mut data, 684, &market.1.to_le_bytes());
    let source = [PYTH_LAZER, PYTH_LAZER_STABLE_COIN, QUOTE_ASSET][usize::from(market.1 - 1)];
    put(&mut data, 686, &[1, source, 1]);
    data
}
