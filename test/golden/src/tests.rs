//! The committed vectors: nothing fails, and exactly the known cases depart.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use crate::{FolderReport, Totals, run};

fn vectors(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(folder)
}

fn check(folder: &str, expected: Totals, departures: &[(&str, usize)]) {
    let report = run(&vectors(folder)).expect("the folder can be read");
    assert_eq!(report.totals(), expected, "{report}");
    assert_eq!(report.departures(), departures.iter().copied().collect::<BTreeMap<_, _>>());
}

#[test]
fn every_account_and_event_type_decodes_to_its_vector() {
    check("synthetic", Totals { passed: 137, failed: 0, departed: 0 }, &[]);
}

#[test]
fn captured_accounts_oracles_and_logs_read_as_the_program_means_them() {
    check("real-accounts", Totals { passed: 194, failed: 0, departed: 0 }, &[]);
}

#[test]
fn prices_groups_and_uncrossed_books_are_right_to_the_unit() {
    let departures = [
        ("float divisor", 5),
        ("last group complete", 2),
        ("offset floor is the tick", 1),
        ("slot before order.slot", 5),
        ("worsening fixed auction", 12),
    ];
    check("prices", Totals { passed: 954, failed: 0, departed: 25 }, &departures);
}

#[test]
fn the_programs_own_matching_is_right_to_the_last_unit() {
    check("onchain", Totals { passed: 300, failed: 0, departed: 0 }, &[]);
}

#[test]
fn margins_gains_and_liquidation_prices_are_those_of_the_sdk() {
    check("client", Totals { passed: 29, failed: 0, departed: 0 }, &[]);
}

#[test]
fn quotes_levels_and_swaps_of_the_amm_are_right_to_the_unit() {
    check("amm", Totals { passed: 104, failed: 0, departed: 0 }, &[]);
}

#[test]
fn recorded_books_are_ours_or_depart_by_a_named_rule() {
    let departures = [
        ("expired", 67),
        ("expired + reduce-only sizes", 34),
        ("head removal", 7),
        ("in-auction offsets", 12),
        ("protected view", 12),
        ("reduce-only cap lost + reduce-only sizes", 18),
        ("reduce-only sizes", 40),
        ("tie across lists", 6),
        ("unsorted list", 34),
        ("zero price limit", 1),
    ];
    check("dlob", Totals { passed: 274, failed: 0, departed: 231 }, &departures);
}

#[test]
fn a_changed_recording_fails() {
    let file = vectors("dlob").join("dlob-000-clean-10.json");
    let changed = |text: String| text.replacen("\"28110000000\"", "\"28110000001\"", 2);
    let report = run_copies("changed", &[file], changed);
    assert!(report.totals().failed > 0, "{report}");
}

#[test]
fn a_changed_level_of_the_amm_fails() {
    let file = vectors("amm").join("vamm-l2.json");
    let changed = |text: String| text.replacen("3245091369118437", "3245091369118438", 1);
    let report = run_copies("changed-amm", &[file], changed);
    assert_eq!(report.totals().failed, 1, "{report}");
}

#[test]
fn a_departure_that_no_rule_explains_fails() {
    let file = vectors("dlob").join("dlob-029-reduce-only-0.json");
    let text = fs::read_to_string(&file).expect("the vector can be read");
    let at = text.find("\"l2Depth10\"").expect("the vector has levels");
    let (head, tail) = text.split_at(at);
    // The first level of the recording gets another size: the readings can no longer explain it.
    let changed = format!(
        "{head}{}",
        tail.replacen("\"size\": \"", "\"size\": \"9", 1).replacen(
            "\"size\":\"",
            "\"size\":\"9",
            1
        )
    );
    let report = run_copies("unexplained", &[file], |_| changed.clone());
    assert!(report.totals().failed > 0, "{report}");
    assert!(report.totals().departed > 0, "{report}");
}

#[test]
fn the_family_is_told_by_content_and_not_by_name() {
    let file = vectors("dlob").join("dlob-018-cross-list-ties-0.json");
    let report = run_filled("renamed", |folder| {
        fs::copy(&file, folder.join("zzz.json")).expect("the vector can be copied");
    });
    assert_eq!(report.totals(), Totals { passed: 3, failed: 0, departed: 3 }, "{report}");
}

#[test]
fn a_file_that_cannot_be_understood_is_a_failed_case() {
    let report = run_filled("broken", |folder| {
        fs::write(folder.join("cut-off.json"), "{\"orders\": [").expect("the file can be written");
    });
    assert_eq!(report.totals().failed, 1, "{report}");
}

/// Runs a folder of changed copies of files.
fn run_copies(name: &str, files: &[PathBuf], change: impl Fn(String) -> String) -> FolderReport {
    run_filled(name, |folder| {
        for file in files {
            let text = fs::read_to_string(file).expect("the vector can be read");
            let name = file.file_name().expect("the vector has a name");
            fs::write(folder.join(name), change(text)).expect("the copy can be written");
        }
    })
}

/// Runs a new folder of the files that `fill` puts there, and removes it.
fn run_filled(name: &str, fill: impl FnOnce(&Path)) -> FolderReport {
    let folder = std::env::temp_dir().join(format!("slotbook-golden-{name}-{}", process::id()));
    fs::create_dir(&folder).expect("the folder can be made");
    fill(&folder);
    let report = run(&folder).expect("the folder can be read");
    fs::remove_dir_all(&folder).expect("the folder can be removed");
    report
}
