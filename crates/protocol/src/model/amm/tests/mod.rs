//! The quotes as a whole: a worked example, the properties that hold for every account, and the
//! cases that the recorded ones leave out.

use proptest::prelude::*;

use super::curve::Reserves;
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

/// An AMM as markets have them: reserves near one another, numbers of plausible size.
fn plausible() -> impl Strategy<Value = PerpAmm> {
    let curve = (1_u128 << 40..1 << 64, 800_u128..1_250, 1_u128 << 12..1 << 30, -100_i128..100);
    let spreads = (0_u32..5_000, 1_000_u32..200_000, 0_u8..=200, any::<i8>(), any::<i8>());
    let fees = (0_u128..1 << 45, -(1_i128 << 45)..1 << 45, -(1_i64 << 40)..1 << 40);
    (curve, spreads, fees).prop_map(|(curve, spreads, fees)| {
        let (sqrt_k, skew, peg_multiplier, inventory) = curve;
        let base = sqrt_k * skew / 1_000;
        let net = i128::try_from(sqrt_k / 1_000).unwrap() * inventory;
        let quote = Reserves { base, quote: 0, sqrt_k, peg: 0 }.invariant().over(base).unwrap();
        PerpAmm {
            base_asset_reserve: base,
            quote_asset_reserve: quote.word().unwrap(),
            terminal_quote_asset_reserve: sqrt_k,
            min_base_asset_reserve: sqrt_k * 3 / 4,
            max_base_asset_reserve: sqrt_k * 4 / 3,
            base_asset_amount_with_amm: net,
            sqrt_k,
            peg_multiplier,
            order_step_size: 1_000,
            order_tick_size: 1,
            base_spread: spreads.0,
            max_spread: spreads.1,
            curve_update_intensity: spreads.2,
            amm_spread_adjustment: spreads.3,
            amm_inventory_spread_adjustment: spreads.4,
            total_exchange_fee: fees.0,
            total_fee_minus_distributions: fees.1,
            net_revenue_since_last_funding: fees.2,
            funding_period: 3_600,
            last_oracle_price_twap: 100_000_000,
            last_oracle_price_twap_5min: 100_000_000,
            last_oracle_price_twap_ts: 1_699_999_000,
            volume_24h: 1 << 40,
            ..PerpAmm::default()
        }
    })
}

proptest! {
    #[test]
    fn levels_get_worse_and_add_up_to_no_more_than_is_open(
        amm in plausible(), oracle in 1_000_i64..1_000_000_000, count in 0_usize..120,
        amounts in proptest::collection::vec(0_u64..100_000_000_000, 0..5),
    ) {
        let Ok(quote) = AmmQuote::of(&amm, &inputs(oracle)) else { return Ok(()); };
        let (mut bids, mut asks) = (Vec::new(), Vec::new());
        prop_assume!(quote.levels(AmmSide::Bid, count, &amounts, &mut bids).is_ok());
        prop_assume!(quote.levels(AmmSide::Ask, count, &amounts, &mut asks).is_ok());
        prop_assert!(bids.len() <= count && asks.len() <= count);
        for (levels, open) in [(&bids, quote.open_bids), (&asks, quote.open_asks)] {
            let shown: u128 = levels.iter().map(|level| u128::from(level.size)).sum();
            prop_assert!(shown <= open);
            prop_assert!(levels.iter().all(|level| level.size > 0));
        }
        // The reserves around a chunk are rounded to a unit or two, and the chunk's cost to one
        // unit of quote: the smaller the chunk, the larger the error of its price.
        let off = |level: &AmmLevel| {
            (4 * quote.bid.peg + 2_000_000_000).div_ceil(u128::from(level.size)) + 1
        };
        let not_above = |low: &AmmLevel, high: &AmmLevel| {
            u128::from(low.price.0) <= u128::from(high.price.0) + off(low) + off(high)
        };
        if let (Some(bid), Some(ask)) = (bids.first(), asks.first())
            && quote.bid_price < quote.ask_price
        {
            prop_assert!(u128::from(bid.price.0) <= u128::from(quote.bid_price.0) + off(bid));
            prop_assert!(u128::from(ask.price.0) + off(ask) >= u128::from(quote.ask_price.0));
            prop_assert!(not_above(bid, ask));
        }
        prop_assert!(bids.is_sorted_by(|better, worse| not_above(worse, better)));
        prop_assert!(asks.is_sorted_by(not_above));
    }

    #[test]
    fn a_bid_is_below_the_ask_where_the_spread_is_wide_enough(
        amm in plausible(), oracle in 90_000_000_i64..110_000_000,
    ) {
        let Ok(quote) = AmmQuote::of(&amm, &inputs(oracle)) else { return Ok(()); };
        if quote.spreads.long >= 2.0 && quote.spreads.short >= 2.0 {
            prop_assert!(quote.bid_price <= quote.reserve_price);
            prop_assert!(quote.bid_price <= quote.ask_price);
        }
    }
}
