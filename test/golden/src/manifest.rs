//! A folder of captured accounts and logs, described by its `manifest.json`.

use std::path::Path;

use serde_json::Value;
use slotbook_protocol::model::account::AccountKind;

use crate::accounts::{base64_bytes, check_decode};
use crate::report::{Case, FileReport, Outcome, attempt, case, equal};
use crate::value::{at, integer, read_json, read_text, text};
use crate::{events, oracles};

/// The manifest's name for the logs of a transaction.
const LOGS: &str = "transaction logs";

/// Runs every file that the manifest names.
pub(crate) fn check(folder: &Path, manifest: &Value) -> Vec<FileReport> {
    let entries = manifest.as_array().expect("the manifest is a list");
    entries.iter().map(|entry| check_entry(folder, entry)).collect()
}

fn check_entry(folder: &Path, entry: &Value) -> FileReport {
    let (file, kind) = (text(entry, "file"), text(entry, "type"));
    let is_account_kind = AccountKind::ALL.iter().any(|known| format!("{known:?}") == kind);
    let reason = match kind {
        _ if kind.starts_with("SignedMsgOrder") => {
            "left to test/golden-ts: signed orders before they are on chain"
        }
        "PythLazer Storage" => "not ours: holds signers of the oracle, no prices",
        _ if kind.starts_with("instruction data") => "not ours: instructions are not read",
        LOGS => "",
        _ if entry.get("oracleSource").is_some() || is_account_kind => "",
        _ => "not yet: no room reads this content",
    };
    if !reason.is_empty() {
        return FileReport::unrun(file, reason);
    }
    let check = if kind == LOGS { check_logs } else { check_account };
    let failed = |error| vec![("file".to_owned(), Outcome::Failed(error))];
    FileReport::of(file, attempt(|| check(folder, entry)).unwrap_or_else(failed))
}

fn check_account(folder: &Path, entry: &Value) -> Vec<Case> {
    let data = read_account(folder, entry);
    let mut cases = vec![equal("length", &data.len(), &integer(entry, "bytes"))];
    let expected = entry.get("expectedDecode").and_then(Value::as_str);
    let expected = expected.map(|path| read_json(&folder.join(path)));
    let is_oracle = entry.get("oracleSource").is_some();
    if expected.is_some() || !is_oracle {
        cases.push(case("decode", || {
            let expected = expected.as_ref().map(|expected| at(expected, "data"));
            check_decode(text(entry, "type"), &data, expected);
            None
        }));
    }
    if is_oracle {
        cases.extend(oracles::check(entry, &data));
    }
    cases
}

fn check_logs(folder: &Path, entry: &Value) -> Vec<Case> {
    let [logs, expected] =
        ["file", "expectedDecode"].map(|key| read_json(&folder.join(text(entry, key))));
    events::check_logs(&logs, &expected)
}

fn read_account(folder: &Path, entry: &Value) -> Vec<u8> {
    let bytes = base64_bytes(&read_text(&folder.join(text(entry, "file"))));
    match text(entry, "encoding").contains("zstd") {
        true => zstd::decode_all(&bytes[..]).expect("the account is zstd"),
        false => bytes,
    }
}
