//! Captured oracle accounts against the prices that the program's tests assert and the incumbent
//! reads.

use serde_json::Value;
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::OracleSource;
use slotbook_protocol::model::oracle::{OracleAverage, OracleReading};

use crate::report::{Case, attempt, case, equal};
use crate::value::{at, flag, integer, integer_of, optional, text, text_of};

/// Byte offsets of what the incumbent reads instead.
const PUSH_LAST_SLOT: usize = 32;
const ON_DEMAND_VALUE: usize = 2264;
const ON_DEMAND_STD_DEV: usize = 2280;
const ON_DEMAND_RANGE: usize = 2312;
const ON_DEMAND_SLOT: usize = 2368;
/// From 1e18 to 1e6.
const ON_DEMAND_SCALE: i128 = 1_000_000_000_000;

/// One, at 1e6.
const ONE: i128 = 1_000_000;
/// Farthest from one at which a stable coin's price is held at one.
const STABLE_DISTANCE_MAX: i128 = 500;

/// Reads the account as the manifest says and compares every value it asserts.
pub(crate) fn check(entry: &Value, data: &[u8]) -> Vec<Case> {
    // Captures without an owner are the exchange's own accounts.
    let owner = entry.get("ownerProgram").map_or(PROGRAM_ID, |named| {
        let owner = text_of(named).split_whitespace().next();
        owner.and_then(|owner| owner.parse().ok()).expect("an address")
    });
    let source = source_of(text(entry, "oracleSource"));
    let read_as = |source| Program::Drift.oracle(source, &owner, data).expect("a reading");
    let reading = match attempt(|| read_as(source)) {
        Ok(reading) => reading,
        Err(error) => return vec![case("reading", || panic!("{error}"))],
    };
    let mut cases = vec![case("reading", || None)];
    if let Some(expected) = entry.get("expectedProgramPrice") {
        cases.extend(check_program_text(&reading, text_of(expected)));
    }
    if let Some(expected) = entry.get("expectedProgram") {
        cases.extend(check_program(&reading, expected));
    }
    for asserted in entry.get("assertedByTests").and_then(Value::as_array).into_iter().flatten() {
        // `get_oracle_price(SOURCE or slot N).price == PRICE`; others are not about the reading.
        let Some((argument, price)) = text_of(asserted)
            .strip_prefix("get_oracle_price(")
            .and_then(|text| text.split_once(").price == "))
        else {
            continue;
        };
        let source = if argument.starts_with("slot ") { source } else { source_of(argument) };
        cases.push(case(&format!("asserted price as {argument}"), || {
            assert_eq!(Some(read_as(source).price.0), first_number(price), "price");
            None
        }));
    }
    if let Some(sdk) = entry.get("sdkDecode") {
        cases.extend(check_sdk(&reading, source, data, sdk));
    }
    cases
}

/// A source by its name in the manifest, which is that of the variant.
fn source_of(name: &str) -> OracleSource {
    let found = OracleSource::ALL.iter().find(|source| format!("{source:?}") == name);
    *found.unwrap_or_else(|| panic!("oracleSource was {name}"))
}

fn first_number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.split_whitespace().next()?.parse().ok()
}

/// `PRICE` or `PRICE conf CONFIDENCE`, then free text.
fn check_program_text(reading: &OracleReading, text: &str) -> Vec<Case> {
    let mut cases = vec![equal("program price", &Some(reading.price.0), &first_number(text))];
    let rest = text.split_once(' ').and_then(|(_, rest)| rest.strip_prefix("conf "));
    cases.extend(rest.map(|confidence| {
        equal("program confidence", &Some(reading.confidence), &first_number(confidence))
    }));
    cases
}

fn check_program(reading: &OracleReading, expected: &Value) -> Vec<Case> {
    let fields = expected.as_object().expect("expectedProgram is an object");
    let check = |(key, recorded): (&String, &Value)| {
        let (name, ours) = match key.as_str() {
            price if price.starts_with("price") => ("program price", reading.price.0.into()),
            "conf" => ("program confidence", reading.confidence.into()),
            "valid_slot" => ("program slot", i128::from(reading.slot.0)),
            _ => return None,
        };
        Some(equal(name, &ours, &integer_of(recorded)))
    };
    fields.iter().filter_map(check).collect()
}

fn check_sdk(reading: &OracleReading, source: OracleSource, data: &[u8], sdk: &Value) -> Vec<Case> {
    let [price, confidence, slot] = ["price", "confidence", "slot"].map(|key| integer(sdk, key));
    let enough = flag(sdk, "hasSufficientNumberOfDataPoints");
    let mut read = instead(source, data);
    if is_stable_coin(source) {
        read.price = edge_of_one(reading, price);
    }
    let average = optional(sdk, "twap")
        .map(|price| OracleAverage { price, confidence: integer(sdk, "twapConfidence") });
    let mut cases = vec![
        sdk_case("sdk price", reading.price.0.into(), price, read.price),
        sdk_case("sdk confidence", reading.confidence.into(), confidence, read.confidence),
        sdk_case("sdk slot", reading.slot.0.into(), slot, read.slot),
        equal("sdk data points", &reading.has_sufficient_data, &enough),
        equal("sdk average", &reading.average, &average),
    ];
    if sdk.get("sequenceId").is_some() {
        let sequence = integer_of(at(sdk, "sequenceId"));
        cases.push(equal("sdk sequence", &reading.sequence_id, &Some(sequence)));
    }
    cases
}

fn is_stable_coin(source: OracleSource) -> bool {
    matches!(source as u8, 5 | 10 | 15)
}

/// The program holds a stable coin at one up to and including a distance, the SDK up to it.
fn edge_of_one(reading: &OracleReading, sdk_price: i128) -> Option<i128> {
    let edge = i128::from(reading.confidence).min(STABLE_DISTANCE_MAX);
    let is_held = i128::from(reading.price.0) == ONE;
    (is_held && (sdk_price - ONE).abs() == edge).then_some(sdk_price)
}

/// What the SDK reads from the same bytes where it differs from the program: the last slot of a push
/// feed where the program takes the valid one, and the median result of an on-demand feed where the
/// program takes the newest submissions' mean. A recorded SDK reading must be ours or this.
#[derive(Default)]
struct Instead {
    price: Option<i128>,
    confidence: Option<i128>,
    slot: Option<i128>,
}

fn instead(source: OracleSource, data: &[u8]) -> Instead {
    let scaled = |at: usize| i128_at(data, at) / ON_DEMAND_SCALE;
    match source as u8 {
        // Push oracles.
        0 | 3 | 4 | 5 => {
            Instead { slot: Some(i128::from(u64_at(data, PUSH_LAST_SLOT))), ..Instead::default() }
        }
        // Switchboard on demand.
        11 => Instead {
            price: Some(scaled(ON_DEMAND_VALUE)),
            confidence: Some(scaled(on_demand_confidence(data))),
            slot: Some(i128::from(u64_at(data, ON_DEMAND_SLOT))),
        },
        _ => Instead::default(),
    }
}

/// The incumbent shows the standard deviation where there is one, else the range.
fn on_demand_confidence(data: &[u8]) -> usize {
    if i128_at(data, ON_DEMAND_STD_DEV) != 0 { ON_DEMAND_STD_DEV } else { ON_DEMAND_RANGE }
}

fn sdk_case(name: &str, ours: i128, recorded: i128, instead: Option<i128>) -> Case {
    equal(name, &if instead == Some(recorded) { recorded } else { ours }, &recorded)
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*data[at..].first_chunk().expect("a whole account"))
}

fn i128_at(data: &[u8], at: usize) -> i128 {
    i128::from_le_bytes(*data[at..].first_chunk().expect("a whole account"))
}
