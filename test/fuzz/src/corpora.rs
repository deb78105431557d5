//! Every seed and every kept input of every target, on a stable compiler.

use std::collections::BTreeSet;
use std::fs::{read, read_dir};
use std::path::{Path, PathBuf};

use crate::TARGETS;

/// Bytes of all inputs: small enough to be kept in the repository for good.
const INPUTS_BYTES_MAX: usize = 600 << 10;

/// What a fuzzer kept, few inputs a branch; and seeds, which have values in every field.
const FOLDERS: [&str; 2] = ["corpora", "seeds"];

fn path(folder: &str, target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(target).with_extension("bin")
}

/// The inputs of a target in one of the folders.
pub(crate) fn file(folder: &str, target: &str) -> Vec<u8> {
    read(path(folder, target)).unwrap()
}

/// The inputs of a file: each has its length before it, 4 bytes, little-endian.
pub(crate) fn inputs_of(file: &[u8]) -> Vec<&[u8]> {
    let mut inputs = Vec::new();
    let mut rest = file;
    while let Some((length, after)) = rest.split_first_chunk() {
        let (input, next) = after.split_at(u32::from_le_bytes(*length) as usize);
        inputs.push(input);
        rest = next;
    }
    assert!(rest.is_empty(), "the file ends within a length");
    inputs
}

#[test]
fn every_input_holds_every_property() {
    for folder in FOLDERS {
        for target in TARGETS {
            let file = file(folder, target.name);
            let inputs = inputs_of(&file);
            assert!(!inputs.is_empty(), "{} has {folder}", target.name);
            for (number, input) in inputs.into_iter().enumerate() {
                let run = std::panic::catch_unwind(|| (target.run)(input));
                assert!(run.is_ok(), "{} failed on input {number} of {folder}", target.name);
            }
        }
    }
}

#[test]
fn inputs_are_small_and_each_is_a_targets() {
    let mut bytes = 0;
    for folder in FOLDERS {
        let entries = read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
        let files: BTreeSet<_> = entries.map(|entry| entry.unwrap().path()).collect();
        let expected: BTreeSet<_> =
            TARGETS.iter().map(|target| path(folder, target.name)).collect();
        assert_eq!(files, expected);
        bytes += files.iter().map(|file| read(file).unwrap().len()).sum::<usize>();
    }
    assert!(bytes <= INPUTS_BYTES_MAX, "the inputs were {bytes} bytes");
}
