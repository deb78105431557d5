//! Velocity's AMM against results of the program, and its quotes at the cases between them.

use super::super::update::UpdatedCurve;
use super::PART;
use super::spread::Spread;
use crate::model::Program;
use crate::model::amm::{AmmError, AmmInputs, AmmQuote, PerpAmm};
use crate::model::units::Price;

const SPREADS: &str =
    include_str!("../../../../../../../test/golden/velocity/calculate_spread.csv");
const GUARDS: &str =
    include_str!("../../../../../../../test/golden/velocity/apply_oracle_guard.csv");
const OFFSETS: &str =
    include_str!("../../../../../../../test/golden/velocity/reference_price_offset.csv");
const CURVES: &str = include_str!("../../../../../../../test/golden/velocity/adjust_amm.csv");

/// One row: its columns by name.
struct Row<'a>(Vec<(&'a str, &'a str)>);

impl Row<'_> {
    fn get<T: TryFrom<i128>>(&self, name: &str) -> T {
        let (_, text) = self.0.iter().find(|(column, _)| *column == name).unwrap();
        let number = text.parse::<i128>().unwrap_or_else(|_| panic!("{name} is {text}"));
        T::try_from(number).unwrap_or_else(|_| panic!("{name} is out of range"))
    }

    fn is(&self, name: &str, text: &str) -> bool {
        self.0.contains(&(name, text))
    }
}

fn rows(csv: &str) -> Vec<Row<'_>> {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines.map(|line| Row(names.iter().copied().zip(line.split(',')).collect())).collect()
}

fn velocity() -> PerpAmm {
    PerpAmm { program: Program::Velocity, curve_update_intensity: 100, ..PerpAmm::default() }
}

fn at(oracle_price: i64) -> AmmInputs {
    AmmInputs { oracle_price, oracle_confidence: 0, now: 1_000, slot: 10 }
}

#[test]
fn spreads_are_the_programs() {
    let rows = rows(SPREADS);
    assert_eq!(rows.len(), 17);
    for (number, row) in rows.iter().enumerate() {
        let amm = PerpAmm {
            base_spread: row.get("base_spread"),
            last_oracle_reserve_price_spread_pct: row.get("divergence"),
            last_oracle_conf_pct: row.get("conf"),
            max_spread: row.get("max_spread"),
            quote_asset_reserve: row.get("quote_reserve"),
            terminal_quote_asset_reserve: row.get("terminal_quote_reserve"),
            peg_multiplier: row.get("peg"),
            base_asset_amount_with_amm: row.get("base_asset_amount_with_amm"),
            total_fee_minus_distributions: row.get("total_fee_minus_distributions"),
            net_revenue_since_last_funding: row.get("net_revenue_since_last_funding"),
            base_asset_reserve: row.get("base_reserve"),
            min_base_asset_reserve: row.get("min_base_reserve"),
            max_base_asset_reserve: row.get("max_base_reserve"),
            mark_std: row.get("mark_std"),
            oracle_std: row.get("oracle_std"),
            long_intensity_volume: row.get("long_intensity"),
            short_intensity_volume: row.get("short_intensity"),
            volume_24h: row.get("volume_24h"),
            amm_inventory_spread_adjustment: row.get("inventory_spread_adjustment"),
            last_24h_avg_funding_rate: row.get("funding_rate_24h"),
            last_funding_oracle_twap: row.get("funding_oracle_twap"),
            funding_bias_sensitivity: row.get("funding_bias_sensitivity"),
            ..velocity()
        };
        let spread = amm.spread(row.get("reserve_price")).unwrap();
        let expected = (row.get("expected_long"), row.get("expected_short"));
        assert_eq!((spread.long, spread.short), expected, "row {}", number + 1);
    }
}

#[test]
fn guards_are_the_programs() {
    let rows = rows(GUARDS);
    assert_eq!(rows.len(), 48);
    for (number, row) in rows.iter().enumerate() {
        let spread = Spread { long: row.get("long"), short: row.get("short") };
        let inputs = at(row.get("oracle_price"));
        let (offset, price) = (row.get("offset"), row.get("reserve_price"));
        let guarded = velocity().guarded(spread, offset, &inputs, price).unwrap();
        let expected = (row.get("expected_long"), row.get("expected_short"));
        assert_eq!((guarded.long, guarded.short), expected, "row {}", number + 1);
    }
}

/// The liquidity is one million on each side, so that the inventory is its part of it.
#[test]
fn offsets_are_the_programs() {
    let rows = rows(OFFSETS);
    assert_eq!(rows.len(), 8);
    for (number, row) in rows.iter().enumerate() {
        let amm = PerpAmm {
            curve_update_intensity: 150,
            max_spread: 2 * row.get::<u32>("max_offset"),
            base_asset_amount_with_amm: row.get("liquidity_fraction"),
            base_asset_reserve: 3_000_000,
            min_base_asset_reserve: 2_000_000,
            max_base_asset_reserve: 4_000_000,
            last_24h_avg_funding_rate: row.get("funding_rate_24h"),
            last_oracle_price_twap_5min: row.get("oracle_twap_5min"),
            last_mark_price_twap_5min: row.get("mark_twap_5min"),
            last_oracle_price_twap: row.get("oracle_twap"),
            last_mark_price_twap: row.get("mark_twap"),
            ..velocity()
        };
        let offset = amm.reference_offset(row.get("reserve_price"));
        assert_eq!(offset, Ok(row.get("expected_offset")), "row {}", number + 1);
    }
}

/// An AMM of a row of moved curves, on its own curve when the users' net position is closed.
fn unmoved(row: &Row<'_>) -> PerpAmm {
    let amm = PerpAmm {
        base_asset_reserve: row.get("base_asset_reserve"),
        quote_asset_reserve: row.get("quote_asset_reserve"),
        sqrt_k: row.get("sqrt_k"),
        peg_multiplier: row.get("peg_multiplier"),
        base_asset_amount_with_amm: row.get("base_asset_amount_with_amm"),
        min_base_asset_reserve: row.get("min_base_asset_reserve"),
        max_base_asset_reserve: row.get("max_base_asset_reserve"),
        curve_update_intensity: row.get("curve_update_intensity"),
        max_spread: row.get("max_spread"),
        total_fee_minus_distributions: row.get("total_fee_minus_distributions"),
        min_order_size: row.get("min_order_size"),
        market_config: row.get("market_config"),
        ..velocity()
    };
    let closed = amm.base_asset_reserve.checked_add_signed(amm.base_asset_amount_with_amm);
    let terminal_quote_asset_reserve = amm.sqrt_k * amm.sqrt_k / closed.unwrap();
    PerpAmm { terminal_quote_asset_reserve, ..amm }
}

#[test]
fn moved_curves_are_the_programs() {
    let rows = rows(CURVES);
    assert_eq!(rows.len(), 9);
    for (number, row) in rows.iter().enumerate() {
        let (amm, number) = (unmoved(row), number + 1);
        let moved = UpdatedCurve::of(&amm, row.get("oracle_price")).unwrap();
        let cost: i128 = row.get("expected_cost");
        let left = amm.total_fee_minus_distributions - cost;
        if row.is("expected_check_lower_bound", "true") && left < 0 {
            assert_eq!(moved.reserves, amm.reserves(), "row {number}: the AMM cannot pay");
            continue;
        }
        assert_eq!(moved.total_fee_minus_distributions, left, "row {number}");
        assert_eq!(moved.net_revenue_since_last_funding, -cost, "row {number}");
        let reserves = moved.reserves;
        assert_eq!(reserves.peg, row.get("expected_peg"), "row {number}");
        assert_eq!(reserves.sqrt_k, row.get("expected_sqrt_k"), "row {number}");
        assert_eq!(reserves.base, row.get("expected_base_asset_reserve"), "row {number}");
        assert_eq!(reserves.quote, row.get("expected_quote_asset_reserve"), "row {number}");
    }
}

/// A balanced AMM at a price of ten whose curve never moves, with a base spread of 175.
fn balanced() -> PerpAmm {
    PerpAmm {
        base_asset_reserve: 1_000_000_000_000,
        quote_asset_reserve: 1_000_000_000_000,
        sqrt_k: 1_000_000_000_000,
        peg_multiplier: 10_000_000,
        terminal_quote_asset_reserve: 1_000_000_000_000,
        min_base_asset_reserve: 900_000_000_000,
        max_base_asset_reserve: 1_100_000_000_000,
        order_step_size: 1_000,
        order_tick_size: 1,
        base_spread: 175,
        max_spread: 20_000,
        total_fee_minus_distributions: 1_000_000_000,
        funding_period: 3_600,
        last_oracle_price_twap: 10_000_000,
        last_oracle_price_twap_5min: 10_000_000,
        last_oracle_price_twap_ts: 1_000,
        curve_update_intensity: 0,
        ..velocity()
    }
}

#[test]
fn a_curve_that_never_moves_quotes_half_of_its_spread_through_the_oracle_too() {
    let quote = AmmQuote::of(&balanced(), &at(20_000_000)).unwrap();
    assert_eq!((quote.spreads.long, quote.spreads.short), (87.0, 87.0));
    assert_eq!(quote.reserve_price, Price(10_000_000));
    // 1e12 * 87 / 2e6, each way.
    assert_eq!(quote.ask.quote, 1_000_043_500_000);
    assert_eq!(quote.bid.quote, 999_956_500_000);
    let wider = PerpAmm { amm_spread_adjustment: 50, ..balanced() };
    let quote = AmmQuote::of(&wider, &at(20_000_000)).unwrap();
    assert_eq!((quote.spreads.long, quote.spreads.short), (131.0, 131.0));
}

#[test]
fn quotes_do_not_pass_the_oracle_once_the_curve_moves() {
    let poor = PerpAmm {
        curve_update_intensity: 100,
        total_fee_minus_distributions: 0,
        base_asset_amount_with_amm: 50_000_000_000,
        terminal_quote_asset_reserve: 952_380_952_380,
        amm_spread_adjustment: -99,
        ..balanced()
    };
    for oracle in [9_500_000, 9_990_000, 10_000_000, 10_040_000, 10_900_000] {
        let quote = AmmQuote::of(&poor, &at(oracle)).unwrap();
        let oracle = oracle.unsigned_abs();
        assert!(quote.bid_price.0 <= oracle && quote.ask_price.0 >= oracle, "{oracle}: {quote:?}");
    }
}

#[test]
fn quotes_that_are_stored_in_this_slot_are_the_programs() {
    let stored = PerpAmm {
        curve_update_intensity: 100,
        last_spread_update_slot: 10,
        long_spread: 300,
        short_spread: 500,
        bid_base_asset_reserve: 1_000_250_062_515,
        bid_quote_asset_reserve: 999_750_000_000,
        ask_base_asset_reserve: 999_850_022_496,
        ask_quote_asset_reserve: 1_000_150_000_000,
        ..balanced()
    };
    let quote = AmmQuote::of(&stored, &at(10_500_000)).unwrap();
    assert_eq!((quote.bid_price, quote.ask_price), (Price(9_995_000), Price(10_003_000)));
    let later = AmmInputs { slot: 11, ..at(10_500_000) };
    assert_eq!(AmmQuote::of(&stored, &later).unwrap().reserve_price, Price(10_500_000));
}

#[test]
fn spreads_below_the_base_spread_or_above_the_price_have_no_quote() {
    let narrow = PerpAmm { base_spread: 30_000, curve_update_intensity: 100, ..balanced() };
    assert_eq!(AmmQuote::of(&narrow, &at(10_000_000)), Err(AmmError::Overflow));
    let adjusted = PerpAmm { amm_inventory_spread_adjustment: -1, ..narrow };
    let quote = AmmQuote::of(&adjusted, &at(10_000_000)).unwrap();
    assert_eq!(quote.spreads.long + quote.spreads.short, 20_000.0);
    let wide = PerpAmm { base_spread: 2_000_002, ..balanced() };
    assert_eq!(i128::from(wide.base_spread / 2), PART + 1);
    assert_eq!(AmmQuote::of(&wide, &at(10_000_000)), Err(AmmError::Overflow));
}

/// The confidence of Lazer is at its least nearly always, which counts a basis point.
#[test]
fn confidence_counts_in_full_above_its_least() {
    let counted = |conf| {
        let amm = PerpAmm { last_oracle_conf_pct: conf, max_spread: 900_000, ..balanced() };
        let spread = PerpAmm { base_spread: 0, ..amm }.spread(10_000_000).unwrap();
        assert_eq!(spread.long, spread.short);
        spread.long
    };
    let expected =
        [(0, 0), (1_250, 62), (2_000, 100), (2_045, 147), (2_500, 625), (50_000, 50_000)];
    for (conf, spread) in expected {
        assert_eq!(counted(conf), spread, "{conf}");
    }
}
