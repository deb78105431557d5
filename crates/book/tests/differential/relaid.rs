//! The accounts of the world as Velocity lays them out, with fields that Drift v2 lacks.

use slotbook_protocol::drift::layouts as drift;
use slotbook_protocol::layout::Layout;
use slotbook_protocol::model::Program;
use slotbook_protocol::velocity::layouts as velocity;

use super::rng::Rng;
use super::world::{ORDER_BYTES, ORDERS_AT, put};

/// Fields of perp markets that the world writes: name, type, bytes.
const PERP_FIELDS: [(&str, &str, usize); 29] = [
    ("pubkey", "publicKey", 32),
    ("name", "u8", 32),
    ("oracle", "publicKey", 32),
    ("oracleSource", "enum", 1),
    ("lastOraclePriceTwap", "i64", 8),
    ("lastOraclePriceTwapTs", "i64", 8),
    ("orderStepSize", "u64", 8),
    ("orderTickSize", "u64", 8),
    ("mmOraclePrice", "i64", 8),
    ("mmOracleSlot", "u64", 8),
    ("mmOracleSequenceId", "u64", 8),
    ("expiryTs", "i64", 8),
    ("marketIndex", "u16", 2),
    ("status", "enum", 1),
    ("contractType", "enum", 1),
    ("contractTier", "enum", 1),
    ("pausedOperations", "u8", 1),
    ("baseAssetReserve", "u128", 16),
    ("quoteAssetReserve", "u128", 16),
    ("sqrtK", "u128", 16),
    ("pegMultiplier", "u128", 16),
    ("minBaseAssetReserve", "u128", 16),
    ("maxBaseAssetReserve", "u128", 16),
    ("baseAssetAmountWithAmm", "i128", 16),
    ("totalFeeMinusDistributions", "i128", 16),
    ("baseSpread", "u32", 4),
    ("maxSpread", "u32", 4),
    ("curveUpdateIntensity", "u8", 1),
    ("lastOracleConfPct", "u64", 8),
];

/// The same of spot markets.
const SPOT_FIELDS: [(&str, &str, usize); 15] = [
    ("pubkey", "publicKey", 32),
    ("oracle", "publicKey", 32),
    ("name", "u8", 32),
    ("lastOraclePriceTwap", "i64", 8),
    ("cumulativeDepositInterest", "u128", 16),
    ("cumulativeBorrowInterest", "u128", 16),
    ("expiryTs", "i64", 8),
    ("orderStepSize", "u64", 8),
    ("orderTickSize", "u64", 8),
    ("decimals", "u32", 4),
    ("marketIndex", "u16", 2),
    ("oracleSource", "enum", 1),
    ("status", "enum", 1),
    ("assetTier", "enum", 1),
    ("pausedOperations", "u8", 1),
];

/// The same of the state.
const STATE_FIELDS: [(&str, &str, usize); 5] = [
    ("exchangeStatus", "u8", 1),
    ("slotsBeforeStaleForAmm", "i64", 8),
    ("slotsBeforeStaleForMargin", "i64", 8),
    ("confidenceIntervalMaxSize", "u64", 8),
    ("tooVolatileRatio", "i64", 8),
];

/// Bytes of the lengths of slots in the state, from `slotDurationMs` on.
pub(crate) const SLOTS_BYTES: usize = 46;

/// An account of the world for a program; `slots` are the lengths of slots in the state. Bytes that
/// are no account of the world stay as they are.
pub(crate) fn of_program(program: Program, slots: &[u8; SLOTS_BYTES], data: &[u8]) -> Vec<u8> {
    if program == Program::Drift {
        return data.to_vec();
    }
    let is = |layout: &Layout, kind: [u8; 8]| data.len() == layout.size && data[..8] == kind;
    if is(&drift::USER, [0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec]) {
        user(data)
    } else if is(&drift::PERP_MARKET, [0x0a, 0xdf, 0x0c, 0x2c, 0x6b, 0xf5, 0x37, 0xf7]) {
        market(&drift::PERP_MARKET, &velocity::PERP_MARKET, &PERP_FIELDS, data)
    } else if is(&drift::SPOT_MARKET, [0x64, 0xb1, 0x08, 0x6b, 0xa8, 0x41, 0x41, 0x27]) {
        market(&drift::SPOT_MARKET, &velocity::SPOT_MARKET, &SPOT_FIELDS, data)
    } else if is(&drift::STATE, [0xd8, 0x92, 0x6b, 0x5e, 0x68, 0x4b, 0xb6, 0xb1]) {
        let mut state = moved(&drift::STATE, &velocity::STATE, &STATE_FIELDS, data);
        put(&mut state, velocity::STATE.leaf("slotDurationMs", "u16"), slots);
        state
    } else {
        data.to_vec()
    }
}

fn moved(
    from: &Layout,
    to: &Layout,
    fields: &[(&'static str, &'static str, usize)],
    data: &[u8],
) -> Vec<u8> {
    let mut relaid = vec![0; to.size];
    put(&mut relaid, 0, &data[..8]);
    for (name, kind, bytes) in fields {
        put(&mut relaid, to.leaf(name, kind), &data[from.leaf(name, kind)..][..*bytes]);
    }
    relaid
}

/// Half of the markets are as long as before the last upgrade. A status that Velocity lacks becomes
/// one that no program has.
fn market(
    from: &Layout,
    to: &Layout,
    fields: &[(&'static str, &'static str, usize)],
    data: &[u8],
) -> Vec<u8> {
    let mut relaid = moved(from, to, fields, data);
    let status = to.leaf("status", "enum");
    relaid[status] = match relaid[status] {
        kept @ 0..=1 => kept,
        later @ 6..=8 => later - 4,
        unknown => unknown + 10,
    };
    if data[8].is_multiple_of(2) {
        relaid.truncate(to.covered());
    }
    relaid
}

fn user(data: &[u8]) -> Vec<u8> {
    let (user, order) = (&velocity::USER, &velocity::ORDER);
    let mut relaid = vec![0; user.size];
    put(&mut relaid, 0, &data[..drift::USER.leaf("perpPositions", "PerpPosition")]);
    let status = drift::USER.leaf("status", "u8");
    relaid[user.leaf("status", "u8")] = data[status];
    for slot in 0..8 {
        let [from, to] = [&drift::PERP_POSITION, &velocity::PERP_POSITION];
        let at = to.size * slot + user.leaf("perpPositions", "PerpPosition");
        let old = &data[from.size * slot + drift::USER.leaf("perpPositions", "PerpPosition")..];
        for (name, kind, bytes) in [("baseAssetAmount", "i64", 8), ("marketIndex", "u16", 2)] {
            put(&mut relaid, at + to.leaf(name, kind), &old[from.leaf(name, kind)..][..bytes]);
        }
    }
    for slot in 0..32 {
        let old = &data[ORDERS_AT + slot * ORDER_BYTES..][..ORDER_BYTES];
        let at = user.leaf("orders", "Order") + slot * order.size;
        put(&mut relaid, at, &old[..72]);
        put(&mut relaid, at + 72, &offset(old).to_le_bytes());
        put(&mut relaid, at + order.leaf("orderId", "u32"), &old[76..95]);
    }
    relaid
}

/// The highest and lowest offsets of Drift v2 become such as need 64 bits.
fn offset(order: &[u8]) -> i64 {
    let offset = i32::from_le_bytes([order[72], order[73], order[74], order[75]]);
    match offset {
        i32::MAX => 5_000_000_000,
        i32::MIN => i64::MIN,
        offset => i64::from(offset),
    }
}

/// Random lengths of slots around a slot: known changes, some left out, or staged lengths.
pub(crate) fn slots(rng: &mut Rng, slot: u64) -> [u8; SLOTS_BYTES] {
    let mut bytes = [0; SLOTS_BYTES];
    put(&mut bytes, 0, &rng.pick(&[0_u16, 350, 400, 200]).to_le_bytes());
    put(&mut bytes, 2, &rng.pick(&[0_u16, 0, 300, 250]).to_le_bytes());
    put(&mut bytes, 6, &slot.saturating_add_signed(rng.between(-20, 60)).to_le_bytes());
    if rng.one_in(3) {
        return bytes;
    }
    let mut first = slot.saturating_add_signed(rng.between(-200, 20));
    for change in 0..4 {
        if !rng.one_in(3) {
            put(&mut bytes, 14 + change * 8, &first.max(1).to_le_bytes());
        }
        first += rng.below(60);
    }
    bytes
}
