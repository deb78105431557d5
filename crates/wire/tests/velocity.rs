//! The /match body over a book of Velocity's captured accounts, by the program's own sequence.

use std::path::PathBuf;

use crate::common::{OrderBytes, key, with_byte, with_u64};
use serde_json::Value;
use slotbook_book::{AccountUpdate, Book, BookConfig, Gate, MarketId, Side};
use slotbook_matching::{Auction, Model, Size, Taker};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::{Direction, MarketType};
use slotbook_protocol::model::units::{BaseQty, Price, Pubkey, Slot, UnixSeconds};
use slotbook_wire::sources::Sources;
use slotbook_wire::walk::{WalkRequest, WalkScratch, render_walk};

/// The slot of the captured oracle.
const POSTED: u64 = 438_024_291;
const MARKET: Pubkey = Pubkey([201; 32]);
const SOL: u64 = 1_000_000_000;

fn captured(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden/velocity");
    std::fs::read(path.join(format!("velocity_{name}.bin"))).expect("a captured account")
}

/// A book of SOL-PERP, whose users are short by 34 in all, and of one user's ask of 1 at 77.
struct Scene {
    book: Book,
    slot: u64,
}

impl Scene {
    fn new() -> Self {
        let mut scene =
            Self { book: Book::new(BookConfig::from(Program::Velocity.id())), slot: POSTED };
        scene.put(key(200), &captured("state"));
        scene.put(MARKET, &captured("perp_market_0"));
        scene.put(key(202), &captured("spot_market_0"));
        let oracle = scene.book.market(scene.perp()).expect("a known market").oracle;
        scene.put(oracle, &captured("oracle_perp"));
        let mut user = vec![0; 4_496];
        user[..8].copy_from_slice(&[0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec]);
        let OrderBytes(ask) = OrderBytes::limit(Side::Ask, 77_000_000, SOL, 7);
        user[1_064..][..72].copy_from_slice(&ask[..72]);
        user[1_144..][..19].copy_from_slice(&ask[76..95]);
        scene.put(key(1), &user);
        scene.at(POSTED)
    }

    fn at(mut self, slot: u64) -> Self {
        self.slot = slot;
        self.book.set_clock(Slot(slot), UnixSeconds(1_738_894_000));
        self.book.end_turn(slot);
        self
    }

    fn put(&mut self, pubkey: Pubkey, data: &[u8]) {
        let (owner, slot, gate) = (Program::Velocity.id(), Slot(self.slot), Gate::Arrival);
        self.book
            .apply(AccountUpdate { pubkey, owner, slot, gate, data })
            .expect("a well-formed account");
    }

    fn market(mut self, data: &[u8]) -> Self {
        self.put(MARKET, data);
        let slot = self.slot;
        self.at(slot)
    }

    fn perp(&self) -> MarketId {
        self.book.find_market(MarketType::Perp, 0).expect("SOL-PERP is known")
    }

    /// What fills an order for 2 by this model, so many slots after it was placed.
    fn sources_of(&self, direction: Direction, model: Model, elapsed_slots: u64) -> Vec<String> {
        let body = self.body_of(direction, model, elapsed_slots);
        let fills = body["fills"].as_array().expect("fills are a list");
        fills.iter().map(|fill| fill["source"].as_str().expect("text").to_owned()).collect()
    }

    fn body_of(&self, direction: Direction, model: Model, elapsed_slots: u64) -> Value {
        let price = Price(if direction == Direction::Long { 77_000_000 } else { 1_000 });
        let auction = Auction { start: price, end: price, duration_slots: 20, elapsed_slots };
        let taker = Taker {
            auction: Some(auction),
            ..Taker::limit(direction, Size::Base(BaseQty(2 * SOL)), price)
        };
        let request = WalkRequest {
            market: self.perp(),
            model,
            taker,
            asked: u128::from(2 * SOL),
            jit: &[],
            sources: Sources { vamm: true, indicative: false },
            external: &[],
        };
        let mut out = Vec::new();
        assert!(render_walk(&self.book, &request, "e1", &mut WalkScratch::default(), &mut out));
        serde_json::from_slice(&out).expect("a body is JSON")
    }

    fn buy(&self, elapsed_slots: u64) -> Vec<String> {
        self.sources_of(Direction::Long, Model::Onchain, elapsed_slots)
    }
}

#[test]
fn the_amm_fills_a_new_order_only_at_a_price_as_fresh_as_the_market_says() {
    let scene = Scene::new();
    assert_eq!(scene.buy(0), ["vamm"], "the price is no older than the order");
    let scene = scene.at(POSTED + 1);
    let shares = ["vamm", "dlob"];
    assert_eq!(scene.buy(0), shares, "the AMM has a share of the match alone");
    assert_eq!(scene.buy(1), ["vamm"]);
    let (override_at, pauses_at, users_base_at) = (674, 645, 1_064);
    let late = with_byte(captured("perp_market_0"), override_at, 5);
    let scene = scene.market(&late);
    assert_eq!(scene.buy(0), shares, "the inventory is more than a tenth of the liquidity");
    let calm = with_u64(late, users_base_at, SOL.wrapping_neg());
    let scene = scene.market(&calm);
    assert_eq!(scene.buy(0), ["vamm"]);
    let sell = |elapsed| scene.sources_of(Direction::Short, Model::Onchain, elapsed);
    assert!(sell(0).is_empty(), "it would grow the inventory");
    assert_eq!(sell(1), ["vamm"]);
    let scene = scene.market(&with_byte(calm, pauses_at, 64));
    assert_eq!(scene.buy(0), shares);
    assert_eq!(scene.buy(1), ["vamm"]);
}

#[test]
fn nothing_matches_at_a_price_that_is_too_volatile() {
    let twap_at = 872;
    let wild = with_u64(captured("perp_market_0"), twap_at, 1_000_000);
    let scene = Scene::new().market(&wild).at(POSTED + 1);
    assert!(scene.buy(0).is_empty() && scene.buy(1).is_empty());
    let reason = |model| scene.body_of(Direction::Long, model, 1)["reason"].clone();
    assert_eq!(
        (reason(Model::Onchain), reason(Model::Spec)),
        ("oracleInvalid".into(), Value::Null)
    );
    assert!(!scene.sources_of(Direction::Long, Model::Spec, 1).is_empty(), "the book is as it was");
}
