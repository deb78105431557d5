//! Views of accounts against their texts, and layout tables against the program's.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support::{Recorded, all, captured};
use serde_json::Value;
use slotbook_decoded::account_json;
use slotbook_protocol::layout::{FieldType, Layout, Shape};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::AccountKind;
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::order::OrderView;
use slotbook_protocol::model::user::{ORDERS, POSITIONS};

/// A field of an expected object, by dotted path; arrays by index.
fn at<'a>(object: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(object, |value, part| match part.parse::<usize>() {
        Ok(index) => &value[index],
        Err(_) => &value[part],
    })
}

/// Compares a getter with the expected field: numbers as text, whatever their width.
fn check(object: &Value, path: &str, found: impl core::fmt::Display) {
    let value = at(object, path);
    assert!(!value.is_null(), "{path} is in the expected object");
    let expected = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    assert_eq!(found.to_string(), expected, "{path}");
}

// Specification: limit-orders.
#[test]
fn user_views_read_what_the_text_says() {
    let users: Vec<_> = all().into_iter().filter(|a| a.kind == AccountKind::User).collect();
    assert!(users.len() > 10);
    for Recorded { data, expected, .. } in &users {
        let view = Program::Drift.user(data).unwrap();
        check(expected, "status", view.status());
        (0..ORDERS)
            .for_each(|index| check_order(&view.order(index).view(), &expected["orders"][index]));
        let positions = view.positions().unwrap();
        (0..POSITIONS).for_each(|index| {
            let (perp, text) = (positions.perp[index], &expected["perpPositions"][index]);
            check(text, "marketIndex", perp.market_index);
            check(text, "baseAssetAmount", perp.base);
            let (spot, text) = (positions.spot[index], &expected["spotPositions"][index]);
            check(text, "marketIndex", spot.market_index);
            check(text, "scaledBalance", spot.scaled_balance);
            check(text, "balanceType", format!("{:?}", spot.balance_type));
        });
    }
}

fn check_order(view: &OrderView<'_>, expected: &Value) {
    assert_eq!(view.check(), Ok(()));
    let order = view.decode().unwrap();
    check(expected, "slot", order.slot);
    check(expected, "price", order.price);
    check(expected, "baseAssetAmount", order.base_asset_amount);
    check(expected, "baseAssetAmountFilled", order.base_asset_amount_filled);
    check(expected, "quoteAssetAmountFilled", order.quote_asset_amount_filled);
    check(expected, "triggerPrice", order.trigger_price);
    check(expected, "auctionStartPrice", order.auction_start_price);
    check(expected, "auctionEndPrice", order.auction_end_price);
    check(expected, "maxTs", order.max_ts);
    check(expected, "oraclePriceOffset", order.oracle_price_offset);
    check(expected, "orderId", order.order_id);
    check(expected, "marketIndex", order.market_index);
    check(expected, "status", format!("{:?}", order.status));
    check(expected, "orderType", format!("{:?}", order.order_type));
    check(expected, "marketType", format!("{:?}", order.market_type));
    check(expected, "userOrderId", order.user_order_id);
    let existing = format!("{:?}", order.existing_position_direction);
    check(expected, "existingPositionDirection", existing);
    check(expected, "direction", format!("{:?}", order.direction));
    check(expected, "reduceOnly", order.reduce_only);
    check(expected, "postOnly", order.post_only);
    check(expected, "immediateOrCancel", order.immediate_or_cancel);
    check(expected, "triggerCondition", format!("{:?}", order.trigger_condition));
    check(expected, "auctionDuration", order.auction_duration);
    check(expected, "postedSlotTail", order.posted_slot_tail);
    check(expected, "bitFlags", order.bit_flags);
    check(expected, "reduceOnly", view.reduce_only());
    check(expected, "postOnly", view.post_only());
}

#[test]
fn perp_market_views_read_what_the_text_says() {
    let markets = all().into_iter().filter(|a| a.kind == AccountKind::PerpMarket);
    for Recorded { data, expected, .. } in markets {
        let read = Program::Drift.perp_market(&data).unwrap();
        let check = |path: &str, found: &dyn core::fmt::Display| check(&expected, path, found);
        check("marketIndex", &read.terms.market_index);
        check("status", &format!("{:?}", read.terms.status));
        check("pausedOperations", &read.terms.paused_operations);
        check("expiryTs", &read.terms.expiry_ts);
        check("contractType", &format!("{:?}", read.contract_type));
        check("contractTier", &format!("{:?}", read.contract_tier));
        check("amm.oracle", &read.terms.oracle);
        check("amm.oracleSource", &format!("{:?}", read.terms.oracle_source));
        check("amm.orderTickSize", &read.terms.order_tick_size);
        check("amm.orderStepSize", &read.terms.order_step_size);
        check("amm.minOrderSize", &read.terms.min_order_size);
        check("amm.mmOraclePrice", &read.amm.mm_oracle_price);
        check("amm.mmOracleSlot", &read.amm.mm_oracle_slot);
        check("amm.mmOracleSequenceId", &read.amm.mm_oracle_sequence_id);
        let history = "amm.historicalOracleData";
        check(&format!("{history}.lastOraclePrice"), &read.amm.last_oracle_price);
        check(&format!("{history}.lastOraclePriceTwap"), &read.amm.last_oracle_price_twap);
        check(&format!("{history}.lastOraclePriceTwap5min"), &read.amm.last_oracle_price_twap_5min);
    }
}

#[test]
fn spot_market_views_read_what_the_text_says() {
    let markets = all().into_iter().filter(|a| a.kind == AccountKind::SpotMarket);
    for Recorded { data, expected, .. } in markets {
        let read = Program::Drift.spot_market(&data).unwrap();
        let check = |path: &str, found: &dyn core::fmt::Display| check(&expected, path, found);
        check("oracle", &read.terms.oracle);
        check("mint", &read.mint);
        check("marketIndex", &read.terms.market_index);
        check("status", &format!("{:?}", read.terms.status));
        check("assetTier", &format!("{:?}", read.asset_tier));
        check("pausedOperations", &read.terms.paused_operations);
        check("expiryTs", &read.terms.expiry_ts);
        check("oracleSource", &format!("{:?}", read.terms.oracle_source));
        check("orderTickSize", &read.terms.order_tick_size);
        check("orderStepSize", &read.terms.order_step_size);
        check("minOrderSize", &read.terms.min_order_size);
        check("decimals", &read.decimals);
        check("cumulativeDepositInterest", &read.cumulative_deposit_interest);
        check("cumulativeBorrowInterest", &read.cumulative_borrow_interest);
        check("historicalOracleData.lastOraclePrice", &read.last_oracle_price);
        check("historicalOracleData.lastOraclePriceTwap", &read.last_oracle_price_twap);
    }
}

#[test]
fn market_names_are_trimmed() {
    let name = |wanted: &str| {
        let account = captured().into_iter().find(|account| account.name == wanted).unwrap();
        match account.kind {
            AccountKind::PerpMarket => {
                Program::Drift.perp_market(&account.data).unwrap().terms.name
            }
            _ => Program::Drift.spot_market(&account.data).unwrap().terms.name,
        }
    };
    assert_eq!(name("perp-0-sol-202603"), "SOL-PERP");
    assert_eq!(name("spot-1-sol-202506"), "SOL");
}

#[test]
fn state_views_read_what_the_text_says() {
    let states = all().into_iter().filter(|a| a.kind == AccountKind::State);
    for Recorded { data, expected, .. } in states {
        let read = Program::Drift.state(&data).unwrap();
        check(&expected, "exchangeStatus", read.exchange_status);
        let (rails, json) = (read.guard_rails, &expected["oracleGuardRails"]);
        let (divergence, validity) = (&json["priceDivergence"], &json["validity"]);
        let twap = rails.oracle_twap_5min_percent_divergence;
        check(divergence, "markOraclePercentDivergence", rails.mark_oracle_percent_divergence);
        check(divergence, "oracleTwap5minPercentDivergence", twap);
        check(validity, "slotsBeforeStaleForAmm", rails.slots_before_stale_for_amm);
        check(validity, "slotsBeforeStaleForMargin", rails.slots_before_stale_for_margin);
        check(validity, "confidenceIntervalMaxSize", rails.confidence_interval_max_size);
        check(validity, "tooVolatileRatio", rails.too_volatile_ratio);
    }
}

#[test]
fn lists_are_decoded_and_move_what_follows() {
    let mut data = AccountKind::RevenueShareEscrow.discriminator().to_vec();
    data.resize(100, 0);
    data.extend(1u32.to_le_bytes());
    data.extend([7; 21].iter().chain(&[1]).chain(&[0; 10]));
    data.extend(9u32.to_le_bytes());
    data.extend(1u32.to_le_bytes());
    data.extend([0; 40]);
    let mut text = String::new();
    account_json(Program::Drift, AccountKind::RevenueShareEscrow, &data, &mut text).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["orders"][0]["marketType"], "Perp");
    assert_eq!(json["orders"][0]["orderId"], 0x0707_0707);
    assert_eq!(json["padding1"], 9);
    assert_eq!(json["approvedBuilders"][0]["authority"], "1".repeat(32));
    for cut in 8..data.len() {
        let mut kept = String::from("kept");
        let error =
            account_json(Program::Drift, AccountKind::RevenueShareEscrow, &data[..cut], &mut kept);
        assert!(matches!(error, Err(ProtocolError::WrongLength { .. })), "cut at {cut}");
        assert_eq!(kept, "kept");
    }
}

#[test]
fn layout_tables_have_no_hole_and_no_overlap() {
    for program in [Program::Drift, Program::Velocity] {
        let tables = AccountKind::ALL.iter().filter_map(|kind| program.layout(*kind));
        tables.for_each(|table| check_dense(table, 8));
    }
}

fn check_dense(layout: &Layout, start: usize) {
    let mut expected = start;
    for field in layout.fields {
        assert_eq!(field.offset, expected, "{}.{}", layout.name, field.name);
        expected += match field.shape {
            Shape::One => field.element.size(),
            Shape::Many(count) => count * field.element.size(),
            Shape::List => 4,
        };
        if let FieldType::Struct(inner) = field.element {
            check_dense(inner, 0);
        }
    }
    assert_eq!(expected, layout.size, "{}", layout.name);
}
