//! Margins by Velocity's rules, against amounts computed by hand.
//!
//! The names before a colon are of files of velocity-exchange/velocity-v1: `margin.rs` and
//! `margin/tests.rs` of programs/velocity/src/math (lines as at commit 00ebcd20), the others of
//! packages/sdk/tests/user or packages/sdk/src/math. Margins by Drift's rules have recorded vectors.

use slotbook_matching::margin::{AccountMargin, Kind, Margin, PerpTerms, SpotTerms, Terms};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::{MarketType, OracleSource};
use slotbook_protocol::model::margin::{
    PerpAmounts, PerpHolding, SpotAmounts, SpotHolding, UserHoldings, position_flag,
};
use slotbook_protocol::model::units::Pubkey;

/// One unit of base, and of a balance before interest.
const ONE: i128 = 1_000_000_000;
/// One unit of quote, and of a price.
const USD: i128 = 1_000_000;
const INTEREST: i128 = 10_000_000_000;
const KINDS: [Kind; 3] = [Kind::Initial, Kind::Strict, Kind::Maintenance];

/// An account with its markets: quote is spot 0, SOL spot 1, and the perp has number 0.
struct Scene {
    user: UserHoldings,
    spots: [(SpotAmounts, i128); 2],
    perp: PerpAmounts,
    price: i128,
    is_in_settlement: bool,
}

impl Scene {
    fn new() -> Self {
        let quote = SpotAmounts {
            decimals: 6,
            deposit_interest: INTEREST,
            borrow_interest: INTEREST,
            asset_weight_initial: 10_000,
            asset_weight_maintenance: 10_000,
            liability_weight_initial: 10_000,
            liability_weight_maintenance: 10_000,
            twap_5min: USD,
            ..SpotAmounts::default()
        };
        let sol = SpotAmounts {
            decimals: 9,
            asset_weight_initial: 8_000,
            asset_weight_maintenance: 9_000,
            liability_weight_initial: 12_000,
            liability_weight_maintenance: 11_000,
            twap_5min: 100 * USD,
            ..quote
        };
        let perp = PerpAmounts {
            ratio_initial: 2_000,
            ratio_maintenance: 1_000,
            pnl_weight_initial: 10_000,
            pnl_weight_maintenance: 10_000,
            ..PerpAmounts::default()
        };
        let spots = [(quote, USD), (sol, 100 * USD)];
        let user = UserHoldings::default();
        Self { user, spots, perp, price: 100 * USD, is_in_settlement: false }
    }

    /// Adds a balance in units of the token, negative for a debt.
    fn holds(mut self, market_index: i128, tokens: i128) -> Self {
        let (scaled_balance, is_borrow) = ((tokens * ONE).abs(), i128::from(tokens < 0));
        let held =
            SpotHolding { market_index, scaled_balance, is_borrow, ..SpotHolding::default() };
        self.user.spots.push(held);
        self
    }

    fn position(mut self, base: i128, quote: i128) -> Self {
        let held = PerpHolding { base: base * ONE, quote: quote * USD, ..PerpHolding::default() };
        self.user.perps.push(held);
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

impl Terms for Scene {
    fn perp(&self, _: i128) -> Option<PerpTerms> {
        Some(PerpTerms {
            amounts: self.perp,
            quote: self.spot(0)?,
            oracle: Pubkey([3; 32]),
            oracle_source: OracleSource::PythLazer,
            price: self.price,
            mm_price: self.price,
            is_prediction: false,
            is_in_settlement: self.is_in_settlement,
        })
    }

    fn spot(&self, index: i128) -> Option<SpotTerms> {
        let (amounts, price) = self.spots[usize::try_from(index).ok()?];
        let market = (index, Pubkey([1; 32]), OracleSource::PythLazer);
        SpotTerms::of(Program::Velocity, market, amounts, price, 1_000_000)
    }

    fn first_of_oracle(&self, _: MarketType, _: &Pubkey) -> Option<i128> {
        None
    }
}

/// Collateral and requirement of [`KINDS`], 1e6, of the account or of its isolated position.
fn amounts(scene: &Scene, is_isolated: bool) -> [[i128; 2]; 3] {
    let found = AccountMargin::of(&scene.user, scene);
    KINDS.map(|kind| {
        let isolated = found.perps.first().and_then(|held| held.isolated);
        let cross = found.margin(kind);
        let of = |Margin { collateral, requirement }| [collateral, requirement];
        let of_kind = isolated.map(|margins| margins[kind as usize]).filter(|_| is_isolated);
        of(of_kind.unwrap_or(cross))
    })
}

fn spots_and_quote() -> Vec<(&'static str, Scene, [[i128; 2]; 3])> {
    let twap = |dollars: i128| move |scene: &mut Scene| scene.spots[1].0.twap_5min = dollars * USD;
    vec![
        (
            "strictSpotPricing.ts: a deposit at the stored average, however old",
            Scene::new().holds(1, 10).with(twap(90)),
            [[800_000_000, 0], [720_000_000, 0], [900_000_000, 0]],
        ),
        (
            "strictSpotPricing.ts: a debt at the stored average",
            Scene::new().holds(1, -10).with(twap(110)),
            [[0, 1_200_000_000], [0, 1_320_000_000], [0, 1_100_000_000]],
        ),
        (
            "getMarginCalculation.ts: quote of an account in pool 1 is no collateral",
            Scene::new().holds(0, 5_000).with(|scene| scene.user.amounts.pool_id = 1),
            [[0, 0]; 3],
        ),
        (
            "margin.rs: quote has no weight as a deposit",
            Scene::new().holds(0, 10_000).with(|scene| {
                scene.spots[0].0.asset_weight_initial = 9_000;
                scene.spots[0].0.asset_weight_maintenance = 9_500;
            }),
            [[10_000_000_000, 0]; 3],
        ),
        (
            "margin.rs: quote has no weight as a debt",
            Scene::new().holds(0, -100).with(|scene| {
                scene.spots[0].0.liability_weight_initial = 11_000;
                scene.spots[0].0.liability_weight_maintenance = 10_500;
            }),
            [[0, 100_000_000]; 3],
        ),
        (
            // 1.000000015 tokens are worth 100.0000015, as a debt 100.000002.
            "spotBalance.ts getStrictTokenValue: debts are rounded away from zero",
            Scene::new().holds(1, -1).with(|scene| scene.user.spots[0].scaled_balance += 15),
            [[0, 120_000_002], [0, 120_000_002], [0, 110_000_002]],
        ),
        (
            // 40,000 tokens at 100 with a start of 2,000,000: 8,000 * 2 / 4.
            "margin/tests.rs spot_market_scale_initial_asset_weight: the weight of large deposits",
            Scene::new().holds(1, 10).with(|scene| {
                scene.spots[1].0.scale_start = 2_000_000 * USD;
                scene.spots[1].0.deposit_balance = 40_000 * ONE;
            }),
            [[400_000_000, 0], [400_000_000, 0], [900_000_000, 0]],
        ),
    ]
}

fn perps() -> Vec<(&'static str, Scene, [[i128; 2]; 3])> {
    let quote_twap = |scene: &mut Scene| scene.spots[0].0.twap_5min = USD * 11 / 10;
    vec![
        (
            "margin.rs:186-189: a gain adds at most 100 to the initial margin",
            Scene::new().position(10, -750),
            [[100_000_000, 200_000_000], [100_000_000, 200_000_000], [250_000_000, 100_000_000]],
        ),
        (
            "margin.rs:162-171: a loss has neither weight nor limit, at the worse price of quote",
            Scene::new().position(10, -1_500).with(quote_twap),
            [[-500_000_000, 200_000_000], [-550_000_000, 220_000_000], [-500_000_000, 100_000_000]],
        ),
        (
            "margin.rs:175-179: weights of gains",
            Scene::new().position(10, -950).with(|scene| {
                (scene.perp.pnl_weight_initial, scene.perp.pnl_weight_maintenance) = (5_000, 9_000);
            }),
            [[25_000_000, 200_000_000], [25_000_000, 200_000_000], [45_000_000, 100_000_000]],
        ),
        (
            // A short of 6.147540983 with a gain of 18,135 at 22,050.
            "margin/tests.rs calculate_user_equity_value_tests: limit after weights by size",
            Scene::new().position(0, 0).with(|scene| {
                let held = &mut scene.user.perps[0];
                (held.base, held.quote) = (-6_147_540_983, 153_688_524_588);
                scene.price = 22_050 * USD;
                (scene.perp.ratio_initial, scene.perp.ratio_maintenance) = (1_000, 500);
                (scene.perp.imf_factor, scene.perp.pnl_imf_factor) = (1_000, 1_000);
            }),
            [
                [100_000_000, 13_555_327_867],
                [100_000_000, 13_555_327_867],
                [18_135_245_913, 6_777_663_933],
            ],
        ),
        (
            // The root of 1e13 is 3,162,277: 1,600 + 3,162, and 800 + 3,162.
            "margin.rs:47-80: ratios grow with the root of the size",
            Scene::new().position(1_000, -1_000).with(|scene| {
                (scene.price, scene.perp.imf_factor) = (USD, 10_000);
            }),
            [[0, 476_200_000], [0, 476_200_000], [0, 396_200_000]],
        ),
        (
            // 15 bought at 100, half of it by the owner's ratio, and three orders of a cent.
            "margin.rs:137-160: the worse side of open orders, the owner's ratio, a cent an order",
            Scene::new().position(10, -1_000).with(|scene| {
                let held = &mut scene.user.perps[0];
                (held.open_bids, held.open_asks, held.open_orders) = (5 * ONE, -20 * ONE, 3);
                (held.max_margin_ratio, scene.user.amounts.max_margin_ratio) = (5_000, 3_000);
            }),
            [[0, 750_030_000], [0, 750_030_000], [0, 150_030_000]],
        ),
        (
            "margin.rs:116-120, 145: in settlement the expiry price, and no requirement",
            Scene::new().position(10, -500).with(|scene| {
                (scene.is_in_settlement, scene.perp.expiry_price) = (true, 90 * USD);
            }),
            [[100_000_000, 0], [100_000_000, 0], [400_000_000, 0]],
        ),
    ]
}

fn isolate(scene: &mut Scene) {
    scene.user.perps[0].flag = position_flag::ISOLATED;
}

#[test]
fn an_account_of_velocity_has_the_margins_of_its_rules() {
    for (name, scene, expected) in spots_and_quote().into_iter().chain(perps()) {
        assert_eq!(amounts(&scene, false), expected, "{name}");
    }
}

#[test]
fn an_isolated_position_of_velocity_stands_beside_the_account() {
    let scene = Scene::new().holds(0, 20_000).holds(1, -100).position(100, -11_000).with(|scene| {
        isolate(scene);
        scene.user.perps[0].isolated_balance = 100 * ONE;
        (scene.perp.ratio_initial, scene.perp.ratio_maintenance) = (1_000, 500);
    });
    // getMarginCalculation.ts: isolated position margin requirement.
    assert_eq!(amounts(&scene, false)[0], [20_000_000_000, 12_000_000_000]);
    assert_eq!(amounts(&scene, true)[0], [-900_000_000, 1_000_000_000]);
    // getMarginCalculation.ts: the strict price of quote scales the isolated liability.
    let scene = Scene::new().position(-10, 1_000).with(|scene| {
        isolate(scene);
        scene.spots[0].0.twap_5min = USD * 11 / 10;
    });
    assert_eq!(amounts(&scene, true), [[0, 200_000_000], [0, 220_000_000], [0, 100_000_000]]);
    // margin.rs:186-189 holds for isolated positions, too.
    let scene = Scene::new().position(10, -750).with(isolate);
    assert_eq!(
        amounts(&scene, true),
        [[100_000_000, 200_000_000], [100_000_000, 200_000_000], [250_000_000, 100_000_000]]
    );
}
