//! The accounts that a workload does not hold, written by offset: the exchange's state, its
//! markets and their oracles.
//!
//! Source of the offsets: the program's account layouts (`programs/drift/src/state/`), as the
//! tables of `crates/protocol` read them.

use slotbook_protocol::model::units::{OraclePrice, Pubkey, Slot};

/// The program that owns every account of a workload.
pub const PROGRAM: Pubkey = Pubkey([7; 32]);

const STATE_DISCRIMINATOR: [u8; 8] = [0xd8, 0x92, 0x6b, 0x5e, 0x68, 0x4b, 0xb6, 0xb1];
const MARKET_DISCRIMINATOR: [u8; 8] = [0x0a, 0xdf, 0x0c, 0x2c, 0x6b, 0xf5, 0x37, 0xf7];
const LAZER_DISCRIMINATOR: [u8; 8] = [0x9f, 0x07, 0xa1, 0xf9, 0x22, 0x51, 0x79, 0x85];

/// Bytes of a Pyth Lazer oracle account.
pub const LAZER_BYTES: usize = 48;
const STATE_BYTES: usize = 992;
const MARKET_BYTES: usize = 1_216;

const ORACLE_SOURCE_PYTH_LAZER: u8 = 12;
const MARKET_STATUS_ACTIVE: u8 = 1;
/// One part in 1,500 of the price: far inside every tier's confidence limit.
const CONFIDENCE_DIVISOR: i64 = 1_500;

/// The values of a perp market account.
#[derive(Clone, Copy, Debug)]
pub struct PerpMarket {
    /// Its market index.
    pub index: u16,
    /// Price step, 1e6.
    pub tick: u64,
    /// Size step, 1e9.
    pub step: u64,
    /// Price and average price of its oracle, 1e6.
    pub oracle: OraclePrice,
}

/// Address of the exchange's state.
pub const STATE_KEY: Pubkey = Pubkey([1; 32]);

/// Address of a perp market.
#[must_use]
pub fn market_key(index: u16) -> Pubkey {
    numbered_key(2, index)
}

/// Address of the oracle of a perp market.
#[must_use]
pub fn oracle_key(index: u16) -> Pubkey {
    numbered_key(3, index)
}

fn numbered_key(kind: u8, index: u16) -> Pubkey {
    let mut key = [kind; 32];
    key[..2].copy_from_slice(&index.to_le_bytes());
    Pubkey(key)
}

/// The exchange's state: nothing paused, the guard rails of the running exchange.
#[must_use]
pub fn state() -> Vec<u8> {
    let mut data = vec![0; STATE_BYTES];
    put(&mut data, 0, &STATE_DISCRIMINATOR);
    let rails: [u64; 6] = [100_000, 500_000, 10, 120, 20_000, 5];
    for (at, rail) in (888..).step_by(8).zip(rails) {
        put(&mut data, at, &rail.to_le_bytes());
    }
    data
}

/// An active perpetual of the best tier whose oracle is a Pyth Lazer account.
#[must_use]
pub fn perp_market(market: &PerpMarket) -> Vec<u8> {
    let mut data = vec![0; MARKET_BYTES];
    put(&mut data, 0, &MARKET_DISCRIMINATOR);
    put(&mut data, 8, &market_key(market.index).0);
    put(&mut data, 40, &oracle_key(market.index).0);
    for at in [72, 96, 104] {
        put(&mut data, at, &market.oracle.0.to_le_bytes());
    }
    for (at, value) in [(808, market.step), (816, market.tick), (824, market.step)] {
        put(&mut data, at, &value.to_le_bytes());
    }
    data[926] = ORACLE_SOURCE_PYTH_LAZER;
    let name = format!("{:<32}", format!("BENCH{}-PERP", market.index));
    put(&mut data, 1_000, name.as_bytes());
    put(&mut data, 1_160, &market.index.to_le_bytes());
    data[1_162] = MARKET_STATUS_ACTIVE;
    data
}

/// A Pyth Lazer price at 1e6, published in `slot`; `sequence` grows with every price.
#[must_use]
pub fn lazer_oracle(price: OraclePrice, slot: Slot, sequence: u64) -> [u8; LAZER_BYTES] {
    let mut data = [0; LAZER_BYTES];
    put(&mut data, 0, &LAZER_DISCRIMINATOR);
    put(&mut data, 8, &price.0.to_le_bytes());
    put(&mut data, 16, &sequence.to_le_bytes());
    put(&mut data, 24, &slot.0.to_le_bytes());
    put(&mut data, 32, &(-6i32).to_le_bytes());
    put(&mut data, 40, &(price.0 / CONFIDENCE_DIVISOR).to_le_bytes());
    data
}

fn put(data: &mut [u8], at: usize, bytes: &[u8]) {
    data[at..at + bytes.len()].copy_from_slice(bytes);
}
