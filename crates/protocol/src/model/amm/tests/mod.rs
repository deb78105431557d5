//! The quotes as a whole: the cases that the recorded ones leave out.

use super::*;
use crate::model::units::Price;

/// An AMM whose quotes were worked out with the SDK: no curve update, an odd base spread.
fn worked() -> PerpAmm {
    PerpAmm {
        base_asset_reserve: 2_056_415_459_102_385,
        quote_asset_reserve: 3_513_713_488_272_842,
        sqrt_k: 2_688_057_800_000_000,
        peg_multiplier: 87_861_779,
        min_base_asset_reserve: 1_900_762_126_997_595,
        max_base_asset_reserve: 3_801_451_340_760_000,
        order_step_size: 10_000_000,
        order_tick_size: 100,
        base_spread: 333,
        ..PerpAmm::default()
    }
}

fn inputs(oracle_price: i64) -> AmmInputs {
    AmmInputs { oracle_price, oracle_confidence: 1_000, now: 1_700_000_000, slot: 101 }
}

/// The levels of a side, without amounts for the first ones.
fn levels(amm: &PerpAmm, side: AmmSide, count: usize) -> Result<Vec<AmmLevel>, AmmError> {
    let mut out = Vec::new();
    AmmQuote::of(amm, &inputs(150_000_000))?.levels(side, count, &[], &mut out)?;
    Ok(out)
}

#[test]
fn an_oracle_price_that_is_not_above_zero_has_no_quote() {
    for price in [0, -1, i64::MIN] {
        assert_eq!(AmmQuote::of(&worked(), &inputs(price)), Err(AmmError::OraclePrice));
    }
}

#[test]
fn an_empty_curve_has_no_quote() {
    let empty = AmmQuote::of(&PerpAmm::default(), &inputs(150_000_000));
    assert_eq!(empty, Err(AmmError::DivisionByZero));
}

#[test]
fn paused_fills_show_no_levels() {
    let amm = PerpAmm { paused_operations: 2, ..worked() };
    for side in [AmmSide::Bid, AmmSide::Ask] {
        assert_eq!(levels(&amm, side, 10), Ok(Vec::new()));
    }
    // Another operation's pause does not matter.
    assert_eq!(
        levels(&PerpAmm { paused_operations: 1, ..amm }, AmmSide::Bid, 10).unwrap().len(),
        10
    );
}

#[test]
fn less_than_two_smallest_orders_is_not_shown() {
    let amm = |min_order_size| PerpAmm { min_order_size, ..worked() };
    let asks = worked().base_asset_reserve - worked().min_base_asset_reserve;
    let half = u64::try_from(asks / 2).unwrap();
    assert_eq!(levels(&amm(half), AmmSide::Ask, 10).unwrap().len(), 10);
    assert_eq!(levels(&amm(half + 1), AmmSide::Ask, 10), Ok(Vec::new()));
}

#[test]
fn less_than_two_steps_is_not_open() {
    let asks = worked().base_asset_reserve - worked().min_base_asset_reserve;
    let half = u64::try_from(asks / 2).unwrap();
    let open = |order_step_size| {
        let amm = PerpAmm { order_step_size, ..worked() };
        AmmQuote::of(&amm, &inputs(150_000_000)).unwrap().open_asks
    };
    assert_eq!(open(half), asks);
    assert_eq!(open(half + 1), 0);
}

#[test]
fn a_curve_that_ends_before_its_liquidity_leaves_no_levels_behind() {
    // The smallest base reserve is 0: the last ask would take the whole reserve.
    let amm = PerpAmm { min_base_asset_reserve: 0, ..worked() };
    let quote = AmmQuote::of(&amm, &inputs(150_000_000)).unwrap();
    let mut out = vec![AmmLevel { price: Price(1), size: 1 }];
    assert_eq!(quote.levels(AmmSide::Ask, 10, &[], &mut out), Err(AmmError::Overflow));
    assert_eq!(out, Vec::new());
    assert_eq!(quote.levels(AmmSide::Bid, 10, &[], &mut out), Ok(()));
    assert_eq!(out.len(), 10);
}

#[test]
fn an_offset_goes_to_another_sign_in_steps() {
    let offset = |reference_price_offset, slots: u64| {
        let amm = PerpAmm {
            curve_update_intensity: 200,
            reference_price_offset,
            last_update_slot: inputs(1).slot - slots,
            terminal_quote_asset_reserve: worked().quote_asset_reserve,
            last_oracle_price_twap: 150_000_000,
            last_oracle_price_twap_5min: 150_000_000,
            ..worked()
        };
        AmmQuote::of(&amm, &inputs(150_000_000)).unwrap().reference_price_offset
    };
    // A tenth of the way, of 1,000 a slot at most; 10 at least, and not past zero.
    assert_eq!([offset(500, 1), offset(-500, 1)], [450, -450]);
    assert_eq!([offset(50_000, 1), offset(50_000, 3)], [49_900, 49_700]);
    assert_eq!([offset(500, 0), offset(5, 0), offset(0, 9)], [490, 0, 0]);
}
