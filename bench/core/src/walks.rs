//! The fills of a taker: the walk along a loaded book, and its /match body.

use std::hint::black_box;

use slotbook_book::{Book, MarketId, QueueScratch, Side};
use slotbook_matching::{
    Liquidity, Maker, MarketTerms, Model, Size, Taker, Walk, walk as walk_along,
};
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::units::BaseQty;
use slotbook_wire::sources::Sources;
use slotbook_wire::walk::{WalkRequest, WalkScratch, render_walk};

use crate::error::BenchError;
use crate::replay::Replay;
use crate::stopwatch::Stopwatch;
use crate::workload::Workload;

/// As long as the name of a real process run.
const EPOCH: &str = "1700000000000";

/// How often a taker walks, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Takers {
    /// The size of each, 1e9.
    pub size: u64,
    /// Walks of each direction.
    pub repeats: usize,
}

/// The fills of takers of these sizes, buyers and then sellers: base, quote and worst price.
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

/// The walk alone with its queues sorted each time: the cost of the first walk after a change.
///
/// # Errors
/// When the book refuses an account.
pub fn first_walk(workload: &Workload, takers: Takers) -> Result<String, BenchError> {
    let replay = Replay::loaded(workload)?;
    let market = replay.market(0)?;
    timed(takers, |taker| {
        let mut scratch = QueueScratch::default();
        walk_once(&replay.book, market, taker, &mut scratch).fills.len()
    })
}

/// The walk to its finished /match body.
///
/// # Errors
/// When the book refuses an account.
pub fn match_body(workload: &Workload, takers: Takers) -> Result<String, BenchError> {
    let replay = Replay::loaded(workload)?;
    let market = replay.market(0)?;
    let (mut scratch, mut body) = (WalkScratch::default(), Vec::new());
    timed(takers, |taker| {
        let (model, sources, taker) = (Model::Spec, Sources::NONE, *taker);
        let (asked, jit, external) = (u128::from(takers.size), &[], &[]);
        let request = WalkRequest { market, model, taker, asked, jit, sources, external };
        body.clear();
        render_walk(&replay.book, &request, EPOCH, &mut scratch, &mut body);
        body.len()
    })
}

/// Times takers of alternating directions; a tenth of them run before as warm-up. `run` returns the
/// number of steps of a walk.
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
