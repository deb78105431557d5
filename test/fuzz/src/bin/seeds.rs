//! Writes the first inputs of every target into `DIR/TARGET`: made from the synthetic vectors of
//! `test/golden/vectors`, never from captures. Prints the targets, and how long their inputs may be.
#![expect(clippy::unwrap_used, reason = "a tool that stops at what it does not expect")]

use std::collections::BTreeMap;
use std::fs::{create_dir_all, read_to_string, write};
use std::path::{Path, PathBuf};

use base64_simd::STANDARD;
use serde_json::Value;
use slotbook_fuzz::TARGETS;
use slotbook_fuzz::input::steps_of;
use slotbook_protocol::account::{AccountKind, DISCRIMINATOR_BYTES, kind_of};

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("usage: seeds DIR"));
    let mut seeds = Seeds::default();
    seeds.add_accounts();
    for target in TARGETS {
        seeds.add(target.name, &[]);
        println!("{} {}", target.name, target.input_bytes_max);
    }
    for (target, inputs) in seeds.of {
        create_dir_all(folder.join(target)).unwrap();
        for (number, input) in inputs.iter().enumerate() {
            write(folder.join(target).join(format!("seed-{number}")), input).unwrap();
        }
    }
}

#[derive(Default)]
struct Seeds {
    of: BTreeMap<&'static str, Vec<Vec<u8>>>,
}

impl Seeds {
    fn add(&mut self, target: &'static str, parts: &[&[u8]]) {
        self.of.entry(target).or_default().push(parts.concat());
    }

    /// Accounts of every kind, in the form of [`steps_of`].
    fn add_accounts(&mut self) {
        for data in accounts() {
            let kind = kind_of(&data).unwrap();
            let steps = steps_of(&data[DISCRIMINATOR_BYTES..]);
            self.add("account", &[&number_of(kind), &more_than(kind, &data), &steps]);
        }
    }
}

/// The number of a kind, as the targets read it.
fn number_of(kind: AccountKind) -> [u8; 1] {
    let number = AccountKind::ALL.iter().position(|known| *known == kind).unwrap();
    [u8::try_from(number).unwrap()]
}

/// By how many eights an account is longer than its kind has to be.
fn more_than(kind: AccountKind, data: &[u8]) -> [u8; 1] {
    [u8::try_from((data.len() - kind.layout().size).div_ceil(8)).unwrap()]
}

fn synthetic(file: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/vectors/synthetic");
    let text = read_to_string(folder.join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn accounts() -> Vec<Vec<u8>> {
    let lines = synthetic("accounts.jsonl").into_iter();
    lines.map(|line| STANDARD.decode_to_vec(line["data"].as_str().unwrap()).unwrap()).collect()
}
