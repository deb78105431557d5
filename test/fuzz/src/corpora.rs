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

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_kept_input_holds_every_property() {
    for target in TARGETS {
        let files = files_of(&corpora().join(target.name));
        assert!(!files.is_empty(), "{} has a corpus", target.name);
        for file in files {
            let input = read(&file).unwrap();
            let run = std::panic::catch_unwind(|| (target.run)(&input));
            assert!(run.is_ok(), "{} failed on {}", target.name, file.display());
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
    let folders: BTreeSet<_> = files_of(&corpora()).into_iter().collect();
    let expected: BTreeSet<_> = TARGETS.iter().map(|t| corpora().join(t.name)).collect();
    assert_eq!(folders, expected);
    let files = folders.iter().flat_map(|folder| files_of(folder));
    let bytes: usize = files.map(|file| read(file).unwrap().len()).sum();
    assert!(bytes <= CORPORA_BYTES_MAX, "corpora were {bytes} bytes");
}
