//! `group-l2`: levels on a coarser grid.

use serde_json::Value;
use slotbook_protocol::model::units::Price;
use slotbook_wire::group::{Rounding, grouped};
use slotbook_wire::level::{Source, SourcedLevel};

use crate::value::{at, integer, integer_of, list};

/// The departure of a last group that the incumbent cuts after its first level.
const LAST_GROUP: &str = "last group complete";

/// Groups both sides of a case.
pub(crate) fn judge(case: &Value) -> Option<String> {
    let (grouping, depth): (u64, usize) = (integer(case, "grouping"), integer(case, "depth"));
    let mut departs = false;
    for (name, rounding) in [("bids", Rounding::Down), ("asks", Rounding::Up)] {
        let levels = levels(case, name);
        let recorded = self::levels(at(case, "expected"), name);
        let groups = grouped(levels.iter().copied(), Price(grouping), rounding);
        let depth_or_all = if depth == 0 { usize::MAX } else { depth };
        let ours: Vec<SourcedLevel> = groups.take(depth_or_all).collect();
        if ours != recorded {
            let is_cut = cut_last_group(&levels, grouping, depth, rounding) == recorded;
            assert!(is_cut, "{name}: ours {ours:?}, recorded {recorded:?}");
            departs = true;
        }
    }
    departs.then(|| LAST_GROUP.to_owned())
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

/// The levels of a side as the files write them.
pub(crate) fn levels(value: &Value, side: &str) -> Vec<SourcedLevel> {
    list(value, side).iter().map(level).collect()
}

fn level(value: &Value) -> SourcedLevel {
    let mut level = SourcedLevel::of(Source::Dlob, Price(integer(value, "price")), 0);
    for (name, size) in at(value, "sources").as_object().expect("sources are an object") {
        let source = Source::ALL.into_iter().find(|source| source.name() == name);
        level.sizes[source.expect("a known source") as usize] = integer_of(size);
    }
    assert_eq!(integer::<u128>(value, "size"), level.size(), "the sum of the sources");
    level
}
