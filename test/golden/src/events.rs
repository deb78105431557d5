//! Logs of transactions, and single logged records, with the decoding that is expected of them.

use serde_json::Value;
use slotbook_decoded::{Fit, event_json};
use slotbook_protocol::model::event::logs::{LogScanner, LogSummary};
use slotbook_protocol::model::units::Pubkey;

use crate::accounts::difference;
use crate::report::Outcome;
use crate::value::{Malformed, at, integer, list, text};

/// The program whose events were recorded.
const PROGRAM: &str = "dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH";

/// One event, as ours reads it.
struct Decoded {
    name: &'static str,
    line: usize,
    bytes: usize,
    fit: Fit,
    data: Value,
}

/// Runs a file of one logged record per line.
pub(crate) fn check_lines(lines: &str) -> Result<Vec<(String, Outcome)>, Malformed> {
    let mut cases = Vec::new();
    for (number, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Value =
            serde_json::from_str(line).map_err(|error| Malformed(format!("line: {error}")))?;
        let kind = text(&line, "type")?;
        let name = format!("line {} {kind} {}", number + 1, text(&line, "mode")?);
        let logs = [
            format!("Program {PROGRAM} invoke [1]"),
            text(&line, "log")?.to_owned(),
            format!("Program {PROGRAM} success"),
        ];
        let (events, summary) = scan(&logs)?;
        let outcome = match events.as_slice() {
            [event] => check_event(event, kind, integer(&line, "bytes")?, at(&line, "expected")?),
            _ => Outcome::Failed(format!("{} events were read, {summary:?}", events.len())),
        };
        cases.push((name, outcome));
    }
    Ok(cases)
}

fn check_event(event: &Decoded, name: &str, bytes: usize, data: &Value) -> Outcome {
    let ours = (event.name, event.bytes, event.fit);
    let whole = (name, bytes, Fit { fields_missing: 0, bytes_behind: 0 });
    match difference("", &event.data, data) {
        Some(text) => Outcome::Failed(text),
        None => Outcome::compare("name, bytes and fit", &ours, &whole),
    }
}

/// Runs the logs of one transaction: the events expected, and no other.
pub(crate) fn check_logs(
    logs: &Value,
    expected: &Value,
) -> Result<Vec<(String, Outcome)>, Malformed> {
    let lines: Vec<String> = serde_json::from_value(logs.clone())
        .map_err(|error| Malformed(format!("logs: {error}")))?;
    let expected = expected
        .as_array()
        .ok_or_else(|| Malformed("the expected events are not a list".to_owned()))?;
    let (events, summary) = scan(&lines)?;
    let counts = (events.len(), summary.unreadable);
    let mut cases = vec![(
        "events and unreadable ones".to_owned(),
        Outcome::compare("counts", &counts, &(expected.len(), 0)),
    )];
    for (index, (event, expected)) in events.iter().zip(expected).enumerate() {
        cases.push((format!("event {index}"), check_captured(event, &lines, expected)?));
    }
    Ok(cases)
}

fn check_captured(
    event: &Decoded,
    lines: &[String],
    expected: &Value,
) -> Result<Outcome, Malformed> {
    let missing = list(expected, "missingTrailingFields")?;
    let ours = (event.name, event.line, event.bytes, event.fit);
    let theirs = (
        text(expected, "name")?,
        integer(expected, "line")?,
        integer(expected, "bytes")?,
        Fit { fields_missing: missing.len(), bytes_behind: integer(expected, "trailingBytes")? },
    );
    if ours != theirs {
        return Ok(Outcome::compare("name, line, bytes and fit", &ours, &theirs));
    }
    if !lines[event.line].starts_with(text(expected, "via")?) {
        return Ok(Outcome::Failed("the line has another form".to_owned()));
    }
    let mut data = event.data.clone();
    for name in missing.iter().filter_map(Value::as_str) {
        let removed = data.as_object_mut().and_then(|fields| fields.remove(name));
        if !removed.as_ref().is_some_and(is_zero) {
            return Ok(Outcome::Failed(format!("{name} was {removed:?}, must be null or 0")));
        }
    }
    Ok(match difference("", &data, at(expected, "data")?) {
        None => Outcome::Passed,
        Some(text) => Outcome::Failed(text),
    })
}

fn is_zero(value: &Value) -> bool {
    value.is_null() || *value == 0 || *value == "0"
}

fn scan(lines: &[String]) -> Result<(Vec<Decoded>, LogSummary), Malformed> {
    let program: Pubkey =
        PROGRAM.parse().map_err(|error| Malformed(format!("program: {error}")))?;
    let mut events = Vec::new();
    let mut broken = None;
    let summary = LogScanner::new(&program).scan(lines, |event| {
        let mut json = String::new();
        let fit = event_json(event.layout, event.data, &mut json)?;
        let data = serde_json::from_str(&json).unwrap_or_else(|error| {
            broken = Some(Malformed(format!("{} is no JSON: {error}", event.layout.name)));
            Value::Null
        });
        let (name, bytes) = (event.layout.name, event.data.len());
        events.push(Decoded { name, line: event.line, bytes, fit, data });
        Ok(())
    });
    broken.map_or(Ok((events, summary)), Err)
}
