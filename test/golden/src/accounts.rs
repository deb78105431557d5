//! Accounts with the decoding that is expected of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use slotbook_decoded::account_json;
use slotbook_protocol::model::{Program, kind_of};

use crate::report::Outcome;
use crate::value::{Malformed, at, integer, text};

/// Runs a file of one account per line.
pub(crate) fn check_lines(lines: &str) -> Result<Vec<(String, Outcome)>, Malformed> {
    let mut cases = Vec::new();
    for (number, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Value =
            serde_json::from_str(line).map_err(|error| Malformed(format!("line: {error}")))?;
        let name = format!("line {} {} {}", number + 1, text(&line, "type")?, text(&line, "mode")?);
        let data = base64_bytes(text(&line, "data")?)?;
        let outcome = if data.len() == integer::<usize>(&line, "bytes")? {
            check_decode(text(&line, "type")?, &data, Some(at(&line, "expected")?))
        } else {
            Outcome::Failed("the vector's length is not its bytes".to_owned())
        };
        cases.push((name, outcome));
    }
    Ok(cases)
}

/// Decodes one account and compares every field; without an expectation it must decode without
/// error.
pub(crate) fn check_decode(kind: &str, data: &[u8], expected: Option<&Value>) -> Outcome {
    let mut json = String::new();
    let decoded = kind_of(data).and_then(|found| {
        account_json(Program::Drift, found, data, &mut json)?;
        Ok(found)
    });
    let found = match decoded {
        Ok(found) => format!("{found:?}"),
        Err(error) => return Outcome::Failed(format!("does not decode: {error}")),
    };
    if found != kind {
        return Outcome::Failed(format!("was taken for {found}, is {kind}"));
    }
    match (serde_json::from_str::<Value>(&json), expected) {
        (Err(error), _) => Outcome::Failed(format!("wrote JSON that does not parse: {error}")),
        (Ok(_), None) => Outcome::Passed,
        (Ok(ours), Some(expected)) => match difference("", &ours, expected) {
            None => Outcome::Passed,
            Some(text) => Outcome::Failed(text),
        },
    }
}

/// Where two JSON values first differ, by path.
pub(crate) fn difference(path: &str, ours: &Value, expected: &Value) -> Option<String> {
    match (ours, expected) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
            keys.sort();
            keys.dedup();
            keys.into_iter().find_map(|key| {
                let below = format!("{path}.{key}");
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => difference(&below, a, b),
                    (None, _) => Some(format!("{below} is missing in ours")),
                    (_, None) => Some(format!("{below} is not expected")),
                }
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(at, (a, b))| difference(&format!("{path}[{at}]"), a, b)),
        (a, b) if a == b => None,
        (a, b) => Some(format!("{path} is {a}, expected {b}")),
    }
}

/// The bytes of a base64 text.
pub(crate) fn base64_bytes(text: &str) -> Result<Vec<u8>, Malformed> {
    STANDARD.decode(text.trim()).map_err(|error| Malformed(format!("base64: {error}")))
}
