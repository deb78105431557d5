//! Grouping against recorded results of the @drift-labs/sdk client.
//!
//! The head of `test/golden/group-l2.json` describes how it was made. Its SHA-256:
//! 46d2f9761f4f29329b221e7fb840010960eece23c4b5de10ec00c344292efd4a.
//!
//! Where the recorded client stops in the middle of the last group, this crate completes the group.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use slotbook_protocol::model::units::Price;
use slotbook_wire::group::{Rounding, grouped};
use slotbook_wire::level::{Source, SourcedLevel};

const VECTORS: &str = include_str!("../../../test/golden/group-l2.json");

fn number<T: std::str::FromStr>(value: &Value) -> T {
    let text = value.as_str().unwrap();
    text.parse().unwrap_or_else(|_| panic!("{text} is not a number"))
}

fn levels(side: &Value) -> Vec<SourcedLevel> {
    let level = |level: &Value| {
        let sources = &level["sources"];
        let size = |source: Source| sources.get(source.name()).map_or(0, number::<u128>);
        let level =
            SourcedLevel { price: Price(number(&level["price"])), sizes: Source::ALL.map(size) };
        assert_eq!(level.sizes.iter().filter(|size| **size > 0).count(), {
            sources.as_object().unwrap().values().filter(|size| number::<u128>(size) > 0).count()
        });
        level
    };
    side.as_array().unwrap().iter().map(level).collect()
}

/// The whole group at `price`: the sum of all input levels that round to it.
fn whole_group(
    input: &[SourcedLevel],
    price: Price,
    grouping: Price,
    rounding: Rounding,
) -> SourcedLevel {
    let mut group = SourcedLevel { price, sizes: [0; 3] };
    for level in input.iter().filter(|level| rounding.to_grid(level.price, grouping) == price) {
        group.merge(level);
    }
    group
}

/// Compares one side and returns whether it differs by the rule of the last group.
fn departs(case: &Value, side: &str, rounding: Rounding) -> bool {
    let input = levels(&case[side]);
    let grouping = Price(number(&case["grouping"]));
    let depth = match number(&case["depth"]) {
        0 => usize::MAX,
        depth => depth,
    };
    let ours: Vec<_> = grouped(input.iter().copied(), grouping, rounding).take(depth).collect();
    let mut expected = levels(&case["expected"][side]);
    if ours == expected {
        return false;
    }
    assert_eq!(expected.len(), depth, "only a full depth may cut the last group: {case}");
    let last = expected.last_mut().unwrap();
    *last = whole_group(&input, last.price, grouping, rounding);
    assert_eq!(ours, expected, "{}", case["name"]);
    true
}

#[test]
fn groups_equal_the_recorded_ones_but_for_the_last_group_of_two_cases() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 41);
    let departing: Vec<_> = cases
        .iter()
        .filter(|case| {
            let bids = departs(case, "bids", Rounding::Down);
            departs(case, "asks", Rounding::Up) || bids
        })
        .map(|case| case["name"].as_str().unwrap())
        .collect();
    assert_eq!(departing.len(), 2, "{departing:?}");
    assert!(departing.iter().all(|name| name.starts_with("random")));
}
