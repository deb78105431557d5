//! Oracles against captures, under every source that reads them; validity and the MM oracle.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support;
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::clock::SlotClock;
use slotbook_protocol::model::enums::OracleSource;
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::oracle::{
    MmOracle, OracleGuardRails, OracleReading, OracleValidity, mm_oracle_reading,
    quote_asset_reading, usable_for_offset_orders, validity,
};
use slotbook_protocol::model::units::{OraclePrice, Pubkey, Slot};

fn captured(name: &str) -> (Pubkey, Vec<u8>) {
    let oracle = support::captured_oracles().into_iter().find(|oracle| oracle.name == name);
    let oracle = oracle.expect("a captured oracle");
    let owner = oracle.owner.map_or(PROGRAM_ID, |owner| owner.parse().unwrap());
    (owner, oracle.data)
}

/// Price, confidence, slot and sequence id of a captured oracle under a source.
fn check(name: &str, source: OracleSource, expected: (i64, u64, u64, Option<u64>)) {
    let (owner, data) = captured(name);
    let found = Program::Drift.oracle(source, &owner, &data).unwrap();
    let (price, confidence, slot, sequence_id) = expected;
    let expected = OracleReading {
        price: OraclePrice(price),
        confidence,
        slot: Slot(slot),
        sequence_id,
        has_sufficient_data: true,
        average: found.average,
    };
    assert_eq!(found, expected, "{name}");
}

#[test]
fn prices_of_lazer_are_of_a_thousand_or_a_million_where_the_source_says_so() {
    use OracleSource::{PythLazer1K, PythLazer1M};
    let (sol, id) = ("oracle-lazer-sol", Some(1_750_772_064_499_000));
    check(sol, PythLazer1K, (143_798_202_500, 13_961_210, 348_900_662, id));
    check(sol, PythLazer1M, (143_798_202_500_000, 13_961_210_000, 348_900_662, id));
}

#[test]
fn pull_prices_are_of_a_million_where_the_source_says_so() {
    let bonk = (34_552_600, 51_700, 268_841_733, Some(1_717_074_117));
    check("oracle-pull-bonk-full", OracleSource::Pyth1MPull, bonk);
}

#[test]
fn prelaunch_prices_are_as_stored() {
    check("oracle-prelaunch-26", OracleSource::Prelaunch, (1, 899_988, 323_666_888, None));
}

#[test]
fn average_of_a_push_feed_that_cannot_be_scaled_is_left_out() {
    let (owner, mut data) = captured("oracle-push-bonk-1");
    data[20..24].copy_from_slice(&(-7i32).to_le_bytes());
    data[48..56].copy_from_slice(&i64::MAX.to_le_bytes());
    let reading = Program::Drift.oracle(OracleSource::Pyth1M, &owner, &data).unwrap();
    assert_eq!(reading.average, None);
}

#[test]
fn every_captured_oracle_is_refused_under_another_owner_and_when_cut() {
    let sources = [
        ("oracle-lazer-sol", OracleSource::PythLazer),
        ("oracle-pull-eth", OracleSource::PythPull),
        ("oracle-pull-bonk-full", OracleSource::Pyth1MPull),
        ("oracle-push-bonk-1", OracleSource::Pyth1M),
        ("oracle-prelaunch-26", OracleSource::Prelaunch),
        ("oracle-switchboard-v2-rlb", OracleSource::Switchboard),
        ("oracle-switchboard-od-dsol", OracleSource::SwitchboardOnDemand),
    ];
    for (name, source) in sources {
        let (owner, data) = captured(name);
        let other = Pubkey([7; 32]);
        let wrong_owner = ProtocolError::WrongOwner { owner: other };
        assert_eq!(Program::Drift.oracle(source, &other, &data), Err(wrong_owner), "{name}");
        let cut = Program::Drift.oracle(source, &owner, &data[..100.min(data.len() - 2)]);
        assert!(matches!(cut, Err(ProtocolError::WrongLength { .. })), "{name}: {cut:?}");
        let mut marked = data.clone();
        marked[0] ^= 1;
        let refused = Program::Drift.oracle(source, &owner, &marked);
        assert!(matches!(refused, Err(ProtocolError::WrongDiscriminator { .. })), "{name}");
    }
}

#[test]
fn velocity_reads_neither_pull_feeds_nor_switchboard_and_push_feeds_of_one_version() {
    for source in [
        OracleSource::PythPull,
        OracleSource::Pyth1KPull,
        OracleSource::Pyth1MPull,
        OracleSource::PythStableCoinPull,
        OracleSource::Switchboard,
        OracleSource::SwitchboardOnDemand,
    ] {
        for name in ["oracle-pull-eth", "oracle-switchboard-v2-rlb", "oracle-switchboard-od-dsol"] {
            let (owner, data) = captured(name);
            let error = ProtocolError::InvalidEnum { field: "oracle_source", value: source as u8 };
            assert_eq!(Program::Velocity.oracle(source, &owner, &data), Err(error), "{name}");
        }
    }
    let (owner, mut data) = captured("oracle-push-bonk-1");
    let [drift, velocity] = [Program::Drift, Program::Velocity];
    let reading = drift.oracle(OracleSource::Pyth1M, &owner, &data);
    assert_eq!(velocity.oracle(OracleSource::Pyth1M, &owner, &data), reading);
    data[4] = 1;
    assert_eq!(drift.oracle(OracleSource::Pyth1M, &owner, &data), reading);
    let error = ProtocolError::InvalidEnum { field: "version", value: 1 };
    assert_eq!(velocity.oracle(OracleSource::Pyth1M, &owner, &data), Err(error));
    let (_, prelaunch) = captured("oracle-prelaunch-26");
    let read =
        |program: Program| program.oracle(OracleSource::Prelaunch, &program.id(), &prelaunch);
    assert!(read(drift).is_ok() && read(drift) == read(velocity));
}

#[test]
fn pull_update_with_an_unknown_verification_level_is_refused() {
    let (owner, mut data) = captured("oracle-pull-eth");
    data[40] = 2;
    let error = ProtocolError::InvalidEnum { field: "verification_level", value: 2 };
    assert_eq!(Program::Drift.oracle(OracleSource::PythPull, &owner, &data), Err(error));
}

#[test]
fn quote_asset_has_no_account() {
    let error = Err(ProtocolError::NoOracleAccount);
    assert_eq!(Program::Drift.oracle(OracleSource::QuoteAsset, &PROGRAM_ID, &[]), error);
    assert_eq!(quote_asset_reading(Slot(5)).price, OraclePrice(1_000_000));
}

const SLOT: Slot = Slot(1_000);
const TWAP: OraclePrice = OraclePrice(100_000_000);

fn reading(price: i64, confidence: u64, slot: u64) -> OracleReading {
    OracleReading {
        price: OraclePrice(price),
        confidence,
        slot: Slot(slot),
        sequence_id: None,
        has_sufficient_data: true,
        average: None,
    }
}

/// How old a reading is in slots of 400 ms.
fn age(reading: &OracleReading) -> u64 {
    SlotClock::from(SLOT).units_since(reading.slot)
}

fn check_validity(reading: OracleReading, expected: OracleValidity) {
    let rails = OracleGuardRails::default();
    let found = validity(&reading, &rails, TWAP, 1, age(&reading), OracleSource::PythPull);
    assert_eq!(found, expected, "{reading:?}");
}

#[test]
fn validity_has_the_programs_limits_and_order() {
    use OracleValidity::{
        InsufficientDataPoints, NonPositive, StaleForAmm, StaleForMargin, TooUncertain,
        TooVolatile, Valid,
    };
    check_validity(reading(100_000_000, 0, 1_000), Valid);
    check_validity(reading(0, 0, 1_000), NonPositive);
    check_validity(reading(-1, u64::MAX, 0), NonPositive);
    check_validity(reading(599_999_999, 0, 1_000), Valid);
    check_validity(reading(600_000_000, 0, 1_000), TooVolatile);
    check_validity(reading(16_666_666, 0, 1_000), TooVolatile);
    check_validity(reading(100_000_000, 2_000_000, 1_000), Valid);
    check_validity(reading(100_000_000, 2_000_100, 1_000), TooUncertain);
    check_validity(reading(100_000_000, 0, 990), Valid);
    check_validity(reading(100_000_000, 0, 989), StaleForAmm);
    check_validity(reading(100_000_000, 0, 880), StaleForAmm);
    check_validity(reading(100_000_000, 0, 879), StaleForMargin);
    check_validity(reading(100_000_000, 0, 2_000), Valid);
    let few = OracleReading { has_sufficient_data: false, ..reading(100_000_000, 0, 900) };
    check_validity(few, InsufficientDataPoints);
}

#[test]
fn tier_widens_the_confidence_and_stable_coins_may_be_older() {
    let rails = OracleGuardRails::default();
    let wide = reading(100_000_000, 4_000_000, 1_000);
    let found = validity(&wide, &rails, TWAP, 2, age(&wide), OracleSource::PythPull);
    assert_eq!(found, OracleValidity::Valid);
    let old = reading(100_000_000, 0, 640);
    let found = validity(&old, &rails, TWAP, 1, age(&old), OracleSource::PythStableCoin);
    assert_eq!(found, OracleValidity::StaleForAmm);
}

#[test]
fn offset_orders_need_a_price_that_is_at_most_stale_for_the_amm() {
    use OracleValidity as V;
    for usable in [V::Valid, V::StaleForAmm, V::InsufficientDataPoints] {
        assert!(usable_for_offset_orders(usable));
    }
    for unusable in [V::NonPositive, V::TooVolatile, V::TooUncertain, V::StaleForMargin] {
        assert!(!usable_for_offset_orders(unusable));
    }
}

/// True when the market makers' price of 100.5 replaces the exchange's of 100.
fn uses_mm(change: impl Fn(&mut OracleReading, &mut MmOracle)) -> bool {
    let mut exchange = reading(100_000_000, 1_000, 1_000);
    let mut mm = MmOracle { price: OraclePrice(100_500_000), slot: SLOT, sequence_id: 0 };
    change(&mut exchange, &mut mm);
    let rails = OracleGuardRails::default();
    let found = mm_oracle_reading(&exchange, &mm, &rails, TWAP, exchange.slot);
    assert!(found == exchange || found.price == mm.price);
    found != exchange
}

#[test]
fn mm_oracle_is_used_when_it_is_recent_and_near() {
    assert!(uses_mm(|_, _| {}));
    assert!(!uses_mm(|_, mm| mm.price = OraclePrice(0)));
    assert!(!uses_mm(|_, mm| mm.price = OraclePrice(-5)));
    assert!(!uses_mm(|_, mm| mm.slot = Slot(0)));
    assert!(!uses_mm(|_, mm| mm.slot = Slot(999)));
    assert!(uses_mm(|_, mm| mm.price = OraclePrice(101_000_000)));
    assert!(!uses_mm(|_, mm| mm.price = OraclePrice(101_000_100)));
}

#[test]
fn mm_oracle_is_compared_by_sequence_id_where_both_count_alike() {
    let with_ids = |exchange_id, mm_id| {
        uses_mm(|exchange, mm| {
            (exchange.sequence_id, mm.sequence_id) = (Some(exchange_id), mm_id);
            mm.slot = Slot(900);
        })
    };
    assert!(with_ids(20_000, 20_000));
    assert!(with_ids(20_000, 20_001));
    assert!(!with_ids(20_000, 19_999));
    // Seconds against microseconds: the slots decide, and the exchange's is newer.
    assert!(!with_ids(1_750_772_057, 1_750_772_057_000_000));
}

#[test]
fn a_prelaunch_oracle_of_drift_counts_as_published_just_now() {
    let old = OracleReading { slot: Slot(SLOT.0 - 500), ..reading(100_000_000, 1_000, 1_000) };
    let (drift, velocity) = (Program::Drift, Program::Velocity);
    assert_eq!(drift.published(&old, SLOT, OracleSource::Prelaunch), SLOT);
    assert_eq!(drift.published(&old, SLOT, OracleSource::PythLazer), old.slot);
    assert_eq!(velocity.published(&old, SLOT, OracleSource::Prelaunch), old.slot);
    let mm = MmOracle { price: OraclePrice(100_500_000), slot: Slot(SLOT.0 - 5), sequence_id: 0 };
    let rails = OracleGuardRails::default();
    assert_eq!(mm_oracle_reading(&old, &mm, &rails, TWAP, SLOT), old);
    assert_eq!(mm_oracle_reading(&old, &mm, &rails, TWAP, old.slot).price, mm.price);
}

#[test]
fn mm_oracle_is_less_certain_by_the_difference() {
    let exchange = reading(100_000_000, 1_000, 1_000);
    let mm = MmOracle { price: OraclePrice(99_900_000), slot: SLOT, sequence_id: 0 };
    let rails = OracleGuardRails::default();
    let found = mm_oracle_reading(&exchange, &mm, &rails, TWAP, exchange.slot);
    assert_eq!((found.confidence, found.slot), (101_000, SLOT));
}
