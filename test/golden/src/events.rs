//! Logs of transactions, and single logged records, with the decoding that is expected of them.

use serde_json::Value;
use slotbook_decoded::{Fit, event_json};
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::event::logs::{LogScanner, LogSummary};

use crate::accounts::check_same;
use crate::report::{Case, case, equal};
use crate::value::{at, integer, list, text, text_of};

/// One event, as ours reads it.
struct Decoded {
    name: &'static str,
    line: usize,
    bytes: usize,
    fit: Fit,
    data: Value,
}

/// Checks one logged record of a file of records.
pub(crate) fn check_line(line: &Value) {
    let logs = [
        format!("Program {PROGRAM_ID} invoke [1]"),
        text(line, "log").to_owned(),
        format!("Program {PROGRAM_ID} success"),
    ];
    let (events, summary) = scan(&logs);
    let [event] = &events[..] else { panic!("{} events were read, {summary:?}", events.len()) };
    check_same("", &event.data, at(line, "expected"));
    let whole = Fit { fields_missing: 0, bytes_behind: 0 };
    let expected = (text(line, "type"), integer(line, "bytes"), whole);
    assert_eq!((event.name, event.bytes, event.fit), expected, "name, bytes and fit");
}

/// Runs the logs of one transaction: the events expected, and no other.
pub(crate) fn check_logs(logs: &Value, expected: &Value) -> Vec<Case> {
    let lines: Vec<String> = serde_json::from_value(logs.clone()).expect("logs are texts");
    let expected = expected.as_array().expect("the expected events are a list");
    let (events, summary) = scan(&lines);
    let counts = (events.len(), summary.unreadable);
    let mut cases = vec![equal("events and unreadable ones", &counts, &(expected.len(), 0))];
    for (index, (event, expected)) in events.iter().zip(expected).enumerate() {
        cases.push(case(&format!("event {index}"), || {
            check_captured(event, &lines, expected);
            None
        }));
    }
    cases
}

fn check_captured(event: &Decoded, lines: &[String], expected: &Value) {
    let missing = list(expected, "missingTrailingFields");
    let ours = (event.name, event.line, event.bytes, event.fit);
    let fit =
        Fit { fields_missing: missing.len(), bytes_behind: integer(expected, "trailingBytes") };
    let theirs =
        (text(expected, "name"), integer(expected, "line"), integer(expected, "bytes"), fit);
    assert_eq!(ours, theirs, "name, line, bytes and fit");
    assert!(lines[event.line].starts_with(text(expected, "via")), "the line has another form");
    let mut data = event.data.clone();
    for name in missing.iter().map(text_of) {
        let removed = data.as_object_mut().and_then(|fields| fields.remove(name));
        let is_zero = removed.as_ref().is_some_and(is_zero);
        assert!(is_zero, "{name} was {removed:?}, must be null or 0");
    }
    check_same("", &data, at(expected, "data"));
}

fn is_zero(value: &Value) -> bool {
    value.is_null() || *value == 0 || *value == "0"
}

fn scan(lines: &[String]) -> (Vec<Decoded>, LogSummary) {
    let mut events = Vec::new();
    let summary = LogScanner::new(&PROGRAM_ID).scan(lines, |event| {
        let mut json = String::new();
        let fit = event_json(event.layout, event.data, &mut json)?;
        let data = serde_json::from_str(&json).expect("what is written is JSON");
        let (name, bytes) = (event.layout.name, event.data.len());
        events.push(Decoded { name, line: event.line, bytes, fit, data });
        Ok(())
    });
    (events, summary)
}
