//! Events in logs: whole, cut, nested, forged, and of bytes that mean harm.
#![expect(clippy::unwrap_used, reason = "a test")]

use crate::support;
use std::fs::read_to_string;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use proptest::prelude::*;
use serde_json::Value;
use slotbook_decoded::{Fit, event_json};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::event::field::EventLayout;
use slotbook_protocol::model::event::head::{Head, Kind};
use slotbook_protocol::model::event::logs::{LogScanner, LogSummary};

const OURS: &str = "dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH";
const OTHER: &str = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";
const THIRD: &str = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";

const ACTION: &str = "OrderActionRecord";
const FUNDING: &str = "FundingRateRecord";
/// Where an order's record has its action and its explanation.
const ACTION_AT: usize = 16;
const EXPLANATION_AT: usize = 17;
/// The byte of the action of a fill, and the number of known explanations.
const FILL: u8 = 2;
const EXPLANATIONS: u8 = 21;
/// The explanation of a position that moves between two accounts.
const TRANSFER: u8 = 20;

/// A record as it was logged.
struct Logged {
    layout: &'static EventLayout,
    data: Vec<u8>,
}

fn layout_named(name: &str) -> &'static EventLayout {
    layout_of(Program::Drift, name)
}

fn layout_of(program: Program, name: &str) -> &'static EventLayout {
    let mut events = program.events().iter().copied();
    events.find(|layout| layout.name == name).expect("a record we read")
}

fn synthetic() -> Vec<Logged> {
    let text = read_to_string(support::vectors("synthetic").join("events.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| {
            let text = line["log"].as_str().unwrap().strip_prefix("Program data: ").unwrap();
            Logged {
                layout: layout_named(line["type"].as_str().unwrap()),
                data: BASE64_STANDARD.decode(text).unwrap(),
            }
        })
        .collect()
}

/// A line with one settlement of profit, told apart by its time.
fn event(ts: u8) -> String {
    format!("Program data: {}", BASE64_STANDARD.encode(settlement(ts)))
}

fn settlement(ts: u8) -> Vec<u8> {
    let layout = layout_named("SettlePnlRecord");
    let mut data = layout.discriminator.to_vec();
    data.resize(99, 0);
    data[8] = ts;
    data
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| expanded(line.trim())).collect()
}

/// Short forms for logs in tests: `+2 A` invokes ours at depth 2, `-A` ends it, `!A` fails it,
/// `#7` is an event of time 7.
fn expanded(line: &str) -> String {
    let program = |name: &str| match name {
        "A" => OURS,
        "B" => OTHER,
        _ => THIRD,
    };
    let (mark, rest) = line.split_at(1);
    match mark {
        "+" => {
            let (depth, name) = rest.split_once(' ').unwrap();
            format!("Program {} invoke [{depth}]", program(name))
        }
        "-" => format!("Program {} success", program(rest)),
        "!" => format!("Program {} failed: custom program error: 0x1771", program(rest)),
        "#" => event(rest.parse().unwrap()),
        _ => line.to_owned(),
    }
}

/// The times of the events found, and the summary.
fn scanned(lines: &[String]) -> (Vec<u8>, LogSummary) {
    let mut found = Vec::new();
    let summary = LogScanner::new(&Program::Drift.id()).scan(lines, |event| {
        assert_eq!(usize::try_from(event.index), Ok(found.len()), "events are counted from 0");
        found.push(event.data[8]);
        Ok(())
    });
    (found, summary)
}

#[track_caller]
fn check(text: &str, expected: &[u8]) -> LogSummary {
    let (found, summary) = scanned(&lines(text));
    assert_eq!(found, expected, "{text}");
    summary
}

#[test]
fn an_event_counts_only_when_the_program_itself_logged_it() {
    check("+1 A\n#1\n-A", &[1]);
    check("+1 B\n#1\n-B", &[]);
    check("+1 A\n#1\n+2 B\n#2\n-B\n#3\n-A", &[1, 3]);
    check("+1 B\n#1\n+2 A\n#2\n+3 C\n#3\n-C\n#4\n-A\n#5\n-B", &[2, 4]);
    check("+1 B\n#1\n-B\n+1 A\n#2\n-A\n+1 B\n#3\n-B", &[2]);
    check("+1 A\n#1\n+2 A\n#2\n-A\n#3\n-A", &[1, 2, 3]);
}

#[test]
fn a_program_that_failed_is_over_like_one_that_did_not() {
    check("+1 A\n+2 B\n!B\n#1\n-A", &[1]);
    check("+1 B\n+2 A\n#1\n!A\n#2\n-B", &[1]);
}

#[test]
fn what_a_program_writes_cannot_move_the_stack() {
    for forged in [
        format!("Program log: Program {OURS} invoke [2]"),
        format!("Program log: x\nProgram {OURS} invoke [2]"),
        format!("Program log: \nProgram {OTHER} success"),
        format!("Program data: Program {OURS} invoke [2]"),
        format!("Program return: {OURS} AAAA"),
        format!("Program {OURS} invoke [2] "),
        format!("Program {OURS} invoke [+2]x"),
        format!("Program {OURS} invoke [0]"),
        format!("Program {OURS} invoke [99999999999999999999]"),
        format!("Program {OURS} invoke [65]"),
        format!("Program {OURS}"),
        format!("Program {OURS} consumed 1 of 2 compute units"),
        format!(" Program {OURS} invoke [2]"),
        "Program consumption: 5 units remaining".to_owned(),
        "Program log: Log truncated".to_owned(),
        "Program log: success".to_owned(),
        String::new(),
        "Program ".to_owned(),
        "Program data:".to_owned(),
    ] {
        let mut forgery = lines("+1 B");
        forgery.extend([forged.clone(), event(1)]);
        forgery.extend(lines("-B\n+1 A\n#2\n-A"));
        assert_eq!(scanned(&forgery).0, [2], "{forged:?}");
        let mut inside = lines("+1 A");
        inside.extend([forged.clone(), event(1)]);
        inside.extend(lines("-A"));
        let found = scanned(&inside);
        assert_eq!(found.0, [1], "{forged:?}");
        assert!(!found.1.is_truncated, "{forged:?}");
    }
}

#[test]
fn the_depth_stated_brings_the_stack_back() {
    // The end of B was not seen; nor that of A.
    check("+1 A\n+2 B\n+2 A\n#1\n-A\n#2\n-A", &[1, 2]);
    check("+1 A\n#1\n+1 B\n#2\n-B", &[1]);
    check("+1 A\n+2 A\n+1 B\n#1\n-B\n+1 A\n#2\n-A", &[2]);
    // The start of B is missing, so its lines belong to no known program.
    check("+1 A\n+3 C\n#1\n-C\n#2\n-B\n#3\n-A", &[3]);
    // After the end of an outer program, its inner programs have ended.
    check("+1 A\n+2 B\n+3 C\n-B\n#1\n-A", &[1]);
    // An end of a program that is not there changes nothing.
    check("+1 A\n#1\n-B\n#2\n-A\n#3", &[1, 2]);
}

#[test]
fn logs_may_begin_in_the_middle() {
    check("#1\n-A\n+1 A\n#2\n-A", &[1, 2]);
    check("#1\n-B\n+1 A\n#2\n-A", &[2]);
    check("#1\n+2 B\n#2\n-B\n#3\n-A", &[1, 3]);
    check("#1\n+2 A\n#2\n-A\n#3\n-B", &[2]);
    check("#1\n-B\n#2\n-A", &[2]);
    check("#1\n-A\n#2\n-B", &[1]);
    check("#1\n+3 C\n-C\n#2\n-A\n#3\n-B", &[1, 2]);
    // Nothing says whose they are, and nothing can forge the beginning.
    check("#1\n#2", &[1, 2]);
    check("#1\n+2 B\n#2\n-B\n#3", &[1, 3]);
    // Between two instructions no program writes.
    check("+1 B\n-B\n#1\n+1 A\n#2\n-A\n#3", &[2]);
}

#[test]
fn cut_logs_end_where_they_are_cut_and_say_so() {
    let summary = check("+1 A\n#1\nLog truncated\n#2\n-A", &[1]);
    assert_eq!(summary, LogSummary { events: 1, unreadable: 0, is_truncated: true });
    assert!(!check("+1 A\n#1\n-A", &[1]).is_truncated);
}

#[test]
fn both_forms_of_logging_are_read_and_free_text_is_not() {
    let coded = BASE64_STANDARD.encode(settlement(1));
    let foreign = BASE64_STANDARD.encode([7; 99]);
    for (line, events, unreadable) in [
        (format!("Program log: {coded}"), 1, 0),
        (format!("Program data: {coded}"), 1, 0),
        (format!("Program data: {foreign}"), 0, 0),
        (format!("Program log: {foreign}"), 0, 0),
        ("Program log: Instruction: SettlePnl".to_owned(), 0, 0),
        ("Program log: ééééééééééé".to_owned(), 0, 0),
        (format!("Program log: {}", &coded[..8]), 0, 0),
        (format!("Program data: {coded} {coded}"), 1, 1),
        (format!("Program log: {coded}\nmore"), 1, 1),
        (format!("Program data: {}", &coded[..coded.len() - 1]), 1, 1),
        (format!("Program data: {coded}{}", "A".repeat(1 << 20)), 1, 1),
        (format!("Program return: {OURS} {coded}"), 0, 0),
        (coded.clone(), 0, 0),
    ] {
        let logs = [format!("Program {OURS} invoke [1]"), line];
        let (found, summary) = scanned(&logs);
        let counted = LogSummary { events, unreadable, is_truncated: false };
        assert_eq!(summary, counted, "{}", &logs[1][..60.min(logs[1].len())]);
        assert_eq!(found.len(), usize::try_from(events - unreadable).unwrap());
    }
}

#[test]
fn an_event_in_both_forms_is_one_event() {
    let form = |line: &str| match line.split_once(' ') {
        Some(("log", event)) => expanded(event).replace("data: ", "log: "),
        Some(("data", event)) => expanded(event),
        _ => expanded(line),
    };
    for (text, expected) in [
        ("data #1,log #1,data #2,log #2", &[1, 2][..]),
        ("log #1,data #1,data #2", &[1, 2]),
        ("data #1,data #2,log #1,log #2", &[1, 2]),
        ("data #1,Program log: between,log #1,log #3", &[1, 3]),
        // In one form, the same bytes are an event of their own.
        ("data #1,data #1", &[1, 1]),
        ("log #1,log #1", &[1, 1]),
        ("data #1,data #1,log #1,log #1", &[1, 1]),
        ("data #1,log #1,data #1", &[1, 1]),
        // What another program writes is no form of ours.
        ("data #1,+2 B,log #1,-B", &[1]),
        ("+2 B,data #1,-B,log #1,data #1", &[1]),
        ("data #1,Log truncated,log #1", &[1]),
    ] {
        let logs: Vec<String> = ["+1 A"].into_iter().chain(text.split(',')).map(form).collect();
        assert_eq!(scanned(&logs).0, expected, "{text}");
    }
}

#[test]
fn both_forms_of_an_unreadable_event_are_one() {
    let coded = BASE64_STANDARD.encode(settlement(1));
    let cut = &coded[..coded.len() - 1];
    let logs = [
        format!("Program {OURS} invoke [1]"),
        format!("Program data: {cut}"),
        format!("Program log: {cut}"),
    ];
    let unreadable = LogSummary { events: 1, unreadable: 1, is_truncated: false };
    assert_eq!(scanned(&logs).1, unreadable);
}

#[test]
fn what_the_caller_cannot_read_is_counted_and_keeps_its_index() {
    let logs = lines("+1 A\n#1\n#2\n#3\n-A");
    let mut seen = Vec::new();
    let summary = LogScanner::new(&Program::Drift.id()).scan(&logs, |event| {
        if event.data[8] == 2 {
            return Err(ProtocolError::OutOfRange { field: "ts" });
        }
        seen.push((event.index, event.line));
        Ok(())
    });
    assert_eq!(seen, [(0, 1), (2, 3)]);
    assert_eq!(summary, LogSummary { events: 3, unreadable: 1, is_truncated: false });
}

#[test]
fn every_record_has_its_own_discriminator_and_field_names() {
    for (program, count) in [(Program::Drift, 27), (Program::Velocity, 25)] {
        let events = program.events();
        assert_eq!(events.len(), count);
        for layout in events {
            let same = events.iter().filter(|other| other.discriminator == layout.discriminator);
            assert_eq!(same.count(), 1, "{}", layout.name);
            for field in layout.fields {
                let same = layout.fields.iter().filter(|other| other.name == field.name);
                assert_eq!(same.count(), 1, "{} {}", layout.name, field.name);
            }
        }
    }
}

fn decoded(layout: &EventLayout, data: &[u8]) -> Result<Value, ProtocolError> {
    let mut text = String::new();
    event_json(layout, data, &mut text)?;
    Ok(serde_json::from_str(&text).expect("what is written is JSON"))
}

#[test]
fn text_is_escaped_and_must_be_utf_8() {
    let layout = layout_named("SignedMsgOrderRecord");
    let mut data = layout.discriminator.to_vec();
    data.resize(40, 0);
    let with = |text: &[u8]| {
        let length = u32::try_from(text.len()).unwrap().to_le_bytes();
        decoded(layout, &[data.as_slice(), &length, text].concat())
    };
    let read = with("a\"b\\c\n\u{1}é".as_bytes()).unwrap();
    assert_eq!(read["hash"], "a\"b\\c\n\u{1}é");
    assert_eq!(with(&[0xff]), Err(ProtocolError::MalformedText { field: "hash" }));
}

#[test]
fn a_byte_that_stands_for_nothing_is_refused() {
    let logged = synthetic();
    let action = logged.iter().find(|one| one.layout.name == "OrderActionRecord").unwrap();
    // Action, market type, and whether there is a filler.
    for (at, largest) in [(ACTION_AT, 4), (20, 1), (21, 1)] {
        let mut data = action.data.clone();
        data[at] = largest + 1;
        assert!(Head::read(action.layout, &data).is_err(), "byte {at}");
        assert!(decoded(action.layout, &data).is_err(), "byte {at}");
    }
}

#[test]
fn a_fill_with_an_explanation_of_later_years_is_a_fill_all_the_same() {
    let mut read = 0;
    for logged in synthetic().iter().filter(|one| one.layout.name == ACTION) {
        let mut data = logged.data.clone();
        data[ACTION_AT] = FILL;
        for explanation in [TRANSFER, 0] {
            data[EXPLANATION_AT] = explanation;
            let Ok(head) = Head::read(logged.layout, &data) else { continue };
            expect_head(&head, &decoded(logged.layout, &data).unwrap());
        }
        let Ok(expected) = Head::read(logged.layout, &data) else { continue };
        assert_eq!(expected.kind, Kind::Trade);
        read += 1;
        for byte in EXPLANATIONS..=u8::MAX {
            data[EXPLANATION_AT] = byte;
            assert_eq!(Head::read(logged.layout, &data), Ok(expected), "byte {byte}");
        }
    }
    assert!(read > 0);
}

#[test]
fn the_discriminator_is_looked_at() {
    let mut data = settlement(1);
    let layout = layout_named("SettlePnlRecord");
    assert!(decoded(layout, &data).is_ok());
    let wrong = layout_named("OrderActionRecord").check(&data);
    let discriminator = layout.discriminator;
    assert_eq!(wrong, Err(ProtocolError::WrongDiscriminator { discriminator }));
    data.truncate(7);
    assert_eq!(layout.check(&data), Err(ProtocolError::WrongLength { expected: 8, actual: 7 }));
}

/// The head that a record has by its text.
fn expect_head(head: &Head, text: &Value) {
    let number = |name: &str| text[name].as_str().map(|digits| digits.parse::<i128>().unwrap());
    assert_eq!(Some(i128::from(head.ts)), number("ts"));
    let market_type = match text["marketType"].as_str() {
        Some("Spot") => MarketType::Spot,
        _ => MarketType::Perp,
    };
    let index = text["marketIndex"].as_u64().unwrap();
    assert_eq!(head.market, Some((market_type, u16::try_from(index).unwrap())));
    let id = head.id.map(i128::from);
    if text.get("recordId").is_some() {
        assert_eq!((head.kind, id), (Kind::FundingRate, number("recordId")));
        return;
    }
    let is_fill = text["action"] == "Fill";
    let is_transfer = is_fill && text["actionExplanation"] == "TransferPerpPosition";
    assert_eq!(matches!(head.kind, Kind::Trade | Kind::Transfer), is_fill);
    assert_eq!(head.kind == Kind::Transfer, is_transfer);
    let amounts =
        head.amounts.map(|sums| [sums.base.into(), sums.quote.into(), sums.oracle.into()]);
    let told = ["baseAssetAmountFilled", "quoteAssetAmountFilled", "oraclePrice"];
    assert_eq!(amounts, is_fill.then(|| told.map(|name| number(name).unwrap())));
    assert_eq!(id, number("fillRecordId").filter(|_| is_fill));
    let told = [("taker", "takerOrderId"), ("maker", "makerOrderId")].map(|(key, order)| {
        let key = text[key].as_str()?.to_owned();
        Some((key, text[order].as_u64()))
    });
    let maker = told[1].clone().filter(|_| text["taker"] != text["maker"]);
    let parties = head
        .parties
        .map(|party| party.map(|party| (party.key.to_string(), party.order_id.map(u64::from))));
    assert_eq!(parties, [told[0].clone(), maker]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_head_of_a_record_says_what_its_text_says(
        pick in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        byte: u8,
        cut in any::<prop::sample::Index>(),
    ) {
        let all: Vec<Logged> = synthetic()
            .into_iter()
            .filter(|one| [ACTION, FUNDING].contains(&one.layout.name))
            .collect();
        let logged = pick.get(&all);
        let mut data = logged.data.clone();
        let at = 8 + at.index(data.len() - 8);
        data[at] = byte;
        data.truncate(8 + cut.index(data.len()));
        // The text names every byte or refuses the record; the head takes any explanation.
        if let Some(byte) = data.get_mut(EXPLANATION_AT)
            && logged.layout.name == ACTION
            && *byte >= EXPLANATIONS
        {
            *byte = 0;
        }
        match (Head::read(logged.layout, &data), decoded(logged.layout, &data)) {
            (Ok(head), Ok(text)) => expect_head(&head, &text),
            (Err(ProtocolError::MissingField { field }), Ok(text)) => {
                prop_assert!(text["action"] == "Fill" && text[field].is_null());
            }
            (head, text) => prop_assert_eq!(head.is_ok(), text.is_ok()),
        }
    }
}

#[test]
fn every_field_of_velocitys_records_is_where_another_table_says() {
    let golden = support::vectors("../velocity/events.json");
    let golden: Value = serde_json::from_str(&read_to_string(golden).unwrap()).unwrap();
    let golden = golden.as_object().unwrap();
    assert_eq!(golden.len(), Program::Velocity.events().len());
    for (name, record) in golden {
        let layout = layout_of(Program::Velocity, name);
        let hex: String = layout.discriminator.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, record["discriminator"], "{name}");
        let mut data = layout.discriminator.to_vec();
        data.resize(record["size"].as_u64().unwrap().try_into().unwrap(), 0);
        let fit = event_json(layout, &data, &mut String::new());
        assert_eq!(fit, Ok(Fit { fields_missing: 0, bytes_behind: 0 }), "{name}");
        let zeros = decoded(layout, &data).unwrap();
        for (field, place) in record["fields"].as_object().unwrap() {
            let number = |at: usize| usize::try_from(place[at].as_u64().unwrap()).unwrap();
            for at in [number(0), number(0) + number(1) - 1] {
                data[at] = 1;
                let mut read = decoded(layout, &data).unwrap();
                assert_ne!(read[field], zeros[field], "{name}.{field} at {at}");
                read[field] = zeros[field].clone();
                assert_eq!(read, zeros, "{name}.{field} at {at}");
                data[at] = 0;
            }
        }
    }
}

#[test]
fn the_order_of_velocitys_order_record_is_that_of_its_accounts() {
    let layout = layout_of(Program::Velocity, "OrderRecord");
    let mut data = layout.discriminator.to_vec();
    data.resize(152, 0);
    data[48 + 72..][..8].copy_from_slice(&(-5_000_000_000_i64).to_le_bytes());
    data[48 + 80..][..4].copy_from_slice(&7_u32.to_le_bytes());
    data[48 + 98] = 64;
    let order = &decoded(layout, &data).unwrap()["order"];
    assert_eq!(order["oraclePriceOffset"], "-5000000000");
    assert_eq!((&order["orderId"], &order["bitFlags"]), (&Value::from(7), &Value::from(64)));
}

#[test]
fn both_programs_log_an_action_alike() {
    let fields = |program| format!("{:?}", layout_of(program, ACTION));
    assert_eq!(fields(Program::Drift), fields(Program::Velocity));
}

#[test]
fn a_funding_rate_of_velocity_has_its_own_fields() {
    for Logged { layout, data, .. } in
        synthetic().into_iter().filter(|one| one.layout.name == FUNDING)
    {
        let ours = layout_of(Program::Velocity, FUNDING);
        // The revenue lies before the last field, and the providers' position after it.
        let shorter = [&data[..114], &data[122..138]].concat();
        assert_eq!(Head::read(ours, &shorter), Head::read(layout, &data));
        let cut = Head::read(ours, &shorter[..shorter.len() - 1]);
        assert!(matches!(cut, Err(ProtocolError::WrongLength { .. })));
    }
}

#[test]
fn records_of_the_other_program_are_none_of_ours() {
    let coded = |program, name| {
        let mut data = layout_of(program, name).discriminator.to_vec();
        data.resize(500, 0);
        BASE64_STANDARD.encode(data)
    };
    let drift = coded(Program::Drift, "CurveRecord");
    let velocity = coded(Program::Velocity, "AmmCurveChanged");
    for (program, name, events) in [
        (Program::Drift, &drift, 1),
        (Program::Drift, &velocity, 0),
        (Program::Velocity, &velocity, 1),
        (Program::Velocity, &drift, 0),
    ] {
        let logs =
            [format!("Program {} invoke [1]", program.id()), format!("Program data: {name}")];
        let summary = LogScanner::new(&program.id()).scan(&logs, |_| Ok(()));
        assert_eq!(summary.events, events, "{program:?}");
    }
}

#[test]
fn the_rules_of_a_program_are_those_that_are_named_and_not_those_of_its_address() {
    let mut data = layout_of(Program::Velocity, "AmmCurveChanged").discriminator.to_vec();
    data.resize(186, 0);
    let event = format!("Program data: {}", BASE64_STANDARD.encode(data));
    let logs = [format!("Program {OTHER} invoke [1]"), event];
    let other = OTHER.parse().unwrap();
    for (rules, events) in [(Program::Velocity, 1), (Program::Drift, 0)] {
        let summary = LogScanner::of(rules, &other).scan(&logs, |_| Ok(()));
        assert_eq!(summary.events, events, "{rules:?}");
    }
}
