//! Three books against one recording: the fast one, the naive one, and the incumbent's readings.

use std::collections::BTreeMap;

use serde_json::Value;
use slotbook_book::{AccountUpdate, Book, Gate, OrderRow, Side};
use slotbook_naive::{
    Answer, Clock, MarketKey, MarketKind, NaiveBook, ReadingBook, ReadingOrder, Readings, Snapshot,
    Stamp, Update,
};
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

use super::chain::{Chain, PROGRAM, RawAccount, market_account, oracle_account};
use super::sourced;
use super::vector::{Recorded, Vector, VectorSnapshot};
use super::views::{Row, ShownOrder, View, Views, first_makers};
use crate::report::{FileReport, Outcome, Unrun};
use crate::value::Malformed;

/// Runs one file: the snapshots go through one book each, in order, as the clock moves.
pub(crate) fn check(name: &str, file: &Value) -> Result<FileReport, Malformed> {
    let vector = Vector::parse(file)?;
    let chain = Chain::new(&vector)?;
    let ours = our_answers(&vector, &chain)?;
    let mut incumbent = Incumbent { vector: &vector, answers: BTreeMap::new() };
    let mut cases = Vec::new();
    for (number, snapshot) in vector.snapshots.iter().enumerate() {
        for (market_name, market, recorded) in &snapshot.recorded {
            let place = (number, *market);
            let found = ours.get(&place).ok_or_else(|| {
                Malformed(format!("{market_name} is not among the markets of the file"))
            })?;
            let question = format!("snapshot {number} {market_name}");
            cases.extend(judge(&question, found, recorded, place, &mut incumbent));
        }
    }
    cases.extend(sourced::check(file, &vector)?);
    let unrun = vector.not_ours.map(|reason| Unrun::NotOurs(reason.to_owned()));
    Ok(FileReport { file: name.to_owned(), cases, unrun })
}

/// Our two books' views of one market at one snapshot.
struct Ours {
    fast: Views,
    naive: Views,
}

/// A snapshot's number and a market.
type Place = (usize, MarketKey);

fn judge(
    prefix: &str,
    ours: &Ours,
    recorded: &Recorded,
    place: Place,
    incumbent: &mut Incumbent<'_>,
) -> Vec<(String, Outcome)> {
    match recorded {
        Recorded::Throws => {
            let outcome = judge_views(&View::ALL, ours, None, place, incumbent);
            vec![(prefix.to_owned(), outcome)]
        }
        Recorded::Views(views) => View::ALL
            .iter()
            .map(|view| {
                let outcome = judge_views(&[*view], ours, Some(views), place, incumbent);
                (format!("{prefix} {}", view.name()), outcome)
            })
            .collect(),
    }
}

/// `recorded` is `None` when the incumbent's question failed.
fn judge_views(
    compared: &[View],
    ours: &Ours,
    recorded: Option<&Views>,
    place: Place,
    incumbent: &mut Incumbent<'_>,
) -> Outcome {
    let difference = |a: &Views, b: &Views| compared.iter().find_map(|view| view.difference(a, b));
    if let Some(text) = difference(&ours.fast, &ours.naive) {
        return Outcome::Failed(format!("fast book against naive book: {text}"));
    }
    let plain = incumbent.answer(Readings::default(), place);
    match plain.as_ref().map(|plain| difference(&ours.naive, plain)) {
        Some(None) => {}
        Some(Some(text)) => {
            return Outcome::Failed(format!("naive book against our rules over orders: {text}"));
        }
        None => return Outcome::Failed("our rules gave no answer".to_owned()),
    }
    let unexplained = match recorded {
        None => "the incumbent threw".to_owned(),
        Some(recorded) => match difference(&ours.fast, recorded) {
            None => return Outcome::Passed,
            Some(text) => text,
        },
    };
    let explains = |answer: &Option<Views>| match (answer, recorded) {
        (None, None) => true,
        (Some(answer), Some(recorded)) => difference(answer, recorded).is_none(),
        _ => false,
    };
    match incumbent.fewest_readings(place, explains) {
        Some(readings) => Outcome::Departed(readings.names().join(" + ")),
        None => Outcome::Failed(format!("unexplained by any rule: {unexplained}")),
    }
}

/// The incumbent's book under any choice of readings; each choice is worked out once.
struct Incumbent<'a> {
    vector: &'a Vector,
    answers: BTreeMap<Vec<&'static str>, BTreeMap<Place, Option<Views>>>,
}

impl Incumbent<'_> {
    /// The answer for one market at one snapshot; `None` when the incumbent's question fails.
    fn answer(&mut self, readings: Readings, place: Place) -> Option<Views> {
        let vector = self.vector;
        let all = self
            .answers
            .entry(readings.names())
            .or_insert_with(|| reading_answers(vector, readings));
        all.get(&place).cloned().flatten()
    }

    /// From all readings, switches off one after the other as long as the rest still explains.
    fn fewest_readings(
        &mut self,
        place: Place,
        explains: impl Fn(&Option<Views>) -> bool,
    ) -> Option<Readings> {
        let mut readings = Readings::all();
        if !explains(&self.answer(readings, place)) {
            return None;
        }
        for index in 0..Readings::COUNT {
            let mut fewer = readings;
            *fewer.switch(index).0 = false;
            if explains(&self.answer(fewer, place)) {
                readings = fewer;
            }
        }
        (readings != Readings::default()).then_some(readings)
    }
}

fn reading_answers(vector: &Vector, readings: Readings) -> BTreeMap<Place, Option<Views>> {
    let orders: Vec<ReadingOrder> = vector.orders.iter().map(|order| order.entry).collect();
    let listed: Vec<&ReadingOrder> = vector.orders.iter().map(|order| &order.entry).collect();
    let protected = vector.protected.clone();
    let mut book = ReadingBook::new(readings, orders, vector.insert_slot, protected);
    let mut answers = BTreeMap::new();
    for (number, snapshot) in vector.snapshots.iter().enumerate() {
        book.advance(snapshot.slot);
        let oracles = snapshot
            .oracles
            .iter()
            .map(|(market, oracle)| (*market, i128::from(oracle.price)))
            .collect();
        let at = Snapshot { slot: snapshot.slot, now: vector.ts, oracles };
        for market in &vector.markets {
            let answer = match book.ask(*market, &at) {
                Answer::Throws => None,
                Answer::Book { bids, asks } => Some(Views::of([bids, asks].map(|side| {
                    side.iter().map(|row| ShownOrder::of_answer(row, &listed)).collect()
                }))),
            };
            answers.insert((number, *market), answer);
        }
    }
    answers
}

/// Feeds both of our books with the same accounts and asks them at each snapshot.
fn our_answers(vector: &Vector, chain: &Chain) -> Result<BTreeMap<Place, Ours>, Malformed> {
    let mut books = Books::new();
    let mut answers = BTreeMap::new();
    for (number, snapshot) in vector.snapshots.iter().enumerate() {
        books.set_clock(snapshot.slot, vector.ts);
        books.apply_markets(vector, snapshot)?;
        if number == 0 {
            for account in chain.users() {
                books.apply(account, snapshot.slot)?;
            }
        }
        books.fast.end_turn(u64::try_from(number).unwrap_or(u64::MAX));
        if let Err(violation) = books.fast.check_integrity() {
            return Err(Malformed(format!("the fast book breaks an invariant: {violation:?}")));
        }
        for market in &vector.markets {
            answers.insert((number, *market), books.ask(*market, chain)?);
        }
    }
    Ok(answers)
}

struct Books {
    fast: Book,
    naive: NaiveBook,
}

impl Books {
    fn new() -> Self {
        Books { fast: Book::new(Pubkey(PROGRAM).into()), naive: NaiveBook::new(PROGRAM) }
    }

    fn set_clock(&mut self, slot: u64, unix_seconds: i64) {
        self.fast.set_clock(Slot(slot), UnixSeconds(unix_seconds));
        self.naive.set_clock(Clock { slot, unix_seconds });
    }

    /// Markets first, so that the books know which accounts are oracles.
    fn apply_markets(
        &mut self,
        vector: &Vector,
        snapshot: &VectorSnapshot,
    ) -> Result<(), Malformed> {
        for market in &vector.markets {
            let oracle = *snapshot
                .oracles
                .get(market)
                .ok_or_else(|| Malformed(format!("{market:?} has no oracle")))?;
            self.apply(&market_account(*market, oracle), snapshot.slot)?;
            self.apply(&oracle_account(*market, oracle, snapshot.slot), snapshot.slot)?;
        }
        Ok(())
    }

    fn apply(&mut self, (key, data): &RawAccount, slot: u64) -> Result<(), Malformed> {
        let update = AccountUpdate {
            pubkey: Pubkey(*key),
            owner: Pubkey(PROGRAM),
            slot: Slot(slot),
            gate: Gate::Arrival,
            data,
        };
        self.fast
            .apply(update)
            .map_err(|error| Malformed(format!("the fast book refused an account: {error}")))?;
        self.naive.apply(&Update {
            pubkey: *key,
            owner: PROGRAM,
            slot,
            stamp: Stamp::Arrival,
            data,
        });
        Ok(())
    }

    fn ask(&self, market: MarketKey, chain: &Chain) -> Result<Ours, Malformed> {
        let missing = || Malformed(format!("{market:?} is unknown to a book"));
        let view = self.naive.view(market.0, market.1).ok_or_else(missing)?;
        let naive = Views::of([view.bids, view.asks].map(|side| {
            side.iter()
                .map(|row| {
                    let user = chain.user_of(&row.maker);
                    ShownOrder {
                        index: chain.index_of(user, row.order_id, market),
                        row: Some(Row {
                            price: row.price,
                            size: row.size,
                            maker: user,
                            order_id: row.order_id,
                        }),
                        price: row.price,
                        level_size: row.size,
                        maker: user,
                    }
                })
                .collect()
        }));
        let fast = self.fast_views(market, chain).ok_or_else(missing)?;
        Ok(Ours { fast, naive })
    }

    /// The fast book's views, each from the question that serves it: rows, levels, header, makers.
    fn fast_views(&self, market: MarketKey, chain: &Chain) -> Option<Views> {
        let market_type = match market.0 {
            MarketKind::Spot => MarketType::Spot,
            MarketKind::Perp => MarketType::Perp,
        };
        let id = self.fast.find_market(market_type, market.1)?;
        let sides = [Side::Bid, Side::Ask].map(|side| {
            let mut rows: Vec<OrderRow> = Vec::new();
            self.fast.orders(id, side, usize::MAX, &mut rows);
            rows
        });
        let levels = |depth: usize| {
            [Side::Bid, Side::Ask].map(|side| {
                self.fast
                    .levels(id, side)
                    .take(depth)
                    .map(|level| (i128::from(level.price.0), level.size.cast_signed()))
                    .collect()
            })
        };
        let user = |row: &OrderRow| chain.user_of(&row.maker.0);
        Some(Views {
            order: sides.each_ref().map(|rows| {
                rows.iter().map(|row| chain.index_of(user(row), row.order_id, market)).collect()
            }),
            l3: sides.each_ref().map(|rows| {
                rows.iter()
                    .map(|row| Row {
                        price: i128::from(row.price.0),
                        size: i128::from(row.size.0),
                        maker: user(row),
                        order_id: row.order_id,
                    })
                    .collect()
            }),
            l2_depth_10: levels(10),
            l2_depth_100: levels(100),
            best: Side::BOTH.map(|side| self.fast.best(id, side).map(|p| i128::from(p.0))),
            makers: [Side::Bid, Side::Ask].map(|side| {
                let mut makers = Vec::new();
                self.fast.top_makers(id, side, usize::MAX, &mut makers);
                first_makers(makers.iter().map(|maker| chain.user_of(&maker.0)))
            }),
        })
    }
}
