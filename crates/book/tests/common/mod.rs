//! Account bytes for tests, written by offset as the program lays them out.
//!
//! Source of the offsets: programs/drift/src/state/{user,perp_market,spot_market,state}.rs.

pub(crate) mod velocity;

use slotbook_book::{AccountUpdate, Applied, Book, BookConfig, BookError, Gate, MarketId, Side};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

/// The program of the tests.
pub(crate) const PROGRAM: Pubkey = Pubkey([9; 32]);
/// The Lazer oracle of perp market 0.
pub(crate) const ORACLE: Pubkey = Pubkey([8; 32]);
/// Where the tests' time starts.
pub(crate) const SLOT: u64 = 1_000;
/// Where the tests' clock starts.
pub(crate) const NOW: i64 = 1_700_000_000;

/// An order slot under construction: an open post-only limit bid of 1,000 at 100 by default.
#[derive(Clone, Copy)]
pub(crate) struct OrderBytes(pub(crate) [u8; 96]);

impl OrderBytes {
    /// An open, post-only limit order without an expiry.
    pub(crate) fn limit(side: Side, price: u64, size: u64, id: u32) -> Self {
        let mut order = Self([0; 96]);
        order.u64(0, SLOT - 10).u64(8, price).u64(16, size).u32(76, id);
        order.0[82] = 1;
        order.0[83] = 1;
        order.0[84] = 1;
        order.0[87] = side as u8;
        order.0[89] = 1;
        order
    }

    /// The same at an offset from the oracle.
    pub(crate) fn offset(side: Side, offset: i32, size: u64, id: u32) -> Self {
        let mut order = Self::limit(side, 0, size, id);
        order.0[72..76].copy_from_slice(&offset.to_le_bytes());
        order
    }

    pub(crate) fn u64(&mut self, at: usize, value: u64) -> &mut Self {
        self.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn u32(&mut self, at: usize, value: u32) -> &mut Self {
        self.0[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn placed_at(mut self, slot: u64) -> Self {
        self.u64(0, slot);
        self
    }

    pub(crate) fn filled(mut self, size: u64) -> Self {
        self.u64(24, size);
        self
    }

    pub(crate) fn expires(mut self, max_ts: i64) -> Self {
        self.u64(64, max_ts.cast_unsigned());
        self
    }

    pub(crate) fn reduce_only(mut self) -> Self {
        self.0[88] = 1;
        self
    }

    /// Not post-only, with an auction of so many slots.
    pub(crate) fn auction(mut self, duration: u8) -> Self {
        self.0[89] = 0;
        self.0[92] = duration;
        self
    }

    pub(crate) fn kind(mut self, order_type: u8, condition: u8) -> Self {
        self.0[83] = order_type;
        self.0[91] = condition;
        self
    }

    pub(crate) fn spot(mut self, market_index: u16) -> Self {
        self.0[84] = 0;
        self.0[80..82].copy_from_slice(&market_index.to_le_bytes());
        self
    }

    pub(crate) fn with_byte(mut self, at: usize, value: u8) -> Self {
        self.0[at] = value;
        self
    }
}

/// A user account with these orders in its first slots.
pub(crate) fn user(orders: &[OrderBytes]) -> Vec<u8> {
    let mut data = vec![0; 4376];
    data[..8].copy_from_slice(&[0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec]);
    for (slot, order) in orders.iter().enumerate() {
        data[1192 + slot * 96..1288 + slot * 96].copy_from_slice(&order.0);
    }
    data
}

/// Gives a user a perp position of `base` in market 0.
pub(crate) fn perp_position(mut data: Vec<u8>, base: i64) -> Vec<u8> {
    data[432..440].copy_from_slice(&base.to_le_bytes());
    data
}

/// Gives a user a scaled spot balance, negative for a borrow.
pub(crate) fn spot_position(mut data: Vec<u8>, market_index: u16, scaled: i64) -> Vec<u8> {
    data[104..112].copy_from_slice(&scaled.unsigned_abs().to_le_bytes());
    data[136..138].copy_from_slice(&market_index.to_le_bytes());
    data[138] = u8::from(scaled < 0);
    data
}

pub(crate) fn with_byte(mut data: Vec<u8>, at: usize, value: u8) -> Vec<u8> {
    data[at] = value;
    data
}

pub(crate) fn with_u64(mut data: Vec<u8>, at: usize, value: u64) -> Vec<u8> {
    data[at..at + 8].copy_from_slice(&value.to_le_bytes());
    data
}

/// Perp market 0, active, tick 10, step 5, with a Lazer oracle.
pub(crate) fn perp_market() -> Vec<u8> {
    let mut data = vec![0; 1216];
    data[..8].copy_from_slice(&[0x0a, 0xdf, 0x0c, 0x2c, 0x6b, 0xf5, 0x37, 0xf7]);
    data[40..72].copy_from_slice(&ORACLE.0);
    data[926] = 12;
    data[1000..1032].copy_from_slice(b"SOL-PERP                        ");
    data[1162] = 1;
    let data = with_u64(data, 96, 1_000);
    let data = with_u64(data, 808, 5);
    with_u64(data, 816, 10)
}

/// Spot market 1 with 9 decimals, active, tick 1, step 1, priced as the quote asset.
pub(crate) fn spot_market() -> Vec<u8> {
    let mut data = vec![0; 776];
    data[..8].copy_from_slice(&[0x64, 0xb1, 0x08, 0x6b, 0xa8, 0x41, 0x41, 0x27]);
    data[136..168].copy_from_slice(b"SOL                             ");
    data[464..480].copy_from_slice(&10_000_000_000u128.to_le_bytes());
    data[480..496].copy_from_slice(&10_000_000_000u128.to_le_bytes());
    data[680] = 9;
    data[684] = 1;
    data[687] = 2;
    data[688] = 1;
    let data = with_u64(data, 592, 1);
    with_u64(data, 600, 1)
}

/// The exchange's state with the program's default guard rails.
pub(crate) fn state(exchange_status: u8) -> Vec<u8> {
    let mut data = vec![0; 992];
    data[..8].copy_from_slice(&[0xd8, 0x92, 0x6b, 0x5e, 0x68, 0x4b, 0xb6, 0xb1]);
    data[974] = exchange_status;
    let rails = [(888, 100_000), (896, 500_000), (904, 10), (912, 120), (920, 20_000), (928, 5)];
    rails.iter().fold(data, |data, (at, value)| with_u64(data, *at, *value))
}

/// A Lazer oracle at 1e6 precision.
pub(crate) fn lazer(price: i64, slot: u64) -> Vec<u8> {
    let mut data = vec![0; 48];
    data[..8].copy_from_slice(&[0x9f, 0x07, 0xa1, 0xf9, 0x22, 0x51, 0x79, 0x85]);
    data[8..16].copy_from_slice(&price.to_le_bytes());
    data[24..32].copy_from_slice(&slot.to_le_bytes());
    data[32..36].copy_from_slice(&(-6i32).to_le_bytes());
    with_u64(data, 40, 1)
}

pub(crate) fn key(byte: u8) -> Pubkey {
    Pubkey([byte; 32])
}

/// A book with perp market 0, spot market 1, an oracle at 1,000 and the tests' clock.
pub(crate) struct Bench {
    pub(crate) book: Book,
    pub(crate) slot: u64,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let config = BookConfig { program: PROGRAM, rules: Program::Drift };
        let mut bench = Self { book: Book::new(config), slot: SLOT };
        bench.clock(SLOT, NOW);
        bench.put(key(200), &state(0));
        bench.put(key(201), &perp_market());
        bench.put(key(202), &spot_market());
        bench.put(ORACLE, &lazer(1_000, SLOT));
        bench.book.end_turn(0);
        bench
    }

    pub(crate) fn clock(&mut self, slot: u64, now: i64) {
        self.book.set_clock(Slot(slot), UnixSeconds(now));
        self.slot = slot;
    }

    pub(crate) fn put(&mut self, pubkey: Pubkey, data: &[u8]) -> Applied {
        self.send(pubkey, data, self.slot, Gate::Arrival).expect("a well-formed account")
    }

    pub(crate) fn send(
        &mut self,
        pubkey: Pubkey,
        data: &[u8],
        slot: u64,
        gate: Gate,
    ) -> Result<Applied, BookError> {
        let update = AccountUpdate { pubkey, owner: PROGRAM, slot: Slot(slot), gate, data };
        let applied = self.book.apply(update);
        self.book.check_integrity().expect("every invariant holds");
        applied
    }

    pub(crate) fn perp(&self) -> MarketId {
        self.book.find_market(MarketType::Perp, 0).expect("market 0 is known")
    }

    pub(crate) fn spot(&self) -> MarketId {
        self.book.find_market(MarketType::Spot, 1).expect("market 1 is known")
    }

    /// Levels of the perp market as (price, size).
    pub(crate) fn levels(&self, side: Side) -> Vec<(u64, u128)> {
        self.book.check_integrity().expect("every invariant holds");
        self.book.levels(self.perp(), side).map(|level| (level.price.0, level.size)).collect()
    }

    /// Order ids of the perp market in book order.
    pub(crate) fn ids(&self, side: Side) -> Vec<u32> {
        let mut rows = Vec::new();
        self.book.orders(self.perp(), side, usize::MAX, &mut rows);
        rows.iter().map(|row| row.order_id).collect()
    }

    pub(crate) fn turn_changes_perp(&mut self) -> bool {
        let perp = self.perp();
        self.book.end_turn(1).contains(&perp)
    }
}
