//! What happened to each case, and how it is printed.

use std::collections::BTreeMap;
use std::fmt;

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

impl Outcome {
    /// Passed when the two are equal, else failed with both.
    pub fn compare<T: PartialEq + fmt::Debug>(what: &str, ours: &T, recorded: &T) -> Self {
        if ours == recorded {
            Outcome::Passed
        } else {
            Outcome::Failed(format!("{what}: ours {ours:?}, recorded {recorded:?}"))
        }
    }
}

/// Counts of outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct Totals {
    pub passed: usize,
    pub failed: usize,
    pub departed: usize,
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} departed", self.passed, self.failed, self.departed)
    }
}

/// Why a file, or the rest of it, is not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unrun {
    /// No room reads it yet; the text says what it is.
    NotYet(String),
    /// The runner in TypeScript runs it; the text says what it is.
    Left(String),
    /// It records what slotbook does not do; the text says what.
    NotOurs(String),
}

impl fmt::Display for Unrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotYet(reason) => write!(f, "not yet: {reason}"),
            Self::Left(reason) => write!(f, "left to test/golden-ts: {reason}"),
            Self::NotOurs(reason) => write!(f, "not ours: {reason}"),
        }
    }
}

/// The cases of one file.
#[derive(Clone, Debug, Default)]
pub struct FileReport {
    /// Path below the folder.
    pub file: String,
    /// Name and outcome of each case, in file order.
    pub cases: Vec<(String, Outcome)>,
    /// Why the file, or the rest of it, is not run.
    pub unrun: Option<Unrun>,
}

impl FileReport {
    /// A file that no room reads yet.
    pub fn not_yet(file: &str, reason: &str) -> Self {
        FileReport::unrun(file, Unrun::NotYet(reason.to_owned()))
    }

    /// A file that the runner in TypeScript runs.
    pub fn left(file: &str, what: &str) -> Self {
        FileReport::unrun(file, Unrun::Left(what.to_owned()))
    }

    /// A file of what slotbook does not do.
    pub fn not_ours(file: &str, reason: &str) -> Self {
        FileReport::unrun(file, Unrun::NotOurs(reason.to_owned()))
    }

    fn unrun(file: &str, unrun: Unrun) -> Self {
        FileReport { file: file.to_owned(), unrun: Some(unrun), ..FileReport::default() }
    }

    /// A file that has been run.
    pub fn of(file: &str, cases: Vec<(String, Outcome)>) -> Self {
        FileReport { file: file.to_owned(), cases, ..FileReport::default() }
    }

    /// Counts of this file.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for (_, outcome) in &self.cases {
            match outcome {
                Outcome::Passed => totals.passed += 1,
                Outcome::Failed(_) => totals.failed += 1,
                Outcome::Departed(_) => totals.departed += 1,
            }
        }
        totals
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.unrun {
            None => writeln!(f, "{}: {}", self.file, self.totals())?,
            Some(unrun) if self.cases.is_empty() => writeln!(f, "{}: {unrun}", self.file)?,
            Some(unrun) => {
                writeln!(f, "{}: {unrun}; the rest: {}", self.file, self.totals())?;
            }
        }
        for (name, outcome) in &self.cases {
            if let Outcome::Departed(rule) = outcome {
                writeln!(f, "  {name}: departs: {rule}")?;
            }
        }
        let failures = self.cases.iter().filter_map(|(name, outcome)| match outcome {
            Outcome::Failed(difference) => Some((name, difference)),
            _ => None,
        });
        for (name, difference) in failures.clone().take(FAILURES_SHOWN_MAX) {
            writeln!(f, "  {name}: FAILED: {difference}")?;
        }
        let unseen = failures.count().saturating_sub(FAILURES_SHOWN_MAX);
        if unseen > 0 {
            writeln!(f, "  and {unseen} more failures")?;
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
        let mut totals = Totals::default();
        for file in self.files.iter().map(FileReport::totals) {
            totals.passed += file.passed;
            totals.failed += file.failed;
            totals.departed += file.departed;
        }
        totals
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
        let count = |is: fn(&Unrun) -> bool| {
            self.files.iter().filter(|file| file.unrun.as_ref().is_some_and(is)).count()
        };
        let not_yet = count(|unrun| matches!(unrun, Unrun::NotYet(_)));
        let not_ours = count(|unrun| matches!(unrun, Unrun::NotOurs(_)));
        let (totals, files) = (self.totals(), self.files.len());
        writeln!(f, "total: {totals}, {files} files, {not_yet} not yet, {not_ours} not ours")
    }
}
