//! `uncross-l2`: a crossed book moved apart.

use serde_json::Value;
use slotbook_protocol::model::units::{OraclePrice, Price};
use slotbook_wire::level::SourcedLevel;
use slotbook_wire::uncross::{Crossing, UncrossRules};

use crate::group::levels;
use crate::value::{at, integer, integers};

/// Uncrosses the two sides of a case.
pub(crate) fn judge(case: &Value) {
    let number = |name: &str| integer::<i64>(case, name);
    let premium = number("markTwap5Min") - number("oracleTwap5Min");
    let [own_bids, own_asks] = ["userBids", "userAsks"].map(|own| {
        let prices = integers(case, own).into_iter();
        prices.map(Price).collect::<Vec<_>>()
    });
    let rules = UncrossRules {
        reference: OraclePrice(number("oraclePrice") + premium),
        gap: Price(integer(case, "grouping")),
        own_bids: &own_bids,
        own_asks: &own_asks,
    };
    let [mut bids, mut asks] =
        ["bids", "asks"].map(|side| levels(case, side).into_iter().peekable());
    let mut crossing = Crossing::default();
    crossing.move_crossing(&mut bids, &mut asks, &rules);
    let (bids, asks) = crossing.merged(bids, asks);
    let ours: [Vec<SourcedLevel>; 2] = [bids.collect(), asks.collect()];
    assert_eq!(ours, ["bids", "asks"].map(|side| levels(at(case, "expected"), side)));
    let [bid, ask] = ours.map(|side| side.first().map(|level| level.price));
    let is_crossed = bid.zip(ask).is_some_and(|(bid, ask)| bid >= ask);
    let noted = at(at(case, "note"), "stillCrossed").as_bool();
    assert_eq!(Some(is_crossed), noted, "still crossed");
}
