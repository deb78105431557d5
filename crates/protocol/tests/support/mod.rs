//! Recorded accounts for the tests: generated ones, and captures from the chain.
#![allow(unreachable_pub, reason = "its items are of the tests alone")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs::read_to_string;
use std::io::Read;
use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use slotbook_protocol::model::account::AccountKind;

/// An account and its values according to another decoder.
pub struct Recorded {
    pub name: String,
    pub kind: AccountKind,
    pub data: Vec<u8>,
    pub expected: Value,
}

/// An oracle account as it was captured.
pub struct CapturedOracle {
    pub name: String,
    pub owner: Option<String>,
    pub data: Vec<u8>,
}

/// A folder of vectors in this repository.
pub fn vectors(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden/vectors").join(folder)
}

pub fn kind_named(name: &str) -> Option<AccountKind> {
    AccountKind::ALL.iter().copied().find(|kind| format!("{kind:?}") == name)
}

/// Accounts with random, smallest, largest and zero fields, 12 kinds.
pub fn synthetic() -> Vec<Recorded> {
    let text = read_to_string(vectors("synthetic/accounts.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| Recorded {
            name: format!("{} {}", line["type"], line["mode"]),
            kind: kind_named(line["type"].as_str().unwrap()).expect("a kind we decode"),
            data: BASE64_STANDARD.decode(line["data"].as_str().unwrap()).unwrap(),
            expected: line["expected"].clone(),
        })
        .collect()
}

fn manifest() -> Vec<Value> {
    let text = read_to_string(vectors("real-accounts/manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn file_bytes(entry: &Value) -> Vec<u8> {
    let path = vectors("real-accounts").join(entry["file"].as_str().unwrap());
    let bytes = BASE64_STANDARD.decode(read_to_string(path).unwrap().trim()).unwrap();
    if !entry["encoding"].as_str().unwrap().contains("zstd") {
        return bytes;
    }
    let mut plain = Vec::new();
    zstd::Decoder::new(&bytes[..]).unwrap().read_to_end(&mut plain).unwrap();
    plain
}

/// Accounts of the program, captured from the chain.
pub fn captured() -> Vec<Recorded> {
    let mut found = Vec::new();
    for entry in manifest() {
        let Some(expected) = entry["expectedDecode"].as_str() else { continue };
        let Some(kind) = kind_named(entry["type"].as_str().unwrap()) else { continue };
        let text = read_to_string(vectors("real-accounts").join(expected)).unwrap();
        let mut expected: Value = serde_json::from_str(&text).unwrap();
        let name = entry["name"].as_str().unwrap().to_owned();
        let data = file_bytes(&entry);
        found.push(Recorded { name, kind, data, expected: expected["data"].take() });
    }
    found
}

/// Oracle accounts, captured from the chain.
pub fn captured_oracles() -> Vec<CapturedOracle> {
    let entries = manifest().into_iter().filter(|entry| entry["oracleSource"].is_string());
    entries
        .map(|entry| CapturedOracle {
            name: entry["name"].as_str().unwrap().to_owned(),
            owner: entry["ownerProgram"]
                .as_str()
                .map(|owner| owner.split(' ').next().unwrap().to_owned()),
            data: file_bytes(&entry),
        })
        .collect()
}

pub fn all() -> Vec<Recorded> {
    synthetic().into_iter().chain(captured()).collect()
}
