//! The levels of all sources together: orders, the AMM's quotes and indicative quotes.
//!
//! What the incumbent lists under the address of its pseudo maker are indicative quotes to us, which
//! are no orders: they are quoted as they are recorded, since the incumbent had moved them to the
//! touch before. An AMM is cut into as many chunks as the recording says, by its own tick.

use serde_json::Value;
use slotbook_book::{
    AccountUpdate, AmmCut, Book, Gate, INDICATIVE_MAKER, IndicativePolicy, IndicativeQuote, Level,
    MarketId, QuotedSide, Side,
};
use slotbook_naive::{MarketKey, MarketKind};
use slotbook_protocol::model::amm::{AmmInputs, AmmQuote};
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{Price, Pubkey, Slot, UnixSeconds};
use slotbook_wire::level::{SizeScale, Source, SourcedLevel};
use slotbook_wire::sources::merged;

use super::chain::{Chain, PROGRAM, RawAccount, market_account, oracle_account};
use super::vector::{OraclePrice, Vector, VectorOrder, VectorSnapshot, by_market};
use crate::amm::perp_amm;
use crate::report::Outcome;
use crate::value::{Malformed, at, integer, integer_of, list};

/// Decimals of a base size at which the recordings are.
const DECIMALS: u32 = 9;

/// `PositionDirection::Long`.
const LONG: u8 = 0;

/// The recorded questions, and whether the AMM is part of the answer.
const QUESTIONS: [(&str, usize, bool); 4] = [
    ("l2Depth10", 10, false),
    ("l2Depth100", 100, false),
    ("l2Depth10WithVamm", 10, true),
    ("l2Depth100WithVamm", 100, true),
];

/// Both sides of an answer with its sources, bids first.
type Sides = [Vec<SourcedLevel>; 2];

/// Checks the questions that the views of orders leave out; none for a file of orders alone.
pub(super) fn check(file: &Value, vector: &Vector) -> Result<Vec<(String, Outcome)>, Malformed> {
    let (quotes, orders): (Vec<_>, Vec<_>) =
        vector.orders.iter().cloned().partition(|order| order.entry.user == INDICATIVE_MAKER.0);
    let amms = match file.get("vamm") {
        Some(amms) => by_market(amms)?,
        None => Vec::new(),
    };
    if quotes.is_empty() && amms.is_empty() {
        return Ok(Vec::new());
    }
    let on_chain = Chain::new(&Vector { orders, ..vector.clone() })?;
    let mut book = Book::new(Pubkey(PROGRAM).into());
    let mut cases = Vec::new();
    for (number, snapshot) in vector.snapshots.iter().enumerate() {
        read_chain(&mut book, vector, snapshot, &on_chain)?;
        let recorded = &list(file, "expected")?[number];
        for (name, market, answers) in by_market(at(recorded, "markets")?)? {
            let id = market_id(&book, market)?;
            quote(&mut book, id, market, &quotes)?;
            let amm = amms.iter().find(|(_, of, _)| *of == market).map(|(_, _, amm)| *amm);
            let vamm = match amm {
                Some(amm) => vamm_levels(amm, snapshot.oracles[&market], snapshot.slot)?,
                None => Default::default(),
            };
            for (question, depth, has_vamm) in QUESTIONS {
                let Some(expected) = answers.get(question) else { continue };
                let vamm = if has_vamm { &vamm } else { &Default::default() };
                let outcome = compare(&levels(&book, id, vamm, depth), &parse(expected)?);
                cases.push((format!("snapshot {number} {name} {question} with sources"), outcome));
            }
        }
    }
    Ok(cases)
}

/// Brings the book to the moment of a snapshot.
fn read_chain(
    book: &mut Book,
    vector: &Vector,
    snapshot: &VectorSnapshot,
    chain: &Chain,
) -> Result<(), Malformed> {
    book.set_clock(Slot(snapshot.slot), UnixSeconds(vector.ts));
    let mut apply = |account: &RawAccount| {
        let (pubkey, owner, slot) = (Pubkey(account.0), Pubkey(PROGRAM), Slot(snapshot.slot));
        let gate = Gate::Arrival;
        let applied = book.apply(AccountUpdate { pubkey, owner, slot, gate, data: &account.1 });
        applied.map_err(|error| Malformed(format!("the book refused an account: {error}")))
    };
    for market in &vector.markets {
        let oracle = snapshot.oracles[market];
        apply(&market_account(*market, oracle))?;
        apply(&oracle_account(*market, oracle, snapshot.slot))?;
    }
    chain.users().iter().try_for_each(|user| apply(user).map(|_| ()))?;
    book.end_turn(snapshot.slot);
    Ok(())
}

fn market_id(book: &Book, (kind, index): MarketKey) -> Result<MarketId, Malformed> {
    let market_type = match kind {
        MarketKind::Spot => MarketType::Spot,
        MarketKind::Perp => MarketType::Perp,
    };
    let missing = || Malformed(format!("{market_type:?} {index} is unknown to the book"));
    book.find_market(market_type, index).ok_or_else(missing)
}

/// Quotes what the recording has as orders of the pseudo maker.
fn quote(
    book: &mut Book,
    id: MarketId,
    market: MarketKey,
    orders: &[VectorOrder],
) -> Result<(), Malformed> {
    let of_market = |order: &&VectorOrder| {
        let perp = order.entry.order.market_type != 0;
        (perp == (market.0 == MarketKind::Perp)) && order.entry.order.market_index == market.1
    };
    let quotes: Vec<IndicativeQuote> = orders.iter().filter(of_market).map(quote_of).collect();
    book.set_indicative_policy(IndicativePolicy::Improve);
    book.set_indicative(id, INDICATIVE_MAKER, &quotes, 0)
        .map_err(|error| Malformed(format!("the book refused quotes: {error}")))?;
    book.end_turn(0);
    book.refresh_quotes(id);
    Ok(())
}

fn quote_of(order: &VectorOrder) -> IndicativeQuote {
    let order = &order.entry.order;
    let is_oracle_offset = order.oracle_price_offset != 0;
    let price = match is_oracle_offset {
        true => order.oracle_price_offset,
        false => order.price.cast_signed(),
    };
    let side =
        Some(QuotedSide { price, size: order.base_asset_amount - order.base_asset_amount_filled });
    let (bid, ask) = if order.direction == LONG { (side, None) } else { (None, side) };
    IndicativeQuote { bid, ask, is_oracle_offset }
}

fn vamm_levels(
    recorded: &Value,
    oracle: OraclePrice,
    slot: u64,
) -> Result<[Vec<Level>; 2], Malformed> {
    let amm = perp_amm(at(recorded, "market")?)?;
    let inputs = AmmInputs {
        oracle_price: oracle.price,
        oracle_confidence: oracle.confidence,
        now: integer(recorded, "now")?,
        slot,
    };
    let amounts = list(recorded, "topOfBookQuoteAmounts")?.iter().map(|amount| {
        integer_of(amount)
            .and_then(|amount| u64::try_from(amount).ok())
            .ok_or_else(|| Malformed(format!("topOfBookQuoteAmounts holds {amount}")))
    });
    let amounts = amounts.collect::<Result<Vec<u64>, _>>()?;
    let cut = AmmCut { chunks_max: integer(recorded, "numOrders")?, top_of_book: &amounts };
    let failed = |error| Malformed(format!("the AMM has no quote: {error}"));
    let quote = AmmQuote::of(&amm, &inputs).map_err(failed)?;
    let mut sides: [Vec<Level>; 2] = Default::default();
    for (side, levels) in Side::BOTH.into_iter().zip(&mut sides) {
        cut.levels(&quote, side, &mut Vec::new(), levels).map_err(failed)?;
    }
    Ok(sides)
}

fn levels(book: &Book, id: MarketId, vamm: &[Vec<Level>; 2], depth: usize) -> Sides {
    Side::BOTH.map(|side| {
        let orders = book
            .levels(id, side)
            .map(|level| SourcedLevel::of(Source::Dlob, level.price, level.size));
        let quotes = [
            (Source::Vamm, vamm[side as usize].as_slice()),
            (Source::Indicative, book.indicative_levels(id, side)),
        ];
        merged(side, SizeScale::from_decimals(DECIMALS), orders, quotes).take(depth).collect()
    })
}

fn parse(answer: &Value) -> Result<Sides, Malformed> {
    let level = |value: &Value| {
        let sources = at(value, "sources")?;
        let size = |source: Source| match sources.get(source.name()) {
            Some(_) => integer(sources, source.name()),
            None => Ok(0),
        };
        let [dlob, vamm, indicative] = Source::ALL.map(size);
        let level = SourcedLevel {
            price: Price(integer(value, "price")?),
            sizes: [dlob?, vamm?, indicative?],
        };
        match integer::<u128>(value, "size")? == level.size() {
            true => Ok(level),
            false => Err(Malformed(format!("sources of {value} do not add up"))),
        }
    };
    let side = |name: &str| list(answer, name)?.iter().map(level).collect::<Result<Vec<_>, _>>();
    Ok([side("bids")?, side("asks")?])
}

fn compare(ours: &Sides, recorded: &Sides) -> Outcome {
    for (side, name) in ["bids", "asks"].into_iter().enumerate() {
        let (a, b) = (&ours[side], &recorded[side]);
        if let Some(at) = (0..a.len().max(b.len())).find(|&at| a.get(at) != b.get(at)) {
            let (a, b) = (a.get(at), b.get(at));
            return Outcome::Failed(format!("{name}[{at}] {a:?} against {b:?}"));
        }
    }
    Outcome::Passed
}
