//! Random and damaged bytes: every decoder answers with a value or a typed error, and never panics.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;
use slotbook_decoded::account_json;
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::{AccountKind, kind_of};
use slotbook_protocol::model::enums::{Direction, OracleSource, SpotBalanceType};
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::oracle::{
    MmOracle, OracleGuardRails, PYTH_PROGRAM, PYTH_RECEIVER_PROGRAM, SWITCHBOARD_ON_DEMAND_PROGRAM,
    SWITCHBOARD_PROGRAM, mm_oracle_reading, validity,
};
use slotbook_protocol::model::order::{OrderView, RawOrder};
use slotbook_protocol::model::price::{
    ProtectedMakerParams, auction_price_program, limit_price_program, resting_offset_price,
    standardize_base, standardize_price,
};
use slotbook_protocol::model::units::{
    BaseQty, OraclePrice, Price, PriceOffset, Pubkey, Slot, UnixSeconds,
};
use slotbook_protocol::model::user::{ORDERS, spot_token_amount};

static ACCOUNTS: LazyLock<Vec<support::Recorded>> = LazyLock::new(support::all);
static ORACLES: LazyLock<Vec<support::CapturedOracle>> = LazyLock::new(support::captured_oracles);

const OWNERS: [Pubkey; 5] = [
    PROGRAM_ID,
    PYTH_PROGRAM,
    PYTH_RECEIVER_PROGRAM,
    SWITCHBOARD_PROGRAM,
    SWITCHBOARD_ON_DEMAND_PROGRAM,
];

/// Reads everything that can be read of the bytes. A view that parses has every getter called.
fn read_everything(data: &[u8]) {
    let _ = kind_of(data);
    for kind in AccountKind::ALL {
        let mut text = String::new();
        if account_json(Program::Drift, *kind, data, &mut text).is_ok() {
            assert!(serde_json::from_str::<Value>(&text).is_ok(), "what is written is JSON");
        } else {
            assert!(text.is_empty(), "nothing is left of a failed decode");
        }
    }
    if let Ok(view) = Program::Drift.user(data) {
        (0..ORDERS).for_each(|index| read_order(&view.order(index).view()));
        let _ = view.positions();
    }
    let _ = (Program::Drift.perp_market(data), Program::Drift.spot_market(data));
    let _ = Program::Drift.state(data);
    for (source, owner) in OracleSource::ALL.iter().flat_map(|s| OWNERS.map(|owner| (*s, owner))) {
        if let Ok(reading) = Program::Drift.oracle(source, &owner, data) {
            let rails = OracleGuardRails::default();
            let _ = validity(&reading, &rails, OraclePrice(1), 50, 1, source);
        }
    }
}

fn read_order(view: &OrderView<'_>) {
    assert_eq!(view.check().is_ok(), view.decode().is_ok());
    let Ok(order) = view.decode() else { return };
    for slot in [0, order.slot.0.wrapping_sub(1), order.slot.0.wrapping_add(3), u64::MAX] {
        let clock = &Slot(slot).into();
        let resting = order.is_resting_limit(clock);
        assert!(!resting || order.is_limit(), "only limit orders rest");
        assert!(!order.has_auction_price(clock) || order.has_limit_price(clock));
        for oracle in [None, Some(OraclePrice(i64::MIN)), Some(OraclePrice(i64::MAX))] {
            let protected = Some(ProtectedMakerParams {
                limit_price_divisor: order.posted_slot_tail,
                dynamic_offset: order.trigger_price.0,
                tick_size: Price(u64::from(order.order_id)),
            });
            let tick = order.trigger_price;
            let _ = auction_price_program(&order, clock, tick, oracle, order.post_only);
            let _ = limit_price_program(&order, clock, tick, oracle, None, true, protected);
        }
    }
    let _ = order.is_expired(UnixSeconds(i64::MAX));
    assert!(order.unfilled_for_position(i64::MIN) <= order.unfilled());
}

/// Damage to a recorded account: some bytes replaced, and perhaps cut.
fn damage() -> impl Strategy<Value = (prop::sample::Index, Vec<(prop::sample::Index, u8)>, u16)> {
    let writes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..24);
    (any::<prop::sample::Index>(), writes, prop_oneof![3 => Just(0u16), 1 => any::<u16>()])
}

fn damaged(data: &[u8], writes: &[(prop::sample::Index, u8)], cut: u16) -> Vec<u8> {
    let mut data = data.to_vec();
    for (index, byte) in writes {
        let at = index.index(data.len());
        data[at] = *byte;
    }
    data.truncate(data.len().saturating_sub(usize::from(cut)));
    data
}

/// Failures are printed with their seed; a found case becomes a named test, not a file.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) }
}

/// Offset of an order's enum byte, and how many variants it has.
const ORDER_ENUMS: [(usize, u8); 9] =
    [(82, 4), (83, 5), (84, 2), (86, 2), (87, 2), (88, 2), (89, 2), (90, 2), (91, 4)];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_bytes_never_panic(data in prop::collection::vec(any::<u8>(), 0..5_000)) {
        read_everything(&data);
    }

    #[test]
    fn random_bodies_behind_a_known_discriminator_never_panic(
        kind in prop::sample::select(AccountKind::ALL),
        body in prop::collection::vec(any::<u8>(), 5_000),
        length in prop_oneof![Just(None), (0usize..5_000).prop_map(Some)],
    ) {
        let mut data = kind.discriminator().to_vec();
        data.extend(body);
        data.truncate(length.unwrap_or(Program::Drift.layout(kind).unwrap().size));
        read_everything(&data);
    }

    #[test]
    fn damaged_accounts_never_panic((which, writes, cut) in damage()) {
        let account = which.get(&ACCOUNTS);
        read_everything(&damaged(&account.data, &writes, cut));
    }

    #[test]
    fn damaged_oracles_never_panic((which, writes, cut) in damage()) {
        let oracle = which.get(&ORACLES);
        read_everything(&damaged(&oracle.data, &writes, cut));
    }

    #[test]
    fn random_orders_never_panic(bytes in prop::array::uniform32(any::<[u8; 3]>())) {
        let mut order: [u8; 96] = *bytes.as_flattened().first_chunk().unwrap();
        read_order(&RawOrder::from(order).view());
        // Enum bytes made valid, so that most runs reach the prices.
        for (at, count) in ORDER_ENUMS {
            order[at] %= count;
        }
        prop_assert!(RawOrder::from(order).view().check().is_ok());
        read_order(&RawOrder::from(order).view());
    }

    #[test]
    fn rounding_stays_within_a_tick_and_on_it(price: u64, tick in 1u64..=u64::MAX) {
        let down = standardize_price(Price(price), Price(tick), Direction::Long).0;
        prop_assert!(down <= price && price - down < tick && down.is_multiple_of(tick));
        let up = standardize_price(Price(price), Price(tick), Direction::Short).0;
        let on_tick = up >= price && up - price < tick && up.is_multiple_of(tick);
        prop_assert!(on_tick || up == u64::MAX);
        let size = standardize_base(BaseQty(price), BaseQty(tick)).0;
        prop_assert_eq!(size, down);
    }

    #[test]
    fn offset_price_is_on_the_tick_and_at_least_one(
        oracle: i64, offset: i32, tick in 1u64..1_000_000_000, is_bid: bool,
    ) {
        let direction = if is_bid { Direction::Long } else { Direction::Short };
        let (oracle, offset, tick) = (OraclePrice(oracle), PriceOffset(offset.into()), Price(tick));
        let price = resting_offset_price(oracle, offset, tick, direction, false);
        prop_assert!(price >= tick && (price.0.is_multiple_of(tick.0) || price.0 == u64::MAX));
    }

    #[test]
    fn token_amounts_are_signed_and_bounded(
        balance: u128, decimals in 0u32..=u32::MAX, deposit: u128, borrow: u128,
    ) {
        let owned = spot_token_amount(balance, SpotBalanceType::Deposit, decimals, deposit, borrow);
        let owed = spot_token_amount(balance, SpotBalanceType::Borrow, decimals, deposit, borrow);
        prop_assert!(owned >= 0 && owed <= 0);
    }

    #[test]
    fn mm_oracle_never_panics(
        price: i64, mm_price: i64, slots: [u64; 3], ids: [u64; 2], twap: i64,
    ) {
        let exchange = slotbook_protocol::model::oracle::OracleReading {
            price: OraclePrice(price),
            confidence: slots[0],
            slot: Slot(slots[0]),
            sequence_id: Some(ids[0]),
            has_sufficient_data: true,
            average: None,
        };
        let price = OraclePrice(mm_price);
        let mm = MmOracle { price, slot: Slot(slots[1]), sequence_id: ids[1] };
        let rails = OracleGuardRails::default();
        let found = mm_oracle_reading(&exchange, &mm, &rails, OraclePrice(twap), Slot(slots[2]));
        prop_assert!(found.confidence >= exchange.confidence);
    }

    #[test]
    fn pubkey_text_reads_back(bytes: [u8; 32]) {
        prop_assert_eq!(Pubkey(bytes).to_string().parse(), Ok(Pubkey(bytes)));
    }
}

#[test]
fn wrong_discriminators_and_lengths_are_named() {
    for account in ACCOUNTS.iter() {
        let (kind, data) = (account.kind, &account.data);
        let expected = data.len();
        assert_eq!(Program::Drift.check(kind, data), Ok(()), "{}", account.name);
        let longer: Vec<u8> = data.iter().copied().chain([0]).collect();
        let wrong = |actual| Err(ProtocolError::WrongLength { expected, actual });
        assert_eq!(Program::Drift.check(kind, &longer), wrong(expected + 1), "{}", account.name);
        assert_eq!(
            Program::Drift.check(kind, &data[..expected - 1]),
            wrong(expected - 1),
            "{}",
            account.name
        );
        assert_eq!(Program::Drift.check(kind, &[]), wrong(0), "{}", account.name);
        let mut other = data.clone();
        other[7] ^= 0x80;
        let discriminator = *other.first_chunk().unwrap();
        let error = ProtocolError::WrongDiscriminator { discriminator };
        assert_eq!(Program::Drift.check(kind, &other), Err(error), "{}", account.name);
        assert_eq!(kind_of(&other), Err(error), "{}", account.name);
    }
}

/// Writes an invalid byte into a user account, and expects the field's name in the error.
fn check_invalid(at: usize, value: u8, field: &'static str, name: &'static str) {
    let user = ACCOUNTS.iter().find(|account| account.kind == AccountKind::User).unwrap();
    let mut data = user.data.clone();
    data[at] = value;
    let mut text = String::new();
    let error = ProtocolError::InvalidEnum { field: name, value };
    assert_eq!(account_json(Program::Drift, AccountKind::User, &data, &mut text), Err(error));
    let view = Program::Drift.user(&data).unwrap();
    let order = at.checked_sub(1_192).map(|at| at / 96).filter(|index| *index < ORDERS);
    if let Some(index) = order {
        let error = ProtocolError::InvalidEnum { field, value };
        assert_eq!(view.order(index).view().check(), Err(error), "{field}");
    }
}

#[test]
fn invalid_variants_and_truth_values_are_named() {
    let second = 1_192 + 96;
    check_invalid(second + 82, 4, "status", "status");
    check_invalid(second + 83, 5, "order_type", "orderType");
    check_invalid(second + 84, 2, "market_type", "marketType");
    check_invalid(second + 86, 2, "direction", "existingPositionDirection");
    check_invalid(second + 87, 255, "direction", "direction");
    check_invalid(second + 88, 2, "reduce_only", "reduceOnly");
    check_invalid(second + 89, 2, "post_only", "postOnly");
    check_invalid(second + 90, 2, "immediate_or_cancel", "immediateOrCancel");
    check_invalid(second + 91, 4, "trigger_condition", "triggerCondition");
    check_invalid(138, 2, "balance_type", "balanceType");
    check_invalid(4_355, 3, "margin_mode", "marginMode");
    check_invalid(4_350, 2, "idle", "idle");
}
