//! A book of Velocity: its captured accounts, and what differs from Drift v2.
//!
//! Offsets are by hand, as no table says. Source: velocity-v1 of SDK 0.26.0.

use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use slotbook_book::{AccountUpdate, Applied, Book, BookConfig, Gate, LeftOut, MarketId, Side};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{OraclePrice, Pubkey, Slot, UnixSeconds};

use crate::common::{OrderBytes, key};

/// A slot shortly after the captured oracles.
const SLOT: u64 = 438_024_300;
/// A second at which no order of the converted users has expired.
const NOW: i64 = 1_738_894_000;
/// Key of the captured state account.
const STATE: u8 = 200;
/// Key of the captured SOL-PERP.
const PERP: u8 = 201;

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

    fn perp(&self) -> MarketId {
        self.book.find_market(MarketType::Perp, 0).expect("SOL-PERP is known")
    }

    fn levels(&self, side: Side) -> Vec<(u64, u128)> {
        self.book.levels(self.perp(), side).map(|level| (level.price.0, level.size)).collect()
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
