//! Walking a folder and telling families apart by content.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::accounts;
use crate::amm;
use crate::dlob;
use crate::events;
use crate::group;
use crate::manifest;
use crate::margin;
use crate::onchain;
use crate::prices::{self, PriceFamily};
use crate::report::{FileReport, FolderReport, Outcome};
use crate::uncross;
use crate::value::Malformed;

/// Folders below the given one that are entered; deeper ones are an error.
const FOLDER_DEPTH_MAX: usize = 16;

/// Runs every vector file of a folder, in the order of paths.
///
/// # Errors
/// When the folder or a file cannot be read. A file that is read but cannot be understood is a
/// failed case, not an error.
pub fn run(folder: &Path) -> io::Result<FolderReport> {
    let mut report = FolderReport::default();
    walk(folder, folder, FOLDER_DEPTH_MAX, &mut report)?;
    Ok(report)
}

fn walk(root: &Path, folder: &Path, depth: usize, report: &mut FolderReport) -> io::Result<()> {
    if depth == 0 {
        return Err(io::Error::other(format!("more than {FOLDER_DEPTH_MAX} folders deep")));
    }
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    if let Some(described) = paths.iter().find(|path| path.ends_with("manifest.json")) {
        let below = described.parent().unwrap_or(folder);
        let reports = manifest::read_json(described).and_then(|file| manifest::check(below, &file));
        report.files.extend(reports.unwrap_or_else(|error| vec![broken(root, described, &error)]));
        return Ok(());
    }
    for path in paths {
        if path.is_dir() {
            walk(root, &path, depth - 1, report)?;
            continue;
        }
        let name = name_below(root, &path);
        let checked = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => manifest::read_json(&path).and_then(|file| check_json(&name, &file)),
            Some("jsonl") => check_lines(&name, &fs::read_to_string(&path)?),
            _ => continue,
        };
        report.files.push(checked.unwrap_or_else(|error| broken(root, &path, &error)));
    }
    Ok(())
}

fn name_below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn broken(root: &Path, path: &Path, error: &Malformed) -> FileReport {
    let cases = vec![("file".to_owned(), Outcome::Failed(error.to_string()))];
    FileReport::of(&name_below(root, path), cases)
}

fn check_json(name: &str, file: &Value) -> Result<FileReport, Malformed> {
    if file.get("orders").is_some() && file.get("snapshots").is_some() {
        return dlob::check(name, file);
    }
    let Some(first) = file.get("cases").and_then(Value::as_array).and_then(|cases| cases.first())
    else {
        return not_cases(name, file);
    };
    let has = |key: &str| first.get(key).is_some();
    let expects = |key: &str| first.get("expected").is_some_and(|value| value.get(key).is_some());
    let family = match (has("order") && has("oraclePrice"), has("tickSize"), has("fallbackPrice")) {
        (true, true, true) => Some(PriceFamily::ProgramLimit),
        (true, true, false) => Some(PriceFamily::ProgramAuction),
        (true, false, true) => Some(PriceFamily::SdkLimit),
        (true, false, false) if expects("isAuctionComplete") => Some(PriceFamily::SdkAuction),
        _ => None,
    };
    if let Some(family) = family {
        return Ok(FileReport::of(name, prices::check(family, file)?));
    }
    if has("grouping") && has("depth") {
        return Ok(FileReport::of(name, group::check(file)?));
    }
    if has("userBids") {
        return Ok(FileReport::of(name, uncross::check(file)?));
    }
    if has("topOfBookQuoteAmounts") {
        return Ok(FileReport::of(name, amm::check_quotes(file)?));
    }
    if has("inputAsset") {
        return Ok(FileReport::of(name, amm::check_swaps(file)?));
    }
    if let Some(outcomes) = onchain::check(file, first) {
        return Ok(FileReport::of(name, outcomes?));
    }
    not_ours(first).map(|reason| FileReport::not_ours(name, reason))
}

/// Files without cases. Unknown content is a failure: a family must not go unnoticed.
fn not_cases(name: &str, file: &Value) -> Result<FileReport, Malformed> {
    let has = |key: &str| file.get(key).is_some();
    if file.as_array().is_some() {
        Ok(FileReport::not_ours(name, "an index of other files"))
    } else if has("buckets") {
        Ok(FileReport::left(name, "candles"))
    } else if file["vectors"][0]["input"].get("perpMarkets").is_some() {
        Ok(FileReport::of(name, margin::check(file)?))
    } else if has("meta") && (has("vectors") || has("rows")) {
        Ok(FileReport::left(name, "labels and messages of the data interface"))
    } else {
        Err(unknown())
    }
}

fn unknown() -> Malformed {
    Malformed("content of no known family".to_owned())
}

/// Case files of what slotbook does not do, recognised by a key that only they have.
fn not_ours(case: &Value) -> Result<&'static str, Malformed> {
    match case.get("bookIndex") {
        Some(_) => Ok("the SDK's estimate of a fill, a third walk"),
        None => Err(unknown()),
    }
}

fn check_lines(name: &str, lines: &str) -> Result<FileReport, Malformed> {
    let first = lines.lines().find(|line| !line.trim().is_empty()).unwrap_or("null");
    let first: Value =
        serde_json::from_str(first).map_err(|error| Malformed(format!("line 1: {error}")))?;
    if first.get("log").is_some() {
        Ok(FileReport::of(name, events::check_lines(lines)?))
    } else if first.get("data").is_some() {
        Ok(FileReport::of(name, accounts::check_lines(lines)?))
    } else {
        Err(unknown())
    }
}
