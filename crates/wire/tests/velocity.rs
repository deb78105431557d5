//! The /match body over a book of Velocity's captured accounts, by the program's own sequence.

use crate::common::velocity::{PERP, Scene as VelocityScene, captured, user};
use crate::common::{OrderBytes, key, with_byte, with_u64};
use serde_json::Value;
use slotbook_book::Side;
use slotbook_matching::{Auction, Model, Size, Taker};
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::units::{BaseQty, Price};
use slotbook_wire::sources::Sources;
use slotbook_wire::walk::{WalkRequest, WalkScratch, render_walk};

/// The slot of the captured oracle.
const POSTED: u64 = 438_024_291;
const SOL: u64 = 1_000_000_000;

/// A book of SOL-PERP, whose users are short by 34 in all, and of one user's ask of 1 at 77.
struct Scene(VelocityScene);

impl Scene {
    fn new() -> Self {
        let mut scene = Self(VelocityScene::with_markets(POSTED));
        let ask = OrderBytes::limit(Side::Ask, 77_000_000, SOL, 7);
        scene.0.put(key(1), &user(&[(ask, 0)]));
        scene.at(POSTED)
    }

    fn at(mut self, slot: u64) -> Self {
        self.0.end_turn_at(slot);
        self
    }

    fn market(mut self, data: &[u8]) -> Self {
        self.0.put(PERP, data);
        let slot = self.0.slot;
        self.at(slot)
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
            market: self.0.perp(),
            model,
            taker,
            asked: u128::from(2 * SOL),
            jit: &[],
            sources: Sources { vamm: true, indicative: false },
            external: &[],
        };
        let mut out = Vec::new();
        assert!(render_walk(&self.0.book, &request, "e1", &mut WalkScratch::default(), &mut out));
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
