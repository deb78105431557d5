//! Generates random commands: on-chain changes, and delivery faults.

use slotbook_naive::{SnapshotKind, Stamp};
use slotbook_protocol::drift::layouts::PERP_MARKET;
use slotbook_protocol::model::Program;

use super::judge::{Books, Delivery};
use super::relaid::{self, SLOTS_BYTES};
use super::rng::Rng;
use super::world::{
    Key, MARKETS, MarketTag, ORDER_BYTES, ORDERS_AT, PRELAUNCH, PROGRAM, PYTH_LAZER,
    PYTH_LAZER_STABLE_COIN, Shape, TWAP_TS, World, empty_user, market_key, oracle_account,
    oracle_key, prelaunch_account, put, state_key, user_key,
};

/// Ticks of markets; some do not divide the highest price of a prediction market.
const TICKS: [u64; 8] = [0, 1, 7, 10, 30, 100, 250, 300];

/// Initial order changes of a crowded market.
const CROWD: usize = 60;

/// Deliveries that may be repeated.
const RECENT_MAX: usize = 24;

/// How a feed orders its updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feed {
    /// One socket and snapshots.
    Socket,
    /// Slots and write versions.
    WriteVersions,
}

struct Sent {
    key: Key,
    slot: u64,
    stamp: Stamp,
    data: Vec<u8>,
}

/// One seed's chain and both books.
pub(crate) struct Life<B> {
    program: Program,
    /// What the state account says of the lengths of slots.
    slots: [u8; SLOTS_BYTES],
    rng: Rng,
    world: World,
    shape: Shape,
    feed: Feed,
    version: u64,
    recent: Vec<Sent>,
    pub(crate) books: B,
}

impl<B: Books> Life<B> {
    pub(crate) fn new(program: Program, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let shape = Shape::any(&mut rng);
        let world = World::new(&mut rng, shape.users);
        let feed = if rng.one_in(4) { Feed::WriteVersions } else { Feed::Socket };
        let (recent, slots) = (Vec::new(), [0; SLOTS_BYTES]);
        let books = B::new(program);
        let mut life = Life { program, slots, rng, world, shape, feed, version: 0, recent, books };
        life.books.set_clock(life.world.slot, life.world.now);
        let keys: Vec<Key> = life.world.accounts.iter().map(|(key, _)| *key).collect();
        keys.iter().for_each(|key| life.send(key));
        if shape.is_crowded {
            (0..CROWD).for_each(|_| drop(life.place_many(16)));
        }
        life
    }

    /// The on-chain bytes of an account.
    pub(crate) fn account(&self, key: &Key) -> Vec<u8> {
        self.world.data(key).clone()
    }

    /// Runs one command and describes it.
    pub(crate) fn step(&mut self) -> String {
        match self.rng.below(100) {
            0..=33 => self.place(),
            34..=43 => self.change_order(),
            44..=48 => self.cancel(),
            49..=56 => self.move_position(),
            57..=59 => self.change_user_status(),
            60..=69 => self.move_oracle(),
            70..=79 => self.change_market(),
            80 => self.change_state(),
            81..=89 => self.move_clock(),
            90 => self.close_user(),
            91 => self.lose_market(),
            92..=94 => self.send_again(),
            95..=97 => self.snapshot(),
            _ => self.send_garbage(),
        }
    }

    fn stamp(&mut self) -> Stamp {
        match self.feed {
            Feed::Socket => Stamp::Arrival,
            Feed::WriteVersions => {
                self.version += 1;
                Stamp::WriteVersion(self.version)
            }
        }
    }

    fn send(&mut self, key: &Key) {
        let stamp = self.stamp();
        let sent =
            Sent { key: *key, slot: self.world.slot, stamp, data: self.world.data(key).clone() };
        self.deliver(&sent, PROGRAM);
        if self.recent.len() == RECENT_MAX {
            self.recent.remove(0);
        }
        self.recent.push(sent);
    }

    fn deliver(&mut self, sent: &Sent, owner: Key) {
        let data = relaid::of_program(self.program, &self.slots, &sent.data);
        self.books.apply(&Delivery {
            key: sent.key,
            owner: if owner == PROGRAM { self.program.id().0 } else { owner },
            slot: sent.slot,
            stamp: sent.stamp,
            data: &data,
        });
    }

    fn any_user(&mut self) -> Key {
        let user = u8::try_from(self.rng.below(u64::from(self.shape.users)))
            .expect("Invariant: few users");
        let key = user_key(user);
        if self.world.data(&key).is_empty() {
            *self.world.data_mut(&key) = empty_user(user);
        }
        key
    }

    fn place(&mut self) -> String {
        let count = if self.rng.one_in(5) { 4 } else { 1 };
        self.place_many(count)
    }

    fn place_many(&mut self, count: usize) -> String {
        let key = self.any_user();
        for _ in 0..count {
            let slot = self.rng.index(self.shape.order_slots);
            let order = self.order(slot);
            self.world.put(&key, ORDERS_AT + slot * ORDER_BYTES, &order);
        }
        self.send(&key);
        format!("place {count} by {}", key[30])
    }

    /// A random order for an order slot. Ids are unique within a user, as on chain, and repeat
    /// across users.
    fn order(&mut self, order_slot: usize) -> [u8; ORDER_BYTES] {
        let (rng, world) = (&mut self.rng, &self.world);
        let spread = if self.shape.is_crowded { 12 } else { 1 };
        let mut order = [0; ORDER_BYTES];
        let slot = world.slot.saturating_add_signed(rng.between(-30, 3));
        put(&mut order, 0, &slot.to_le_bytes());
        let is_first = self.shape.is_crowded && !rng.one_in(10);
        let (kind, index) = if is_first { MARKETS[0] } else { rng.pick(&MARKETS) };
        put(&mut order, 80, &if rng.one_in(40) { 77 } else { index }.to_le_bytes());
        order[84] = kind;
        if rng.one_in(2) {
            put(&mut order, 8, &price(rng, spread).to_le_bytes());
        } else {
            put(&mut order, 72, &offset(rng, spread).to_le_bytes());
        }
        let base = size(rng);
        put(&mut order, 16, &base.to_le_bytes());
        if rng.one_in(3) {
            put(&mut order, 24, &rng.below(base.saturating_add(2)).to_le_bytes());
        }
        put(&mut order, 64, &max_ts(rng, world.now).to_le_bytes());
        let id = order_slot + 32 * rng.index(2);
        put(&mut order, 76, &u32::try_from(id).expect("Invariant: ids are small").to_le_bytes());
        order[82] = if rng.one_in(12) { rng.pick(&[0, 2, 3]) } else { 1 };
        order[83] = rng.pick(&[1, 1, 1, 1, 1, 1, 3, 3, 3, 0, 2, 4]);
        order[87] = rng.pick(&[0, 1]);
        order[88] = u8::from(rng.one_in(3));
        order[89] = u8::from(rng.one_in(3));
        order[91] = rng.pick(&[0, 1, 2, 3, 2, 3]);
        order[92] = rng.pick(&[0, 0, 0, 0, 1, 5, 10, 30, 255]);
        order[94] = u8::from(rng.one_in(5)) + 2 * u8::from(rng.one_in(3));
        if !rng.one_in(4) {
            let [start, end] = auction_prices(rng, order[87] == 0);
            put(&mut order, 48, &start.to_le_bytes());
            put(&mut order, 56, &end.to_le_bytes());
        }
        order
    }

    /// Changes one field of an order, as a fill, an edit or a trigger would.
    fn change_order(&mut self) -> String {
        let key = self.any_user();
        let slot = self.rng.index(self.shape.order_slots);
        let fresh = self.order(slot);
        let fields =
            [(0, 8), (8, 8), (16, 8), (24, 8), (64, 8), (72, 4), (76, 4), (82, 1), (87, 1)];
        let more = [(48, 16), (88, 1), (89, 1), (91, 1), (92, 1), (83, 1), (80, 5)];
        let (at, length) =
            if self.rng.one_in(2) { self.rng.pick(&fields) } else { self.rng.pick(&more) };
        self.world.put(&key, ORDERS_AT + slot * ORDER_BYTES + at, &fresh[at..at + length]);
        self.send(&key);
        format!("change byte {at} of order {slot} of {}", key[30])
    }

    fn cancel(&mut self) -> String {
        let key = self.any_user();
        let slot = self.rng.index(self.shape.order_slots);
        self.world.put(&key, ORDERS_AT + slot * ORDER_BYTES + 82, &[3]);
        self.send(&key);
        format!("cancel order {slot} of {}", key[30])
    }

    fn move_position(&mut self) -> String {
        let key = self.any_user();
        let (kind, index) = self.rng.pick(&MARKETS);
        let slot = usize::from(index);
        if kind == 1 {
            let base = if self.rng.one_in(5) { 0 } else { self.rng.between(-1_500, 1_500) };
            self.world.put(&key, 432 + slot * 96, &base.to_le_bytes());
            self.world.put(&key, 516 + slot * 96, &index.to_le_bytes());
        } else {
            // A balance is scaled by 1e19 divided by the token's decimals and interest, which is
            // near 1e10.
            let unit = [1, 1_000, 10][usize::from(index - 1)];
            let scaled = self.rng.below(1_500) * self.rng.pick(&[0, unit, unit, unit]);
            self.world.put(&key, 104 + slot * 40, &scaled.to_le_bytes());
            self.world.put(&key, 136 + slot * 40, &index.to_le_bytes());
            let borrowed = self.rng.pick(&[0, 1]);
            self.world.put(&key, 138 + slot * 40, &[borrowed]);
        }
        self.send(&key);
        format!("move position of {} in {kind}-{index}", key[30])
    }

    fn change_user_status(&mut self) -> String {
        let key = self.any_user();
        let status = self.rng.pick(&[0, 0, 0, 1, 2, 4, 16, 19]);
        self.world.put(&key, 4348, &[status]);
        self.send(&key);
        format!("status {status} of {}", key[30])
    }

    fn move_oracle(&mut self) -> String {
        let key = oracle_key(self.rng.pick(&[0, 0, 0, 1]));
        let published = match self.rng.below(8) {
            0 => self.world.slot.saturating_sub(130),
            1 => self.world.slot.saturating_sub(400),
            _ => self.world.slot,
        };
        let price = match self.rng.below(16) {
            0 => 0,
            1 => -5,
            2 => 300,
            3 => 9_000_000,
            _ => 1_000_000 + self.rng.between(-1_500, 1_500),
        };
        let is_prelaunch = self.rng.one_in(5);
        let (mut data, confidence_at) = match is_prelaunch {
            true => (prelaunch_account(price, published), 24),
            false => (oracle_account(price, published), 40),
        };
        if self.rng.one_in(16) {
            put(&mut data, confidence_at, &500_000_u64.to_le_bytes());
        }
        if self.rng.one_in(24) {
            data.clear();
        }
        let text = format!("oracle {} price {price} published {published}", key[0]);
        *self.world.data_mut(&key) = data;
        self.send(&key);
        text
    }

    fn change_market(&mut self) -> String {
        let market = self.rng.pick(&MARKETS);
        let key = market_key(market);
        let (what, at, field) = self.market_field(market);
        self.world.put(&key, at, &field);
        self.send(&key);
        format!("market {market:?}: {what} {field:?}")
    }

    /// A random field of a market: name, offset and bytes.
    fn market_field(&mut self, market: MarketTag) -> (&'static str, usize, Vec<u8>) {
        let is_perp = market.0 == 1;
        let at = |perp: usize, spot: usize| if is_perp { perp } else { spot };
        let (rng, world) = (&mut self.rng, &self.world);
        if is_perp && rng.one_in(3) {
            return amm_field(rng, world.now);
        }
        match rng.below(14) {
            0 | 1 => ("tick", at(816, 600), rng.pick(&TICKS).to_le_bytes().to_vec()),
            2 => ("step", at(808, 592), rng.pick(&[0_u64, 1, 5, 100]).to_le_bytes().to_vec()),
            3 => ("status", at(1162, 688), vec![rng.pick(&[0, 1, 1, 1, 2, 4, 6, 6, 7, 8])]),
            4 => ("paused", at(1165, 690), vec![rng.pick(&[0, 0, 0, 1, 2, 4, 6, 8])]),
            5 => {
                let expiry = rng.pick(&[0, 0, 1, -1]) * (world.now + rng.between(0, 5));
                ("expiry", at(1080, 584), expiry.to_le_bytes().to_vec())
            }
            6 => {
                let twap = rng.pick(&[1_000_000_i64, 1_000_000, 100_000, 9_000_000]);
                ("twap", at(96, 192), twap.to_le_bytes().to_vec())
            }
            7 => ("tier", at(1164, 689), vec![rng.pick(&[0, 2, 3, 4])]),
            8 if is_perp => {
                ("mm price", 912, rng.between(980_000, 1_020_000).to_le_bytes().to_vec())
            }
            9 if is_perp => {
                let sequence = world.slot * 400_000 + rng.below(400_000);
                ("mm sequence", 936, sequence.to_le_bytes().to_vec())
            }
            10 if is_perp => {
                let slot = world.slot.saturating_sub(rng.below(20));
                ("mm slot", 832, slot.to_le_bytes().to_vec())
            }
            8 | 9 => {
                let interest = 10_000_000_000 + u128::from(rng.below(9_000_000_000));
                ("interest", rng.pick(&[464, 480]), interest.to_le_bytes().to_vec())
            }
            10 => ("decimals", 680, rng.pick(&[6_u32, 8, 9]).to_le_bytes().to_vec()),
            11 if market != (0, 3) => {
                let sources = [PYTH_LAZER, PYTH_LAZER, PYTH_LAZER_STABLE_COIN, PRELAUNCH];
                ("oracle source", at(926, 687), vec![rng.pick(&sources)])
            }
            _ => {
                let oracle = oracle_key(rng.pick(&[0, 1, 1, 2]));
                ("oracle", 40, if market == (0, 3) { vec![0; 32] } else { oracle.to_vec() })
            }
        }
    }

    fn change_state(&mut self) -> String {
        let key = state_key();
        let status = self.rng.pick(&[0, 0, 0, 4, 8]);
        self.world.put(&key, 974, &[status]);
        let stale = self.rng.pick(&[120_i64, 120, 20, 1_000]);
        self.world.put(&key, 912, &stale.to_le_bytes());
        if self.program == Program::Velocity {
            self.slots = relaid::slots(&mut self.rng, self.world.slot);
        }
        self.send(&key);
        format!("exchange status {status}, margin staleness {stale}")
    }

    fn move_clock(&mut self) -> String {
        let (slots, seconds) = match self.rng.below(20) {
            0 => (-self.rng.between(1, 60), -self.rng.between(0, 30)),
            1 => (self.rng.between(200, 5_000), self.rng.between(60, 4_000)),
            2 => (0, self.rng.between(-3, 3)),
            3 => (self.rng.between(100_000, 300_000), self.rng.between(30_000, 100_000)),
            _ => (self.rng.between(1, 4), self.rng.between(0, 2)),
        };
        self.world.slot = self.world.slot.saturating_add_signed(slots).max(1);
        self.world.now += seconds;
        self.books.set_clock(self.world.slot, self.world.now);
        format!("clock by {slots} slots and {seconds} s, to {}", self.world.slot)
    }

    fn close_user(&mut self) -> String {
        let key = self.any_user();
        if self.rng.one_in(3) {
            // The account now belongs to another program.
            let stamp = self.stamp();
            let data = self.world.data(&key).clone();
            let sent = Sent { key, slot: self.world.slot, stamp, data };
            self.deliver(&sent, [1; 32]);
            return format!("user {} changes its owner", key[30]);
        }
        self.world.data_mut(&key).clear();
        self.send(&key);
        format!("close user {}", key[30])
    }

    /// Closes a market's account or makes it unreadable; a later change restores it.
    fn lose_market(&mut self) -> String {
        let market = self.rng.pick(&MARKETS);
        let key = market_key(market);
        let mut data = self.world.data(&key).clone();
        let way = self.rng.below(4);
        match way {
            0 => data.clear(),
            1 => data.truncate(700),
            2 => put(&mut data, 0, &USER_STATS),
            _ => {}
        }
        let owner = if way == 3 { [1; 32] } else { PROGRAM };
        let stamp = self.stamp();
        self.deliver(&Sent { key, slot: self.world.slot, stamp, data }, owner);
        format!("market {market:?} is lost in way {way}")
    }

    /// Repeats a delivery: an identical state, or an older one as a revert.
    fn send_again(&mut self) -> String {
        if self.recent.is_empty() {
            return "nothing to send again".to_owned();
        }
        let at = self.rng.index(self.recent.len());
        let Sent { key, slot, stamp, ref data } = self.recent[at];
        let data = data.clone();
        self.deliver(&Sent { key, slot, stamp, data }, PROGRAM);
        format!("again {:?} of slot {slot}, {stamp:?}", &key[30..])
    }

    /// A snapshot, with live updates during it and some accounts missing.
    fn snapshot(&mut self) -> String {
        if self.feed != Feed::Socket {
            return self.move_oracle();
        }
        let slot = self.world.slot.saturating_sub(self.rng.below(4));
        let kind = if self.rng.one_in(3) { SnapshotKind::Replace } else { SnapshotKind::Audit };
        self.books.begin_snapshot(slot, kind);
        let mut gone = 0;
        for user in 0..self.shape.users {
            if self.rng.one_in(6) {
                self.place();
            }
            let key = user_key(user);
            if self.rng.one_in(8) || self.world.data(&key).is_empty() {
                gone += 1;
                continue;
            }
            let data = self.world.data(&key).clone();
            self.deliver(&Sent { key, slot, stamp: Stamp::Snapshot, data }, PROGRAM);
        }
        self.books.end_snapshot();
        format!("snapshot of slot {slot}, {kind:?}, without {gone}")
    }

    /// Bytes that the program never writes, or accounts that the book ignores.
    fn send_garbage(&mut self) -> String {
        let key = self.any_user();
        let mut data = self.world.data(&key).clone();
        let mut to = key;
        let what = match self.rng.below(6) {
            0 => {
                data[ORDERS_AT + self.rng.index(self.shape.order_slots) * ORDER_BYTES + 83] = 9;
                "order type 9"
            }
            1 => {
                data.truncate(4_000);
                "4000 bytes"
            }
            2 => {
                data[0] ^= 0xff;
                "an unknown discriminator"
            }
            4 => {
                put(&mut data, 0, &USER_STATS);
                "the bytes of user statistics"
            }
            3 => {
                // UserStats, at an address of its own.
                data.truncate(240);
                put(&mut data, 0, &USER_STATS);
                to = [0x11; 32];
                "user statistics"
            }
            _ => {
                data[138] = 7;
                "spot balance type 7"
            }
        };
        let stamp = self.stamp();
        self.deliver(&Sent { key: to, slot: self.world.slot, stamp, data }, PROGRAM);
        format!("garbage for {}: {what}", key[30])
    }
}

/// A random input of an AMM quote: name, offset and bytes.
fn amm_field(rng: &mut Rng, now: i64) -> (&'static str, usize, Vec<u8>) {
    let reserve = 100_000_000_000_000_u128 + u128::from(rng.below(100_000_000_000));
    let position = i128::from(rng.between(-5_000_000_000_000, 5_000_000_000_000));
    let ((path, kind), bytes) = match rng.below(9) {
        0 => (("amm.baseAssetReserve", "u128"), reserve.to_le_bytes().to_vec()),
        1 => (("amm.quoteAssetReserve", "u128"), reserve.to_le_bytes().to_vec()),
        2 => {
            let root = rng.pick(&[0, reserve, reserve, reserve]);
            (("amm.sqrtK", "u128"), root.to_le_bytes().to_vec())
        }
        3 => {
            let peg = 1_000_000_u128 + u128::from(rng.below(2_000));
            (("amm.pegMultiplier", "u128"), peg.to_le_bytes().to_vec())
        }
        4 => (("amm.baseAssetAmountWithAmm", "i128"), position.to_le_bytes().to_vec()),
        5 => (("amm.totalFeeMinusDistributions", "i128"), position.to_le_bytes().to_vec()),
        6 => (("amm.curveUpdateIntensity", "u8"), vec![rng.pick(&[0, 1, 100, 150, 200])]),
        7 => {
            let spread = rng.pick(&[0_u32, 1, 333, 4_000]);
            (("amm.baseSpread", "u32"), spread.to_le_bytes().to_vec())
        }
        _ => (TWAP_TS, (now - rng.between(-3, 4_000)).to_le_bytes().to_vec()),
    };
    (path, PERP_MARKET.at(path, kind), bytes)
}

/// The discriminator of `UserStats`: an account that the book ignores.
const USER_STATS: [u8; 8] = [0xb0, 0xdf, 0x88, 0x1b, 0x7a, 0x4f, 0x20, 0xe3];

/// A price near the oracle, on or off the tick; sometimes zero, sometimes extreme.
fn price(rng: &mut Rng, spread: i64) -> u64 {
    match rng.below(30) {
        0 => 0,
        1 => u64::MAX,
        2 => 1,
        _ => 1_000_000_u64
            .saturating_add_signed(rng.between(-20, 20) * spread * rng.pick(&[7, 50, 100])),
    }
}

fn offset(rng: &mut Rng, spread: i64) -> i32 {
    let offset = match rng.below(30) {
        0 => i64::from(i32::MIN),
        1 => i64::from(i32::MAX),
        2 => -1_000_000 + rng.between(-300, 300),
        _ => rng.between(-25, 25) * spread * rng.pick(&[1, 7, 50, 100]),
    };
    i32::try_from(offset).expect("Invariant: offsets fit")
}

/// Start and end of an auction: prices or offsets by order type, mostly in the direction that the
/// program allows.
fn auction_prices(rng: &mut Rng, is_bid: bool) -> [i64; 2] {
    let around = if rng.one_in(2) { 1_000_000 } else { 0 };
    let mut prices = [0; 2].map(|_| around + rng.between(-2_000, 2_000));
    if !rng.one_in(8) {
        prices.sort_unstable();
        if !is_bid {
            prices.reverse();
        }
    }
    prices
}

fn size(rng: &mut Rng) -> u64 {
    match rng.below(40) {
        0 => 0,
        1 => u64::MAX,
        _ => rng.below(1_500),
    }
}

fn max_ts(rng: &mut Rng, now: i64) -> i64 {
    match rng.below(30) {
        0 => i64::MAX,
        1 => -7,
        2..=12 => now + rng.between(-5, 20),
        _ => 0,
    }
}
