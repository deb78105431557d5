//! The levels of all sources together: orders, the AMM's quotes and indicative quotes.
//!
//! What the incumbent lists under the address of its pseudo maker are indicative quotes to us, which
//! are no orders: they are quoted as they are recorded, since the incumbent had moved them to the
//! touch before. An AMM is cut into as many chunks as the recording says, by its own tick.

use serde_json::Value;
use slotbook_book::{
    AmmCut, Book, INDICATIVE_MAKER, IndicativePolicy, IndicativeQuote, Level, MarketId, QuotedSide,
    Side,
};
use slotbook_naive::{MarketKey, MarketKind};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::amm::{AmmInputs, AmmQuote};
use slotbook_protocol::model::enums::MarketType;
use slotbook_wire::level::{SizeScale, Source, SourcedLevel};
use slotbook_wire::sources::merged;

use super::chain::{Chain, advance};
use super::judge::{Books, Pair};
use super::vector::{OraclePrice, Vector, VectorOrder, by_market};
use crate::amm::perp_amm;
use crate::group::levels;
use crate::report::{Case, equal};
use crate::value::{at, integer, integers, list};

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

/// Checks the questions that the views of orders leave out; none for a file of orders alone.
pub(super) fn check(file: &Value, vector: &Vector) -> Vec<Case> {
    let (quotes, orders): (Vec<_>, Vec<_>) =
        vector.orders.iter().cloned().partition(|order| order.entry.user == INDICATIVE_MAKER.0);
    let amms = file.get("vamm").map_or(Vec::new(), by_market);
    if quotes.is_empty() && amms.is_empty() {
        return Vec::new();
    }
    let on_chain = Chain::new(&Vector { orders, ..vector.clone() });
    let mut pair = Pair::new(Program::Drift);
    let mut cases = Vec::new();
    for (snapshot, recorded) in vector.snapshots.iter().zip(list(file, "expected")) {
        advance(&mut pair, vector, snapshot, &on_chain);
        for (name, market, answers) in by_market(at(recorded, "markets")) {
            let id = quote(&mut pair.fast, market, &quotes);
            let amm = amms.iter().find(|(_, of, _)| *of == market);
            let vamm = amm.map_or(Default::default(), |(_, _, amm)| {
                vamm_levels(amm, snapshot.oracles[&market], snapshot.slot)
            });
            for (question, depth, has_vamm) in QUESTIONS {
                let Some(expected) = answers.get(question) else { continue };
                let vamm = if has_vamm { &vamm } else { &Default::default() };
                let ours = levels_of(&pair.fast, id, vamm, depth);
                let expected = ["bids", "asks"].map(|side| levels(expected, side));
                let name = format!("slot {} {name} {question} with sources", snapshot.slot);
                cases.push(equal(&name, &ours, &expected));
            }
        }
    }
    cases
}

/// Quotes in a market what the recording has as orders of the pseudo maker.
fn quote(book: &mut Book, (kind, index): MarketKey, orders: &[VectorOrder]) -> MarketId {
    let is_perp = kind == MarketKind::Perp;
    let market_type = if is_perp { MarketType::Perp } else { MarketType::Spot };
    let id = book.find_market(market_type, index).expect("a known market");
    let of_market = |order: &&VectorOrder| {
        let order = &order.entry.order;
        ((order.market_type != 0) == is_perp) && order.market_index == index
    };
    let quotes: Vec<IndicativeQuote> = orders.iter().filter(of_market).map(quote_of).collect();
    book.set_indicative_policy(IndicativePolicy::Improve);
    book.set_indicative(id, INDICATIVE_MAKER, &quotes, 0).expect("quotes that can be taken");
    book.end_turn(0);
    book.refresh_quotes(id);
    id
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

fn vamm_levels(recorded: &Value, oracle: OraclePrice, slot: u64) -> [Vec<Level>; 2] {
    let market = at(recorded, "market");
    let inputs = AmmInputs {
        oracle_price: oracle.price,
        oracle_confidence: oracle.confidence,
        now: integer(recorded, "now"),
        slot,
    };
    let quote = AmmQuote::of(&perp_amm(market, at(market, "amm")), &inputs).expect("a quote");
    let amounts = integers(recorded, "topOfBookQuoteAmounts");
    let cut = AmmCut { chunks_max: integer(recorded, "numOrders"), top_of_book: &amounts };
    Side::BOTH.map(|side| {
        let mut levels = Vec::new();
        cut.levels(&quote, side, &mut Vec::new(), &mut levels).expect("levels");
        levels
    })
}

fn levels_of(
    book: &Book,
    id: MarketId,
    vamm: &[Vec<Level>; 2],
    depth: usize,
) -> [Vec<SourcedLevel>; 2] {
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
