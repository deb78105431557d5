//! A folder of captured accounts and logs, described by its `manifest.json`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use slotbook_protocol::model::account::AccountKind;

use crate::accounts::{base64_bytes, check_decode};
use crate::events;
use crate::oracles;
use crate::report::{FileReport, Outcome};
use crate::value::{Malformed, at, integer, text};

/// The manifest's name for the logs of a transaction.
const LOGS: &str = "transaction logs";

/// Runs every file that the manifest names.
pub(crate) fn check(folder: &Path, manifest: &Value) -> Result<Vec<FileReport>, Malformed> {
    let entries =
        manifest.as_array().ok_or_else(|| Malformed("the manifest is not a list".to_owned()))?;
    entries.iter().map(|entry| check_entry(folder, entry)).collect()
}

fn check_entry(folder: &Path, entry: &Value) -> Result<FileReport, Malformed> {
    let file = text(entry, "file")?;
    let kind = text(entry, "type")?;
    if kind.starts_with("SignedMsgOrder") {
        return Ok(FileReport::left(file, "signed orders before they are on chain"));
    }
    if let Some(reason) = not_ours(kind) {
        return Ok(FileReport::not_ours(file, reason));
    }
    let is_known = kind == LOGS || entry.get("oracleSource").is_some() || is_account_kind(kind);
    if !is_known {
        return Ok(FileReport::not_yet(file, "no room reads this content"));
    }
    let is_logs = text(entry, "type")? == LOGS;
    let checked = if is_logs { check_logs(folder, entry) } else { check_account(folder, entry) };
    let cases = match checked {
        Ok(cases) => cases,
        Err(error) => vec![("file".to_owned(), Outcome::Failed(error.to_string()))],
    };
    Ok(FileReport::of(file, cases))
}

/// Captures of what slotbook does not read.
fn not_ours(kind: &str) -> Option<&'static str> {
    match kind {
        "PythLazer Storage" => Some("holds signers of the oracle, no prices"),
        _ if kind.starts_with("instruction data") => Some("instructions are not read"),
        _ => None,
    }
}

fn is_account_kind(name: &str) -> bool {
    AccountKind::ALL.iter().any(|kind| format!("{kind:?}") == name)
}

fn check_account(folder: &Path, entry: &Value) -> Result<Vec<(String, Outcome)>, Malformed> {
    let data = read_account(folder, entry)?;
    let length = integer(entry, "bytes")?;
    let mut cases = vec![("length".to_owned(), Outcome::compare("bytes", &data.len(), &length))];
    let expected = match entry.get("expectedDecode").and_then(Value::as_str) {
        Some(path) => Some(read_json(&folder.join(path))?),
        None => None,
    };
    let is_oracle = entry.get("oracleSource").is_some();
    if expected.is_some() || !is_oracle {
        let expected = expected.as_ref().map(|expected| at(expected, "data")).transpose()?;
        cases.push(("decode".to_owned(), check_decode(text(entry, "type")?, &data, expected)));
    }
    if is_oracle {
        cases.extend(oracles::check(entry, &data)?);
    }
    Ok(cases)
}

fn check_logs(folder: &Path, entry: &Value) -> Result<Vec<(String, Outcome)>, Malformed> {
    let logs = read_json(&folder.join(text(entry, "file")?))?;
    let expected = read_json(&folder.join(text(entry, "expectedDecode")?))?;
    events::check_logs(&logs, &expected)
}

fn read_account(folder: &Path, entry: &Value) -> Result<Vec<u8>, Malformed> {
    let path = folder.join(text(entry, "file")?);
    let bytes = base64_bytes(&read_text(&path)?)?;
    if text(entry, "encoding")?.contains("zstd") {
        zstd::decode_all(bytes.as_slice()).map_err(|error| Malformed(format!("zstd: {error}")))
    } else {
        Ok(bytes)
    }
}

fn read_text(path: &Path) -> Result<String, Malformed> {
    fs::read_to_string(path).map_err(|error| Malformed(format!("{}: {error}", path.display())))
}

/// A JSON file.
pub(crate) fn read_json(path: &Path) -> Result<Value, Malformed> {
    serde_json::from_str(&read_text(path)?)
        .map_err(|error| Malformed(format!("{}: {error}", path.display())))
}
