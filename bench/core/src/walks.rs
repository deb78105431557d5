//! What a taker gets: the walk along a loaded book.

use std::hint::black_box;

use slotbook_book::{Book, MarketId, QueueScratch, Side};
use slotbook_matching::{
    Liquidity, Maker, MarketTerms, Model, Size, Taker, Walk, walk as walk_along,
};
use slotbook_protocol::enums::Direction;
use slotbook_protocol::units::BaseQty;

use crate::error::BenchError;
use crate::replay::Replay;
use crate::stopwatch::Stopwatch;
use crate::workload::Workload;

/// How often a taker walks, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Takers {
    /// The size of each, 1e9.
    pub size: u64,
    /// Walks of each direction.
    pub repeats: usize,
}

/// What takers of these sizes get, buyers and then sellers: base, quote and worst price.
///
/// # Errors
/// When the book refuses an account.
pub fn walks(workload: &Workload, sizes: &[u64]) -> Result<String, BenchError> {
    let replay = Replay::loaded(workload)?;
    let market = replay.market(0)?;
    let mut scratch = QueueScratch::default();
    let mut rows = Vec::new();
    for direction in [Direction::Long, Direction::Short] {
        for size in sizes {
            let walk = walk_once(&replay.book, market, &taker(direction, *size), &mut scratch);
            rows.push(row(&walk));
        }
    }
    Ok(format!("{{\"walks\":[{}]}}", rows.join(",")))
}

/// The walk alone, nothing written.
///
/// # Errors
/// When the book refuses an account.
pub fn walk(workload: &Workload, takers: Takers) -> Result<String, BenchError> {
    let replay = Replay::loaded(workload)?;
    let market = replay.market(0)?;
    let mut scratch = QueueScratch::default();
    timed(takers, |taker| walk_once(&replay.book, market, taker, &mut scratch).fills.len())
}

/// Times takers of both directions by turns; a tenth of them goes before, untimed. `run` answers
/// what a walk is made of.
fn timed(takers: Takers, mut run: impl FnMut(&Taker) -> usize) -> Result<String, BenchError> {
    let both = [Direction::Long, Direction::Short].map(|side| taker(side, takers.size));
    let mut pass = |repeats| {
        let mut parts = 0;
        for _ in 0..repeats {
            for taker in &both {
                parts += run(black_box(taker));
            }
        }
        black_box(parts)
    };
    pass(takers.repeats.div_ceil(10));
    let watch = Stopwatch::start();
    let parts = pass(takers.repeats);
    let measured = watch.stop(both.len() * takers.repeats);
    let parts = parts / (both.len() * takers.repeats).max(1);
    Ok(format!("{{{},\"parts\":{parts}}}", measured.json()))
}

fn walk_once(book: &Book, id: MarketId, taker: &Taker, scratch: &mut QueueScratch) -> Walk {
    let side = match taker.direction {
        Direction::Long => Side::Ask,
        Direction::Short => Side::Bid,
    };
    let terms = book.market(id).map(|info| MarketTerms::of(info, None));
    let terms = terms.expect("Invariant: the workload's market is in its book");
    let mut makers = book.resting(id, side, scratch).map(Maker::from);
    walk_along(taker, Liquidity::of_makers(terms, &mut makers), Model::Spec)
}

fn taker(direction: Direction, size: u64) -> Taker {
    Taker::market(direction, Size::Base(BaseQty(size)))
}

fn row(walk: &Walk) -> String {
    let worst = walk.worst_price.map_or(0, |price| price.0);
    let numbers = [walk.filled_base.0, walk.filled_quote.0, worst];
    format!("[{}]", numbers.map(|number| format!("\"{number}\"")).join(","))
}
