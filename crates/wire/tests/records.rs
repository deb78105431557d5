//! Records as JSON and as CSV; the values themselves are compared with the logs in TypeScript.

use slotbook_protocol::model::Program;
use slotbook_protocol::model::event::field::EventLayout;
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
