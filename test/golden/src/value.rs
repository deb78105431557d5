//! Reading the vectors' JSON: integers are decimal strings or JSON integers. Where a file is other than it must be,
//! reading panics, and the case fails.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// A value at a key.
pub(crate) fn at<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or_else(|| panic!("{key} is missing"))
}

/// A list at a key.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    at(value, key).as_array().unwrap_or_else(|| panic!("{key} is not a list"))
}

/// The text of a value.
pub(crate) fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

/// A text at a key.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    text_of(at(value, key))
}

/// An integer of the wanted width, written as a decimal string or as a JSON integer.
pub(crate) fn integer_of<T: TryFrom<i128>>(value: &Value) -> T {
    let integer: Option<i128> = match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_i128(),
        _ => None,
    };
    let narrow = integer.and_then(|integer| T::try_from(integer).ok());
    narrow.unwrap_or_else(|| panic!("{value} is not an integer in range"))
}

/// An integer at a key.
pub(crate) fn integer<T: TryFrom<i128>>(value: &Value, key: &str) -> T {
    integer_of(at(value, key))
}

/// An integer at a key, `None` when it is null or absent.
pub(crate) fn optional<T: TryFrom<i128>>(value: &Value, key: &str) -> Option<T> {
    value.get(key).filter(|value| !value.is_null()).map(integer_of)
}

/// An integer at a key, 0 when it is absent.
pub(crate) fn or_zero<T: TryFrom<i128> + Default>(value: &Value, key: &str) -> T {
    value.get(key).map(integer_of).unwrap_or_default()
}

/// The integers of a list at a key.
pub(crate) fn integers<T: TryFrom<i128>>(value: &Value, key: &str) -> Vec<T> {
    list(value, key).iter().map(integer_of).collect()
}

/// A truth value at a key; absent is false.
pub(crate) fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// Asserts that a recorded integer is ours.
pub(crate) fn same<T: TryInto<i128>>(recorded: &Value, key: &str, ours: T) {
    assert_eq!(ours.try_into().ok(), Some(integer(recorded, key)), "{key}");
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A JSON file.
pub(crate) fn read_json(path: &Path) -> Value {
    let read = serde_json::from_str(&read_text(path));
    read.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
