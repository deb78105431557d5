//! What happened to each case, and how it is printed.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Failures printed in full per file; the rest are only counted.
const FAILURES_SHOWN_MAX: usize = 20;

/// What happened to one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Our answer is the recorded one.
    Passed,
    /// Our answer differs and no rule explains it; the text is a short difference.
    Failed(String),
    /// Our answer differs by the named rule, and by nothing else.
    Departed(String),
}

/// The name and the outcome of a case.
pub type Case = (String, Outcome);

/// What a function returns, or why it panicked.
pub(crate) fn attempt<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.unwrap_or_else(|| (*panic.downcast_ref().unwrap_or(&"a panic")).to_owned())
    })
}

/// Runs a case: it departs by the rule that `judge` returns, and fails where `judge` panics.
pub(crate) fn case(name: &str, judge: impl FnOnce() -> Option<String>) -> Case {
    let outcome = match attempt(judge) {
        Ok(None) => Outcome::Passed,
        Ok(Some(rule)) => Outcome::Departed(rule),
        Err(difference) => Outcome::Failed(difference),
    };
    (name.to_owned(), outcome)
}

/// A case in which two values are equal.
pub(crate) fn equal<T: PartialEq + fmt::Debug>(name: &str, ours: &T, recorded: &T) -> Case {
    case(name, || {
        assert_eq!(ours, recorded);
        None
    })
}

/// Counts of outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct Totals {
    pub passed: usize,
    pub failed: usize,
    pub departed: usize,
}

impl Totals {
    fn of<'a>(cases: impl Iterator<Item = &'a Case>) -> Self {
        let mut totals = Totals::default();
        for (_, outcome) in cases {
            match outcome {
                Outcome::Passed => totals.passed += 1,
                Outcome::Failed(_) => totals.failed += 1,
                Outcome::Departed(_) => totals.departed += 1,
            }
        }
        totals
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} departed", self.passed, self.failed, self.departed)
    }
}

/// The cases of one file.
#[derive(Clone, Debug, Default)]
pub struct FileReport {
    /// Path below the folder.
    pub file: String,
    /// The cases in file order.
    pub cases: Vec<Case>,
    /// Why the file, or the rest of it, is not run.
    pub unrun: Option<String>,
}

impl FileReport {
    /// A file that is not run.
    pub(crate) fn unrun(file: &str, reason: &str) -> Self {
        FileReport { unrun: Some(reason.to_owned()), ..FileReport::of(file, Vec::new()) }
    }

    /// A file that has been run.
    pub(crate) fn of(file: &str, cases: Vec<Case>) -> Self {
        FileReport { file: file.to_owned(), cases, unrun: None }
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = Totals::of(self.cases.iter());
        match &self.unrun {
            None => writeln!(f, "{}: {totals}", self.file)?,
            Some(reason) if self.cases.is_empty() => writeln!(f, "{}: {reason}", self.file)?,
            Some(reason) => writeln!(f, "{}: {reason}; the rest: {totals}", self.file)?,
        }
        let mut failures = 0;
        for (name, outcome) in &self.cases {
            match outcome {
                Outcome::Departed(rule) => writeln!(f, "  {name}: departs: {rule}")?,
                Outcome::Failed(difference) => {
                    failures += 1;
                    if failures <= FAILURES_SHOWN_MAX {
                        writeln!(f, "  {name}: FAILED: {difference}")?;
                    }
                }
                Outcome::Passed => {}
            }
        }
        if failures > FAILURES_SHOWN_MAX {
            writeln!(f, "  and {} more failures", failures - FAILURES_SHOWN_MAX)?;
        }
        Ok(())
    }
}

/// The files of one folder.
#[derive(Clone, Debug, Default)]
pub struct FolderReport {
    /// In order of their paths.
    pub files: Vec<FileReport>,
}

impl FolderReport {
    /// Counts over all files.
    pub fn totals(&self) -> Totals {
        Totals::of(self.files.iter().flat_map(|file| &file.cases))
    }

    /// How many cases each rule explains.
    pub fn departures(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for (_, outcome) in self.files.iter().flat_map(|file| &file.cases) {
            if let Outcome::Departed(rule) = outcome {
                *counts.entry(rule.as_str()).or_default() += 1;
            }
        }
        counts
    }
}

impl fmt::Display for FolderReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            write!(f, "{file}")?;
        }
        for (rule, count) in self.departures() {
            writeln!(f, "departs: {rule}: {count}")?;
        }
        let count = |kind: &str| {
            let unrun = self.files.iter().filter_map(|file| file.unrun.as_ref());
            unrun.filter(|reason| reason.starts_with(kind)).count()
        };
        let (not_yet, not_ours) = (count("not yet"), count("not ours"));
        let (totals, files) = (self.totals(), self.files.len());
        writeln!(f, "total: {totals}, {files} files, {not_yet} not yet, {not_ours} not ours")
    }
}
