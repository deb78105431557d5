//! Walking a folder and telling families apart by content.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::report::{Case, FileReport, FolderReport, Outcome, attempt, case};
use crate::value::{list, read_json, read_text, text};
use crate::{accounts, amm, dlob, events, group, manifest, margin, onchain, prices, uncross};

/// Runs every vector file of a folder, in the order of paths.
///
/// # Errors
/// When the folder cannot be read. A file that cannot be understood is a failed case, not an error.
pub fn run(folder: &Path) -> io::Result<FolderReport> {
    let mut report = FolderReport::default();
    walk(folder, folder, &mut report)?;
    Ok(report)
}

fn walk(root: &Path, folder: &Path, report: &mut FolderReport) -> io::Result<()> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let manifest = paths.iter().find(|path| path.ends_with("manifest.json"));
    for path in manifest.map_or(&paths[..], std::slice::from_ref) {
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let extension = path.extension().and_then(|extension| extension.to_str());
        let checked = match extension {
            _ if manifest.is_some() => attempt(|| manifest::check(folder, &read_json(path))),
            _ if path.is_dir() => {
                walk(root, path, report)?;
                continue;
            }
            Some("json") => attempt(|| vec![check_json(&name, &read_json(path))]),
            Some("jsonl") => attempt(|| vec![check_lines(&name, &read_text(path))]),
            _ => continue,
        };
        report.files.extend(checked.unwrap_or_else(|error| {
            vec![FileReport::of(&name, vec![("file".to_owned(), Outcome::Failed(error))])]
        }));
    }
    Ok(())
}

/// The outcomes of one recorded case.
type Check = fn(&Value) -> Vec<Case>;

/// Families of files with cases: the first of whose keys the first case has all.
const FAMILIES: [(&[&str], Check); 13] = [
    (&["order", "oraclePrice", "tickSize", "fallbackPrice"], prices::check_program_limit),
    (&["order", "oraclePrice", "tickSize"], prices::check_program_auction),
    (&["order", "oraclePrice", "fallbackPrice"], prices::check_sdk_limit),
    (&["order", "oraclePrice"], prices::check_sdk_auction),
    (&["grouping", "depth"], |value| judged(value, group::judge)),
    (&["userBids"], |value| passed(value, uncross::judge)),
    (&["topOfBookQuoteAmounts"], |value| passed(value, amm::judge_quote)),
    (&["inputAsset"], |value| passed(value, amm::judge_swap)),
    (&["makerBase"], |value| passed(value, onchain::judge_match_fill)),
    (&["takerVolume30d"], |value| passed(value, onchain::judge_fees)),
    (&["pricesInInsertOrder"], |value| passed(value, onchain::judge_maker_order)),
    (&["makers"], |value| passed(value, onchain::judge_walk)),
    (&["amm"], |value| passed(value, onchain::judge_spreads)),
];

fn judged(value: &Value, judge: fn(&Value) -> Option<String>) -> Vec<Case> {
    vec![case(text(value, "name"), || judge(value))]
}

/// A case that does not depart.
fn passed(value: &Value, judge: fn(&Value)) -> Vec<Case> {
    vec![case(text(value, "name"), || {
        judge(value);
        None
    })]
}

fn check_json(name: &str, file: &Value) -> FileReport {
    let has = |key: &str| file.get(key).is_some();
    if has("orders") && has("snapshots") {
        return dlob::check(name, file);
    }
    if let Some(first) = file.get("cases").and_then(|cases| cases.get(0)) {
        if first.get("bookIndex").is_some() {
            return FileReport::unrun(name, "not ours: the SDK's estimate of a fill, a third walk");
        }
        let is_of = |keys: &[&str]| keys.iter().all(|key| first.get(key).is_some());
        let family = FAMILIES.iter().find(|(keys, _)| is_of(keys)).expect("a known family");
        return FileReport::of(name, list(file, "cases").iter().flat_map(family.1).collect());
    }
    if file.as_array().is_some() {
        FileReport::unrun(name, "not ours: an index of other files")
    } else if has("buckets") {
        FileReport::unrun(name, "left to test/golden-ts: candles")
    } else if file["vectors"][0]["input"].get("perpMarkets").is_some() {
        let cases = list(file, "vectors").iter().flat_map(|value| passed(value, margin::judge));
        FileReport::of(name, cases.collect())
    } else if has("meta") && (has("vectors") || has("rows")) {
        let reason = "left to test/golden-ts: labels and messages of the data interface";
        FileReport::unrun(name, reason)
    } else {
        panic!("content of no known family")
    }
}

/// A file of one account or one logged record per line.
fn check_lines(name: &str, lines: &str) -> FileReport {
    let lines = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let cases = lines.map(|(number, line)| {
        let line: Value = serde_json::from_str(line).expect("a line is JSON");
        let name = format!("line {} {} {}", number + 1, text(&line, "type"), text(&line, "mode"));
        case(&name, || {
            let is_event = line.get("log").is_some();
            if is_event {
                events::check_line(&line)
            } else {
                accounts::check_line(&line)
            }
            None
        })
    });
    FileReport::of(name, cases.collect())
}
