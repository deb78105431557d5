//! libFuzzer's entry to the target that `FUZZ_TARGET` names.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use slotbook_fuzz::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a target");
    TARGETS.iter().find(|target| target.name == name).expect("FUZZ_TARGET is one of the targets")
});

fuzz_target!(|input: &[u8]| (TARGET.run)(input));
