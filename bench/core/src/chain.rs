//! The accounts that a workload does not hold: the exchange's state, its markets and their oracles,
//! by the tables of `crates/protocol`.

use slotbook_protocol::layout::Layout;
use slotbook_protocol::model::units::{OraclePrice, Pubkey, Slot};
use slotbook_protocol::model::{AccountKind, Program};

/// The address that owns every account of a workload.
pub const OWNER: Pubkey = Pubkey([7; 32]);

/// Bytes of a Pyth Lazer oracle account.
pub const LAZER_BYTES: usize = 48;

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
pub fn state(program: Program) -> Vec<u8> {
    let mut state = Account::new(program, AccountKind::State);
    state.put(("markOraclePercentDivergence", "u64"), &100_000_u64.to_le_bytes());
    state.put(("oracleTwap5minPercentDivergence", "u64"), &500_000_u64.to_le_bytes());
    state.put(("slotsBeforeStaleForAmm", "i64"), &10_u64.to_le_bytes());
    state.put(("slotsBeforeStaleForMargin", "i64"), &120_u64.to_le_bytes());
    state.put(("confidenceIntervalMaxSize", "u64"), &20_000_u64.to_le_bytes());
    state.put(("tooVolatileRatio", "i64"), &5_u64.to_le_bytes());
    state.data
}

/// An active perpetual of the best tier whose oracle is a Pyth Lazer account.
#[must_use]
pub fn perp_market(program: Program, market: &PerpMarket) -> Vec<u8> {
    let mut account = Account::new(program, AccountKind::PerpMarket);
    account.put(("pubkey", "publicKey"), &market_key(market.index).0);
    account.put(("oracle", "publicKey"), &oracle_key(market.index).0);
    for name in ["lastOraclePrice", "lastOraclePriceTwap", "lastOraclePriceTwap5min"] {
        account.put((name, "i64"), &market.oracle.0.to_le_bytes());
    }
    for (name, value) in [
        ("orderStepSize", market.step),
        ("orderTickSize", market.tick),
        ("minOrderSize", market.step),
    ] {
        account.put((name, "u64"), &value.to_le_bytes());
    }
    account.put(("oracleSource", "enum"), &[ORACLE_SOURCE_PYTH_LAZER]);
    let name = format!("{:<32}", format!("BENCH{}-PERP", market.index));
    account.put(("name", "u8"), name.as_bytes());
    account.put(("marketIndex", "u16"), &market.index.to_le_bytes());
    account.put(("status", "enum"), &[MARKET_STATUS_ACTIVE]);
    account.data
}

/// An account of zeros whose fields are written by their names.
struct Account {
    layout: &'static Layout,
    data: Vec<u8>,
}

impl Account {
    fn new(program: Program, kind: AccountKind) -> Self {
        let layout = program.layout(kind).expect("Invariant: both programs have these accounts");
        let mut data = vec![0; layout.size];
        put(&mut data, 0, &kind.discriminator());
        Self { layout, data }
    }

    /// Writes a field, which is given by its name and type.
    fn put(&mut self, (name, kind): (&str, &str), bytes: &[u8]) {
        put(&mut self.data, self.layout.leaf(name, kind), bytes);
    }
}

/// A Pyth Lazer price at 1e6, published in `slot`; `sequence` grows with every price.
#[must_use]
pub fn lazer_oracle(price: OraclePrice, slot: Slot, sequence: u64) -> [u8; LAZER_BYTES] {
    let mut data = [0; LAZER_BYTES];
    put(&mut data, 0, &AccountKind::PythLazerOracle.discriminator());
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
