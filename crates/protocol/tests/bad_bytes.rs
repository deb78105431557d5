//! Bytes that are no account or no variant are named; rounding, amounts and keys hold for all numbers. Any bytes: `test/fuzz`.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support;
use std::sync::LazyLock;

use proptest::prelude::*;
use slotbook_decoded::account_json;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::{AccountKind, kind_of};
use slotbook_protocol::model::enums::{Direction, SpotBalanceType};
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::price::{standardize_base, standardize_price};
use slotbook_protocol::model::units::{BaseQty, Price, Pubkey};
use slotbook_protocol::model::user::{ORDERS, spot_token_amount};

static ACCOUNTS: LazyLock<Vec<support::Recorded>> = LazyLock::new(support::all);

/// Failures are printed with their seed; a found case becomes a named test, not a file.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) }
}

proptest! {
    #![proptest_config(config())]

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
    fn token_amounts_are_signed_and_bounded(
        balance: u128, decimals in 0u32..=u32::MAX, deposit: u128, borrow: u128,
    ) {
        let owned = spot_token_amount(balance, SpotBalanceType::Deposit, decimals, deposit, borrow);
        let owed = spot_token_amount(balance, SpotBalanceType::Borrow, decimals, deposit, borrow);
        prop_assert!(owned >= 0 && owed <= 0);
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
