//! Every kept input of every target, on a stable compiler.

use std::collections::BTreeSet;
use std::fs::{read, read_dir};
use std::path::{Path, PathBuf};

use crate::{TARGETS, seeds};

/// Bytes of all corpora: small enough to be kept in the repository for good.
const CORPORA_BYTES_MAX: usize = 600 << 10;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora")
}

/// The inputs of a corpus: each has its length before it, 4 bytes, little-endian.
fn inputs_of(corpus: &[u8]) -> Vec<&[u8]> {
    let mut inputs = Vec::new();
    let mut rest = corpus;
    while let Some((length, after)) = rest.split_first_chunk() {
        let (input, next) = after.split_at(u32::from_le_bytes(*length) as usize);
        inputs.push(input);
        rest = next;
    }
    assert!(rest.is_empty(), "the corpus ends within a length");
    inputs
}

#[test]
fn every_kept_input_holds_every_property() {
    for target in TARGETS {
        let corpus = read(corpora().join(target.name).with_extension("bin")).unwrap();
        let inputs = inputs_of(&corpus);
        assert!(!inputs.is_empty(), "{} has a corpus", target.name);
        for (number, input) in inputs.into_iter().enumerate() {
            let run = std::panic::catch_unwind(|| (target.run)(input));
            assert!(run.is_ok(), "{} failed on input {number}", target.name);
        }
    }
}

/// Kept inputs are few a branch; the seeds have values in every field.
#[test]
fn every_seed_holds_every_property() {
    let seeds = seeds::all();
    for target in TARGETS {
        for (number, input) in seeds[target.name].iter().enumerate() {
            let run = std::panic::catch_unwind(|| (target.run)(input));
            assert!(run.is_ok(), "{} failed on seed {number}", target.name);
        }
    }
}

#[test]
fn corpora_are_small_and_each_is_a_targets() {
    let files: BTreeSet<_> =
        read_dir(corpora()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let expected: BTreeSet<_> =
        TARGETS.iter().map(|target| corpora().join(target.name).with_extension("bin")).collect();
    assert_eq!(files, expected);
    let bytes: usize = files.iter().map(|file| read(file).unwrap().len()).sum();
    assert!(bytes <= CORPORA_BYTES_MAX, "corpora were {bytes} bytes");
}
