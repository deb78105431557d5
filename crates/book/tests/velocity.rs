//! A book of Velocity: its captured accounts, and what differs from Drift v2.
//!
//! Offsets are by hand, as no table says. Source: velocity-v1 of SDK 0.26.0.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use slotbook_book::{AccountUpdate, Applied, Book, Gate, LeftOut, Side};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::{OraclePrice, Slot};

use crate::common::velocity::{SLOT, Scene, golden, user};
use crate::common::{OrderBytes, key};

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

fn levels(scene: &Scene, side: Side) -> Vec<(u64, u128)> {
    scene.book.levels(scene.perp(), side).map(|level| (level.price.0, level.size)).collect()
}

#[test]
fn captured_accounts_and_converted_users_make_a_book() {
    let mut scene = Scene::with_markets(SLOT);
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
    assert_eq!(levels(&scene, Side::Bid), bids);
    assert_eq!(levels(&scene, Side::Ask), asks);
    let header = scene.book.header(scene.perp()).expect("a known market");
    assert_eq!((header.empty_reason, header.oracle.excluded), (None, None));
    let price = header.oracle.mm.map(|reading| reading.price);
    assert_eq!(price, Some(OraclePrice(76_340_755)), "the makers' price is older");
    // Orders of BTC-PERP, of spot market 1, and of perps 16 and 20 have no market here.
    let counters = scene.book.counters();
    assert_eq!(counters.left_out[LeftOut::UnknownMarket as usize], 12);
    assert_eq!(counters.left_out[LeftOut::Untriggered as usize], 1);
    assert_eq!(counters.open_orders, 20);
}

#[test]
fn an_offset_of_64_bits_prices_an_order_and_survives_a_restore() {
    let mut scene = Scene::with_markets(SLOT);
    let order = |id| OrderBytes::limit(Side::Ask, 0, 50_000_000, id);
    let orders = [(order(1), 5_000_000_000), (order(2), -5_000_000_000), (order(3), 1_000_000)];
    scene.put(key(1), &user(&orders));
    // The tick is 1,000, and the least price.
    let expected = [(1_000, 50_000_000), (77_341_000, 50_000_000), (5_076_341_000, 50_000_000)];
    assert_eq!(levels(&scene, Side::Ask), expected);
    scene.end_turn_at(SLOT);
    let mut state = Vec::new();
    assert!(scene.book.capture(&mut state));
    let updates = scene.accounts.iter().map(|(pubkey, data)| AccountUpdate {
        pubkey: *pubkey,
        owner: Program::Velocity.id(),
        slot: Slot(SLOT),
        gate: Gate::Arrival,
        data,
    });
    let book = Book::restore(scene.book.config(), &state, updates).expect("a captured book");
    let restored = Scene { book, slot: SLOT, accounts: Vec::new() };
    assert_eq!(levels(&restored, Side::Ask), expected);
    let mut rows = Vec::new();
    restored.book.orders(restored.perp(), Side::Ask, usize::MAX, &mut rows);
    assert_eq!(
        rows.iter().map(|row| row.oracle_price_offset).collect::<Vec<_>>(),
        [-5_000_000_000, 1_000_000, 5_000_000_000]
    );
}
