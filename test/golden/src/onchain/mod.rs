//! Recordings of the program's own matching: fees, rounding, spreads, maker order, the whole walk.

mod amm;
mod fees;
mod makers;
mod tiers;
mod walk;

use serde_json::Value;

use crate::report::Outcome;
use crate::value::{Malformed, integer, list, text};

/// The outcomes of a file's cases by name.
type Outcomes = Vec<(String, Outcome)>;

/// How the cases of one kind of file are judged, and how such a file is recognised by its first case.
struct Family {
    key: &'static str,
    judge: fn(&Value) -> Result<Outcome, Malformed>,
}

/// In this order the first key found decides.
const FAMILIES: [Family; 5] = [
    Family { key: "makerBase", judge: fees::judge_match_fill },
    Family { key: "takerVolume30d", judge: fees::judge_fees },
    Family { key: "pricesInInsertOrder", judge: makers::judge_order },
    Family { key: "makers", judge: walk::judge_walk },
    Family { key: "amm", judge: amm::judge_spreads },
];

/// Runs the file's cases when they are of a family of this module.
pub(crate) fn check(file: &Value, first: &Value) -> Option<Result<Outcomes, Malformed>> {
    let family = FAMILIES.iter().find(|family| first.get(family.key).is_some())?;
    let case = |case: &Value| Ok((text(case, "name")?.to_owned(), (family.judge)(case)?));
    Some(list(file, "cases").and_then(|cases| cases.iter().map(case).collect()))
}

/// Compares one case's recorded integers with ours, all of them: the first difference is reported.
struct Comparison<'a> {
    recorded: &'a Value,
    differences: Vec<String>,
}

impl<'a> Comparison<'a> {
    fn with(recorded: &'a Value) -> Self {
        Comparison { recorded, differences: Vec::new() }
    }

    fn same<T: Into<i128>>(&mut self, key: &str, ours: T) -> Result<&mut Self, Malformed> {
        let (ours, recorded): (i128, i128) = (ours.into(), integer(self.recorded, key)?);
        if ours != recorded {
            self.differences.push(format!("{key}: ours {ours}, recorded {recorded}"));
        }
        Ok(self)
    }

    fn outcome(self) -> Outcome {
        if self.differences.is_empty() {
            Outcome::Passed
        } else {
            Outcome::Failed(self.differences.join("; "))
        }
    }
}
