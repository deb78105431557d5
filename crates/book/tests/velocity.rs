//! A book of Velocity: its captured accounts, and what differs from Drift v2.
//!
//! Offsets are by hand, as no table says. Source: velocity-v1 of SDK 0.26.0.

use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use slotbook_book::{
    AccountUpdate, Applied, Book, BookConfig, EmptyReason, Gate, LeftOut, MarketId, Side,
};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{OraclePrice, Pubkey, Slot, UnixSeconds};

use crate::common::{OrderBytes, key, with_byte, with_u64};

/// A slot shortly after the captured oracles.
const SLOT: u64 = 438_024_300;
/// A second at which no order of the converted users has expired.
const NOW: i64 = 1_738_894_000;
/// Key of the captured state account.
const STATE: u8 = 200;
/// Key of the captured SOL-PERP.
const PERP: u8 = 201;
/// Where the state has the first slots of 350, 300, 250 and 200 ms.
const CHANGES_AT: usize = 1_520;

fn golden(file: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden/velocity");
    std::fs::read(path.join(file)).expect("a captured account")
}

/// The converted users, by name.
fn users() -> Vec<(String, Vec<u8>)> {
    let text = String::from_utf8(golden("relaid.jsonl")).expect("text");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let users = lines.filter(|line| line["type"] == "User").map(|line| {
        let data = BASE64_STANDARD.decode(line["data"].as_str().expect("text"));
        (line["name"].as_str().expect("text").to_owned(), data.expect("base64"))
    });
    users.collect()
}

/// A user with these orders, which are as Drift v2 has them but for the oracle offset.
fn user(orders: &[(OrderBytes, i64)]) -> Vec<u8> {
    let mut data = vec![0; 4_496];
    data[..8].copy_from_slice(&[0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec]);
    for (slot, (OrderBytes(order), offset)) in orders.iter().enumerate() {
        let bytes = &mut data[1_064 + slot * 104..][..104];
        bytes[..72].copy_from_slice(&order[..72]);
        bytes[72..80].copy_from_slice(&offset.to_le_bytes());
        bytes[80..99].copy_from_slice(&order[76..95]);
    }
    data
}

/// A book of the captured accounts.
struct Scene {
    book: Book,
    slot: u64,
}

impl Scene {
    fn new() -> Self {
        let book = Book::new(BookConfig::from(Program::Velocity.id()));
        let mut scene = Self { book, slot: SLOT };
        scene.clock(SLOT);
        scene.put(key(STATE), &golden("velocity_state.bin"));
        scene.put(key(PERP), &golden("velocity_perp_market_0.bin"));
        scene.put(key(202), &golden("velocity_spot_market_0.bin"));
        for oracle in ["velocity_oracle_perp.bin", "velocity_oracle_spot.bin"] {
            scene.put(scene.oracle(oracle), &golden(oracle));
        }
        scene.book.end_turn(0);
        scene
    }

    /// The address that a captured market names.
    fn oracle(&self, file: &str) -> Pubkey {
        let market_type = if file.contains("perp") { MarketType::Perp } else { MarketType::Spot };
        let id = self.book.find_market(market_type, 0).expect("a captured market");
        self.book.market(id).expect("it is known").oracle
    }

    fn clock(&mut self, slot: u64) {
        self.book.set_clock(Slot(slot), UnixSeconds(NOW));
        self.slot = slot;
        self.book.check_integrity().expect("every invariant holds");
    }

    fn put(&mut self, pubkey: Pubkey, data: &[u8]) -> Applied {
        let owner = Program::Velocity.id();
        let (slot, gate) = (Slot(self.slot), Gate::Arrival);
        let applied = self.book.apply(AccountUpdate { pubkey, owner, slot, gate, data });
        self.book.check_integrity().expect("every invariant holds");
        applied.expect("a well-formed account")
    }

    /// Replaces the state account by one with these changes of the length of slots.
    fn lengths(&mut self, changes: [u64; 4]) {
        let at = |change: usize| CHANGES_AT + 8 * change;
        let state = (0..4).fold(golden("velocity_state.bin"), |state, change| {
            with_u64(state, at(change), changes[change])
        });
        self.put(key(STATE), &state);
    }

    fn perp(&self) -> MarketId {
        self.book.find_market(MarketType::Perp, 0).expect("SOL-PERP is known")
    }

    fn levels(&self, side: Side) -> Vec<(u64, u128)> {
        self.book.levels(self.perp(), side).map(|level| (level.price.0, level.size)).collect()
    }

    /// Slots left of the orders in auction.
    fn slots_left(&self) -> Vec<u64> {
        let mut rows = Vec::new();
        self.book.auctions(self.perp(), &mut rows);
        rows.iter().map(|row| row.slots_left).collect()
    }

    fn left_out(&self, reason: LeftOut) -> usize {
        self.book.counters().left_out[reason as usize]
    }
}

#[test]
fn captured_accounts_and_converted_users_make_a_book() {
    let mut scene = Scene::new();
    for ((name, data), number) in users().iter().zip(1..) {
        assert_eq!(scene.put(key(number), data), Applied::Changed, "{name}");
    }
    let size = |base: u128| base * 1_000_000_000;
    let bids = [
        (193_511_600, size(80)),
        (193_414_800, size(120)),
        (69_007_500, size(55) / 10),
        (61_169_000, size(78) / 10),
    ];
    let asks = [(193_896_800, size(80)), (193_993_700, size(120)), (900_000_000, size(1) / 10)];
    assert_eq!(scene.levels(Side::Bid), bids);
    assert_eq!(scene.levels(Side::Ask), asks);
    let header = scene.book.header(scene.perp()).expect("a known market");
    assert_eq!((header.empty_reason, header.oracle.excluded), (None, None));
    let price = header.oracle.mm.map(|reading| reading.price);
    assert_eq!(price, Some(OraclePrice(76_340_755)), "the makers' price is older");
    // Orders of BTC-PERP, of spot market 1, and of perps 16 and 20 have no market here.
    assert_eq!(scene.left_out(LeftOut::UnknownMarket), 12);
    assert_eq!(scene.left_out(LeftOut::Untriggered), 1);
    assert_eq!(scene.book.counters().open_orders, 20);
}

#[test]
fn an_auction_lasts_as_long_however_short_slots_are() {
    let mut scene = Scene::new();
    let order = OrderBytes::limit(Side::Bid, 70_000_000, 50_000_000, 7).placed_at(SLOT);
    scene.put(key(1), &user(&[(order.auction(10), 0)]));
    // 4,000 ms are 10 slots of 400 ms, or 20 of 200 ms; the auction ends in the slot after.
    assert_eq!(scene.slots_left(), [10]);
    let revision = scene.book.auctions_revision(scene.perp());
    scene.lengths([0, 0, 0, SLOT - 5]);
    assert_eq!(scene.slots_left(), [20]);
    assert_ne!(scene.book.auctions_revision(scene.perp()), revision, "readers must learn of it");
    scene.clock(SLOT + 20);
    assert_eq!((scene.slots_left(), scene.levels(Side::Bid)), (vec![0], vec![]));
    scene.clock(SLOT + 21);
    assert_eq!((scene.slots_left(), scene.levels(Side::Bid).len()), (vec![], 1));
    // 5 slots of 400 ms and then of 350: 6 of them are the first that pass 2,000 ms more.
    scene.clock(SLOT);
    scene.lengths([SLOT + 5, 0, 0, 0]);
    assert_eq!(scene.slots_left(), [10]);
    for (slot, rests) in [(SLOT + 10, 0), (SLOT + 11, 1)] {
        scene.clock(slot);
        assert_eq!(scene.levels(Side::Bid).len(), rests, "slot {slot}");
    }
    // Slots that turn out to be shorter bring the auction back.
    scene.lengths([SLOT + 5, 0, 0, SLOT + 6]);
    assert_eq!((scene.slots_left(), scene.levels(Side::Bid).len()), (vec![3], 0));
}

#[test]
fn an_auction_moves_by_time() {
    let mut scene = Scene::new();
    let mut order = OrderBytes::limit(Side::Bid, 0, 50_000_000, 7).placed_at(SLOT);
    order.u64(48, 70_000_000).u64(56, 74_000_000);
    scene.put(key(1), &user(&[(order.auction(10), 0)]));
    scene.lengths([0, 0, 0, SLOT]);
    for (slots, price) in [(0, 70_000_000), (1, 70_200_000), (10, 72_000_000), (20, 74_000_000)] {
        scene.clock(SLOT + slots);
        let mut rows = Vec::new();
        scene.book.auctions(scene.perp(), &mut rows);
        assert_eq!(rows[0].current.map(|price| price.0), Some(price), "after {slots} slots");
    }
}

#[test]
fn an_oracle_is_late_by_time() {
    let mut scene = Scene::new();
    let posted = 438_024_291;
    // 120 units of 400 ms are 240 slots of 200 ms.
    scene.lengths([0, 0, 0, posted]);
    let excluded = |scene: &Scene| {
        scene.book.header(scene.perp()).expect("a known market").oracle.excluded.is_some()
    };
    for (age, is_late) in [(121, false), (240, false), (241, true)] {
        scene.clock(posted + age);
        assert_eq!(excluded(&scene), is_late, "{age} slots");
    }
    scene.lengths([0, 0, 0, 0]);
    for (age, is_late) in [(120, false), (121, true)] {
        scene.clock(posted + age);
        assert_eq!(excluded(&scene), is_late, "{age} slots of 400 ms");
    }
}

#[test]
fn a_reduce_only_market_shows_every_order_as_far_as_it_reduces() {
    let mut scene = Scene::new();
    let status_at = 642;
    let reduce_only = with_byte(golden("velocity_perp_market_0.bin"), status_at, 2);
    let bid = OrderBytes::limit(Side::Bid, 70_000_000, 50_000_000, 7);
    let with_position = |base: i64| {
        let mut data = user(&[(bid, 0)]);
        data[432..440].copy_from_slice(&base.to_le_bytes());
        data
    };
    scene.put(key(1), &with_position(0));
    assert_eq!(scene.levels(Side::Bid), [(70_000_000, 50_000_000)]);
    scene.put(key(PERP), &reduce_only);
    assert_eq!((scene.levels(Side::Bid), scene.left_out(LeftOut::NothingToReduce)), (vec![], 1));
    // The position alone changes.
    assert_eq!(scene.put(key(1), &with_position(-20_000_000)), Applied::Changed);
    assert_eq!(scene.levels(Side::Bid), [(70_000_000, 20_000_000)]);
    scene.put(key(PERP), &golden("velocity_perp_market_0.bin"));
    assert_eq!(scene.levels(Side::Bid), [(70_000_000, 50_000_000)]);
}

#[test]
fn spot_orders_do_not_rest() {
    let mut scene = Scene::new();
    let spot = scene.book.find_market(MarketType::Spot, 0).expect("USDT is known");
    scene.put(key(1), &user(&[(OrderBytes::limit(Side::Bid, 1, 100, 7).spot(0), 0)]));
    assert_eq!(scene.book.levels(spot, Side::Bid).count(), 0);
    let header = scene.book.header(spot).expect("a known market");
    assert_eq!(header.empty_reason, Some(EmptyReason::SpotNotTraded));
    assert_eq!(scene.left_out(LeftOut::MarketEmpty), 1);
}

#[test]
fn an_offset_of_64_bits_prices_an_order_and_survives_a_restore() {
    let mut scene = Scene::new();
    let order = |id| OrderBytes::limit(Side::Ask, 0, 50_000_000, id);
    let orders = [(order(1), 5_000_000_000), (order(2), -5_000_000_000), (order(3), 1_000_000)];
    let account = user(&orders);
    scene.put(key(1), &account);
    // The tick is 1,000, and the least price.
    let expected = [(1_000, 50_000_000), (77_341_000, 50_000_000), (5_076_341_000, 50_000_000)];
    assert_eq!(scene.levels(Side::Ask), expected);
    scene.book.end_turn(1);
    let mut state = Vec::new();
    assert!(scene.book.capture(&mut state));
    let accounts = [
        (key(STATE), golden("velocity_state.bin")),
        (key(PERP), golden("velocity_perp_market_0.bin")),
        (key(202), golden("velocity_spot_market_0.bin")),
        (scene.oracle("velocity_oracle_perp.bin"), golden("velocity_oracle_perp.bin")),
        (scene.oracle("velocity_oracle_spot.bin"), golden("velocity_oracle_spot.bin")),
        (key(1), account),
    ];
    let updates = accounts.iter().map(|(pubkey, data)| AccountUpdate {
        pubkey: *pubkey,
        owner: Program::Velocity.id(),
        slot: Slot(SLOT),
        gate: Gate::Arrival,
        data,
    });
    let book = Book::restore(scene.book.config(), &state, updates).expect("a captured book");
    let restored = Scene { book, slot: SLOT };
    assert_eq!(restored.levels(Side::Ask), expected);
    let mut rows = Vec::new();
    restored.book.orders(restored.perp(), Side::Ask, usize::MAX, &mut rows);
    assert_eq!(
        rows.iter().map(|row| row.oracle_price_offset).collect::<Vec<_>>(),
        [-5_000_000_000, 1_000_000, 5_000_000_000]
    );
}
