//! Makers of a small market whose accounts are written by offset, the same ones in every run.
//!
//! Source of the offsets: the program's account layouts (`programs/drift/src/state/user.rs`).

use slotbook_protocol::model::units::Pubkey;

/// The oracle's price of the market, 1e6.
pub const ORACLE: i64 = 150_000_000;
/// Price step, 1e6.
pub const TICK: u64 = 100;
/// Size step, 1e9.
pub const STEP: u64 = 10_000_000;
/// Orders of each maker.
pub const ORDERS: usize = 8;

const USER_DISCRIMINATOR: [u8; 8] = [0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec];
const USER_BYTES: usize = 4_376;
const ORDERS_AT: usize = 1_192;
const ORDER_BYTES: usize = 96;
/// Ticks between the oracle's price and the farthest order.
const TICKS_AWAY: u64 = 200;

/// The account of a maker, and the number of its next order.
#[derive(Clone, Debug)]
pub struct Maker {
    /// Its address.
    pub key: Pubkey,
    /// Its bytes.
    pub data: Vec<u8>,
    next_order: u32,
}

impl Maker {
    /// A maker with all its orders; every second one has a price that floats with the oracle's.
    #[must_use]
    pub fn new(number: u16) -> Self {
        let mut maker = Self::without_orders(number);
        for index in 0..ORDERS {
            maker.place(index, u64::from(number) * 7 + index as u64 * 13);
        }
        maker
    }

    /// A maker that has placed nothing.
    #[must_use]
    pub fn without_orders(number: u16) -> Self {
        let [low, high] = number.to_le_bytes();
        let mut key = [low; 32];
        key[0] ^= high;
        let mut data = vec![0; USER_BYTES];
        data[..8].copy_from_slice(&USER_DISCRIMINATOR);
        data[8..40].copy_from_slice(&key);
        Self { key: Pubkey(key), data, next_order: 1 }
    }

    /// Writes an open order: `place` decides its distance and size, the slot its side (asks at odd ones)
    /// and its kind (a fixed price in the first two of four).
    pub fn place(&mut self, index: usize, place: u64) {
        let (ticks, is_ask) = (1 + place % TICKS_AWAY, index % 2 == 1);
        let away = i64::try_from(ticks * TICK).unwrap_or(0) * if is_ask { 1 } else { -1 };
        let order = self.order(index);
        order.fill(0);
        if index % 4 < 2 {
            order[8..16].copy_from_slice(&(ORACLE + away).to_le_bytes());
        } else {
            order[72..76].copy_from_slice(&i32::try_from(away).unwrap_or(0).to_le_bytes());
        }
        order[16..24].copy_from_slice(&(STEP * (1 + place % 9)).to_le_bytes());
        // Status open, type limit, of a perp market, and post-only.
        (order[82], order[83], order[84], order[87], order[89]) = (1, 1, 1, u8::from(is_ask), 1);
        let number = self.next_order;
        self.order(index)[76..80].copy_from_slice(&number.to_le_bytes());
        self.next_order += 1;
    }

    /// Removes an order.
    pub fn cancel(&mut self, index: usize) {
        self.order(index).fill(0);
    }

    /// Fills one step of an order.
    pub fn fill(&mut self, index: usize) {
        self.order(index)[24..32].copy_from_slice(&STEP.to_le_bytes());
    }

    fn order(&mut self, index: usize) -> &mut [u8] {
        let at = ORDERS_AT + index * ORDER_BYTES;
        &mut self.data[at..at + ORDER_BYTES]
    }
}
