//! Captured oracle accounts against the prices that the program's tests assert and the incumbent
//! reads.

use std::str::FromStr;

use serde_json::Value;
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::enums::OracleSource;
use slotbook_protocol::model::oracle::{OracleAverage, OracleReading};
use slotbook_protocol::model::units::Pubkey;

use crate::report::Outcome;
use crate::value::{Malformed, flag, integer, text};

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

/// Names of the oracle sources in the manifest, in the order of their bytes on chain.
const SOURCES: [&str; 16] = [
    "Pyth",
    "Switchboard",
    "QuoteAsset",
    "Pyth1K",
    "Pyth1M",
    "PythStableCoin",
    "Prelaunch",
    "PythPull",
    "Pyth1KPull",
    "Pyth1MPull",
    "PythStableCoinPull",
    "SwitchboardOnDemand",
    "PythLazer",
    "PythLazer1K",
    "PythLazer1M",
    "PythLazerStableCoin",
];

/// Reads the account as the manifest says and compares every value it asserts.
pub(crate) fn check(entry: &Value, data: &[u8]) -> Result<Vec<(String, Outcome)>, Malformed> {
    let owner = match entry.get("ownerProgram").and_then(Value::as_str) {
        Some(named) => named.split_whitespace().next().unwrap_or_default().to_owned(),
        // Captures without an owner are the exchange's own accounts.
        None => PROGRAM_ID.to_string(),
    };
    let owner = Pubkey::from_str(&owner).map_err(|_| Malformed(format!("owner was {owner}")))?;
    let source = source_of(text(entry, "oracleSource")?)?;
    let reading = match slotbook_protocol::model::Program::Drift.oracle(source, &owner, data) {
        Ok(reading) => reading,
        Err(error) => {
            return Ok(vec![("reading".to_owned(), Outcome::Failed(error.to_string()))]);
        }
    };
    let mut cases = vec![("reading".to_owned(), Outcome::Passed)];
    if let Some(text) = entry.get("expectedProgramPrice").and_then(Value::as_str) {
        cases.extend(check_program_text(&reading, text)?);
    }
    if let Some(expected) = entry.get("expectedProgram") {
        cases.extend(check_program(&reading, expected)?);
    }
    for asserted in entry.get("assertedByTests").and_then(Value::as_array).into_iter().flatten() {
        cases.extend(check_asserted(&owner, source, data, asserted.as_str().unwrap_or_default())?);
    }
    if let Some(sdk) = entry.get("sdkDecode") {
        cases.extend(check_sdk(&reading, source, data, sdk)?);
    }
    Ok(cases)
}

fn source_of(name: &str) -> Result<OracleSource, Malformed> {
    SOURCES
        .iter()
        .position(|known| *known == name)
        .and_then(|at| u8::try_from(at).ok())
        .and_then(|byte| OracleSource::from_byte(byte).ok())
        .ok_or_else(|| Malformed(format!("oracleSource was {name}")))
}

/// `PRICE` or `PRICE conf CONFIDENCE`, then free text.
fn check_program_text(
    reading: &OracleReading,
    text: &str,
) -> Result<Vec<(String, Outcome)>, Malformed> {
    let bad = || Malformed(format!("expectedProgramPrice was {text}"));
    let mut words = text.split_whitespace();
    let price: i64 = words.next().and_then(|word| word.parse().ok()).ok_or_else(bad)?;
    let mut cases = vec![case("program price", &reading.price.0, &price)];
    if words.next() == Some("conf") {
        let confidence: u64 = words.next().and_then(|word| word.parse().ok()).ok_or_else(bad)?;
        cases.push(case("program confidence", &reading.confidence, &confidence));
    }
    Ok(cases)
}

fn check_program(
    reading: &OracleReading,
    expected: &Value,
) -> Result<Vec<(String, Outcome)>, Malformed> {
    let fields = expected
        .as_object()
        .ok_or_else(|| Malformed("expectedProgram is not an object".to_owned()))?;
    let mut cases = Vec::new();
    for key in fields.keys() {
        if key.starts_with("price") {
            cases.push(case("program price", &reading.price.0, &integer(expected, key)?));
        } else if key == "conf" {
            cases.push(case("program confidence", &reading.confidence, &integer(expected, key)?));
        } else if key == "valid_slot" {
            cases.push(case("program slot", &reading.slot.0, &integer(expected, key)?));
        }
    }
    Ok(cases)
}

/// `get_oracle_price(SOURCE or slot N).price == PRICE`; other assertions are not about the reading.
fn check_asserted(
    owner: &Pubkey,
    source: OracleSource,
    data: &[u8],
    asserted: &str,
) -> Result<Vec<(String, Outcome)>, Malformed> {
    let Some((argument, rest)) =
        asserted.strip_prefix("get_oracle_price(").and_then(|text| text.split_once(").price == "))
    else {
        return Ok(Vec::new());
    };
    let read_as = if argument.starts_with("slot ") { source } else { source_of(argument)? };
    let price: i64 = rest
        .split_whitespace()
        .next()
        .and_then(|word| word.parse().ok())
        .ok_or_else(|| Malformed(format!("assertion was {asserted}")))?;
    let outcome = match slotbook_protocol::model::Program::Drift.oracle(read_as, owner, data) {
        Ok(reading) => Outcome::compare("price", &reading.price.0, &price),
        Err(error) => Outcome::Failed(error.to_string()),
    };
    Ok(vec![(format!("asserted price as {argument}"), outcome)])
}

fn check_sdk(
    reading: &OracleReading,
    source: OracleSource,
    data: &[u8],
    sdk: &Value,
) -> Result<Vec<(String, Outcome)>, Malformed> {
    let price: i128 = integer(sdk, "price")?;
    let confidence: i128 = integer(sdk, "confidence")?;
    let slot: i128 = integer(sdk, "slot")?;
    let enough = flag(sdk, "hasSufficientNumberOfDataPoints");
    let mut read = instead(source, data);
    if is_stable_coin(source) {
        read.price = edge_of_one(reading, price);
    }
    let mut cases = vec![
        sdk_case("sdk price", i128::from(reading.price.0), price, read.price),
        sdk_case("sdk confidence", i128::from(reading.confidence), confidence, read.confidence),
        sdk_case("sdk slot", i128::from(reading.slot.0), slot, read.slot),
        case("sdk data points", &reading.has_sufficient_data, &enough),
        case("sdk average", &reading.average, &sdk_average(sdk)?),
    ];
    if sdk.get("sequenceId").is_some() {
        let sequence: u64 = integer(sdk, "sequenceId")?;
        cases.push(case("sdk sequence", &reading.sequence_id, &Some(sequence)));
    }
    Ok(cases)
}

fn sdk_average(sdk: &Value) -> Result<Option<OracleAverage>, Malformed> {
    if sdk.get("twap").is_none() {
        return Ok(None);
    }
    let (price, confidence) = (integer(sdk, "twap")?, integer(sdk, "twapConfidence")?);
    Ok(Some(OracleAverage { price, confidence }))
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

fn sdk_case(name: &str, ours: i128, recorded: i128, instead: Option<i128>) -> (String, Outcome) {
    let is_read_otherwise = instead == Some(recorded);
    let outcome = match is_read_otherwise {
        true => Outcome::Passed,
        false => Outcome::compare(name, &ours, &recorded),
    };
    (name.to_owned(), outcome)
}

fn case<T: PartialEq + std::fmt::Debug>(name: &str, ours: &T, recorded: &T) -> (String, Outcome) {
    (name.to_owned(), Outcome::compare(name, ours, recorded))
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    data.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn i128_at(data: &[u8], at: usize) -> i128 {
    data.get(at..at + 16).and_then(|bytes| bytes.try_into().ok()).map_or(0, i128::from_le_bytes)
}
