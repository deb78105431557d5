//! The AMM's levels: their values, their exclusion, and the turns that change them.

use crate::common::{Bench, NOW, ORACLE, OrderBytes, SLOT, key, lazer, perp_market, state};
use crate::common::{user, with_byte, with_u64};
use slotbook_book::limits::{VAMM_LEVELS, VAMM_ORACLE_AGE_MS_MAX};
use slotbook_book::{IndicativeQuote, QuotedSide, Side, VammExclusion};
use slotbook_protocol::drift::layouts::PERP_MARKET;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::AccountKind;
use slotbook_protocol::model::amm::{AmmInputs, AmmLevel, AmmQuote, AmmSide, top_of_book_amounts};
use slotbook_protocol::model::units::Slot;

/// The oracle's price of these tests.
const PRICE: i64 = 150_000_000;
const MARKET: u8 = 201;
const STATE: u8 = 200;
const PAUSED_OPERATIONS: usize = 1_165;
const STATUS: usize = 1_162;
const ORACLE_SOURCE: usize = 926;
const PRELAUNCH: u8 = 6;

fn put(data: &mut [u8], path: &str, kind: &str, bytes: &[u8]) {
    let at = PERP_MARKET.at(path, kind);
    data[at..at + bytes.len()].copy_from_slice(bytes);
}

/// A market with a curve around the oracle price, whose spread follows the account's stored oracle
/// confidence until the clock passes it.
fn amm_market() -> Vec<u8> {
    let mut data = with_u64(perp_market(), 96, PRICE.cast_unsigned());
    for (path, value) in [
        ("amm.baseAssetReserve", 2_056_415_459_102_385_u128),
        ("amm.quoteAssetReserve", 3_513_713_488_272_842),
        ("amm.sqrtK", 2_688_057_800_000_000),
        ("amm.pegMultiplier", 87_861_779),
        ("amm.minBaseAssetReserve", 1_900_762_126_997_595),
        ("amm.maxBaseAssetReserve", 3_801_451_340_760_000),
    ] {
        put(&mut data, path, "u128", &value.to_le_bytes());
    }
    for (path, value) in [("amm.orderStepSize", 10_000_000_u64), ("amm.orderTickSize", 100)] {
        put(&mut data, path, "u64", &value.to_le_bytes());
    }
    put(&mut data, "amm.baseSpread", "u32", &333_u32.to_le_bytes());
    put(&mut data, "amm.maxSpread", "u32", &100_000_u32.to_le_bytes());
    put(&mut data, "amm.curveUpdateIntensity", "u8", &[1]);
    put(&mut data, "amm.lastOracleConfPct", "u64", &20_000_u64.to_le_bytes());
    for path in ["lastOraclePriceTwap", "lastOraclePriceTwap5min"] {
        let path = format!("amm.historicalOracleData.{path}");
        put(&mut data, &path, "i64", &PRICE.to_le_bytes());
    }
    let twap_ts = (NOW - 1).to_le_bytes();
    put(&mut data, "amm.historicalOracleData.lastOraclePriceTwapTs", "i64", &twap_ts);
    put(&mut data, "amm.fundingPeriod", "i64", &3_600_i64.to_le_bytes());
    data
}

fn bench_with(market: &[u8]) -> Bench {
    let mut bench = Bench::new();
    bench.put(key(MARKET), market);
    bench.put(ORACLE, &lazer(PRICE, SLOT));
    bench.book.end_turn(1);
    bench
}

fn levels(bench: &mut Bench, side: Side) -> Vec<(u64, u128)> {
    let id = bench.perp();
    bench.book.refresh_quotes(id);
    bench.book.check_integrity().expect("every invariant holds");
    let levels = bench.book.vamm_levels(id, side);
    levels.iter().map(|level| (level.price.0, level.size)).collect()
}

/// The generator's levels for this account, equal prices merged.
fn generated(market: &[u8], inputs: AmmInputs, side: AmmSide) -> Vec<(u64, u128)> {
    let amm = Program::Drift.perp_market(market).expect("a perp market").amm;
    let mut chunks: Vec<AmmLevel> = Vec::new();
    let quote = AmmQuote::of(&amm, &inputs).expect("a quote");
    let cut = quote.levels(side, VAMM_LEVELS, &top_of_book_amounts(Program::Drift, 0), &mut chunks);
    cut.expect("levels");
    let mut levels: Vec<(u64, u128)> = Vec::new();
    for AmmLevel { price, size } in chunks {
        match levels.last_mut() {
            Some((last, sum)) if *last == price.0 => *sum += u128::from(size),
            _ => levels.push((price.0, u128::from(size))),
        }
    }
    levels
}

fn inputs(slot: u64, now: i64) -> AmmInputs {
    AmmInputs { oracle_price: PRICE, oracle_confidence: 1, now, slot }
}

fn reason(bench: &mut Bench) -> Option<VammExclusion> {
    let id = bench.perp();
    bench.book.vamm_state(id).expect("a perp market has an AMM").err()
}

#[test]
fn a_spot_market_has_no_amm() {
    let mut bench = bench_with(&amm_market());
    let spot = bench.spot();
    bench.book.refresh_quotes(spot);
    assert_eq!(bench.book.vamm_state(spot), None);
    assert!(Side::BOTH.iter().all(|side| bench.book.vamm_levels(spot, *side).is_empty()));
}

#[test]
fn an_amm_that_cannot_fill_is_left_out_for_a_reason() {
    let out = |market: Vec<u8>, reason_expected: VammExclusion| {
        let mut bench = bench_with(&market);
        assert_eq!(reason(&mut bench), Some(reason_expected));
        assert_eq!(levels(&mut bench, Side::Bid), []);
        assert_eq!(levels(&mut bench, Side::Ask), []);
    };
    out(with_byte(amm_market(), PAUSED_OPERATIONS, 2), VammExclusion::AmmFillPaused);
    out(with_byte(amm_market(), PAUSED_OPERATIONS, 4), VammExclusion::FillsPaused);
    out(with_byte(amm_market(), PAUSED_OPERATIONS, 6), VammExclusion::FillsPaused);
    out(with_byte(amm_market(), STATUS, 0), VammExclusion::MarketNotFillable);
    out(perp_market(), VammExclusion::NoCurve);
    let mut hostile = amm_market();
    put(&mut hostile, "amm.quoteAssetReserve", "u128", &u128::MAX.to_le_bytes());
    out(hostile, VammExclusion::Failed);
}

#[test]
fn the_exchange_takes_all_amms_out_and_back_without_touching_orders() {
    let mut bench = bench_with(&amm_market());
    let perp = bench.perp();
    let bids = levels(&mut bench, Side::Bid);
    bench.put(key(STATE), &state(4));
    assert_eq!(bench.book.end_turn(2), [perp]);
    assert!(bench.book.changed_quotes_only(perp));
    assert_eq!(reason(&mut bench), Some(VammExclusion::ExchangeAmmPaused));
    assert_eq!(levels(&mut bench, Side::Bid), []);
    bench.put(key(STATE), &state(0));
    assert_eq!(bench.book.end_turn(3), [perp]);
    assert_eq!(levels(&mut bench, Side::Bid), bids);
}

#[test]
fn without_an_oracle_there_is_no_amm() {
    let mut bench = Bench::new();
    bench.put(key(MARKET), &amm_market());
    bench.put(ORACLE, &[]);
    bench.book.end_turn(1);
    assert_eq!(reason(&mut bench), Some(VammExclusion::OracleMissing));
}

#[test]
fn an_oracle_may_be_160_slots_old_and_a_prelaunch_oracle_older() {
    let mut bench = bench_with(&amm_market());
    let slots = VAMM_ORACLE_AGE_MS_MAX / 400;
    bench.clock(SLOT + slots, NOW);
    bench.book.end_turn(2);
    assert_eq!(reason(&mut bench), None);
    bench.clock(SLOT + slots + 1, NOW);
    let perp = bench.perp();
    assert!(bench.book.end_turn(3).contains(&perp));
    assert_eq!(reason(&mut bench), Some(VammExclusion::OracleStale));
    assert_eq!(levels(&mut bench, Side::Ask), []);

    let mut prelaunch = vec![0; 120];
    prelaunch[..8].copy_from_slice(&AccountKind::PrelaunchOracle.discriminator());
    prelaunch[8..16].copy_from_slice(&PRICE.to_le_bytes());
    bench.put(key(MARKET), &with_byte(amm_market(), ORACLE_SOURCE, PRELAUNCH));
    bench.put(ORACLE, &prelaunch);
    bench.book.end_turn(4);
    let reading = bench.book.header(perp).unwrap().oracle.exchange.unwrap();
    assert_eq!(reading.slot, Slot(0), "as old as can be");
    assert_eq!(reason(&mut bench), None);
}

#[test]
fn time_alone_changes_quotes_alone_and_only_those_that_follow_it() {
    let mut bench = bench_with(&amm_market());
    let perp = bench.perp();
    let seq = bench.book.seq(perp).unwrap();
    let bids = levels(&mut bench, Side::Bid);
    bench.clock(SLOT, NOW + 5);
    assert_eq!(bench.book.end_turn(2), [perp]);
    assert!(bench.book.changed_quotes_only(perp));
    assert_eq!(bench.book.seq(perp), Some(seq + 1));
    let later = levels(&mut bench, Side::Bid);
    assert_ne!(later, bids);
    assert_eq!(later, generated(&amm_market(), inputs(SLOT, NOW + 5), AmmSide::Bid));
    assert!(bench.book.end_turn(3).is_empty(), "no time has passed");

    let mut still = amm_market();
    put(&mut still, "amm.curveUpdateIntensity", "u8", &[0]);
    let mut bench = bench_with(&still);
    bench.clock(SLOT + 3, NOW + 5);
    let is_still = !bench.book.end_turn(2).contains(&perp);
    assert!(is_still, "a curve that does not adapt does not follow time");
}

#[test]
fn levels_are_those_of_the_last_turn_whatever_came_since() {
    let mut bench = bench_with(&amm_market());
    let perp = bench.perp();
    let mut other = amm_market();
    put(&mut other, "amm.baseSpread", "u32", &5_000_u32.to_le_bytes());
    bench.put(key(MARKET), &other);
    bench.clock(SLOT + 1, NOW + 9);
    let bids = levels(&mut bench, Side::Bid);
    assert_eq!(bids, generated(&amm_market(), inputs(SLOT, NOW), AmmSide::Bid));
    bench.book.end_turn(2);
    let bids = levels(&mut bench, Side::Bid);
    assert_eq!(bids, generated(&other, inputs(SLOT + 1, NOW + 9), AmmSide::Bid));
    assert!(!bench.book.changed_quotes_only(perp));
}

#[test]
fn reading_decides_nothing() {
    let mut hostile = amm_market();
    // A side of more than 64 bits has a quote, but no levels.
    put(&mut hostile, "amm.maxBaseAssetReserve", "u128", &(u128::MAX >> 1).to_le_bytes());
    for market in [amm_market(), hostile] {
        let (mut read, mut unread) = (bench_with(&market), bench_with(&market));
        let perp = read.perp();
        for step in 1..40 {
            for bench in [&mut read, &mut unread] {
                bench.clock(SLOT + step, NOW + i64::try_from(step / 3).unwrap());
                if step % 7 == 0 {
                    bench.put(ORACLE, &lazer(PRICE + 1_000, SLOT + step));
                }
                bench.book.end_turn(step);
            }
            levels(&mut read, Side::Bid);
            assert_eq!(read.book.seq(perp), unread.book.seq(perp));
            assert_eq!(read.book.changed_markets(), unread.book.changed_markets());
        }
        assert_eq!(levels(&mut read, Side::Ask), levels(&mut unread, Side::Ask));
    }
}

/// The best indicative levels of both sides, bids first.
fn best_quoted(bench: &mut Bench) -> [(u64, u128); 2] {
    let id = bench.perp();
    bench.book.refresh_quotes(id);
    bench.book.check_integrity().expect("every invariant holds");
    Side::BOTH.map(|side| {
        let level = bench.book.indicative_levels(id, side)[0];
        (level.price.0, level.size)
    })
}

fn best_of_amm(bench: &mut Bench) -> [u64; 2] {
    Side::BOTH.map(|side| levels(bench, side)[0].0)
}

/// Quotes at the oracle's price, better than the AMM's on both sides.
fn quote_at_the_oracle(bench: &mut Bench) {
    let side = |size| Some(QuotedSide { price: 0, size });
    let quote =
        IndicativeQuote { bid: side(70_000_000), ask: side(80_000_000), is_oracle_offset: true };
    let id = bench.perp();
    bench.book.set_indicative(id, key(90), &[quote], 1).expect("quotes that can be taken");
}

#[test]
fn a_quote_joins_the_touch_of_the_amm_where_that_is_the_best() {
    let mut bench = bench_with(&amm_market());
    quote_at_the_oracle(&mut bench);
    bench.book.end_turn(2);
    let [bid, ask] = best_of_amm(&mut bench);
    let oracle = PRICE.cast_unsigned();
    assert!(bid < oracle && oracle < ask);
    assert_eq!(best_quoted(&mut bench), [(bid, 70_000_000), (ask, 80_000_000)]);

    // An order worse than the AMM's touch has no effect; a better order is the touch.
    let order = |side, price, id| OrderBytes::limit(side, price, 20_000_000, id);
    let (worse, better) = (order(Side::Bid, bid - 100, 1), order(Side::Ask, ask - 100, 2));
    bench.put(key(1), &user(&[worse, better]));
    bench.book.end_turn(3);
    assert_eq!(best_quoted(&mut bench), [(bid, 70_000_000), (ask - 100, 80_000_000)]);
}

#[test]
fn a_quote_follows_the_touch_of_the_amm_as_time_moves_it() {
    let mut bench = bench_with(&amm_market());
    let perp = bench.perp();
    quote_at_the_oracle(&mut bench);
    bench.book.end_turn(2);
    let before = best_quoted(&mut bench);
    bench.clock(SLOT, NOW + 5);
    bench.book.end_turn(3);
    assert!(bench.book.changed_quotes_only(perp));
    let [bid, ask] = best_of_amm(&mut bench);
    let after = best_quoted(&mut bench);
    assert_ne!(after, before);
    assert_eq!(after, [(bid, 70_000_000), (ask, 80_000_000)]);
}

#[test]
fn an_amm_that_is_left_out_holds_no_quote_back() {
    let mut bench = bench_with(&amm_market());
    quote_at_the_oracle(&mut bench);
    bench.put(key(STATE), &state(4));
    bench.book.end_turn(2);
    let oracle = PRICE.cast_unsigned();
    assert_eq!(best_quoted(&mut bench), [(oracle, 70_000_000), (oracle, 80_000_000)]);
}

#[test]
fn why_an_amm_is_left_out_is_told_before_and_after_its_levels_are_read() {
    let mut hostile = amm_market();
    // A side of more than 64 bits has a quote, but no levels.
    put(&mut hostile, "amm.maxBaseAssetReserve", "u128", &(u128::MAX >> 1).to_le_bytes());
    let mut bench = bench_with(&hostile);
    let unread = reason(&mut bench);
    assert_eq!(levels(&mut bench, Side::Bid), []);
    assert_eq!(unread, reason(&mut bench));
}

#[test]
fn a_turn_tells_indicative_quotes_apart_from_those_of_the_amm() {
    let mut bench = bench_with(&amm_market());
    let perp = bench.perp();
    let told = |bench: &Bench| {
        let book = &bench.book;
        (book.changed_quotes_only(perp), book.changed_indicative_only(perp))
    };
    quote_at_the_oracle(&mut bench);
    assert_eq!(bench.book.end_turn(2), [perp]);
    assert_eq!(told(&bench), (true, true));
    bench.clock(SLOT, NOW + 5);
    assert_eq!(bench.book.end_turn(3), [perp]);
    assert_eq!(told(&bench), (true, false));
    bench.clock(SLOT, NOW + 9);
    // The quotes are due, and the AMM moves in the same turn.
    assert_eq!(bench.book.end_turn(2_000), [perp]);
    assert_eq!(told(&bench), (true, false));
    quote_at_the_oracle(&mut bench);
    bench.put(key(1), &user(&[OrderBytes::limit(Side::Bid, 1_000, 20_000_000, 1)]));
    assert_eq!(bench.book.end_turn(2_001), [perp]);
    assert_eq!(told(&bench), (false, false));
}
