//! `uncross-l2`: a crossed book moved apart.

use serde_json::Value;
use slotbook_protocol::model::units::{OraclePrice, Price};
use slotbook_wire::level::SourcedLevel;
use slotbook_wire::uncross::{Crossing, UncrossRules};

use crate::group::levels;
use crate::report::Outcome;
use crate::value::{Malformed, at, integer, integer_of, list, text};

/// Runs the file's cases.
pub(crate) fn check(file: &Value) -> Result<Vec<(String, Outcome)>, Malformed> {
    let case = |case: &Value| Ok((text(case, "name")?.to_owned(), judge(case)?));
    list(file, "cases")?.iter().map(case).collect()
}

fn judge(case: &Value) -> Result<Outcome, Malformed> {
    let expected = at(case, "expected")?;
    let ours = uncrossed(case)?;
    let recorded = (levels(list(expected, "bids")?)?, levels(list(expected, "asks")?)?);
    let outcome = Outcome::compare("levels", &ours, &recorded);
    let best = |side: &[SourcedLevel]| side.first().map(|level| level.price);
    let crossed = best(&ours.0).zip(best(&ours.1)).is_some_and(|(bid, ask)| bid >= ask);
    let noted = at(at(case, "note")?, "stillCrossed")?.as_bool();
    Ok(match outcome {
        Outcome::Passed => Outcome::compare("still crossed", &Some(crossed), &noted),
        other => other,
    })
}

fn uncrossed(case: &Value) -> Result<(Vec<SourcedLevel>, Vec<SourcedLevel>), Malformed> {
    let number = |name: &str| integer::<i64>(case, name);
    let premium = number("markTwap5Min")? - number("oracleTwap5Min")?;
    let own_bids = prices(list(case, "userBids")?)?;
    let own_asks = prices(list(case, "userAsks")?)?;
    let rules = UncrossRules {
        reference: OraclePrice(number("oraclePrice")? + premium),
        gap: Price(integer(case, "grouping")?),
        own_bids: &own_bids,
        own_asks: &own_asks,
    };
    let mut bids = levels(list(case, "bids")?)?.into_iter().peekable();
    let mut asks = levels(list(case, "asks")?)?.into_iter().peekable();
    let mut crossing = Crossing::default();
    crossing.move_crossing(&mut bids, &mut asks, &rules);
    let (bids, asks) = crossing.merged(bids, asks);
    Ok((bids.collect(), asks.collect()))
}

fn prices(values: &[Value]) -> Result<Vec<Price>, Malformed> {
    let price = |value: &Value| u64::try_from(integer_of(value)?).ok().map(Price);
    values
        .iter()
        .map(|value| price(value).ok_or_else(|| Malformed(format!("price {value}"))))
        .collect()
}
