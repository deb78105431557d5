//! Reading the vectors' JSON: integers are decimal strings or JSON integers.

use std::fmt;

use serde_json::Value;

/// What is wrong with a vector file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A value at a key.
pub(crate) fn at<'a>(value: &'a Value, key: &str) -> Result<&'a Value, Malformed> {
    value.get(key).ok_or_else(|| Malformed(format!("{key} is missing")))
}

/// A list at a key.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, Malformed> {
    at(value, key)?.as_array().ok_or_else(|| Malformed(format!("{key} is not a list")))
}

/// A text at a key.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, Malformed> {
    at(value, key)?.as_str().ok_or_else(|| Malformed(format!("{key} is not a text")))
}

/// An integer, written as a decimal string or as a JSON integer.
pub(crate) fn integer_of(value: &Value) -> Option<i128> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_i128(),
        _ => None,
    }
}

/// An integer of the wanted width at a key.
pub(crate) fn integer<T: TryFrom<i128>>(value: &Value, key: &str) -> Result<T, Malformed> {
    let read = at(value, key)?;
    integer_of(read)
        .and_then(|integer| T::try_from(integer).ok())
        .ok_or_else(|| Malformed(format!("{key} was {read}, must be an integer in range")))
}

/// An integer at a key, or the default when the key is absent.
pub(crate) fn integer_or<T: TryFrom<i128>>(
    value: &Value,
    key: &str,
    default: T,
) -> Result<T, Malformed> {
    if value.get(key).is_none() { Ok(default) } else { integer(value, key) }
}

/// An integer at a key, `None` when it is null or absent.
pub(crate) fn integer_or_null(value: &Value, key: &str) -> Result<Option<i128>, Malformed> {
    match value.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => integer(value, key).map(Some),
    }
}

/// A truth value at a key; absent is false.
pub(crate) fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}
