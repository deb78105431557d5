//! `group-l2`: levels on a coarser grid.

use serde_json::Value;
use slotbook_protocol::model::units::Price;
use slotbook_wire::group::{Rounding, grouped};
use slotbook_wire::level::{Source, SourcedLevel};

use crate::report::Outcome;
use crate::value::{Malformed, at, integer, list, text};

/// The departure of a last group that the incumbent cuts after its first level.
const LAST_GROUP: &str = "last group complete";

/// Runs the file's cases.
pub(crate) fn check(file: &Value) -> Result<Vec<(String, Outcome)>, Malformed> {
    let case = |case: &Value| Ok((text(case, "name")?.to_owned(), judge(case)?));
    list(file, "cases")?.iter().map(case).collect()
}

fn judge(case: &Value) -> Result<Outcome, Malformed> {
    let grouping: u64 = integer(case, "grouping")?;
    let depth: usize = integer(case, "depth")?;
    let expected = at(case, "expected")?;
    let mut departs = false;
    for (name, rounding) in [("bids", Rounding::Down), ("asks", Rounding::Up)] {
        let levels = levels(list(case, name)?)?;
        let recorded = self::levels(list(expected, name)?)?;
        let groups = grouped(levels.iter().copied(), Price(grouping), rounding);
        let ours: Vec<SourcedLevel> =
            if depth == 0 { groups.collect() } else { groups.take(depth).collect() };
        if ours == recorded {
            continue;
        }
        if cut_last_group(&levels, grouping, depth, rounding) != recorded {
            return Ok(Outcome::compare(name, &ours, &recorded));
        }
        departs = true;
    }
    Ok(if departs { Outcome::Departed(LAST_GROUP.to_owned()) } else { Outcome::Passed })
}

/// The incumbent's grouping: it stops as soon as the last group exists, so that group holds one
/// level.
///
/// Source: sdk/src/dlob/orderBookLevels.ts groupL2.
fn cut_last_group(
    levels: &[SourcedLevel],
    grouping: u64,
    depth: usize,
    rounding: Rounding,
) -> Vec<SourcedLevel> {
    let mut groups: Vec<SourcedLevel> = Vec::new();
    for level in levels {
        let over = level.price.0 % grouping;
        let price = match rounding {
            Rounding::Down => level.price.0 - over,
            Rounding::Up if over == 0 => level.price.0,
            Rounding::Up => level.price.0 - over + grouping,
        };
        match groups.last_mut() {
            Some(last) if last.price.0 == price => {
                for (sum, size) in last.sizes.iter_mut().zip(level.sizes) {
                    *sum += size;
                }
            }
            _ => groups.push(SourcedLevel { price: Price(price), ..*level }),
        }
        if groups.len() == depth {
            break;
        }
    }
    groups
}

/// Levels as the files write them.
pub(crate) fn levels(values: &[Value]) -> Result<Vec<SourcedLevel>, Malformed> {
    values.iter().map(level).collect()
}

fn level(value: &Value) -> Result<SourcedLevel, Malformed> {
    let mut level = SourcedLevel::of(Source::Dlob, Price(integer(value, "price")?), 0);
    let sources = at(value, "sources")?
        .as_object()
        .ok_or_else(|| Malformed("sources are not an object".to_owned()))?;
    for (name, _) in sources {
        let source = Source::ALL
            .into_iter()
            .find(|source| source.name() == name)
            .ok_or_else(|| Malformed(format!("source {name} is unknown")))?;
        level.sizes[source as usize] = integer(at(value, "sources")?, name)?;
    }
    let size: u128 = integer(value, "size")?;
    if size == level.size() {
        Ok(level)
    } else {
        Err(Malformed(format!("size {size} is not the sum of its sources {}", level.size())))
    }
}
