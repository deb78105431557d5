//! Accounts with the decoding that is expected of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use slotbook_decoded::account_json;
use slotbook_protocol::model::{Program, kind_of};

use crate::value::{at, integer, text};

/// Checks one account of a file of accounts.
pub(crate) fn check_line(line: &Value) {
    let data = base64_bytes(text(line, "data"));
    assert_eq!(data.len(), integer::<usize>(line, "bytes"), "the vector's length");
    check_decode(text(line, "type"), &data, Some(at(line, "expected")));
}

/// Decodes one account and compares every field; without an expectation it must decode without
/// error.
pub(crate) fn check_decode(kind: &str, data: &[u8], expected: Option<&Value>) {
    let found = kind_of(data).expect("an account of a known kind");
    assert_eq!(format!("{found:?}"), kind, "the kind");
    let mut json = String::new();
    account_json(Program::Drift, found, data, &mut json).expect("an account that decodes");
    let ours: Value = serde_json::from_str(&json).expect("what is written is JSON");
    if let Some(expected) = expected {
        check_same("", &ours, expected);
    }
}

/// Asserts that two JSON values are equal, by path.
pub(crate) fn check_same(path: &str, ours: &Value, expected: &Value) {
    match (ours, expected) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, a) in a {
                let Some(b) = b.get(key) else { panic!("{path}.{key} is not expected") };
                check_same(&format!("{path}.{key}"), a, b);
            }
            let missing = b.keys().find(|key| !a.contains_key(*key));
            assert_eq!(missing, None, "{path} lacks it in ours");
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                check_same(&format!("{path}[{at}]"), a, b);
            }
        }
        (a, b) => assert_eq!(a, b, "{path}"),
    }
}

/// The bytes of a base64 text.
pub(crate) fn base64_bytes(text: &str) -> Vec<u8> {
    STANDARD.decode(text.trim()).expect("base64")
}
