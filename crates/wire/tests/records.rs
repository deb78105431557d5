//! Records as JSON and as CSV; the values themselves are compared with the logs in TypeScript.

use slotbook_protocol::model::event::field::EventLayout;
use slotbook_protocol::model::{AccountKind, Program};
use slotbook_wire::record::{Form, Record, RecordMarket, RecordWriter, push_names};

fn layout(name: &str) -> &'static EventLayout {
    let mut events = Program::Drift.events().iter().copied();
    events.find(|layout| layout.name == name).expect("a record of the program")
}

/// A settlement of a quote and a half, as logged.
fn settlement() -> Vec<u8> {
    let layout = layout("SettlePnlRecord");
    let mut data = layout.discriminator.to_vec();
    data.extend(1_700_000_000_i64.to_le_bytes());
    data.extend([7; 32]);
    data.extend(3_u16.to_le_bytes());
    data.extend((-1_500_000_i128).to_le_bytes());
    for amount in [1_000_000_000_i64, 5, -5, 100_000_000] {
        data.extend(amount.to_le_bytes());
    }
    data.push(0);
    data
}

fn record<'a>(layout: &'static EventLayout, data: &'a [u8], symbol: &'a str) -> Record<'a> {
    let market = Some(RecordMarket { symbol, decimals: 9 });
    Record { layout, data, signature: "sig", slot: 5, index: 2, market }
}

#[test]
fn records_are_objects_with_commas_between_them_and_the_account_behind() {
    let data = settlement();
    let mut out = Vec::new();
    let mut writer = RecordWriter::new(Form::Records, Some("me"));
    for _ in 0..2 {
        writer.push(&record(layout("SettlePnlRecord"), &data, "A\"B"), &mut out).unwrap();
    }
    let text = format!("[{}]", String::from_utf8(out).unwrap());
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["symbol"], "A\"B");
    assert_eq!(rows[0]["pnl"], "-1.500000");
    assert_eq!(rows[0]["baseAssetAmount"], "1.000000000");
    assert_eq!(rows[0]["quoteEntryAmount"], "-0.000005");
    assert_eq!(rows[1]["user"], "me");
}

#[test]
fn a_value_that_would_end_its_cell_stands_in_quotes() {
    let mut data = layout("FundingRateRecord").discriminator.to_vec();
    data.extend([0; 8 + 8 + 2 + 8 + 16 * 4 + 8 * 3 + 16 * 2]);
    let mut out = Vec::new();
    push_names("FundingRateRecord", &mut out);
    let mut writer = RecordWriter::new(Form::Csv, None);
    writer.push(&record(layout("FundingRateRecord"), &data, "x,\"y\"\r\nz"), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.starts_with("ts,txSig,txSigIndex,slot,recordId,marketIndex,symbol,"));
    assert!(text.contains("\r\n0,sig,2,5,0,0,\"x,\"\"y\"\"\r\nz\",0.000000000,"));
    assert!(text.ends_with("\r\n"));
}

#[test]
fn a_record_that_ends_inside_a_field_is_an_error() {
    let data = settlement();
    let cut = &data[..data.len() - 10];
    let mut writer = RecordWriter::new(Form::Records, None);
    let mut out = Vec::new();
    assert!(writer.push(&record(layout("SettlePnlRecord"), cut, ""), &mut out).is_err());
}

const USER: u8 = 9;
const OTHER: u8 = 8;

/// An action of the taker 9, order 7, against the maker 8, order 3: both of 100 base.
fn action(ts: i64, (action, explanation): (u8, u8), [taker, maker]: [u64; 2]) -> Vec<u8> {
    let mut data = layout("OrderActionRecord").discriminator.to_vec();
    data.extend(ts.to_le_bytes());
    // Market 0 of the perps, without a filler.
    data.extend([action, explanation, 0, 0, 1, 0, 0]);
    let some = |bytes: &[u8]| [&[1], bytes].concat();
    for amount in [1, 10, 10, 2_500_000, (-500_000_i64).cast_unsigned()] {
        data.extend(some(&amount.to_le_bytes()));
    }
    data.extend([0; 3]);
    for (key, order_id, filled) in [(USER, 7_u32, taker), (OTHER, 3, maker)] {
        data.extend(some(&[key; 32]));
        data.extend(some(&order_id.to_le_bytes()));
        data.extend([1, 0]);
        for amount in [100, filled, filled] {
            data.extend(some(&amount.to_le_bytes()));
        }
    }
    data.extend([0; 16]);
    data
}

/// A placed order, as logged at second 5.
fn placed(user: u8, order_id: u32) -> Vec<u8> {
    let layout = layout("OrderRecord");
    let mut data = layout.discriminator.to_vec();
    data.extend(5_i64.to_le_bytes());
    data.extend([user; 32]);
    let order = data.len();
    data.extend([0; 96]);
    let id_at = Program::Drift.layout(AccountKind::User).expect("a table");
    let id_at = id_at.inner("orders").leaf("orderId", "u32");
    data[order + id_at..][..4].copy_from_slice(&order_id.to_le_bytes());
    data
}

/// An order after some actions.
fn order_after(actions: &[Vec<u8>], (user, order_id): (u8, u32)) -> serde_json::Value {
    let mut writer = RecordWriter::new(Form::Orders, None);
    let mut out = Vec::new();
    for data in actions {
        writer.push(&record(layout("OrderActionRecord"), data, ""), &mut out).expect("an action");
    }
    assert!(out.is_empty(), "actions are not written");
    let data = placed(user, order_id);
    writer.push(&record(layout("OrderRecord"), &data, ""), &mut out).expect("an order");
    serde_json::from_slice(&out).expect("JSON")
}

/// The last four members of that order.
fn outcome(actions: &[Vec<u8>], order: (u8, u32)) -> [String; 4] {
    let row = order_after(actions, order);
    ["lastActionStatus", "lastActionExplanation", "lastUpdatedTs", "cumulativeFee"]
        .map(|name| row[name].to_string().replace('"', ""))
}

#[test]
fn an_order_has_the_outcome_of_the_actions_on_it() {
    let (place, cancel, fill, trigger) = ((0, 0), (1, 0), (2, 8), (3, 0));
    let mine = (USER, 7);
    assert_eq!(outcome(&[], mine), ["open", "none", "5", "0.000000"]);
    let life = [
        (action(6, place, [0, 0]), ["open", "none", "6", "0.000000"]),
        (action(7, trigger, [0, 0]), ["trigger", "none", "7", "0.000000"]),
        (action(8, fill, [40, 100]), ["partial_fill", "orderFilledWithMatch", "8", "2.500000"]),
        (action(9, fill, [100, 100]), ["filled", "orderFilledWithMatch", "9", "5.000000"]),
    ];
    for last in 0..life.len() {
        let actions: Vec<_> = life[..=last].iter().map(|(data, _)| data.clone()).collect();
        assert_eq!(outcome(&actions, mine), life[last].1);
    }
    let partly = [action(8, fill, [40, 100]), action(9, cancel, [40, 100])];
    assert_eq!(outcome(&partly, mine), ["partial_fill_cancelled", "none", "9", "2.500000"]);
    assert_eq!(outcome(&[action(9, cancel, [0, 0])], mine)[0], "cancelled");
    assert_eq!(outcome(&[action(9, (1, 4), [40, 0])], mine)[..2], ["expired", "orderExpired"]);
    // The maker is paid a rebate; an order of the same number of another user has no part in it.
    let filled = [action(8, fill, [40, 100])];
    assert_eq!(outcome(&filled, (OTHER, 3)), ["filled", "orderFilledWithMatch", "8", "-0.500000"]);
    assert_eq!(outcome(&filled, (OTHER, 7))[0], "open");
    let row = order_after(&partly, mine);
    assert_eq!(row["baseAssetAmountFilled"], "0.000000040");
    assert_eq!(row["quoteAssetAmountFilled"], "0.000040");
    assert_eq!(order_after(&[], mine)["baseAssetAmountFilled"], "0.000000000");
}
