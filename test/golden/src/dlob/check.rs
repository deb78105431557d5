//! Three books against one recording: the fast one and the naive one, which are equal, and the incumbent's readings.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use slotbook_naive::{Answer, MarketKey, ReadingBook, ReadingOrder, Readings, Row, Snapshot};
use slotbook_protocol::model::Program;

use super::chain::{Chain, advance};
use super::judge::{Books, Pair};
use super::sourced;
use super::vector::Vector;
use super::views::{Shown, VIEWS, Views, views_of};
use crate::report::{FileReport, case};

/// Runs one file: the snapshots go through one book each, in order, as the clock moves.
pub(crate) fn check(name: &str, file: &Value) -> FileReport {
    let vector = Vector::parse(file);
    let ours = our_answers(&vector, &Chain::new(&vector));
    let mut incumbent = Incumbent { vector: &vector, answers: BTreeMap::new() };
    let mut cases = Vec::new();
    for (number, snapshot) in vector.snapshots.iter().enumerate() {
        for (market_name, market, recorded) in &snapshot.recorded {
            let place = (number, *market);
            let mut judge = |name: &str, views: Range<usize>| {
                let name = format!("snapshot {number} {market_name}{name}");
                let recorded = recorded.as_deref();
                case(&name, || incumbent.judge(views, &ours[&place], recorded, place))
            };
            match recorded {
                None => cases.push(judge("", 0..VIEWS.len())),
                Some(_) => cases.extend(
                    VIEWS.iter().zip(0..).map(|(name, at)| judge(&format!(" {name}"), at..at + 1)),
                ),
            }
        }
    }
    cases.extend(sourced::check(file, &vector));
    // A filler's crossing finder is not ours.
    let unrun = file.get("nodesToFill");
    let unrun = unrun.map(|_| "not ours: nodesToFill queries are a filler's crossing finder");
    FileReport { unrun: unrun.map(str::to_owned), ..FileReport::of(name, cases) }
}

/// A snapshot's number and a market.
type Place = (usize, MarketKey);

/// The incumbent's book under any choice of readings; each choice is worked out once.
struct Incumbent<'a> {
    vector: &'a Vector,
    answers: BTreeMap<Vec<&'static str>, BTreeMap<Place, Option<Views>>>,
}

impl Incumbent<'_> {
    /// The readings by which the recorded views depart from ours. `recorded` is `None` when the incumbent's question
    /// failed.
    fn judge(
        &mut self,
        views: Range<usize>,
        ours: &Views,
        recorded: Option<&Views>,
        place: Place,
    ) -> Option<String> {
        let ours = Some(&ours[views.clone()]);
        let recorded = recorded.map(|recorded| &recorded[views.clone()]);
        let plain = self.answer(Readings::default(), place);
        assert_eq!(ours, plain.map(|plain| &plain[views.clone()]), "our rules over orders");
        if ours == recorded {
            return None;
        }
        let mut explains = |readings| {
            let answer = self.answer(readings, place);
            answer.map(|answer| &answer[views.clone()]) == recorded
        };
        let mut readings = Readings::all();
        assert!(explains(readings), "unexplained by any rule: {ours:?} against {recorded:?}");
        // Switches off one after the other as long as the rest still explains.
        for index in 0..Readings::COUNT {
            let mut fewer = readings;
            *fewer.switch(index).0 = false;
            if explains(fewer) {
                readings = fewer;
            }
        }
        Some(readings.names().join(" + "))
    }

    /// The answer for one market at one snapshot; `None` when the incumbent's question fails.
    fn answer(&mut self, readings: Readings, place: Place) -> Option<&Views> {
        let vector = self.vector;
        let all = self
            .answers
            .entry(readings.names())
            .or_insert_with(|| reading_answers(vector, readings));
        all[&place].as_ref()
    }
}

fn reading_answers(vector: &Vector, readings: Readings) -> BTreeMap<Place, Option<Views>> {
    let orders: Vec<ReadingOrder> = vector.orders.iter().map(|order| order.entry).collect();
    let protected = vector.protected.clone();
    let mut book = ReadingBook::new(readings, orders, vector.insert_slot, protected);
    let mut answers = BTreeMap::new();
    for (number, snapshot) in vector.snapshots.iter().enumerate() {
        book.advance(snapshot.slot);
        let prices = snapshot.oracles.iter().map(|(market, oracle)| (*market, oracle.price.into()));
        let at = Snapshot { slot: snapshot.slot, now: vector.ts, oracles: prices.collect() };
        for market in &vector.markets {
            let answer = match book.ask(*market, &at) {
                Answer::Throws => None,
                Answer::Book { bids, asks } => Some(views_of(&[bids, asks].map(|side| {
                    let shown = side.iter().map(|row| {
                        let entry = &vector.orders[row.index].entry;
                        let (index, price, size, level_size) =
                            (row.index, row.price, row.size, row.level_size);
                        let (maker, order_id) = (entry.user, entry.order.order_id);
                        Shown { index, price, size, level_size, maker, order_id }
                    });
                    shown.collect()
                }))),
            };
            answers.insert((number, *market), answer);
        }
    }
    answers
}

/// Feeds both of our books with the same accounts and asks them at each snapshot.
fn our_answers(vector: &Vector, chain: &Chain) -> BTreeMap<Place, Views> {
    let mut pair = Pair::new(Program::Drift);
    let mut answers = BTreeMap::new();
    for (number, snapshot) in vector.snapshots.iter().enumerate() {
        advance(&mut pair, vector, snapshot, chain);
        for market in &vector.markets {
            let view = pair.naive.view(market.0, market.1).expect("a known market");
            let shown = |row: &Row| {
                let (maker, order_id) = (chain.user_of(&row.maker), row.order_id);
                let index = chain.index_of(maker, order_id, *market);
                let (price, size, level_size) = (row.price, Some(row.size), row.size);
                Shown { index, price, size, level_size, maker, order_id }
            };
            let sides = [view.bids, view.asks].map(|side| side.iter().map(shown).collect());
            answers.insert((number, *market), views_of(&sides));
        }
    }
    answers
}
