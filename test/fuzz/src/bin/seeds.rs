//! Writes the seeds of every target into `DIR/TARGET`, for `scripts/fuzz.mjs`. Prints the targets, and how
//! long their inputs may be.
#![expect(clippy::unwrap_used, reason = "a tool that stops at what it does not expect")]

use std::fs::{create_dir_all, write};
use std::path::PathBuf;

use slotbook_fuzz::{TARGETS, seeds};

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("usage: seeds DIR"));
    for (target, inputs) in seeds::all() {
        create_dir_all(folder.join(target)).unwrap();
        for (number, input) in inputs.iter().enumerate() {
            write(folder.join(target).join(format!("seed-{number}")), input).unwrap();
        }
    }
    for target in TARGETS {
        println!("{} {}", target.name, target.input_bytes_max);
    }
}
